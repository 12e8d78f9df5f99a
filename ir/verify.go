package ir

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gpugen/gpugen/dsl/types"
)

// MaxGroup bounds the threads of a block, on every target.
const MaxGroup = 1024

// maxProblems bounds what one Verify reports.
const maxProblems = 20

// Verify checks what every stage may rely on: the types of operands, that values are used where they are in scope, that
// structure is well formed and that everything referred to belongs to its owner. What it finds is a bug of ours; the
// error lists the first problems, one a line.
func Verify(m *Module) error {
	v := &verifier{mod: m}
	seen := map[string]bool{}
	for _, t := range m.Tables {
		v.begin(t.Name)
		v.check(!seen[t.Name], "table %s is there twice", t.Name)
		seen[t.Name] = true
		v.table(t)
	}
	for _, c := range m.Consts {
		v.begin(c.Name)
		v.check(c.Table == nil || slices.Contains(m.Tables, c.Table), "constant of a table that the module lacks")
	}
	clear(seen)
	for _, f := range m.Funcs {
		v.begin(f.Instance)
		v.check(!seen[f.Instance], "instance %s is there twice", f.Instance)
		seen[f.Instance] = true
		v.function(f)
	}
	clear(seen)
	for _, k := range m.Kernels {
		v.begin(k.Entry)
		v.check(!seen[k.Entry], "entry %s is there twice", k.Entry)
		seen[k.Entry] = true
		v.kernelDecl(k)
	}
	return errors.Join(v.errs...)
}

// VerifyKernel checks one kernel, as Verify does.
func VerifyKernel(k *Kernel) error {
	v := &verifier{}
	v.begin(k.Entry)
	v.kernelDecl(k)
	return errors.Join(v.errs...)
}

// verifier walks one module.
type verifier struct {
	mod    *Module // nil: calls are not resolved
	owner  string
	kernel *Kernel
	fn     *Func
	locals map[*Local]bool
	scope  map[*Instr]bool // values that may be used here
	seen   map[*Instr]bool // instructions met, each once
	ctx    context
	in     *Instr // the instruction being checked
	errs   []error
}

// context is what control instructions may do at a place.
type context struct {
	around []Op // the Ranges, Loops and Scopes that Break and Continue may leave or repeat, the innermost last
	exit   bool // Return
	yield  types.Type
}

func (v *verifier) begin(owner string) {
	v.owner, v.kernel, v.fn, v.in = owner, nil, nil, nil
	v.locals, v.scope, v.seen = map[*Local]bool{}, map[*Instr]bool{}, map[*Instr]bool{}
}

// check records a problem unless ok, and gives ok.
func (v *verifier) check(ok bool, format string, args ...any) bool {
	if ok || len(v.errs) >= maxProblems {
		return ok
	}
	where := v.owner
	if v.in != nil {
		where += ": " + v.in.Op.String()
		if v.in.Pos.IsValid() {
			where += " at " + v.in.Pos.String()
		}
	}
	v.errs = append(v.errs, fmt.Errorf("ir: %s: %s", where, fmt.Sprintf(format, args...)))
	return false
}

func (v *verifier) ownLocals(ls []*Local) {
	for i, l := range ls {
		v.check(l.ID == i, "local %s has ID %d at position %d", l.Name, l.ID, i)
		v.check(isValue(l.Type), "local %s has type %v", l.Name, l.Type)
		v.check(!l.Shared || v.kernel != nil && (v.kernel.ByBlock || len(v.kernel.Group) > 0), "local %s is shared outside a kernel of blocks", l.Name)
		v.locals[l] = true
	}
}

// table checks a constant array.
func (v *verifier) table(t *Table) {
	if v.check(basic(types.KindOf(t.Type.Elem)), "elements of type %v", t.Type.Elem) && v.check(int64(len(t.Bits)) == t.Type.Len(), "%d elements of %s", len(t.Bits), t.Type) {
		for i := range t.Bits {
			constRule(v, t.At(int64(i)))
		}
	}
}

// isValue reports a typed basic type or an array of them.
func isValue(t types.Type) bool {
	for {
		switch u := t.(type) {
		case types.Kind:
			return types.Bool <= u && u <= types.Float64
		case *types.Array:
			t = u.Elem
		default:
			return false
		}
	}
}

