package cfamilytest

import (
	"strings"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// words are names that mean something to CUDA, C++, Metal or OpenCL, as keyword, type, function, macro or variable.
var words = strings.Fields(`
	half device register __global__x NAN kernel blockIdx threadIdx warpSize uint simd metal asm and or xor not typename
	M_PI_F constant thread threadgroup new template signed unsigned long char this class operator volatile extern
	__global__ __device__ __shared__ uchar vertex fragment using namespace float double int short bool void struct union
	static const inline virtual private public protected friend goto sizeof typedef typeid try catch throw delete
	dim3 float4 int2 gridDim blockDim fma exp expf sqrt sqrtf min max abs fabsf rint round clamp select popcount
	INFINITY FLT_MAX HALF_MAX INT_MAX UINT_MAX DBL_MAX M_PI MAXFLOAT NULL EOF assert errno isnan isinf signbit
	size_t ptrdiff_t int8_t uint64_t wchar_t char16_t nullptr alignas constexpr decltype noexcept static_assert
	global local generic pipe uniform read_only write_only image2d_t sampler_t event_t sampler texture buffer args
	block_idx thread_idx grid_dim turns endless again t1 t2 e v _ _1 __x gg_div_i32 gg_min_f32 as_type precise fast std main
	linux unix complex I linux_ int_ half_ half__2 clock printf threadIdx_ __restrict__ __launch_bounds__ __LINE__ defined
	threadgroup_barrier mem_flags mem_device _Bool _Complex __builtin_expf __int128 atomic_int packed_float3 vec matrix bfloat ushort ulong uint3 pad4`)

// Names is a module whose kernel has every word as a local, and whose parameters are words as well.
func Names() *ir.Module {
	n := types.Sym("int")
	k := &ir.Kernel{
		Name: "Names", Instance: "Names", Entry: "Names", Targets: types.AllTargets,
		Domain: []ir.Dim{{Name: "kernel", Lo: types.Const(0), Hi: n}}, Sched: &ir.Schedule{Block: [3]int{256, 1, 1}, Per: 1}, Body: &ir.Block{},
	}
	scalar := &ir.Param{Index: 0, Name: "constant", Type: types.Float32}
	view := &ir.Param{Index: 1, Name: "device", Mut: true, Type: &types.View{Rank: 1, Elem: types.Float32}, Dims: []*types.Header{n}}
	sym := &ir.Symbol{Name: "int", Param: 1}
	k.Params, k.Symbols = []*ir.Param{scalar, view}, []*ir.Symbol{sym}
	b := ir.Builder{Block: k.Body}
	i := Index(b, types.Int32, 256)
	b = b.In(b.If(b.Bin(ir.OpLt, i, b.Conv(types.Int32, b.Extent(sym)))).Blocks[0])
	last := b.Param(scalar)
	for j, w := range words {
		v := b.Bin(ir.OpAdd, last, b.Float(types.Float32, float64(j+1)))
		if v.Name = w; j%3 == 0 { // a call between two names: none of them may hide the function
			v.Name = ""
			v = b.Bin(ir.OpMin, b.Un(ir.OpExp, v), b.New(ir.OpFMA, types.Float32, v, v, b.Un(ir.OpSqrt, b.Un(ir.OpAbs, v))))
			v.Name = w
		}
		last = v
	}
	b.Store(view, last, i)
	return &ir.Module{Package: "names", File: "names.gpu", Kernels: []*ir.Kernel{k}}
}
