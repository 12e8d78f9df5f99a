package check

import (
	"strings"

	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
)

// BlankValueError is `_` used as a value.
//
// Example (blank-value):
//
//	package p
//
//	kernel K(x mut [n]float32) for i in n { x[i] = _ }
type BlankValueError struct{ span }

// Diagnose implements diag.Error.
func (e *BlankValueError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "blank-value", "`_` cannot be used as a value")
}

// ViewValueError is a whole view used as a value. A view appears only as `x[i]` and in `len(x)`.
//
// Example (view-value):
//
//	package p
//
//	kernel K(x, y mut [n]float32) for i in n { x = y }
type ViewValueError struct {
	span
	Name string
}

// Diagnose implements diag.Error.
func (e *ViewValueError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "view-value", "`%s` is a view of memory; only its elements and `len(%s)` are values", e.Name, e.Name)
}

// MismatchedTypesError is an operator whose operands have different types. Nothing is converted implicitly, `int` and
// `int32` included.
//
// Example (mismatched-types):
//
//	package p
//
//	kernel K(x mut [n]float32) for i in n { x[i] = x[i] * i }
type MismatchedTypesError struct {
	span
	Op           string
	X, Y         types.Type
	XText, YText string
	XAt, YAt     span
	Assigned     bool // the operator assigns to x, which therefore keeps its type
}

// Diagnose implements diag.Error.
func (e *MismatchedTypesError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "mismatched-types", "operands of `%s` have different types: `%s` is %s and `%s` is %s", e.Op, e.XText, e.X, e.YText, e.Y)
	d.Label(e.XAt.At, e.XAt.To, "this is %s", e.X)
	d.Label(e.YAt.At, e.YAt.To, "this is %s", e.Y)
	d.Fix = conversionFix(e.X, e.Y, e.XText, e.YText)
	switch bools := ops[e.Op].class == logic; {
	case bools && types.KindOf(e.X).IsNumeric():
		d.Fix = "write `" + e.XText + " != 0`"
	case bools && types.KindOf(e.Y).IsNumeric():
		d.Fix = "write `" + e.YText + " != 0`"
	}
	if a, b := types.KindOf(e.X), types.KindOf(e.Y); e.Assigned && a.IsNumeric() && b.IsNumeric() && !b.IsUntyped() {
		d.Fix = "write `" + a.String() + "(" + e.YText + ")`"
	}
}

// conversionFix proposes to convert the operand of the narrower type.
func conversionFix(x, y types.Type, xText, yText string) string {
	a, b := types.KindOf(x), types.KindOf(y)
	if a == types.Invalid || b == types.Invalid || a.IsBool() == b.IsBool() && (a.IsUntyped() || b.IsUntyped() || a == b) {
		return ""
	}
	switch {
	case a.IsBool():
		return "write `select(" + xText + ", 1, 0)`"
	case b.IsBool():
		return "write `select(" + yText + ", 1, 0)`"
	case rank(a) < rank(b):
		return "write `" + b.String() + "(" + xText + ")`"
	}
	return "write `" + a.String() + "(" + yText + ")`"
}

// rank orders numeric kinds by how much they hold.
func rank(k types.Kind) int {
	r := 2*k.Bits() + int(k)
	if k.IsFloat() {
		r += 1 << 10
	}
	return r
}

// OperatorError is an operator that the type of its operand does not have.
//
// Example (operator):
//
//	package p
//
//	kernel K(x mut [n]float32) for i in n { x[i] = x[i] % 2 }
type OperatorError struct {
	span
	Op   string
	Text string
	Type types.Type
	Hint string
}

// Diagnose implements diag.Error.
func (e *OperatorError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "operator", "operator `%s` is not defined on `%s` of type %s", e.Op, e.Text, e.Type)
	d.Fix = e.Hint
}

// UntypedOperandError is an expression of integers that takes a floating-point type from its context, though its
// operator means something for integers alone.
//
// Example (untyped-operand):
//
//	package p
//
//	kernel K(s int, x mut [n]float32) for i in n { x[i] = 1 << s }
type UntypedOperandError struct {
	span
	Text string
	Type types.Type
}

// Diagnose implements diag.Error.
func (e *UntypedOperandError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "untyped-operand", "the operands of `%s` would become %s, and must be integers", e.Text, e.Type)
	d.Fix = "give an operand a type, as in `int32(1)`"
}

// WrongTypeError is a value whose type is not the one that its place has.
//
// Example (wrong-type):
//
//	package p
//
//	kernel K(x mut [n]float32) for i in n { x[i] = i }
type WrongTypeError struct {
	span
	Text       string
	Have, Want types.Type
	Where      string // "assignment", "argument `x` of `f`"

	Var, Literal string // the variable and the untyped constant that gave it its type, or empty
	Decl         span
}