// inMemory reports a type that has a layout, whose structs the module declares.
func (v *verifier) inMemory(t types.Type) bool {
	switch u := t.(type) {
	case types.Kind:
		return isValue(u) && u != types.Int
	case *types.Vector:
		return v.inMemory(u.Elem)
	case *types.Array:
		return v.inMemory(u.Elem)
	case *types.Struct:
		declared := v.mod == nil || slices.ContainsFunc(v.mod.Structs, func(s *Struct) bool { return s.Type.Name == u.Name })
		return declared && len(u.Fields) > 0 && !slices.ContainsFunc(u.Fields, func(f types.Field) bool { return !v.inMemory(f.Type) })
	}
	return false
}

// signature checks that the parts of a signature are what the function takes and gives.
func (v *verifier) signature(f *Func) {
	if f.Sig == nil {
		return
	}
	var takes, gives []types.Type
	for _, p := range f.Sig.Params {
		takes = parts(takes, p.Type)
	}
	for _, r := range f.Sig.Results {
		gives = parts(gives, r)
	}
	same := func(a, b []types.Type) bool { return slices.EqualFunc(a, b, types.Identical) }
	var params []types.Type
	for _, p := range f.Params {
		params = append(params, p.Type)
	}
	v.check(same(takes, params), "takes %v, and its parameters are %v", takes, params)
	v.check(same(gives, f.Results), "gives %v, and its results are %v", gives, f.Results)
}

// parts adds the types of t's leaves.
func parts(out []types.Type, t types.Type) []types.Type {
	for _, l := range types.Leaves(t) {
		out = append(out, l.Type())
	}
	return out
}

func (v *verifier) function(f *Func) {
	v.fn = f
	v.ownLocals(f.Locals)
	if v.check(len(f.Params) <= len(f.Locals), "more parameters than locals") {
		for i, p := range f.Params {
			v.check(f.Locals[i] == p, "parameter %s is not local %d", p.Name, i)
		}
	}
	v.signature(f)
	v.ctx = context{exit: true}
	v.block(f.Body)
}

func (v *verifier) kernelDecl(k *Kernel) {
	v.kernel = k
	names := map[string]bool{} // what header expressions may name
	unique := map[string]bool{}
	for i, p := range k.Params {
		v.check(p.Index == i, "parameter %s has index %d at position %d", p.Name, p.Index, i)
		v.check(!unique[p.Name], "parameter %s is there twice", p.Name)
		unique[p.Name] = true
		if t, ok := p.Type.(*types.View); ok {
			v.check(t.Rank == len(p.Dims) && 1 <= t.Rank && t.Rank <= 4, "view %s of rank %d has %d extents", p.Name, t.Rank, len(p.Dims))
			v.check(v.inMemory(t.Elem), "view %s of %v", p.Name, t.Elem)
			continue
		}
		_, array := p.Type.(*types.Array)
		v.check(p.Type == types.Int || !array && v.inMemory(p.Type), "parameter %s has type %v", p.Name, p.Type)
		v.check(!p.Mut && p.Dims == nil, "scalar %s has what belongs to a view", p.Name)
		names[p.Name] = p.Type == types.Int
	}
	for i, s := range k.Symbols {
		v.check(s.Index == i, "symbol %s has index %d at position %d", s.Name, s.Index, i)
		v.check(!unique[s.Name], "name %s is there twice", s.Name)
		unique[s.Name], names[s.Name] = true, true
		if v.dim(s.Param, s.Dim) {
			h := k.Params[s.Param].Dims[s.Dim]
			v.check(h.Op == types.HSym && h.Name == s.Name, "symbol %s is bound by the extent %s", s.Name, h)
		}
	}
	v.headers(k, names)
	v.check(1 <= len(k.Domain) && len(k.Domain) <= 3, "domain of %d dims", len(k.Domain))
	for _, p := range k.InPlace {
		v.check(k.isView(p[0]) && k.isView(p[1]), "in-place pair %v is not of views", p)
	}
	v.group(k)
	if s := k.Sched; s != nil {
		v.check(min(s.Block[0], s.Block[1], s.Block[2], s.Per) >= 1, "schedule %v", *s)
	}
	v.check(k.Sched != nil || !k.Wide, "wide without a schedule")
	v.ownLocals(k.Locals)
	for i, s := range k.Sites {
		v.check(s.Index == i && s.Kind < NumSiteKinds, "site %d of kind %d at position %d", s.Index, s.Kind, i)
	}
	v.ctx = context{exit: true}
	v.block(k.Body)
}

