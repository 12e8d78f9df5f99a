package check

import (
	"fmt"
	"go/constant"
	"go/token"
	"math"
	"strings"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/types"
)

// maxBits bounds integer constants, as in Go's compiler.
const maxBits = 512

// piValue has more digits than any type keeps.
var piValue = constant.MakeFromLiteral("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211707", token.FLOAT, 0)

// fault is why a type cannot hold a constant.
type fault uint8

const (
	fits fault = iota
	overflows
	truncates
	differs // a bool for a number, or a number for a bool
)

// fit is v as a constant of kind k: floats are rounded to k, untyped kinds keep everything within bounds.
func fit(v constant.Value, k types.Kind) (constant.Value, fault) {
	if v.Kind() == constant.Unknown {
		return nil, overflows
	}
	isBool := v.Kind() == constant.Bool
	if isBool || k.IsBool() {
		if isBool && k.IsBool() {
			return v, fits
		}
		return nil, differs
	}
	if k.IsInteger() {
		i := constant.ToInt(v)
		if i.Kind() != constant.Int {
			return nil, truncates
		}
		return i, fitInt(i, k)
	}
	f := constant.ToFloat(v)
	if f.Kind() != constant.Float {
		return nil, overflows
	}
	switch k {
	case types.Float32:
		r, _ := constant.Float32Val(f)
		f = constant.MakeFloat64(float64(r))
	case types.Float64:
		r, _ := constant.Float64Val(f)
		f = constant.MakeFloat64(r)
	case types.Float16, types.BFloat16:
		f = constant.MakeFloat64(types.HalfValue(k, types.RoundHalf(k, oddFloat64(f))))
	}
	if f.Kind() != constant.Float { // MakeFloat64 of an infinity is unknown
		return nil, overflows
	}
	return f, fits
}

// oddFloat64 is f rounded to odd: of the two neighbours of an inexact value the one with an odd last bit, so that one more
// rounding to a narrower type gives what rounding once would.
func oddFloat64(f constant.Value) float64 {
	near, exact := constant.Float64Val(f)
	bits := math.Float64bits(near)
	if exact || bits&1 != 0 || math.IsInf(near, 0) {
		return near
	}
	if near == 0 { // too small for a float64
		return math.Copysign(math.SmallestNonzeroFloat64, float64(constant.Sign(f)))
	}
	if constant.Compare(constant.MakeFloat64(near), token.LSS, f) == (near > 0) {
		return math.Float64frombits(bits + 1)
	}
	return math.Float64frombits(bits - 1)
}

func fitInt(i constant.Value, k types.Kind) fault {
	switch {
	case k == types.UntypedInt:
		if constant.BitLen(i) <= maxBits {
			return fits
		}
	case k.IsUnsigned():
		if u, ok := constant.Uint64Val(i); ok && (k.Bits() == 64 || u>>k.Bits() == 0) {
			return fits
		}
	default:
		if s, ok := constant.Int64Val(i); ok && s>>(k.Bits()-1) == s>>63 {
			return fits
		}
	}
	return overflows
}

// show is a constant for a message.
func show(v constant.Value) string {
	s := v.String()
	if v.Kind() == constant.Int && len(s) > 40 {
		s = s[:12] + "…"
	}
	return s
}

// maxDepth bounds how deep constants need constants and functions call functions, so that recursion over them is safe.
const maxDepth = 5000

// pkgConst is a constant of the package, evaluated when something needs it.
type pkgConst struct {
	file  *dsl.File
	obj   *object
	doc   string
	id    *dsl.Ident
	typ   dsl.Expr // or nil
	value dsl.Expr // nil: missing
	iota  int
	state uint8 // 0 untouched, 1 in evaluation, 2 done
}

// reportOnce reports the first of a kind of mistake that would come in crowds.
func (c *checker) reportOnce(e *TooLargeError) {
	if !c.deep {
		c.deep = true
		c.report(e)
	}
}

// spec is one name of a constant declaration with its type and value, repetitions resolved.
type spec struct {
	id         *dsl.Ident
	doc        string
	typ, value dsl.Expr
	iota       int
}

// specs resolves the repetitions of a declaration.
func specs(d *dsl.ConstDecl) []spec {
	var out []spec
	var typ dsl.Expr
	var values []dsl.Expr
	for _, s := range d.Specs {
		if len(s.Values) > 0 || s.Type != nil {
			typ, values = s.Type, s.Values
		}
		doc := s.Doc
		if doc == "" && len(d.Specs) == 1 {
			doc = d.Doc
		}
		for i, id := range s.Names {
			x := spec{id: id, doc: doc, typ: typ, iota: s.Iota}
			if i < len(values) {
				x.value = values[i]
			}
			out = append(out, x)
		}
	}
	return out
}

// extraValues reports values without a name.
func (b *body) extraValues(d *dsl.ConstDecl) {
	for _, s := range d.Specs {
		if n := len(s.Names); len(s.Values) > n {
			b.report(&ValueCountError{span: at(s.Values[n]), What: "constant", Want: n, Have: len(s.Values)})
		}
	}
}