// Diagnose implements diag.Error.
func (e *WrongTypeError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "wrong-type", "cannot use `%s` of type %s as %s in %s", e.Text, e.Have, e.Want, e.Where)
	a, b := types.KindOf(e.Have), types.KindOf(e.Want)
	if e.Var != "" {
		d.Label(e.Decl.At, e.Decl.To, "`%s` has the type of `%s`, which alone is %s", e.Var, e.Literal, e.Want)
		d.Fix = "declare it as `" + e.Var + " := " + e.Have.String() + "(" + e.Literal + ")`"
		return
	}
	switch {
	case a.IsBool() && b.IsNumeric():
		d.Fix = "write `select(" + e.Text + ", 1, 0)`"
	case b == types.Bool && a.IsUntyped() && a.IsNumeric() && (e.Text == "0" || e.Text == "1"):
		d.Fix = "write `" + map[string]string{"0": "false", "1": "true"}[e.Text] + "`"
	case a == types.Invalid || b == types.Invalid || a.IsUntyped() || b.IsUntyped():
	case a.IsNumeric() && b.IsNumeric():
		d.Fix = "write `" + b.String() + "(" + e.Text + ")`"
	case b == types.Bool:
		d.Fix = "write `" + e.Text + " != 0`"
	}
}

// ConstantOverflowError is a constant that its type cannot hold.
//
// Example (constant-overflow):
//
//	package p
//
//	kernel K(x mut [n]uint8) for i in n { x[i] = 300 }
type ConstantOverflowError struct {
	span
	Value string
	Type  types.Type // nil: too large for any type
}

// Diagnose implements diag.Error.
func (e *ConstantOverflowError) Diagnose(d *diag.Diagnostic) {
	if e.Type == nil {
		e.fill(d, "constant-overflow", "constant is too large: at most 512 bits are kept")
		return
	}
	e.fill(d, "constant-overflow", "constant %s does not fit %s", e.Value, e.Type)
}

// ConstantTruncatedError is a constant with a fraction that would become an integer.
//
// Example (constant-truncated):
//
//	package p
//
//	kernel K(x mut [n]int32) for i in n { x[i] = 1.5 }
type ConstantTruncatedError struct {
	span
	Value string
	Type  types.Type
}

// Diagnose implements diag.Error.
func (e *ConstantTruncatedError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "constant-truncated", "constant %s is not an integer and cannot be %s", e.Value, e.Type)
}

// DivisionByZeroError is a division by a constant that is zero.
//
// Example (division-by-zero):
//
//	package p
//
//	kernel K(x mut [n]int32) for i in n { x[i] = x[i] / 0 }
type DivisionByZeroError struct {
	span
	Op string
}

// Diagnose implements diag.Error.
func (e *DivisionByZeroError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "division-by-zero", "the divisor of `%s` is the constant 0", e.Op)
}

// ShiftCountError is a shift by something that cannot be a count: not an integer, negative, or beyond every type.
//
// Example (shift-count):
//
//	package p
//
//	kernel K(x mut [n]int32) for i in n { x[i] = x[i] << -1 }
type ShiftCountError struct {
	span
	Text, Why string
}

// Diagnose implements diag.Error.
func (e *ShiftCountError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "shift-count", "`%s` cannot be a shift count: %s", e.Text, e.Why)
}

// ConversionError is a conversion that does not exist.
//
// Example (conversion):
//
//	package p
//
//	kernel K(x mut [n]float32) for i in n { x[i] = float32(i < 3) }
type ConversionError struct {
	span
	Text       string
	Have, Want types.Type
}

// Diagnose implements diag.Error.
func (e *ConversionError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "conversion", "cannot convert `%s` of type %s to %s", e.Text, e.Have, e.Want)
	switch {
	case types.KindOf(e.Have).IsBool() && types.KindOf(e.Want).IsNumeric():
		d.Fix = "write `select(" + e.Text + ", 1, 0)`"
	case types.KindOf(e.Want) == types.Bool:
		d.Fix = "write `" + e.Text + " != 0`"
	}
}

// ArgumentCountError is a call with too few or too many arguments.
//
// Example (argument-count):
//
//	package p
//
//	kernel K(x mut [n]float32) for i in n { x[i] = sqrt(x[i], 2) }
type ArgumentCountError struct {
	span
	Name     string
	Have     int
	Min, Max int    // Max < 0: no limit
	Sig      string // of a function: "f(a float32) float32"
	Hint     string // or empty
}