// group checks the threads of a block and that a schedule has exactly them.
func (v *verifier) group(k *Kernel) {
	n := len(k.Group)
	if n == 0 {
		return
	}
	v.check(n <= 3, "group of %d dims", n)
	block, all := [3]int{1, 1, 1}, int64(1)
	for d, t := range k.Group {
		v.check(1 <= t.N && t.N <= MaxGroup, "%d threads along %s", t.N, t.Name)
		all *= min(max(t.N, 1), MaxGroup+1)
		if d < 3 && n <= 3 {
			block[n-1-d] = int(t.N)
		}
	}
	v.check(all <= MaxGroup, "group of %d threads", all)
	v.check(k.Sched == nil || k.Sched.Block == block && k.Sched.Per == 1, "a schedule of other threads than the group's")
}

// isView reports whether parameter i is a view.
func (k *Kernel) isView(i int) bool { return 0 <= i && i < len(k.Params) && k.Params[i].IsView() }

// dim checks a reference to dim d of parameter p.
func (v *verifier) dim(p, d int) bool {
	return v.check(v.kernel.isView(p) && 0 <= d && d < len(v.kernel.Params[p].Dims), "parameter %d has no dim %d", p, d)
}

// headers checks all header expressions of k.
func (v *verifier) headers(k *Kernel, names map[string]bool) {
	header := func(h *types.Header, isBool bool, what string) {
		if !v.check(h != nil, "%s: no expression", what) {
			return
		}
		v.check(h.IsBool() == isBool, "%s: %s is of the wrong kind", what, h)
		h.Walk(func(h *types.Header) {
			v.check(h.Op != types.HSym || names[h.Name], "%s: %s is neither an extent nor an int parameter", what, h.Name)
		})
	}
	for _, p := range k.Params {
		for _, d := range p.Dims {
			header(d, false, "extent of "+p.Name)
		}
	}
	for _, e := range k.Equal {
		v.dim(e.Param, e.Dim)
		header(e.Want, false, "equality")
	}
	for _, r := range k.Requires {
		header(r.Cond, true, "requires")
	}
	for _, d := range k.Domain {
		header(d.Lo, false, "domain "+d.Name)
		header(d.Hi, false, "domain "+d.Name)
	}
}

// block checks the instructions of b; what b defines is in scope in b alone.
func (v *verifier) block(b *Block) {
	if !v.check(b != nil, "no block") {
		return
	}
	var mine []*Instr
	if b.Iter != nil {
		v.scope[b.Iter] = true
		mine = append(mine, b.Iter)
	}
	for i, in := range b.Instrs {
		v.in = in
		if !v.check(!v.seen[in], "stands in two places") {
			continue
		}
		v.seen[in] = true
		v.instr(in, i == len(b.Instrs)-1)
		if in.Op < NumOps && Ops[in.Op].Value {
			v.scope[in] = true
			mine = append(mine, in)
		}
	}
	if v.ctx.yield != nil {
		n := len(b.Instrs)
		v.check(n > 0 && b.Instrs[n-1].Op == OpYield, "a block that gives a value does not end with yield")
	}
	for _, in := range mine {
		delete(v.scope, in)
	}
}

// instr checks one instruction and its blocks.
func (v *verifier) instr(in *Instr, last bool) {
	if !v.check(OpInvalid < in.Op && in.Op < NumOps, "operation %d", in.Op) {
		return
	}
	info := Ops[in.Op]
	v.check(info.Args < 0 || len(in.Args) == info.Args, "%d operands, want %d", len(in.Args), info.Args)
	for i, a := range in.Args {
		if v.check(a != nil, "operand %d is missing", i) {
			v.check(v.scope[a], "operand %d (%s) is not in scope", i, a.Op)
		}
	}
	ok := v.check(len(in.Blocks) == info.Blocks, "%d blocks, want %d", len(in.Blocks), info.Blocks)
	for _, b := range in.Blocks {
		ok = v.check(b != nil, "a block is missing") && ok
	}
	v.check(info.Value == (in.Type != nil), "type %v", in.Type)
	v.check(!info.Value || isValue(in.Type), "type %v is no value's", in.Type)
	v.fields(in)
	if !ok || len(v.errs) > 0 {
		return // the rules rely on the shape
	}
	if in.Op == OpYield {
		v.check(last, "not the last of its block")
	}
	rules[in.Op](v, in)
	v.children(in)
	v.in = in
}