// resolve evaluates a constant of the package.
func (c *checker) resolve(p *pkgConst) {
	switch p.state {
	case 2:
		return
	case 1:
		if p.obj.kind != objBad {
			c.report(&ConstCycleError{span: at(p.id), Name: p.id.Name})
			p.obj.kind = objBad
		}
		return
	}
	if c.depth > maxDepth {
		c.reportOnce(&TooLargeError{span: at(p.id), Name: p.id.Name, Why: fmt.Sprintf("needs constants that need constants, more than %d deep", maxDepth)})
		p.obj.kind, p.state = objBad, 2
		return
	}
	c.depth++
	defer func() { c.depth-- }()
	p.state = 1
	b := c.newBody(p.file, c.scope)
	t, v, table, ok := b.constant(spec{p.id, p.doc, p.typ, p.value, p.iota})
	p.state = 2
	if !ok || p.obj.kind == objBad {
		p.obj.kind = objBad
		return
	}
	p.obj.typ, p.obj.val, p.obj.table = t, v, table
	if p.id.Name != "_" {
		c.prog.Consts = append(c.prog.Consts, &Const{Name: p.id.Name, File: p.file.Name, Doc: p.doc, Type: t, Value: v, Table: table, Pos: p.id.Pos()})
	}
}

// constant evaluates the value of a constant declaration: a number or bool, or an array.
func (b *body) constant(s spec) (t types.Type, v constant.Value, table *Table, ok bool) {
	if s.value == nil {
		b.report(&ConstValueError{span: at(s.id), Name: s.id.Name})
		return nil, nil, nil, false
	}
	var want types.Type
	if s.typ != nil {
		if want = b.typ(s.typ); want == types.Invalid {
			b.use(s.value)
			return nil, nil, nil, false
		}
	}
	old := b.iota
	b.iota = constant.MakeInt64(int64(s.iota))
	x := b.expr(s.value)
	b.iota = old
	if x.mode == bad {
		return nil, nil, nil, false
	}
	if a, ok := x.typ.(*types.Array); ok {
		if want != nil && !b.assign(&x, want, "the declaration of `"+s.id.Name+"`") {
			return nil, nil, nil, false
		}
		table, ok = b.table(s, x, a)
		return a, nil, table, ok
	}
	if x.mode == value {
		b.report(&NotConstantError{span: at(s.value), Text: text(s.value), Where: "the value of constant `" + s.id.Name + "`"})
		return nil, nil, nil, false
	}
	if want != nil && !b.assign(&x, want, "the declaration of `"+s.id.Name+"`") {
		return nil, nil, nil, false
	}
	return x.typ, x.val, nil, true
}

// localConsts declares the constants of a `const` statement.
func (b *body) localConsts(d *dsl.ConstDecl) {
	b.attrsOf(d.Attrs, "constant")
	b.extraValues(d)
	for _, s := range specs(d) {
		t, v, table, ok := b.constant(s)
		o := &object{kind: objConst, name: s.id.Name, place: at(s.id), typ: t, val: v, table: table}
		if !ok {
			o.kind = objBad
		}
		if s.id.Name != "_" {
			b.declare(o)
		}
	}
}

// constInt evaluates a constant of type int, for sizes and arguments of attributes.
func (b *body) constInt(e dsl.Expr, where string) (int64, bool) {
	x := b.expr(e)
	if x.mode == bad {
		return 0, false
	}
	if x.mode == value {
		b.report(&NotConstantError{span: at(e), Text: text(e), Where: where})
		return 0, false
	}
	if k := types.KindOf(x.typ); k.IsUntyped() {
		if !b.assign(&x, types.Int, where) {
			return 0, false
		}
	} else if !k.IsInteger() {
		b.report(&WrongTypeError{span: at(e), Text: text(e), Have: x.typ, Want: types.Int, Where: where})
		return 0, false
	}
	n, ok := constant.Int64Val(constant.ToInt(x.val))
	if !ok {
		b.report(&ConstantOverflowError{span: at(e), Value: show(x.val), Type: types.Int})
	}
	return n, ok
}

// text is an expression for a message, cut where it is long.
func text(e dsl.Expr) string {
	w := &cutter{left: 60}
	_ = dsl.Print(w, e)
	s := strings.Join(strings.Fields(w.b.String()), " ")
	if w.left < 0 {
		s += "…"
	}
	return s
}

// fullText is the whole expression on one line.
func fullText(e dsl.Expr) string {
	var w strings.Builder
	_ = dsl.Print(&w, e)
	return strings.Join(strings.Fields(w.String()), " ")
}

// cutter keeps the start of what is written.
type cutter struct {
	b    strings.Builder
	left int
}

func (c *cutter) Write(p []byte) (int, error) {
	n := max(min(len(p), c.left), 0)
	c.b.Write(p[:n])
	c.left -= len(p)
	return len(p), nil
}
