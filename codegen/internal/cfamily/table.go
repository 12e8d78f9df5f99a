package cfamily

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// Form is how an operation on a kind is printed.
type Form uint8

// The forms.
const (
	Missing  Form = iota // a hole in the table; a test finds it
	Never                // the checker, or the target's lack of the kind, keeps such an instruction away
	Infix2               // x op y
	Prefix1              // op x
	Function             // f(args…), an intrinsic or a helper of the prelude
	Shift                // Function whose second operand is a count of any integer type, given as an unsigned 32-bit one
	Same                 // the operand itself
	Own                  // printed by code of its own: leaves, memory, structure, conversions, select
)

// Rule is one cell of the table.
type Rule struct {
	Form  Form
	Text  string     // operator or function
	Gives types.Kind // Function, Shift: the kind of the C result when it is not the instruction's; a cast follows
	Wraps bool       // Infix2, Prefix1 on a signed kind of 32 or 64 bits: overflow must go through the unsigned kind
}

// Table has a rule for each operation on each kind: the kind of the result, for comparisons that of the operands.
type Table struct {
	rules [ir.NumOps][types.NumKinds]Rule
	fast  map[cell]Rule // what @fastmath puts in place of a rule
	conv  map[[2]types.Kind]string
	odd   map[types.Kind]string // to float32, rounded to odd
}

type cell struct {
	op ir.Op
	k  types.Kind
}

// Kinds of the language that tables speak of together.
var (
	Signed   = []types.Kind{types.Int8, types.Int16, types.Int32, types.Int64, types.Int}
	Unsigned = []types.Kind{types.Uint8, types.Uint16, types.Uint32, types.Uint64}
	Ints     = append(append([]types.Kind{}, Signed...), Unsigned...)
	Floats   = []types.Kind{types.Float32, types.Float64}
	Bools    = []types.Kind{types.Bool}
	// Halves are stored and converted only: a pass computes them in float32.
	Halves = []types.Kind{types.Float16, types.BFloat16}
)

// Short names a kind in the names of helpers; int is i64.
func Short(k types.Kind) string {
	switch {
	case k == types.Bool:
		return "bool"
	case k.IsSigned():
		return "i" + itoa(k.Bits())
	case k.IsUnsigned():
		return "u" + itoa(k.Bits())
	case k == types.BFloat16:
		return "bf16"
	case k.IsFloat():
		return "f" + itoa(k.Bits())
	}
	panic(fmt.Sprintf("cfamily: no short name for %s", k))
}

// Wide is the kind that C computes k in: kinds narrower than int promote to 32 bits.
func Wide(k types.Kind) types.Kind {
	switch {
	case k.IsInteger() && k.Bits() < 32 && k.IsSigned():
		return types.Int32
	case k.IsInteger() && k.Bits() < 32:
		return types.Uint32
	}
	return k
}

// UnsignedOf is the unsigned kind of k's width.
func UnsignedOf(k types.Kind) types.Kind {
	switch k.Bits() {
	case 8:
		return types.Uint8
	case 16:
		return types.Uint16
	case 32:
		return types.Uint32
	}
	return types.Uint64
}

