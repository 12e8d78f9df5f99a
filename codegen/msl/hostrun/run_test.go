package hostrun

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/internal/require"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/abi"
)

const sample = `#include <metal_stdlib>
using namespace metal;
struct scale_args {
	int a;
	uchar pad4[4];
	long n;
};
[[max_total_threads_per_threadgroup(8)]]
kernel void scale(
	constant scale_args& args [[buffer(0)]],
	device const int* x [[buffer(1)]],
	device int* y [[buffer(2)]],
	uint3 b [[threadgroup_position_in_grid]],
	uint3 t [[thread_position_in_threadgroup]],
	uint3 g [[threadgroups_per_grid]]) {
	int i = (int)b.x * 8 + (int)t.x;
	if (i < (int)args.n) {
		y[i] = x[i] * args.a + (int)(g.x * 1000u);
	}
}
kernel void spin(device int* y [[buffer(1)]]) {
	volatile bool endless = true;
	while (endless) {
		y[0] = 1;
	}
}
`

func int32s(v ...int32) []byte {
	var b []byte
	for _, w := range v {
		b = binary.LittleEndian.AppendUint32(b, uint32(w))
	}
	return b
}

func build(t *testing.T) *Program {
	t.Helper()
	require.Tool(t, "clang", CanRun(), Remedy)
	p, err := Build(context.Background(), sample)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func TestRun(t *testing.T) {
	p := build(t)
	ctx := context.Background()
	launch := func(a int32, y []byte) Launch {
		return Launch{Grid: [3]int{2, 1, 1}, Block: [3]int{8, 1, 1}, Buffers: map[int][]byte{0: int32s(a, 0, 10, 0), 1: int32s(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), 2: y}}
	}
	y := make([]byte, 44)
	if err := p.Run(ctx, "scale", launch(3, y)); err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		if got := binary.LittleEndian.Uint32(y[4*i:]); got != uint32(2000+3*i) {
			t.Errorf("y[%d] = %d", i, got)
		}
	}
	if tail := binary.LittleEndian.Uint32(y[40:]); tail != 0 {
		t.Errorf("an element beyond the guard became %d", tail)
	}
	if err := p.Run(ctx, "scale", launch(1<<30, y)); err == nil || !strings.Contains(err.Error(), "overflow") {
		t.Errorf("signed overflow is not noticed: %v", err)
	}
	if err := p.Run(ctx, "scale", launch(1, y)); err != nil { // the process that the fault ended is replaced
		t.Error(err)
	}
	if err := p.Run(ctx, "other", Launch{}); err == nil {
		t.Error("a kernel that is not there runs")
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	p := build(t)
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	err := p.Run(ctx, "spin", Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}, Buffers: map[int][]byte{1: make([]byte, 4)}})
	if err == nil || !strings.Contains(err.Error(), "deadline") {
		t.Errorf("error %v", err)
	}
}

func TestMatch(t *testing.T) {
	require.Tool(t, "clang", Clang() != "", Remedy)
	kernels, err := Check(context.Background(), sample)
	if err != nil {
		t.Fatal(err)
	}
	layout := func() abi.Layout {
		n := []*types.Header{types.Sym("n")}
		view := &types.View{Rank: 1, Elem: types.Int32}
		return abi.Of(&ir.Kernel{
			Entry: "scale", Sched: &ir.Schedule{Block: [3]int{8, 1, 1}, Per: 1},
			Params:  []*ir.Param{{Name: "a", Type: types.Int32}, {Index: 1, Name: "x", Type: view, Dims: n}, {Index: 2, Name: "y", Type: view, Dims: n, Mut: true}},
			Symbols: []*ir.Symbol{{Name: "n", Param: 1}},
		})
	}
	if err := kernels[0].Match(layout()); err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(l *abi.Layout){
		"another buffer":    func(l *abi.Layout) { l.Slots[1].Buffer = 2 },
		"another element":   func(l *abi.Layout) { l.Slots[2].Type = &types.View{Rank: 1, Elem: types.Uint32} },
		"a const output":    func(l *abi.Layout) { l.Slots[2].Mut = false },
		"a mutable input":   func(l *abi.Layout) { l.Slots[1].Mut = true },
		"another offset":    func(l *abi.Layout) { l.Slots[3].Offset = 16 },
		"another scalar":    func(l *abi.Layout) { l.Slots[0].Type = types.Float32 },
		"a smaller block":   func(l *abi.Layout) { l.Consts = 8 },
		"other threads":     func(l *abi.Layout) { l.Block[1] = 2 },
		"a slot less":       func(l *abi.Layout) { l.Slots = l.Slots[:3] },
		"a view less":       func(l *abi.Layout) { l.Slots = append(l.Slots[:2:2], l.Slots[3]) },
		"no constant block": func(l *abi.Layout) { l.Consts = 0 },
	} {
		l := layout()
		change(&l)
		if err := kernels[0].Match(l); err == nil {
			t.Errorf("%s is not noticed", what)
		}
	}
}

