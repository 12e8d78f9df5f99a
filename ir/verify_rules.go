package ir

import (
	"slices"

	"github.com/gpugen/gpugen/dsl/types"
)

// rule checks the types of one instruction whose shape is right.
type rule func(*verifier, *Instr)

// rules has a row an operation.
var rules = [NumOps]rule{
	OpInvalid: func(v *verifier, in *Instr) { v.check(false, "invalid operation") },
	OpConst:   constRule,
	OpParamGet: func(v *verifier, in *Instr) {
		if v.check(!in.Param.IsView(), "value of a view") && v.leaf(in) {
			leaf := in.Param.Leaf(in.Leaf)
			v.check(len(leaf.Dims) == 0, "leaf %q is an array", leaf.Path)
			v.result(in, leaf.Kind)
		}
	},
	OpExtent:   func(v *verifier, in *Instr) { v.result(in, types.Int) },
	OpPoint:    pointRule,
	OpThread:   groupRule,
	OpLane:     subgroupRule,
	OpSubgroup: subgroupRule,
	OpIter:     func(v *verifier, in *Instr) { v.check(false, "an index stands in a list") },
	OpLocalGet: func(v *verifier, in *Instr) { v.result(in, in.Local.Type) },
	OpBlockIdx: threadRule, OpThreadIdx: threadRule, OpGridDim: threadRule,

	OpAdd: same(numeric), OpSub: same(numeric), OpMul: same(numeric), OpDiv: same(numeric), OpRem: same(numeric),
	OpNeg: same(numeric), OpAbs: same(numeric),
	OpAnd: same(integer), OpOr: same(integer), OpXor: same(integer), OpAndNot: same(integer), OpNot: same(integer),
	OpShl: shiftRule, OpShr: shiftRule, OpShlIn: shiftRule, OpShrIn: shiftRule,
	OpMulHi: same(integer), OpPopcount: same(integer), OpClz: same(integer), OpCtz: same(integer), OpReverse: same(integer),
	OpDivNZ: same(integer), OpRemNZ: same(integer),

	OpEq: compare(basic), OpNe: compare(basic), OpLt: compare(numeric), OpLe: compare(numeric), OpGt: compare(numeric), OpGe: compare(numeric),
	OpLNot: same(boolean), OpCondAnd: same(boolean), OpCondOr: same(boolean),
	OpSelect: selectRule,

	OpMin: same(numeric), OpMax: same(numeric), OpFmin: same(numeric), OpFmax: same(numeric), OpFMA: same(types.Kind.IsFloat),
	OpFloor: same(types.Kind.IsFloat), OpCeil: same(types.Kind.IsFloat), OpTrunc: same(types.Kind.IsFloat),
	OpRound: same(types.Kind.IsFloat), OpRoundEven: same(types.Kind.IsFloat), OpSqrt: same(types.Kind.IsFloat), OpCopysign: same(types.Kind.IsFloat),

	OpRsqrt: same(types.Kind.IsFloat), OpExp: same(types.Kind.IsFloat), OpExp2: same(types.Kind.IsFloat), OpLog: same(types.Kind.IsFloat),
	OpLog2: same(types.Kind.IsFloat), OpLog10: same(types.Kind.IsFloat), OpSin: same(types.Kind.IsFloat), OpCos: same(types.Kind.IsFloat),
	OpTan: same(types.Kind.IsFloat), OpAsin: same(types.Kind.IsFloat), OpAcos: same(types.Kind.IsFloat), OpAtan: same(types.Kind.IsFloat),
	OpAtan2: same(types.Kind.IsFloat), OpSinh: same(types.Kind.IsFloat), OpCosh: same(types.Kind.IsFloat), OpTanh: same(types.Kind.IsFloat),
	OpPow: same(types.Kind.IsFloat), OpHypot: same(types.Kind.IsFloat), OpErf: same(types.Kind.IsFloat),

	OpConv:    convRule,
	OpBitcast: bitcastRule,

	OpLoad: func(v *verifier, in *Instr) {
		if v.view(in, in.Args) {
			v.result(in, in.Param.Leaf(in.Leaf).Kind)
		}
	},
	OpStore: func(v *verifier, in *Instr) {
		n := len(in.Args) - 1
		if v.check(n >= 0, "no value") && v.view(in, in.Args[:n]) {
			v.operand(in, n, in.Param.Leaf(in.Leaf).Kind)
			v.check(in.Param.Mut, "%s is not mut", in.Param.Name)
		}
	},
	OpElemGet: func(v *verifier, in *Instr) {
		if t := v.array(in, in.Args); t != nil {
			v.result(in, t)
		}
	},
	OpElemSet: func(v *verifier, in *Instr) {
		n := len(in.Args) - 1
		if !v.check(n >= 0, "no value") {
			return
		}
		if t := v.array(in, in.Args[:n]); t != nil {
			v.operand(in, n, t)
		}
	},
	OpLocalSet: func(v *verifier, in *Instr) { v.operand(in, 0, in.Local.Type) },
	OpTableGet: func(v *verifier, in *Instr) {
		v.indexes(in.Args)
		v.check(len(in.Args) == len(in.Table.Type.Dims), "%d indexes into %s", len(in.Args), in.Table.Type)
		v.result(in, in.Table.Type.Elem)
	},

	OpAtomic: atomicRule,

	OpReduce: reduceRule,
	OpSubReduce: func(v *verifier, in *Instr) {
		v.subgroups()
		reduceRule(v, in)
	},
	OpShuffle: func(v *verifier, in *Instr) {
		v.subgroups()
		v.check(basic(in.Kind()), "result is %v", in.Type)
		v.operand(in, 0, in.Type)
		v.operand(in, 1, types.Int32)
	},
	OpBallot: func(v *verifier, in *Instr) {
		v.subgroups()
		v.result(in, types.Uint32)
		v.operand(in, 0, types.Bool)
	},

	OpIf:       func(v *verifier, in *Instr) { v.operand(in, 0, types.Bool) },
	OpRange:    rangeRule,
	OpLoop:     func(*verifier, *Instr) {}, // shape alone
	OpScope:    func(*verifier, *Instr) {}, // shape alone
	OpBreak:    exitRule,
	OpContinue: exitRule,
	OpBarrier: func(v *verifier, in *Instr) {
		v.check(v.fn != nil || len(v.kernel.Group) > 0, "outside a kernel of blocks")
	},
	OpReturn: returnRule,
	OpYield: func(v *verifier, in *Instr) {
		if v.check(v.ctx.yield != nil, "in a block that gives no value") {
			v.operand(in, 0, v.ctx.yield)
		}
	},
	OpCall: callRule,

	OpAssert: func(*verifier, *Instr) {}, // shape alone
	OpReport: reportRule,
	OpPrint:  printRule,
}