// NewTable is what every C-like language shares: its operators. What remains is Missing until a dialect says more.
func NewTable() *Table {
	t := &Table{fast: map[cell]Rule{}, conv: map[[2]types.Kind]string{}, odd: map[types.Kind]string{}}
	for op := ir.OpConst; op < ir.NumOps; op++ {
		t.Set(Rule{Form: Never}, Halves, op)
	}
	all := append(append(append([]types.Kind{}, Ints...), Floats...), types.Bool)
	own := []ir.Op{ir.OpConst, ir.OpParamGet, ir.OpLocalGet, ir.OpSelect, ir.OpConv, ir.OpBitcast, ir.OpLoad, ir.OpElemGet, ir.OpTableGet, ir.OpAtomic, ir.OpReduce, ir.OpSubReduce, ir.OpShuffle, ir.OpBallot}
	t.Set(Rule{Form: Own}, append(slices.Clone(all), Halves...), own...)
	for op := ir.OpConst; op < ir.NumOps; op++ {
		if !ir.Ops[op].Value || ir.Ops[op].Class == ir.Structure || ir.Ops[op].Class == ir.Leaf && t.rules[op][types.Int].Form == Missing {
			t.Set(Rule{Form: Own}, all, op)
		}
	}
	t.Set(Rule{Form: Never}, append(slices.Clone(all), Halves...), ir.OpReduce) // a pass has taken it apart
	for op, text := range map[ir.Op]string{ir.OpAdd: "+", ir.OpSub: "-", ir.OpMul: "*"} {
		t.Set(Rule{Form: Infix2, Text: text, Wraps: true}, Ints, op)
		t.Set(Rule{Form: Infix2, Text: text}, Floats, op)
	}
	t.Set(Rule{Form: Infix2, Text: "/"}, Floats, ir.OpDiv)
	t.Set(Rule{Form: Prefix1, Text: "-", Wraps: true}, Ints, ir.OpNeg)
	t.Set(Rule{Form: Prefix1, Text: "-"}, Floats, ir.OpNeg)
	t.Set(Rule{Form: Prefix1, Text: "~"}, Ints, ir.OpNot)
	t.Set(Rule{Form: Prefix1, Text: "!"}, Bools, ir.OpLNot)
	for op, text := range map[ir.Op]string{ir.OpAnd: "&", ir.OpOr: "|", ir.OpXor: "^", ir.OpAndNot: "&", ir.OpDivNZ: "/", ir.OpRemNZ: "%", ir.OpShrIn: ">>"} {
		t.Set(Rule{Form: Infix2, Text: text}, Ints, op)
	}
	t.Set(Rule{Form: Infix2, Text: "<<", Wraps: true}, Ints, ir.OpShlIn)
	for op, text := range map[ir.Op]string{ir.OpEq: "==", ir.OpNe: "!=", ir.OpLt: "<", ir.OpLe: "<=", ir.OpGt: ">", ir.OpGe: ">="} {
		t.Set(Rule{Form: Infix2, Text: text}, append(append([]types.Kind{}, Ints...), Floats...), op)
	}
	t.Set(Rule{Form: Infix2, Text: "=="}, Bools, ir.OpEq)
	t.Set(Rule{Form: Infix2, Text: "!="}, Bools, ir.OpNe)

	// What the checker refuses: arithmetic on bools, integer operations on floats and the other way round.
	for op := ir.OpAdd; op <= ir.OpErf; op++ {
		t.never(Bools, op)
	}
	for op := ir.OpAnd; op <= ir.OpShrIn; op++ {
		t.never(Floats, op)
	}
	t.never(append(append([]types.Kind{}, Ints...), Floats...), ir.OpLNot)
	for op := ir.OpFmin; op <= ir.OpErf; op++ {
		t.never(Ints, op)
	}
	return t
}

// Set gives the rule to every operation on every kind.
func (t *Table) Set(r Rule, kinds []types.Kind, ops ...ir.Op) {
	for _, op := range ops {
		for _, k := range kinds {
			t.rules[op][k] = r
		}
	}
}

// never fills holes only.
func (t *Table) never(kinds []types.Kind, op ir.Op) {
	for _, k := range kinds {
		if t.rules[op][k].Form == Missing {
			t.rules[op][k] = Rule{Form: Never}
		}
	}
}

// Helper gives op on the kinds the helper of that stem, one a C type: gg_div_i32 for int8, int16 and int32, whose
// operands C widens and whose result is cast back.
func (t *Table) Helper(op ir.Op, stem string, kinds []types.Kind) {
	for _, k := range kinds {
		w := Wide(k)
		t.rules[op][k] = Rule{Form: Function, Text: stem + Short(w), Gives: w}
	}
}

// Bits gives op the helper of that stem for the unsigned kind of each width: gg_clz_u8 takes and gives unsigned values.
func (t *Table) Bits(op ir.Op, stem string) {
	for _, k := range Ints {
		u := UnsignedOf(k)
		t.rules[op][k] = Rule{Form: Function, Text: stem + Short(u), Gives: Wide(u)}
	}
}