const orderText = `#include <metal_stdlib>
using namespace metal;
// A barrier here: threadgroup_barrier(
kernel void order(device uint* y [[buffer(0)]], uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
	threadgroup uint s[4];
	threadgroup uint unused[4];
	s[t] = t;
	threadgroup_barrier(mem_flags::mem_none);
	y[g * 4u + t] = s[t];
	threadgroup_barrier(mem_flags::mem_threadgroup);
	y[g * 4u + t] += s[t ^ 1u] * 10u;
	if (g > 7u) {
		threadgroup_barrier(mem_flags::mem_threadgroup);
		y[g * 4u + t] = s[t ^ 2u];
	}
}
kernel void deep(device uint* y [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
	volatile uint a[1000000];
	a[t] = t;
	y[t] = a[t];
}
`

func TestNeedlessBarriers(t *testing.T) {
	require.Tool(t, "clang", CanRun(), Remedy)
	p, err := Build(context.Background(), orderText)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	k := p.Kernels()[0]
	if want := []int{8, 10, 13}; !slices.Equal(k.Barriers, want) {
		t.Errorf("barriers at %v, want %v", k.Barriers, want)
	}
	if want := []Variable{{"s", "uint[4]", 16}, {"unused", "uint[4]", 16}}; !slices.Equal(k.Threadgroup, want) {
		t.Errorf("threadgroup variables %v, want %v", k.Threadgroup, want)
	}
	y := make([]byte, 32)
	l := Launch{Grid: [3]int{2, 1, 1}, Block: [3]int{4, 1, 1}, Buffers: map[int][]byte{0: y}}
	lines, err := p.Needless(context.Background(), "order", l)
	// The first orders nothing, the last is not reached.
	if err != nil || !slices.Equal(lines, []int{8, 13}) || !bytes.Equal(y, make([]byte, 32)) {
		t.Errorf("needless barriers %v, error %v, buffer %v", lines, err, y)
	}
	if _, err := p.Needless(context.Background(), "none", l); err == nil {
		t.Error("a kernel that is not there has barriers")
	}
	if _, err := p.Needless(context.Background(), "order", Launch{}); err == nil {
		t.Error("a launch that is refused needs barriers")
	}
}

func TestLaunchesAreChecked(t *testing.T) {
	p := build(t)
	good := func() Launch {
		return Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{8, 1, 1}, Buffers: map[int][]byte{0: int32s(1, 0, 0, 0), 1: nil, 2: nil}}
	}
	if err := p.Run(context.Background(), "scale", good()); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(l *Launch){
		"nothing is bound to x":           func(l *Launch) { delete(l.Buffers, 1) },
		"9 threads a threadgroup":         func(l *Launch) { l.Block[0] = 9 },
		"16 threads a threadgroup":        func(l *Launch) { l.Block[1] = 2 },
		"a grid of [0 1 1]":               func(l *Launch) { l.Grid[0] = 0 },
		"a grid of [1 1 -1]":              func(l *Launch) { l.Grid[2] = -1 },
		"threadgroups of [8 1 0] threads": func(l *Launch) { l.Block[2] = 0 },
		"268435456 threadgroups":          func(l *Launch) { l.Grid = [3]int{1 << 14, 1 << 14, 1} },
	} {
		l := good()
		change(&l)
		if err := p.Run(context.Background(), "scale", l); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := BuildWith(context.Background(), sample, "none"); err == nil {
		t.Error("a sanitizer that is not there builds")
	}
}

// TestStackOverflow: a thread's stack has a guard below it, in every build.
func TestStackOverflow(t *testing.T) {
	require.Tool(t, "clang", CanRun(), Remedy)
	for _, s := range Sanitizers {
		p, err := BuildWith(context.Background(), orderText, s)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		for range 2 {
			l := Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{2, 1, 1}, Buffers: map[int][]byte{0: make([]byte, 8)}}
			if f := (*Fault)(nil); !errors.As(p.Run(context.Background(), "deep", l), &f) {
				t.Errorf("%s: no fault", s)
			}
		}
	}
}
