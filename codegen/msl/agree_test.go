package msl_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/gpugen/gpugen"
	"github.com/gpugen/gpugen/codegen/msl"
	"github.com/gpugen/gpugen/codegen/msl/hostrun"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/internal/require"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/abi"
	"github.com/gpugen/gpugen/ir/interp"
	"github.com/gpugen/gpugen/ir/pass"
)

// pair is a kernel as the interpreter runs it and as the device does.
type pair struct {
	file           string
	oracle, device *ir.Kernel
}

// goldens are the kernels of all golden archives that Metal can have, in one module: entries are numbered.
func goldens(t *testing.T) ([]pair, *ir.Module) {
	files, _ := filepath.Glob("../../testdata/golden/*.txtar")
	if len(files) == 0 {
		t.Fatal("there are no golden archives")
	}
	m := &ir.Module{Package: "all", File: "all.gpu"}
	var pairs []pair
	for _, f := range files {
		archive, err := txtar.ParseFile(f)
		if err != nil {
			t.Fatal(err)
		}
		in := gpugen.Input{}
		for _, s := range archive.Files {
			if filepath.Ext(s.Name) == ".gpu" {
				in.Sources = append(in.Sources, gpugen.Source{Name: s.Name, Text: s.Data})
			}
		}
		p, _ := gpugen.Compile(in)
		if p == nil {
			continue // archives of errors
		}
		for _, u := range p.Units {
			oracle := map[string]*ir.Kernel{}
			for _, k := range pass.Oracle(u.Module, types.Metal).Kernels {
				oracle[k.Instance] = k
			}
			device := pass.For(u.Module, types.Metal)
			m.Tables = append(m.Tables, device.Tables...)
			for _, k := range device.Kernels {
				if len(k.Sites) > 0 {
					continue // it reports or prints into a record: the root's test of goldens has one
				}
				k.Entry = fmt.Sprintf("K%d", len(m.Kernels))
				m.Kernels = append(m.Kernels, k)
				pairs = append(pairs, pair{filepath.Base(f), oracle[k.Instance], k})
			}
		}
	}
	return pairs, m
}

// arguments are a valid launch of k with random contents, or nil when it refuses these extents.
func arguments(k *ir.Kernel, r *rand.Rand) []interp.Arg {
	for _, p := range k.Params {
		if types.KindOf(p.Type) == types.Invalid && (!p.IsView() || types.KindOf(p.Elem()) == types.Invalid) {
			return nil // structs, vectors and arrays have their values in the archives, which the root's test runs
		}
	}
	values := map[string]int64{}
	for i, s := range k.Symbols {
		values[s.Name] = []int64{37, 29, 5, 3, 300}[(i+r.IntN(5))%5]
	}
	args := make([]interp.Arg, len(k.Params))
	for i, p := range k.Params {
		if p.IsView() {
			continue
		}
		bits := content(p.Type.(types.Kind), r)
		if p.Type == types.Int {
			bits = uint64(r.IntN(40))
		}
		args[i] = interp.Scalar(bits)
		values[p.Name] = int64(bits)
	}
	for i, p := range k.Params {
		if !p.IsView() {
			continue
		}
		var dims []int64
		for _, h := range p.Dims {
			v, ok := evaluate(h, values)
			if !ok || v < 0 || v > 1<<12 {
				return nil
			}
			dims = append(dims, v)
		}
		b := interp.NewBuffer(p.Elem(), dims...)
		for j := range b.Len() {
			b.Set(j, content(types.KindOf(p.Elem()), r))
		}
		args[i] = interp.View(b)
	}
	return args
}

// content is a value of a kind: small mostly, so that indexes made of it are in range, and any bits at times.
func content(k types.Kind, r *rand.Rand) uint64 {
	switch {
	case k == types.Bool:
		return r.Uint64() & 1
	case k.IsFloat() && r.IntN(8) > 0:
		return ir.FloatBits(k, float64(r.IntN(4000)-2000)/64)
	case k.IsFloat():
		return ir.FloatBits(k, ir.FloatOf(types.Float32, uint64(r.Uint32())))
	case r.IntN(8) > 0:
		return uint64(r.IntN(20))
	}
	return ir.IntBits(k, int64(r.Uint64()))
}

