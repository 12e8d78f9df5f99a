// Package cfamilytest turns the meaning table into kernels: one for each operation on each kind, with inputs that reach
// every corner of it and the results that the interpreter gives. Tests of codegen/ptx, codegen/msl and whatever runs
// their text on a device use it; nothing else does.
package cfamilytest

import (
	"fmt"
	"slices"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/interp"
	"github.com/gpugen/gpugen/ir/pass"
)

// Case is one operation on operands of given kinds, as a kernel that applies it to whole views.
type Case struct {
	Op     ir.Op
	Args   []types.Kind
	To     types.Kind
	NoWrap bool
	Kernel *ir.Kernel
}

// kinds are those that have arithmetic.
var kinds = []types.Kind{
	types.Bool, types.Int8, types.Int16, types.Int32, types.Int64, types.Int,
	types.Uint8, types.Uint16, types.Uint32, types.Uint64, types.Float16, types.BFloat16, types.Float32, types.Float64,
}

// counts are kinds of shift counts: narrow and wide, signed and unsigned.
var counts = []types.Kind{types.Int8, types.Uint16, types.Int32, types.Uint32, types.Int, types.Uint64}

// memory reports a kind that views can hold; an int reaches the kernels as an int64.
func memory(k types.Kind) types.Kind {
	if k == types.Int {
		return types.Int64
	}
	return k
}

// Cases are all operations that the language has on the kinds that the target has: what the interpreter can do.
func Cases(t types.Target) []Case {
	var out []Case
	add := func(c Case) {
		for _, k := range append(slices.Clone(c.Args), c.To) {
			if types.Has(t, types.Arithmetic, k) == types.Impossible {
				return
			}
		}
		c.Kernel = c.build(len(out))
		out = append(out, c)
	}
	for op := ir.OpAdd; op < ir.NumOps; op++ {
		info := ir.Ops[op]
		if info.Class != ir.Pure {
			continue
		}
		for _, k := range kinds {
			switch op {
			case ir.OpSelect:
				add(Case{Op: op, Args: []types.Kind{types.Bool, k, k}, To: k})
			case ir.OpConv, ir.OpBitcast:
				for _, to := range kinds {
					if _, ok := interp.Eval(op, k, to, 0); ok && k != to && k != types.Bool && to != types.Bool {
						add(Case{Op: op, Args: []types.Kind{k}, To: to})
					}
				}
			case ir.OpShl, ir.OpShr, ir.OpShlIn, ir.OpShrIn:
				if k.IsInteger() {
					for _, n := range counts {
						add(Case{Op: op, Args: []types.Kind{k, n}, To: k})
					}
				}
			default:
				to := k
				if op.IsCompare() {
					to = types.Bool
				}
				if _, ok := interp.Eval(op, k, to, []uint64{1, 1, 1}[:info.Args]...); !ok {
					continue
				}
				c := Case{Op: op, Args: slices.Repeat([]types.Kind{k}, info.Args), To: to}
				add(c)
				if slices.Contains([]ir.Op{ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpNeg}, op) && k.IsSigned() {
					c.NoWrap = true
					add(c)
				}
			}
		}
	}
	return out
}

// Tables are the cases of the table functions on float32 and on 16 bits, which package accuracy has operands for.
func Tables(t types.Target) []Case {
	return slices.DeleteFunc(Cases(t), func(c Case) bool { return !ir.Ops[c.Op].Table || c.To == types.Float64 })
}

// String names the case: "shl int8 uint64".
func (c Case) String() string {
	s := c.Op.String()
	for _, k := range c.Args {
		s += " " + k.String()
	}
	if c.Op == ir.OpConv || c.Op == ir.OpBitcast {
		s += " to " + c.To.String()
	}
	if c.NoWrap {
		s += " nowrap"
	}
	return s
}

// build makes the kernel: out[i] = op(a[i], b[i], …) on 256 threads a block.
func (c Case) build(id int) *ir.Kernel {
	n := types.Sym("n")
	k := &ir.Kernel{
		Name: "Op", Instance: c.String(), Entry: fmt.Sprintf("Op%d_%s", id, c.Op), Targets: types.AllTargets,
		Domain: []ir.Dim{{Name: "i", Lo: types.Const(0), Hi: n}}, Sched: &ir.Schedule{Block: [3]int{256, 1, 1}, Per: 1},
	}
	view := func(name string, kind types.Kind, mut bool) *ir.Param {
		p := &ir.Param{
			Index: len(k.Params), Name: name, Mut: mut, Type: &types.View{Rank: 1, Elem: memory(kind)}, Dims: []*types.Header{n},
		}
		k.Params = append(k.Params, p)
		return p
	}
	var in []*ir.Param
	for i, a := range c.Args {
		in = append(in, view("abc"[i:i+1], a, false))
	}
	out := view("out", c.To, true)
	sym := &ir.Symbol{Name: "n"}
	k.Symbols = []*ir.Symbol{sym}
	for i := 1; i < len(k.Params); i++ {
		k.Equal = append(k.Equal, ir.Equality{Param: i, Want: n})
	}
	k.Body = &ir.Block{}
	b := ir.Builder{Block: k.Body}
	i := Index(b, types.Int32, 256)
	guard := b.If(b.Bin(ir.OpLt, i, b.Conv(types.Int32, b.Extent(sym))))
	b = b.In(guard.Blocks[0])
	var args []*ir.Instr
	for j, p := range in {
		args = append(args, b.Conv(c.Args[j], b.Load(p, i)))
	}
	v := b.New(c.Op, c.To, args...)
	v.NoWrap = c.NoWrap
	b.Store(out, b.Conv(memory(c.To), v), i)
	pass.Half(k)
	return k
}

// Index is a thread's index along x.
func Index(b ir.Builder, k types.Kind, block int64) *ir.Instr {
	first := b.Bin(ir.OpMul, b.New(ir.OpBlockIdx, k), b.Const(k, block))
	i := b.Bin(ir.OpAdd, first, b.New(ir.OpThreadIdx, k))
	i.Name = "i"
	first.NoWrap, i.NoWrap = true, true
	return i
}

// Module is a module of the cases' kernels.
func Module(cases []Case) *ir.Module {
	m := &ir.Module{Package: "ops", File: "ops.gpu"}
	for _, c := range cases {
		m.Kernels = append(m.Kernels, c.Kernel)
	}
	return m
}