// Diagnose implements diag.Error.
func (e *ArgumentCountError) Diagnose(d *diag.Diagnostic) {
	want := count(e.Min, "argument")
	switch {
	case e.Max < 0:
		want = "at least " + want
	case e.Max != e.Min:
		want = count(e.Min, "argument") + " or " + count(e.Max, "argument")
	}
	e.fill(d, "argument-count", "`%s` takes %s, and %d stand here", e.Name, want, e.Have)
	if e.Have == 1 {
		d.Message = "`" + e.Name + "` takes " + want + ", and 1 stands here"
	}
	if e.Sig != "" {
		d.Note("it is declared as `%s`", e.Sig)
	}
	d.Fix = e.Hint
}

// BuiltinTypeError is an argument of a type that a builtin does not take.
//
// Example (builtin-type):
//
//	package p
//
//	kernel K(x mut [n]float32) for i in n { x[i] = float32(sqrt(i)) }
type BuiltinTypeError struct {
	span
	Name, Text string
	Have       types.Type
	Want       string // "an integer"
}

// Diagnose implements diag.Error.
func (e *BuiltinTypeError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "builtin-type", "`%s` takes %s, and `%s` is %s", e.Name, e.Want, e.Text, e.Have)
	if types.KindOf(e.Have).IsInteger() && e.Want == floatArg.want {
		d.Fix = "write `float32(" + e.Text + ")`"
	}
}

// ArgumentTypesError is a call of a builtin whose arguments must have one type and do not.
//
// Example (argument-types):
//
//	package p
//
//	kernel K(a int32, x mut [n]float32) for i in n { x[i] = max(x[i], a) }
type ArgumentTypesError struct {
	span
	Name         string
	X, Y         types.Type
	XText, YText string
	First        span
}

// Diagnose implements diag.Error.
func (e *ArgumentTypesError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "argument-types", "arguments of `%s` have different types: `%s` is %s and `%s` is %s", e.Name, e.XText, e.X, e.YText, e.Y)
	d.Label(e.First.At, e.First.To, "this is %s", e.X)
	d.Fix = conversionFix(e.X, e.Y, e.XText, e.YText)
}

// IndexCountError is an element access with too few or too many indexes.
//
// Example (index-count):
//
//	package p
//
//	kernel K(x mut [h, w]float32) for i in h { x[i] = 0 }
type IndexCountError struct {
	span
	Name       string
	Have, Want int
	Meant      string // the element that was probably meant, or empty
}

// Diagnose implements diag.Error.
func (e *IndexCountError) Diagnose(d *diag.Diagnostic) {
	want := "indexes"
	if e.Want == 1 {
		want = "index"
	}
	e.fill(d, "index-count", "`%s` takes %d %s, and has %d here", e.Name, e.Want, want, e.Have)
	if e.Meant != "" {
		d.Fix = "write `" + e.Meant + "`"
	} else if e.Have < e.Want {
		d.Note("all stand in one bracket, as in `%s[%s]`", e.Name, "i, j, k, l"[:3*min(e.Want, 4)-2])
	}
}

// NotIndexableError is an index behind something that has no elements.
//
// Example (not-indexable):
//
//	package p
//
//	kernel K(a float32, x mut [n]float32) for i in n { x[i] = a[i] }
type NotIndexableError struct {
	span
	Text string
	Type types.Type
}

// Diagnose implements diag.Error.
func (e *NotIndexableError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "not-indexable", "`%s` of type %s has no elements", e.Text, e.Type)
}

// IndexTypeError is an index that is not an integer.
//
// Example (index-type):
//
//	package p
//
//	kernel K(a float32, x mut [n]float32) for i in n { x[a] = 0 }
type IndexTypeError struct {
	span
	Text string
	Type types.Type
}

// Diagnose implements diag.Error.
func (e *IndexTypeError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "index-type", "an index must be an integer, and `%s` is %s", e.Text, e.Type)
	if k := types.KindOf(e.Type); k.IsFloat() && !k.IsUntyped() {
		d.Fix = "write `int(" + e.Text + ")`"
	}
}

// IndexRangeError is a constant index outside the extent.
//
// Example (index-range):
//
//	package p
//
//	kernel K(x mut [4]float32) for i in 4 { x[4] = 0 }
type IndexRangeError struct {
	span
	Value  string
	Extent int64 // negative: not known
}

// Diagnose implements diag.Error.
func (e *IndexRangeError) Diagnose(d *diag.Diagnostic) {
	if e.Extent < 0 {
		e.fill(d, "index-range", "index %s is out of range", e.Value)
		return
	}
	e.fill(d, "index-range", "index %s is out of range: the extent is %d", e.Value, e.Extent)
}