// Shifts gives OpShl and OpShr their helpers. A left shift of a narrow kind is the low part of the 32-bit one; a right
// shift works on the promoted value.
func (t *Table) Shifts(shl, shr string) {
	for _, k := range Ints {
		u := Wide(UnsignedOf(k))
		t.rules[ir.OpShl][k] = Rule{Form: Shift, Text: shl + Short(u), Gives: u}
		t.rules[ir.OpShr][k] = Rule{Form: Shift, Text: shr + Short(Wide(k)), Gives: Wide(k)}
	}
}

// Calls gives operations on one kind a function each.
func (t *Table) Calls(k types.Kind, functions map[ir.Op]string) {
	for op, f := range functions {
		t.rules[op][k] = Rule{Form: Function, Text: f, Gives: k}
	}
}

// Fast gives operations on one kind the function that @fastmath kernels call.
func (t *Table) Fast(k types.Kind, functions map[ir.Op]string) {
	for op, f := range functions {
		t.fast[cell{op, k}] = Rule{Form: Function, Text: f, Gives: k}
	}
}

// Saturating gives the conversions of float kinds to integers their helpers: stem_f32_i8 and so on.
func (t *Table) Saturating(stem string, floats []types.Kind) {
	for _, from := range floats {
		for _, to := range Ints {
			t.conv[[2]types.Kind{from, to}] = stem + Short(from) + "_" + Short(to)
		}
	}
}

// Halving gives the conversions of 16-bit floats their helpers: stem_f16_f32 and stem_f32_f16. What has more than 24
// bits comes to stem_f32_f16 as a float32 that another helper rounded to odd, so that the one rounding sees what was lost;
// odd_i64 and odd_u64 do that, and odd_f64 where the target has float64.
func (t *Table) Halving(stem, odd string, double bool) {
	for _, k := range Halves {
		t.conv[[2]types.Kind{k, types.Float32}] = stem + Short(k) + "_f32"
		t.conv[[2]types.Kind{types.Float32, k}] = stem + "f32_" + Short(k)
	}
	for _, k := range []types.Kind{types.Int32, types.Int64, types.Int} {
		t.odd[k] = odd + "i64"
	}
	for _, k := range []types.Kind{types.Uint32, types.Uint64} {
		t.odd[k] = odd + "u64"
	}
	if double {
		t.odd[types.Float64] = odd + "f64"
	}
}

// Without declares that the target lacks a kind.
func (t *Table) Without(kinds ...types.Kind) {
	for op := ir.OpConst; op < ir.NumOps; op++ {
		t.Set(Rule{Form: Never}, kinds, op)
	}
}

// Rule is the rule of op on k.
func (t *Table) Rule(op ir.Op, k types.Kind, fast bool) Rule {
	if fast {
		if r, ok := t.fast[cell{op, k}]; ok {
			return r
		}
	}
	return t.rules[op][k]
}

// Holes lists the cells without a rule and the helpers that the prelude lacks.
func (t *Table) Holes(p *Prelude) []string {
	var out []string
	for op := ir.OpConst; op < ir.NumOps; op++ {
		for k := types.Bool; k <= types.Float64; k++ {
			if t.rules[op][k].Form == Missing {
				out = append(out, fmt.Sprintf("%s on %s", op, k))
			}
		}
	}
	for f := range t.functions() {
		if strings.HasPrefix(f, helperPrefix) && !p.Has(f) {
			out = append(out, "helper "+f)
		}
	}
	return out
}

// functions are the names that kernels may call. One qualified by its namespace is found whatever a local is called.
func (t *Table) functions() map[string]bool {
	out := map[string]bool{}
	add := func(r Rule) {
		if (r.Form == Function || r.Form == Shift) && !strings.Contains(r.Text, "::") {
			out[r.Text] = true
		}
	}
	for op := range t.rules {
		for _, r := range t.rules[op] {
			add(r)
		}
	}
	for _, r := range t.fast {
		add(r)
	}
	for _, f := range t.conv {
		out[f] = true
	}
	for _, f := range t.odd {
		out[f] = true
	}
	return out
}
