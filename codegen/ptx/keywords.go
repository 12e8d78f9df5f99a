package ptx

import "github.com/gpugen/gpugen/codegen/internal/cfamily"

// keywords are the names that CUDA adds to C++ and that a kernel's text or a compiler's built-in macros use.
var keywords = cfamily.Words(`
	blockIdx threadIdx blockDim gridDim warpSize
	atomicAdd atomicMin atomicMax atomicAnd atomicOr atomicXor atomicExch atomicCAS
	CUDART_VERSION CUDA_VERSION CUDARTAPI CUDA_CB CU_UUID_HAS_BEEN_DEFINED
`)

// functions are what NVRTC 11.8 and 13.0 declare outside of every kernel, so that no kernel may have their names: functions
// and types of the CUDA Math API, of C and of the runtime, of which those that begin with cuda are left out. A local may.
var functions = cfamily.Words(`
	CUuuid MAJOR_VERSION MINOR_VERSION NV_DISPATCH_TARGET NV_IF_ELSE_TARGET NV_IF_TARGET
	NV_TARGET_MINIMUM_SM_INTEGER NV_TARGET_MINIMUM_SM_SELECTOR PATCH_LEVEL abs acos acosf acosh acoshf asin asinf asinh
	asinhf atan atan2 atan2f atanf atanh atanhf cbrt cbrtf ceil ceilf char1 char2 char3 char4 clock64 clock_t copysign
	copysignf cos cosf cosh coshf cospi cospif cyl_bessel_i0 cyl_bessel_i0f cyl_bessel_i1 cyl_bessel_i1f dim3 double1
	double2 double3 double4 erf erfc erfcf erfcinv erfcinvf erfcx erfcxf erff erfinv erfinvf exp exp10 exp10f exp2 exp2f
	expf expm1 expm1f fabs fabsf fdim fdimf fdivide fdividef float1 float2 float3 float4 floor floorf fma fmaf fmax fmaxf
	fmin fminf fmod fmodf free frexp frexpf hypot hypotf ilogb ilogbf int1 int2 int3 int4 j0 j0f j1 j1f jn jnf labs ldexp
	ldexpf lgamma lgammaf libraryPropertyType llabs llmax llmin llrint llrintf llround llroundf log log10 log10f log1p
	log1pf log2 log2f logb logbf logf long1 long2 long3 long4 longlong1 longlong2 longlong3 longlong4 lrint lrintf lround
	lroundf malloc max min modf modff nan nanf nearbyint nearbyintf nextafter nextafterf norm norm3d norm3df norm4d
	norm4df normcdf normcdff normcdfinv normcdfinvf normf pow powf printf ptrdiff_t rcbrt rcbrtf remainder remainderf
	remquo remquof rhypot rhypotf rint rintf rnorm rnorm3d rnorm3df rnorm4d rnorm4df rnormf round roundf rsqrt rsqrtf
	scalbln scalblnf scalbn scalbnf short1 short2 short3 short4 sin sincos sincosf sincospi sincospif sinf sinh sinhf
	sinpi sinpif size_t sqrt sqrtf surface tan tanf tanh tanhf texture tgamma tgammaf trunc truncf uchar1 uchar2 uchar3
	uchar4 uint1 uint2 uint3 uint4 ullmax ullmin ulong1 ulong2 ulong3 ulong4 ulonglong1 ulonglong2 ulonglong3 ulonglong4
	umax umin ushort1 ushort2 ushort3 ushort4 va_arg va_copy va_end va_list va_start y0 y0f y1 y1f yn
`)