func evaluate(h *types.Header, values map[string]int64) (int64, bool) {
	if h.Op == types.HConst {
		return h.Val, true
	}
	if h.Op == types.HSym {
		v, ok := values[h.Name]
		return v, ok
	}
	x, ok := evaluate(h.X, values)
	y, oky := int64(0), true
	if h.Y != nil {
		y, oky = evaluate(h.Y, values)
	}
	if !ok || !oky {
		return 0, false
	}
	switch h.Op {
	case types.HNeg:
		return -x, true
	case types.HAdd:
		return x + y, true
	case types.HSub:
		return x - y, true
	case types.HMul:
		return x * y, true
	case types.HDiv, types.HRem, types.HCeilDiv:
		if y <= 0 {
			return 0, false
		}
		return map[types.HeaderOp]int64{types.HDiv: x / y, types.HRem: x % y, types.HCeilDiv: (x + y - 1) / y}[h.Op], true
	case types.HMin:
		return min(x, y), true
	case types.HMax:
		return max(x, y), true
	}
	return 0, false
}

func clone(args []interp.Arg) []interp.Arg {
	out := append([]interp.Arg(nil), args...)
	for i, a := range out {
		if a.Buffer != nil {
			out[i].Buffer = a.Buffer.Clone()
		}
	}
	return out
}

// memory lays args out as the host does for Metal.
func memory(k *ir.Kernel, args []interp.Arg) map[int][]byte {
	l := abi.Of(k)
	out := map[int][]byte{}
	block := make([]byte, l.Consts)
	symbol := 0
	for _, s := range l.Slots {
		switch s.Kind {
		case abi.View:
			out[s.Buffer] = args[s.Param].Buffer.Data
		case abi.Scalar:
			var b [8]byte
			binary.LittleEndian.PutUint64(b[:], args[s.Param].Bits)
			copy(block[s.Offset:], b[:types.Size(s.Type)])
		case abi.Extent:
			sym := k.Symbols[symbol]
			symbol++
			binary.LittleEndian.PutUint64(block[s.Offset:], uint64(args[sym.Param].Buffer.Dims[sym.Dim]))
		}
	}
	if l.Consts > 0 {
		out[0] = block
	}
	return out
}

// tables reports whether a kernel calls functions that are only within ULPs.
func tables(k *ir.Kernel) bool {
	found := false
	k.Body.Walk(func(in *ir.Instr) { found = found || ir.Ops[in.Op].Table })
	return found
}

func TestGoldensAgreeWithTheInterpreter(t *testing.T) {
	require.Tool(t, "clang", hostrun.CanRun(), hostrun.Remedy)
	ctx := context.Background()
	pairs, m := goldens(t)
	p, err := hostrun.Build(ctx, msl.Emit(m).Text)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	compared, elements := 0, int64(0)
	r := rand.New(rand.NewPCG(7, 11))
	for i, k := range p.Kernels() {
		if err := k.Match(abi.Of(pairs[i].device)); err != nil {
			t.Error(err)
		}
	}
	for _, c := range pairs {
		for range 3 {
			args := arguments(c.device, r)
			if args == nil {
				continue
			}
			want := clone(args)
			report, err := interp.Run(c.oracle, want, interp.Options{MaxSteps: 200_000, Races: true})
			if err != nil || report.Has(interp.Bounds) || report.Has(interp.Race) || report.Has(interp.Uninitialised) {
				continue // a refused launch, a loop that does not end here, what a device leaves undefined
			}
			grid, err := interp.Grid(c.device, args)
			if err != nil {
				t.Fatal(err)
			}
			if grid[0]*grid[1]*grid[2] == 0 {
				continue // no point, no launch
			}
			launch := hostrun.Launch{Grid: [3]int{int(grid[0]), int(grid[1]), int(grid[2])}, Block: c.device.Sched.Block, Buffers: memory(c.device, args)}
			if err := p.Run(ctx, c.device.Entry, launch); err != nil {
				t.Errorf("%s: %s: %v", c.file, c.device.Instance, err)
				continue
			}
			compared++
			elements += compare(t, c, args, want)
		}
	}
	t.Logf("%d launches, %d elements", compared, elements)
	if compared < len(pairs) {
		t.Errorf("only %d launches of %d kernels were compared", compared, len(pairs))
	}
}

func compare(t *testing.T, c pair, got, want []interp.Arg) (elements int64) {
	loose := tables(c.device)
	for i, p := range c.device.Params {
		if !p.IsView() || !p.Mut {
			continue
		}
		k := types.KindOf(p.Elem())
		elements += got[i].Buffer.Len()
		for j := range got[i].Buffer.Len() {
			g, w := got[i].Buffer.At(j), want[i].Buffer.At(j)
			if g == w {
				continue
			}
			if k.IsFloat() {
				x, y := ir.FloatOf(k, g), ir.FloatOf(k, w)
				if x != x && y != y || loose && (x-y)*(x-y) <= 1e-10*(x*x+y*y) {
					continue
				}
			}
			t.Errorf("%s: %s (wide %v): %s[%d] = %#x, the interpreter has %#x", c.file, c.device.Instance, c.device.Wide, p.Name, j, g, w)
			break
		}
	}
	return elements
}
