package cudahost

import (
	"context"
	"encoding/binary"
	"github.com/gpugen/gpugen/internal/require"
	"math"
	"os/exec"
	"strings"
	"testing"
)

const kernels = `
__device__ __forceinline__ int gg_shr_i32(int x, unsigned int n) {
	int r;
	asm("shr.s32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(n));
	return r;
}

extern "C" __global__ void __launch_bounds__(4)
Scale(int a, const float* __restrict__ x, long long* y, long long n) {
	int i = (int)blockIdx.x * 4 + (int)threadIdx.x;
	if (i < (int)n) {
		y[i] = __float2ll_rz(x[i]) * a + gg_shr_i32(-8, 1u);
	}
}

extern "C" __global__ void __launch_bounds__(4)
Beyond(int* x) {
	x[threadIdx.x] = 1;
}

extern "C" __global__ void __launch_bounds__(1)
Overflow(int* x) {
	x[0] = x[0] + 2147483647;
}

extern "C" __global__ void __launch_bounds__(6)
Turn(int* x, int rounds) {
	__shared__ int s[2][3];
	int private_ = 10 * (int)blockIdx.x;
	s[threadIdx.y][threadIdx.x] = x[6 * blockIdx.x + 3 * threadIdx.y + threadIdx.x];
	for (int r = 0; r < rounds; r++) {
		__syncthreads();
		int v = s[1 - threadIdx.y][2 - threadIdx.x];
		__syncthreads();
		s[threadIdx.y][threadIdx.x] = v + private_;
	}
	x[6 * blockIdx.x + 3 * threadIdx.y + threadIdx.x] = s[threadIdx.y][threadIdx.x];
}

extern "C" __global__ void __launch_bounds__(4)
Unwritten(int* x) {
	__shared__ bool b[4];
	__shared__ int s[4];
	x[threadIdx.x] = s[3 - threadIdx.x];
	__syncthreads();
	s[threadIdx.x] = 0;
	b[threadIdx.x] = x[0] == 0;
}

extern "C" __global__ void __launch_bounds__(4)
Divergent(int* x) {
	if (threadIdx.x < 2) {
		__syncthreads();
	}
	if (threadIdx.x == 3) {
		x[0] = 1;
	}
}

extern "C" __global__ void __launch_bounds__(64)
Warps(int* x, unsigned int* count) {
	int i = (int)threadIdx.x, v = i;
	if (i >= 32) { // one warp of the two
		v += 100 * __shfl_sync(0xffffffffu, v, (i + 1) & 31);
		if (__ballot_sync(0xffffffffu, i % 2 == 0) != 0x55555555u) {
			v = -1;
		}
	}
	__syncthreads();
	x[i] = v;
	atomicAdd(count, 1u);
	atomicMax(count + 1, (unsigned int)i);
	atomicCAS(count + 2, 0u, 7u);
}

extern "C" __global__ void __launch_bounds__(1)
Outside(int* x) {
	__shared__ int s[4];
	s[x[0]] = 1;
	x[0] = s[x[0]];
}
`

