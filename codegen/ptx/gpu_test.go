//go:build linux

package ptx

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"

	"github.com/gpugen/gpugen/codegen/internal/cfamily/cfamilytest"
	"github.com/gpugen/gpugen/codegen/ptx/nvrtc"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/internal/accuracy"
	"github.com/gpugen/gpugen/internal/require"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/interp"
)

// gpu is as much of the driver API as running one kernel takes. The runtime has a complete binding, which may not be
// the judge here: the compiler's tests stand without it.
type gpu struct {
	t   *testing.T
	lib uintptr
}

func openGPU(t *testing.T) *gpu {
	t.Helper()
	runtime.LockOSThread()
	lib, err := purego.Dlopen("libcuda.so.1", purego.RTLD_NOW)
	g := &gpu{t, lib}
	count := new(int32)
	if err == nil && g.try("cuInit", 0) == 0 {
		g.try("cuDeviceGetCount", unsafe.Pointer(count))
	}
	require.Tool(t, "gpu", *count > 0, "run this on a machine with an NVIDIA GPU and its driver")
	device, ctx := new(int32), new(uintptr)
	g.call("cuDeviceGet", unsafe.Pointer(device), 0)
	g.call("cuDevicePrimaryCtxRetain", unsafe.Pointer(ctx), int(*device))
	g.call("cuCtxSetCurrent", *ctx)
	return g
}

// try calls a function with ints, handles and pointers. A pointer becomes a number only here: what it points to must
// not move with a goroutine's stack, and an interface keeps it on the heap.
func (g *gpu) try(name string, args ...any) uintptr {
	f, err := purego.Dlsym(g.lib, name)
	if err != nil {
		g.t.Fatal(err)
	}
	words := make([]uintptr, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case int:
			words[i] = uintptr(a)
		case uintptr:
			words[i] = a
		case uint64:
			words[i] = uintptr(a)
		case unsafe.Pointer:
			words[i] = uintptr(a)
		default:
			g.t.Fatalf("%s: argument %d is a %T", name, i, a)
		}
	}
	r, _, _ := purego.SyscallN(f, words...)
	runtime.KeepAlive(args)
	return r & math.MaxUint32
}

func (g *gpu) call(name string, args ...any) {
	g.t.Helper()
	if r := g.try(name, args...); r != 0 {
		g.t.Fatalf("%s: CUDA error %d", name, r)
	}
}

func (g *gpu) load(ptx []byte) uintptr {
	g.t.Helper()
	text := append(ptx, 0)
	module := new(uintptr)
	g.call("cuModuleLoadData", unsafe.Pointer(module), unsafe.Pointer(&text[0]))
	return *module
}

// name is what the driver calls device 0.
func (g *gpu) name() string {
	text := make([]byte, 256)
	g.call("cuDeviceGetName", unsafe.Pointer(&text[0]), len(text), 0)
	name, _, _ := bytes.Cut(text, []byte{0})
	return string(name)
}

// run runs a case's kernel over its buffers.
func (g *gpu) run(module uintptr, c cfamilytest.Case, buffers []*interp.Buffer) {
	g.t.Helper()
	f := new(uintptr)
	name := append([]byte(c.Kernel.Entry), 0)
	g.call("cuModuleGetFunction", unsafe.Pointer(f), module, unsafe.Pointer(&name[0]))
	slots := make([]uint64, len(buffers)+1)
	params := make([]unsafe.Pointer, len(slots))
	for i, b := range buffers {
		g.call("cuMemAlloc_v2", unsafe.Pointer(&slots[i]), len(b.Data))
		g.call("cuMemcpyHtoD_v2", slots[i], unsafe.Pointer(&b.Data[0]), len(b.Data))
	}
	n := int(buffers[0].Len())
	slots[len(buffers)] = uint64(n)
	for i := range slots {
		params[i] = unsafe.Pointer(&slots[i])
	}
	g.call("cuLaunchKernel", *f, (n+255)/256, 1, 1, 256, 1, 1, 0, 0, unsafe.Pointer(&params[0]), 0)
	g.call("cuCtxSynchronize")
	out := buffers[len(buffers)-1]
	g.call("cuMemcpyDtoH_v2", unsafe.Pointer(&out.Data[0]), slots[len(buffers)-1], len(out.Data))
	for i := range buffers {
		g.call("cuMemFree_v2", slots[i])
	}
	runtime.KeepAlive(slots)
}