// Sets of kinds, as same and compare take them.
func numeric(k types.Kind) bool { return k.IsNumeric() && !k.IsUntyped() }
func integer(k types.Kind) bool { return k.IsInteger() && !k.IsUntyped() }
func boolean(k types.Kind) bool { return k == types.Bool }
func basic(k types.Kind) bool   { return boolean(k) || numeric(k) }

// result checks the type of in.
func (v *verifier) result(in *Instr, want types.Type) {
	v.check(types.Identical(in.Type, want), "result is %v, want %v", in.Type, want)
}

// operand checks the type of operand i.
func (v *verifier) operand(in *Instr, i int, want types.Type) {
	v.check(types.Identical(in.Args[i].Type, want), "operand %d is %v, want %v", i, in.Args[i].Type, want)
}

// same is the rule of operations whose operands and result have one kind of the set.
func same(set func(types.Kind) bool) rule {
	return func(v *verifier, in *Instr) {
		v.check(set(in.Kind()), "result is %v", in.Type)
		for i := range in.Args {
			v.operand(in, i, in.Type)
		}
	}
}

// compare is the rule of comparisons of two operands of one kind of the set.
func compare(set func(types.Kind) bool) rule {
	return func(v *verifier, in *Instr) {
		v.result(in, types.Bool)
		v.check(set(in.Args[0].Kind()), "operands are %v", in.Args[0].Type)
		v.operand(in, 1, in.Args[0].Type)
	}
}

func constRule(v *verifier, in *Instr) {
	switch k := in.Kind(); {
	case k == types.Invalid:
		v.check(in.Bits == 0, "an array that is not zero")
	case k.IsFloat():
		v.check(k.Bits() == 64 || in.Bits>>k.Bits() == 0, "bits %#x of a %s", in.Bits, k)
	default:
		v.check(in.Bits == IntBits(k, int64(in.Bits)), "bits %#x of a %s", in.Bits, k)
	}
}