func program(t *testing.T) *Program {
	t.Helper()
	clang, err := exec.LookPath("clang-19")
	require.Tool(t, "clang", err == nil, "run make setup, or install clang 19")
	p, err := Build(context.Background(), clang, kernels)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func TestRun(t *testing.T) {
	p := program(t)
	var x []byte
	for _, f := range []float32{1, 2.9, -3.5, 1e30, float32(math.NaN()), 7} {
		x = binary.LittleEndian.AppendUint32(x, math.Float32bits(f))
	}
	y := make([]byte, 8*6)
	args := []Arg{{Data: []byte{3, 0, 0, 0}}, {Data: x, View: true}, {Data: y, View: true}, {Data: []byte{5, 0, 0, 0, 0, 0, 0, 0}}}
	err := p.Run(context.Background(), "Scale", [3]uint32{2, 1, 1}, [3]uint32{4, 1, 1}, args)
	if err == nil || !strings.Contains(err.Error(), "signed integer overflow") { // 3 * 2^63-1
		t.Fatalf("an overflow gives %v", err)
	}
	x = append(x[:12:12], x[8:]...)
	copy(x[12:], x[:8])
	args[1].Data = x[:24]
	if err := p.Run(context.Background(), "Scale", [3]uint32{2, 1, 1}, [3]uint32{4, 1, 1}, args); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int64{-1, 2, -13, -1, 2, 0} {
		if got := int64(binary.LittleEndian.Uint64(y[8*i:])); got != want {
			t.Errorf("y[%d] is %d, want %d", i, got, want)
		}
	}
}

// TestParts gives two arguments the same memory.
func TestParts(t *testing.T) {
	p := program(t)
	x := make([]byte, 32)
	binary.LittleEndian.PutUint32(x, math.Float32bits(5))
	args := []Arg{{Data: []byte{1, 0, 0, 0}}, {Data: x, View: true}, {Part: true, View: true, Of: 1, Offset: 8}, {Data: []byte{1, 0, 0, 0, 0, 0, 0, 0}}}
	if err := p.Run(context.Background(), "Scale", [3]uint32{1, 1, 1}, [3]uint32{4, 1, 1}, args); err != nil {
		t.Fatal(err)
	}
	if got := int64(binary.LittleEndian.Uint64(x[8:])); got != 1 {
		t.Errorf("the part holds %d, want 1", got)
	}
}

// TestSanitizers finds what runs beyond a view and what C++ leaves undefined; the next launch works again.
func TestSanitizers(t *testing.T) {
	p := program(t)
	for name, want := range map[string]string{"Beyond": "heap-buffer-overflow", "Overflow": "signed integer overflow", "Outside": "out of bounds", "Divergent": "divergent barrier"} {
		x := []byte{9, 0, 0, 0, 0, 0, 0, 0}
		err := p.Run(context.Background(), name, [3]uint32{1, 1, 1}, [3]uint32{4, 1, 1}, []Arg{{Data: x, View: true}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives %v, want %s", name, err, want)
		}
	}
	if err := p.Run(context.Background(), "Missing", [3]uint32{1, 1, 1}, [3]uint32{1, 1, 1}, nil); err == nil {
		t.Error("an unknown kernel runs")
	}
}

// TestBlocks has threads of two blocks change places at barriers, with private values that live across them.
func TestBlocks(t *testing.T) {
	p := program(t)
	var x []byte
	for i := range uint32(12) {
		x = binary.LittleEndian.AppendUint32(x, i)
	}
	args := []Arg{{Data: x, View: true}, {Data: []byte{3, 0, 0, 0}}}
	if err := p.Run(context.Background(), "Turn", [3]uint32{2, 1, 1}, [3]uint32{3, 2, 1}, args); err != nil {
		t.Fatal(err)
	}
	for i, want := range []uint32{5, 4, 3, 2, 1, 0, 41, 40, 39, 38, 37, 36} {
		if got := binary.LittleEndian.Uint32(x[4*i:]); got != want {
			t.Errorf("x[%d] is %d, want %d", i, got, want)
		}
	}
}

// TestUnwritten finds that shared memory begins as garbage in every block as bytes of 0xff.
func TestUnwritten(t *testing.T) {
	p := program(t)
	x := make([]byte, 16)
	for range 2 { // the first launch leaves zeros there
		if err := p.Run(context.Background(), "Unwritten", [3]uint32{2, 1, 1}, [3]uint32{4, 1, 1}, []Arg{{Data: x, View: true}}); err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			if got := int32(binary.LittleEndian.Uint32(x[4*i:])); got != -1 {
				t.Errorf("x[%d] is %d, want -1", i, got)
			}
		}
	}
}

// TestWarps has the threads of one warp exchange values while the other waits at a barrier, and all count.
func TestWarps(t *testing.T) {
	p := program(t)
	x, count := make([]byte, 4*64), make([]byte, 12)
	args := []Arg{{Data: x, View: true}, {Data: count, View: true}}
	if err := p.Run(context.Background(), "Warps", [3]uint32{2, 1, 1}, [3]uint32{64, 1, 1}, args); err != nil {
		t.Fatal(err)
	}
	for i := range uint32(64) {
		want := i
		if i >= 32 {
			want += 100 * (32 + (i+1)%32)
		}
		if got := binary.LittleEndian.Uint32(x[4*i:]); got != want {
			t.Errorf("x[%d] is %d, want %d", i, int32(got), want)
		}
	}
	for i, want := range []uint32{128, 63, 7} {
		if got := binary.LittleEndian.Uint32(count[4*i:]); got != want {
			t.Errorf("count[%d] is %d, want %d", i, got, want)
		}
	}
}