func TestEveryOperationOnTheGPU(t *testing.T) {
	g := openGPU(t)
	cases := cfamilytest.Cases(types.CUDA)
	src := Emit(cfamilytest.Module(cases))
	for _, arch := range []string{"sm_75", "sm_80"} { // with and without min.NaN, both as PTX for the device's own compiler
		r, err := nvrtc.Compile(context.Background(), nvrtc.Request{Name: "ops.cu", Source: src.Text, Arch: arch})
		if err != nil {
			t.Fatal(err)
		}
		module := g.load(r.Code)
		for _, c := range cases {
			buffers := c.Buffers()
			g.run(module, c, buffers)
			if err := c.Check(buffers, types.CUDA); err != nil {
				t.Errorf("%s: %v", arch, err)
			}
		}
		g.call("cuModuleUnload", module)
		t.Logf("%s: %d operations with NVRTC %s", arch, len(cases), r.Meta.NVRTC)
	}
}

// TestTableFunctionsOnTheGPU measures the table functions. The lines that begin with `accuracy` are the file of the target
// in internal/accuracy/measured; scripts/gpu-check cuts them out.
func TestTableFunctionsOnTheGPU(t *testing.T) {
	g := openGPU(t)
	cases := cfamilytest.Tables(types.CUDA)
	src := Emit(cfamilytest.Module(cases))
	r, err := nvrtc.Compile(context.Background(), nvrtc.Request{Name: "tables.cu", Source: src.Text, Arch: "sm_75"})
	if err != nil {
		t.Fatal(err)
	}
	module := g.load(r.Code)
	var worst []accuracy.Worst
	for _, c := range cases {
		buffers := accuracy.Samples(c.Op, c.To)
		g.run(module, c, buffers)
		w := accuracy.Measure(c.Op, buffers)
		if c.To == types.Float32 {
			worst = append(worst, w)
		}
		if bound := ir.Bound(types.CUDA, c.Op, c.To); w.ULP > bound {
			t.Errorf("%s: %s is over the bound of %v", c, w, bound)
		}
	}
	for line := range strings.Lines(accuracy.Text(fmt.Sprintf("%s, NVRTC %s", g.name(), r.Meta.NVRTC), worst)) {
		fmt.Print("accuracy ", line)
	}
}

// TestFastMathKeepsNaNAndInfinities checks what @fastmath promises: approximate results, but the rules for NaN, zeros
// and infinities stay. Operands that are subnormal, which may be flushed, are left out.
func TestFastMathKeepsNaNAndInfinities(t *testing.T) {
	g := openGPU(t)
	cases := fastCases()
	src := Emit(cfamilytest.Module(cases))
	r, err := nvrtc.Compile(context.Background(), nvrtc.Request{Name: "fast.cu", Source: src.Text, Arch: "sm_75"})
	if err != nil {
		t.Fatal(err)
	}
	module := g.load(r.Code)
	for _, c := range cases {
		buffers := c.Buffers()
		g.run(module, c, buffers)
		rows, bad := 0, 0
		for i := range buffers[0].Len() {
			x := make([]uint64, len(c.Args))
			edge, subnormal := false, false
			for j := range x {
				x[j] = buffers[j].At(i)
				v := math.Abs(ir.FloatOf(types.Float32, x[j]))
				edge = edge || v != v || v == 0 || math.IsInf(v, 0)
				subnormal = subnormal || v != 0 && v < 0x1p-126
			}
			if !edge || subnormal {
				continue
			}
			rows++
			bits, _ := interp.Eval(c.Op, types.Float32, types.Float32, x...)
			want, got := ir.FloatOf(types.Float32, bits), ir.FloatOf(types.Float32, buffers[len(x)].At(i))
			if same := got == want || got != got && want != want || math.Abs(got-want) <= 1e-6*math.Abs(want); !same {
				if bad++; bad < 4 {
					t.Errorf("%s of %#x is %v, want %v", c, x, got, want)
				}
			}
		}
		if rows < 4 {
			t.Errorf("%s: %d rows", c, rows)
		}
	}
}