func pointRule(v *verifier, in *Instr) {
	if v.check(v.kernel != nil && v.kernel.Sched == nil, "after schedule, or in a function") {
		v.check(0 <= in.Dim && in.Dim < len(v.kernel.Domain), "dim %d", in.Dim)
		v.result(in, types.Int)
	}
}

func groupRule(v *verifier, in *Instr) {
	if v.check(v.kernel != nil && v.kernel.Sched == nil, "after schedule, or in a function") {
		v.check(0 <= in.Dim && in.Dim < len(v.kernel.Group), "dim %d", in.Dim)
		v.result(in, types.Int)
	}
}

// exitRule checks that there is something to leave or repeat behind what Level passes.
func exitRule(v *verifier, in *Instr) {
	around := v.ctx.around
	if !v.check(0 <= in.Level && in.Level <= len(around), "level %d in %d", in.Level, len(around)) {
		return
	}
	around = around[:len(around)-in.Level]
	if in.Op == OpBreak {
		v.check(len(around) > 0, "outside a loop's body and every scope")
		return
	}
	v.check(slices.ContainsFunc(around, func(o Op) bool { return o != OpScope }), "outside a loop's body")
}

func threadRule(v *verifier, in *Instr) {
	if !v.check(v.kernel != nil && v.kernel.Sched != nil, "before schedule, or in a function") {
		return
	}
	v.check(0 <= in.Dim && in.Dim < 3, "dim %d", in.Dim)
	want := types.Int32
	if v.kernel.Wide {
		want = types.Int
	}
	v.result(in, want)
}

func shiftRule(v *verifier, in *Instr) {
	v.check(integer(in.Kind()), "result is %v", in.Type)
	v.operand(in, 0, in.Type)
	v.check(integer(in.Args[1].Kind()), "count is %v", in.Args[1].Type)
}

func selectRule(v *verifier, in *Instr) {
	v.check(basic(in.Kind()), "result is %v", in.Type)
	v.operand(in, 0, types.Bool)
	v.operand(in, 1, in.Type)
	v.operand(in, 2, in.Type)
}

func convRule(v *verifier, in *Instr) {
	v.check(numeric(in.Kind()), "to %v", in.Type)
	v.check(numeric(in.Args[0].Kind()), "from %v", in.Args[0].Type)
}

func bitcastRule(v *verifier, in *Instr) {
	from, to := in.Args[0].Kind(), in.Kind()
	v.check(numeric(from) && numeric(to) && from.Bits() == to.Bits(), "from %v to %v", in.Args[0].Type, in.Type)
}

// indexes checks that every index is an int; in a narrow device kernel it may be an int32.
func (v *verifier) indexes(idx []*Instr) {
	narrow := v.kernel != nil && v.kernel.Sched != nil && !v.kernel.Wide
	for i, x := range idx {
		v.check(x.Type == types.Int || narrow && x.Type == types.Int32, "index %d is %v", i, x.Type)
	}
}

// view checks an access of a view.
func (v *verifier) view(in *Instr, idx []*Instr) bool {
	if !v.leaf(in) {
		return false
	}
	dims := len(in.Param.Leaf(in.Leaf).Dims)
	if !v.check(in.Param.IsView() || dims > 0 && in.Op == OpLoad, "%s is no view", in.Param.Name) {
		return false
	}
	v.indexes(idx)
	dims += len(in.Param.Dims)
	return v.check(len(idx) == dims, "%d indexes into %d dims", len(idx), dims)
}

// leaf checks that the leaf of an access exists.
func (v *verifier) leaf(in *Instr) bool {
	n := len(types.Leaves(in.Param.Elem()))
	return v.check(0 <= in.Leaf && in.Leaf < n, "leaf %d of %d", in.Leaf, n)
}

// array checks an access of a local array and gives the type of the element.
func (v *verifier) array(in *Instr, idx []*Instr) types.Type {
	v.indexes(idx)
	t, ok := ElemType(in.Local.Type, len(idx))
	if !v.check(ok && len(idx) > 0, "%d indexes into %s", len(idx), in.Local.Type) {
		return nil
	}
	return t
}

