package interp

import (
	"fmt"
	"math"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// Launch is what the header of a kernel comes to for given arguments.
type Launch struct {
	Extents []int64   // a symbol
	Lo, Hi  []int64   // a dim of the domain; Hi < Lo is an empty dim
	dims    [3]int64  // points a dim
	views   [][]int64 // a parameter: the extents of its view
	env     map[string]int64
}

// Bind evaluates the header of k for args as the host does before a launch.
func Bind(k *ir.Kernel, args []Arg) (*Launch, error) { return bind(k, args) }

func bind(k *ir.Kernel, args []Arg) (*Launch, error) {
	if len(args) != len(k.Params) {
		return nil, fmt.Errorf("interp: %s takes %d arguments, not %d", k.Instance, len(k.Params), len(args))
	}
	l := &Launch{env: map[string]int64{}, views: make([][]int64, len(args)), Extents: make([]int64, len(k.Symbols))}
	for i, p := range k.Params {
		if err := l.param(k, p, args[i]); err != nil {
			return nil, err
		}
	}
	for i, s := range k.Symbols {
		l.Extents[i] = l.views[s.Param][s.Dim]
		l.env[s.Name] = l.Extents[i]
	}
	for _, e := range k.Equal {
		want, err := evalHeader(e.Want, l.env)
		if err != nil {
			return nil, &ContractError{Kernel: k.Instance, Text: e.Want.String(), Reason: err.Error(), Pos: e.Pos}
		}
		if got := l.views[e.Param][e.Dim]; got != want {
			return nil, &ShapeError{Kernel: k.Instance, Param: k.Params[e.Param].Name, Dim: e.Dim, Want: want, Got: got, Pos: e.Pos}
		}
	}
	for _, r := range k.Requires {
		ok, err := evalHeader(r.Cond, l.env)
		if err != nil {
			return nil, &ContractError{Kernel: k.Instance, Text: r.Text, Reason: err.Error(), Pos: r.Pos}
		}
		if ok == 0 {
			return nil, &ContractError{Kernel: k.Instance, Text: r.Text, Reason: "does not hold", Pos: r.Pos}
		}
	}
	return l, l.domain(k)
}

func (l *Launch) param(k *ir.Kernel, p *ir.Param, a Arg) error {
	v, isView := p.Type.(*types.View)
	if !isView {
		composite := types.IsComposite(p.Type)
		if a.Buffer != nil && !composite {
			return fmt.Errorf("interp: %s: parameter %s is a scalar, got a buffer", k.Instance, p.Name)
		}
		if composite && (a.Buffer == nil || len(a.Buffer.Dims) > 0 || !types.Identical(a.Buffer.Elem, p.Type) || int64(len(a.Buffer.Data)) != types.Size(p.Type)) {
			return fmt.Errorf("interp: %s: parameter %s is one %s", k.Instance, p.Name, p.Type)
		}
		if types.KindOf(p.Type) == types.Int {
			l.env[p.Name] = int64(a.Bits)
		}
		return nil
	}
	b := a.Buffer
	if b == nil {
		return fmt.Errorf("interp: %s: parameter %s is a view, got a scalar", k.Instance, p.Name)
	}
	if !types.Identical(b.Elem, p.Elem()) || len(b.Dims) != v.Rank {
		return fmt.Errorf("interp: %s: parameter %s is %s, got a buffer of %d dims of %s", k.Instance, p.Name, v, len(b.Dims), b.Elem)
	}
	n := types.Size(b.Elem)
	for _, d := range b.Dims {
		var ok bool
		if n, ok = mul64(n, d); d < 0 || !ok {
			return fmt.Errorf("interp: %s: parameter %s has extents %v", k.Instance, p.Name, b.Dims)
		}
	}
	if int64(len(b.Data)) != n {
		return fmt.Errorf("interp: %s: parameter %s: %d bytes for extents %v of %s", k.Instance, p.Name, len(b.Data), b.Dims, b.Elem)
	}
	l.views[p.Index] = b.Dims
	return nil
}

func (l *Launch) domain(k *ir.Kernel) error {
	fail := func(d ir.Dim, reason string) error {
		return &ContractError{Kernel: k.Instance, Text: "for " + d.Name + " in " + d.Lo.String() + ":" + d.Hi.String(), Reason: reason, Pos: d.Pos}
	}
	l.dims = [3]int64{1, 1, 1}
	total := int64(1)
	for i, d := range k.Domain {
		lo, err := evalHeader(d.Lo, l.env)
		if err != nil {
			return fail(d, err.Error())
		}
		hi, err := evalHeader(d.Hi, l.env)
		if err != nil {
			return fail(d, err.Error())
		}
		l.Lo, l.Hi = append(l.Lo, lo), append(l.Hi, hi)
		n := int64(0)
		if hi > lo {
			if n = hi - lo; n < 0 {
				return fail(d, "overflows int")
			}
		}
		l.dims[i] = n
	}
	for _, n := range l.dims {
		if n == 0 {
			return nil
		}
		var ok bool
		if total, ok = mul64(total, n); !ok {
			return fail(k.Domain[0], "has more points than an int counts")
		}
	}
	return nil
}

// narrow is the bound below which the host takes the narrow variant of a kernel, as runtime/gpu has it.
const narrow = 1<<31 - 1<<20

// Narrow reports whether the host would take the narrow variant: every extent, every view's elements and every end of
// the domain are below the bound.
func (l *Launch) Narrow() bool {
	ok := true
	for _, dims := range l.views {
		n := int64(1)
		for _, d := range dims {
			n *= d // their product is below 2^63: Bind has the bytes of the view
			ok = ok && d < narrow
		}
		ok = ok && n < narrow
	}
	for d, lo := range l.Lo {
		ok = ok && l.Hi[d] < narrow && lo > -narrow
	}
	return ok
}

// Points is the number of points of the domain.
func (l *Launch) Points() int64 { return l.dims[0] * l.dims[1] * l.dims[2] }

// grid is the host's grid: x covers the last dim, y and z are folded at 65,535 and strided over by the kernel.
func (l *Launch) grid(k *ir.Kernel) [3]int64 {
	if l.Points() == 0 {
		return [3]int64{}
	}
	const fold = 65535
	ceil := func(n int64, block int) int64 { return (n-1)/int64(block) + 1 }
	block, last := k.Sched.Block, len(k.Domain)-1
	block[0] *= k.Sched.Per
	if len(k.Group) > 0 {
		block = [3]int{1, 1, 1} // the domain counts blocks
	}
	g := [3]int64{ceil(l.dims[last], block[0]), 1, 1}
	for d := 1; d <= last; d++ {
		g[d] = min(ceil(l.dims[last-d], block[d]), fold)
	}
	return g
}

// points gives how many bodies run and how the registers of the indexes are set for body number id.
func (l *Launch) points(k *ir.Kernel, p *program) (int64, func(r []uint64, id int64)) {
	if k.Sched == nil {
		last := len(l.Lo) - 1
		if last == 0 {
			lo, reg := l.Lo[0], p.point[0]
			return l.Points(), func(r []uint64, id int64) { r[reg] = uint64(lo + id) }
		}
		return l.Points(), func(r []uint64, id int64) {
			for d := last; d >= 0; d-- {
				r[p.point[d]] = uint64(l.Lo[d] + id%l.dims[d])
				id /= l.dims[d]
			}
		}
	}
	g, b := l.grid(k), k.Sched.Block
	if g[0] == 0 {
		return 0, nil
	}
	total := g[0] * g[1] * g[2]
	threads := int64(b[0] * b[1] * b[2])
	if total > math.MaxInt64/threads {
		total = math.MaxInt64 / threads // the step budget ends such a run long before
	}
	return total * threads, func(r []uint64, id int64) {
		t, blk := id%threads, id/threads
		for d := range 3 {
			r[p.threadIdx[d]] = uint64(t % int64(b[d]))
			t /= int64(b[d])
			r[p.blockIdx[d]] = uint64(blk % g[d])
			blk /= g[d]
			r[p.gridDim[d]] = uint64(g[d])
		}
	}
}

// checkAliases refuses a mut view that overlaps another, but for pairs that may be exactly the same range.
func checkAliases(k *ir.Kernel, args []Arg) error {
	for i, p := range k.Params {
		for j, q := range k.Params {
			if i == j || !p.Mut || !q.IsView() || q.Mut && j < i {
				continue
			}
			a, b := args[i].Buffer.Data, args[j].Buffer.Data
			if !overlap(a, b) || len(a) == len(b) && &a[0] == &b[0] && mayAlias(k, i, j) {
				continue
			}
			return &AliasError{Kernel: k.Instance, Param: p.Name, Other: q.Name, Pos: p.Pos}
		}
	}
	return nil
}

func mayAlias(k *ir.Kernel, i, j int) bool {
	for _, p := range k.InPlace {
		if p == [2]int{i, j} || p == [2]int{j, i} {
			return true
		}
	}
	return false
}

// overlap compares places in one array without unsafe: slices of it end, at full capacity, at the same element.
func overlap(a, b []byte) bool {
	if len(a) == 0 || len(b) == 0 || &a[:cap(a)][cap(a)-1] != &b[:cap(b)][cap(b)-1] {
		return false
	}
	return cap(a)-len(a) < cap(b) && cap(b)-len(b) < cap(a)
}