// children checks the blocks of in in their contexts.
func (v *verifier) children(in *Instr) {
	outer := v.ctx
	for i, b := range in.Blocks {
		v.ctx = outer
		v.ctx.yield = nil
		switch {
		case in.Op == OpCondAnd || in.Op == OpCondOr || in.Op == OpAssert:
			v.ctx = context{yield: types.Bool}
		case in.Op == OpLoop && i == 0:
			v.ctx = context{yield: types.Bool}
			if len(b.Instrs) == 0 {
				v.ctx.yield = nil
			}
		case in.Op == OpLoop && i == 2:
			v.ctx.around = nil
		case in.Op == OpLoop || in.Op == OpRange || in.Op == OpScope:
			v.ctx.around = append(slices.Clip(outer.around), in.Op)
		}
		v.check((b.Iter != nil) == (in.Op == OpRange), "index of a block")
		v.block(b)
	}
	v.ctx = outer
}

// fields checks that in has the references that its operation uses, that they belong to the owner, and no others.
func (v *verifier) fields(in *Instr) {
	param := in.Op == OpParamGet || in.Op == OpLoad || in.Op == OpStore || in.Op == OpAtomic && in.Local == nil
	local := in.Op == OpLocalGet || in.Op == OpLocalSet || in.Op == OpElemGet || in.Op == OpElemSet || in.Op == OpAtomic && in.Param == nil
	if v.check(param == (in.Param != nil), "parameter reference") && param {
		i := in.Param.Index
		v.check(v.kernel != nil && 0 <= i && i < len(v.kernel.Params) && v.kernel.Params[i] == in.Param, "parameter %s of another kernel", in.Param.Name)
	}
	if v.check((in.Op == OpExtent) == (in.Sym != nil), "symbol reference") && in.Sym != nil {
		i := in.Sym.Index
		v.check(v.kernel != nil && 0 <= i && i < len(v.kernel.Symbols) && v.kernel.Symbols[i] == in.Sym, "symbol %s of another kernel", in.Sym.Name)
	}
	if v.check(local == (in.Local != nil), "local reference") && local {
		v.check(v.locals[in.Local], "local %s of another owner", in.Local.Name)
	}
	if v.check((in.Op == OpTableGet) == (in.Table != nil), "table reference") && in.Table != nil {
		v.check(v.mod == nil || v.mod.Tables == nil || slices.Contains(v.mod.Tables, in.Table), "table %s of another module", in.Table.Name)
	}
	v.check((in.Op == OpCall) == (in.Func != nil), "function reference")
	tells := in.Op == OpReport || in.Op == OpPrint
	v.check(in.Text == "" || (tells || in.Op == OpAssert) && in.Site == nil, "text")
	if v.check(in.Site == nil || tells, "site reference") && in.Site != nil {
		i := in.Site.Index
		v.check(v.kernel != nil && 0 <= i && i < len(v.kernel.Sites) && v.kernel.Sites[i] == in.Site, "site %d of another kernel", i)
	}
	v.check(in.Op == OpCall || in.Op == OpRange && in.Reduce != NoReduction || in.Outs == nil, "results of what is no call and no reduction")
	v.check(in.Spread == 0 || in.Spread > 0 && in.Op == OpRange, "spread")
	v.check(param || in.Leaf == 0, "leaf of what is no access")
	v.check(in.Op == OpConst || in.Bits == 0, "bits of what is no constant")
	v.check(in.Level == 0 || in.Op == OpBreak || in.Op == OpContinue, "level of what is no exit")
	v.check(!in.NoFuse || in.Op == OpMul, "nofuse")
	v.check(!in.InBounds || in.Op == OpLoad || in.Op == OpStore || in.Op == OpElemGet || in.Op == OpElemSet || in.Op == OpTableGet || in.Op == OpAtomic || in.Op == OpShuffle, "inbounds")
	v.check(in.Atomic == NoAtomic || in.Op == OpAtomic, "atomic operation of what is no Atomic")
	ring := in.Op == OpAdd || in.Op == OpSub || in.Op == OpMul || in.Op == OpNeg
	v.check(!in.NoWrap || ring && in.Kind().IsSigned(), "nowrap")
	v.check(in.Reduce == NoReduction || in.Op == OpReduce || in.Op == OpSubReduce || in.Spread > 0 && in.Reduce < numReductions && in.Reduce != ScanSum, "reduction of what is no Reduce and no comprehension")
	v.check(in.Unroll == 0 || in.Unroll > 0 && (in.Op == OpRange || in.Op == OpLoop), "unroll")
}