func rangeRule(v *verifier, in *Instr) {
	iter := in.Blocks[0].Iter
	if !v.check(iter != nil && iter.Op == OpIter && !v.seen[iter], "no index of its own") {
		return
	}
	v.seen[iter] = true
	v.check(integer(iter.Kind()), "index is %v", iter.Type)
	for i := range in.Args {
		v.operand(in, i, iter.Type)
	}
	if step := in.Args[2]; step.IsConst() {
		v.check(step.Bits != 0 && (iter.Kind().IsUnsigned() || step.Int64() > 0), "step %d", step.Int64())
	}
	v.check(in.Spread == 0 || in.Args[2].IsInt(1), "a spread loop counts by another step than 1")
	if in.Reduce != NoReduction && v.check(in.Reduce.accumulates(len(in.Outs)), "%d accumulators of %s", len(in.Outs), in.Reduce) {
		v.accumulators(in)
	}
}

// accumulators checks what a comprehension accumulates in.
func (v *verifier) accumulators(in *Instr) {
	for _, l := range in.Outs {
		if v.check(v.locals[l], "accumulates in a local of another owner") {
			v.check(!l.Shared && types.KindOf(l.Type) != types.Invalid, "accumulates in %s", l.Name)
		}
	}
	switch first := in.Outs[0].Type; in.Reduce {
	case ReduceArgMin, ReduceArgMax:
		v.check(first == types.Int && (len(in.Outs) < 3 || in.Outs[2].Type == types.Bool), "the index is in a %v", first)
	case ReduceAny, ReduceAll:
		v.check(first == types.Bool, "%s is in a %v", in.Reduce, first)
	}
}

func returnRule(v *verifier, in *Instr) {
	v.check(v.ctx.exit, "in a block that gives a value")
	var want []types.Type
	if v.fn != nil {
		want = v.fn.Results
	}
	if v.check(len(in.Args) == len(want), "%d results, want %d", len(in.Args), len(want)) {
		for i, t := range want {
			v.operand(in, i, t)
		}
	}
}

// maxPrinted bounds the values of a Print.
const maxPrinted = 8

// where checks the operands that say which thread reports: none without a site.
func (v *verifier) where(in *Instr, args []*Instr) {
	want := 0
	if in.Site != nil {
		want = v.kernel.Where()
	}
	once := in.Site != nil && len(args) == len(v.kernel.Domain) // the text of a block is one thread's
	if v.check(len(args) == want || once, "%d operands say where, want %d", len(args), want) {
		v.indexes(args)
	}
}

func reportRule(v *verifier, in *Instr) {
	if v.check(len(in.Args) >= 2, "no index and extent") {
		v.indexes(in.Args[:2])
		v.where(in, in.Args[2:])
	}
	v.check(in.Site == nil || in.Site.Kind != SitePrint, "site of a print")
}

func printRule(v *verifier, in *Instr) {
	values := in.Args
	if s := in.Site; s != nil && v.check(s.Kind == SitePrint && len(s.Args) <= len(values), "site %d", s.Index) {
		values = values[:len(s.Args)]
		for i, k := range s.Args {
			v.operand(in, i, k)
		}
		v.where(in, in.Args[len(values):])
	}
	v.check(len(values) <= maxPrinted, "%d values", len(values))
	for _, x := range values {
		v.check(basic(x.Kind()), "value of type %v", x.Type)
	}
}

func callRule(v *verifier, in *Instr) {
	f := in.Func
	v.check(v.mod == nil || slices.Contains(v.mod.Funcs, f), "%s is not of this module", f.Instance)
	if v.check(len(in.Args) == len(f.Params), "%d arguments to %s, which takes %d", len(in.Args), f.Instance, len(f.Params)) {
		for i, p := range f.Params {
			v.operand(in, i, p.Type)
		}
	}
	if v.check(len(in.Outs) == len(f.Results), "%d results from %s, which gives %d", len(in.Outs), f.Instance, len(f.Results)) {
		for i, l := range in.Outs {
			if v.check(v.locals[l], "result goes to a local of another owner") {
				v.check(types.Identical(l.Type, f.Results[i]), "result %d is %v, want %v", i, f.Results[i], l.Type)
			}
		}
	}
}