// NoFieldError is a selector behind something without fields.
//
// Example (no-field):
//
//	package p
//
//	kernel K(a float32, x mut [n]float32) for i in n { x[i] = a.y }
type NoFieldError struct {
	span
	Text, Name, Near string
	Type             types.Type // of a value
	Hint             string     // what stands for it here, or empty
}

// Diagnose implements diag.Error.
func (e *NoFieldError) Diagnose(d *diag.Diagnostic) {
	of := ""
	if e.Type != nil {
		of = " of type " + e.Type.String()
	}
	e.fill(d, "no-field", "`%s`%s has no `%s`", e.Text, of, e.Name)
	if v, ok := e.Type.(*types.Vector); ok {
		d.Note("its components are `%s`", strings.Join(strings.Split(types.Components[:v.N], ""), " "))
	}
	switch s, _ := e.Type.(*types.Struct); {
	case e.Hint != "":
		d.Fix = e.Hint
	case e.Near != "":
		d.Fix = "did you mean `" + e.Near + "`?"
	case s != nil && len(s.Fields) <= 8:
		d.Note("its fields are `%s`", strings.Join(fieldNames(s), " "))
	}
}

// NoValueError is a call without a result that stands where a value is expected.
//
// Example (no-value):
//
//	package p
//
//	func f() {}
//
//	kernel K(x mut [n]float32) for i in n { x[i] = f() }
type NoValueError struct {
	span
	Text string
}

// Diagnose implements diag.Error.
func (e *NoValueError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "no-value", "`%s` gives no value", e.Text)
}

// SeveralValuesError is a call with several results that stands where one value is expected.
//
// Example (several-values):
//
//	package p
//
//	func f() (int32, int32) { return 1, 2 }
//
//	kernel K(x mut [n]int32) for i in n { x[i] = 1 + f() }
type SeveralValuesError struct {
	span
	Text string
	N    int
}

// Diagnose implements diag.Error.
func (e *SeveralValuesError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "several-values", "`%s` gives %d values where one is expected", e.Text, e.N)
	d.Fix = "assign them to variables first"
}

// LiteralError is a composite literal whose elements do not fit its type.
//
// Example (literal):
//
//	package p
//
//	func f() float32 {
//		t := [2]float32{1, 2, 3}
//		return t[0]
//	}
type LiteralError struct {
	span
	Why string
}

// Diagnose implements diag.Error.
func (e *LiteralError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "literal", "%s", e.Why)
}

// InferError is a call of a generic function whose arguments do not say what a generic parameter is.
//
// Example (cannot-infer):
//
//	package p
//
//	func zero[T float32|float64]() T { return 0 }
//
//	kernel K(x mut [n]float32) for i in n { x[i] = zero() }
type InferError struct {
	span
	Func, Param string
	Decl        span
}

// Diagnose implements diag.Error.
func (e *InferError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "cannot-infer", "cannot infer `%s` of `%s` from the arguments", e.Param, e.Func)
	d.Label(e.Decl.At, e.Decl.To, "`%s` is declared here", e.Param)
	d.Fix = "write `" + e.Func + "[…](…)`"
}

// NotListedError is an instance of a generic function that its declaration does not list.
//
// Example (not-listed):
//
//	package p
//
//	func twice[T float32|float64](x T) T { return x + x }
//
//	kernel K(x mut [n]int32) for i in n { x[i] = twice(x[i]) }
type NotListedError struct {
	span
	Func, Param, Value, List string
	Decl                     span
}

// Diagnose implements diag.Error.
func (e *NotListedError) Diagnose(d *diag.Diagnostic) {
	e.fill(d, "not-listed", "`%s` of `%s` cannot be %s: only %s are listed", e.Param, e.Func, e.Value, e.List)
	d.Label(e.Decl.At, e.Decl.To, "`%s` is declared here", e.Param)
}

// GenericArgsError is a list of generic arguments of the wrong length, or behind something that is not generic.
//
// Example (generic-arguments):
//
//	package p
//
//	func twice(x float32) float32 { return x + x }
//
//	kernel K(x mut [n]float32) for i in n { x[i] = twice[float32](x[i]) }
type GenericArgsError struct {
	span
	Func       string
	Have, Want int
}

// Diagnose implements diag.Error.
func (e *GenericArgsError) Diagnose(d *diag.Diagnostic) {
	if e.Want == 0 {
		e.fill(d, "generic-arguments", "`%s` is not generic", e.Func)
		return
	}
	e.fill(d, "generic-arguments", "`%s` has %s, and %d stand here", e.Func, count(e.Want, "generic parameter"), e.Have)
}
