// What CUDA C is to generated kernels, on a CPU. Nothing here includes a header: a name of a user must not meet one.
#define __global__
#define __device__
#define __constant__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(n)
#define __restrict__ __restrict
// Shared memory of all kernels lies together, where the driver finds it.
#define __shared__ static __attribute__((section("hh_shared")))

struct hh_dim3 { unsigned int x, y, z; };
static hh_dim3 threadIdx, blockIdx, blockDim, gridDim;

template <class A, class B> static inline A hh_bits(B b) { A a; __builtin_memcpy(&a, &b, sizeof a); return a; }
static inline float __int_as_float(int x) { return hh_bits<float>(x); }
static inline float __uint_as_float(unsigned int x) { return hh_bits<float>(x); }
static inline int __float_as_int(float x) { return hh_bits<int>(x); }
static inline unsigned int __float_as_uint(float x) { return hh_bits<unsigned int>(x); }
static inline double __longlong_as_double(long long x) { return hh_bits<double>(x); }
static inline long long __double_as_longlong(double x) { return hh_bits<long long>(x); }

static inline int __popc(unsigned int x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned int)x); }
static inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
static inline unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
static inline unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
static inline int __mulhi(int x, int y) { return (int)(((long long)x * y) >> 32); }
static inline unsigned int __umulhi(unsigned int x, unsigned int y) { return (unsigned int)(((unsigned long long)x * y) >> 32); }
static inline long long __mul64hi(long long x, long long y) { return (long long)(((__int128)x * y) >> 64); }
static inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) { return (unsigned long long)(((unsigned __int128)x * y) >> 64); }

extern "C" {
float fmodf(float, float); float fabsf(float); float floorf(float); float ceilf(float); float truncf(float); float roundf(float); float rintf(float); float copysignf(float, float); float sqrtf(float); float fmaf(float, float, float);
double fmod(double, double); double fabs(double); double floor(double); double ceil(double); double trunc(double); double round(double); double rint(double); double copysign(double, double); double sqrt(double); double fma(double, double, double);
}
extern "C" {
float expf(float); float exp2f(float); float logf(float); float log2f(float); float log10f(float); float sinf(float); float cosf(float); float tanf(float); float asinf(float); float acosf(float); float atanf(float); float atan2f(float, float); float sinhf(float); float coshf(float); float tanhf(float); float powf(float, float); float hypotf(float, float); float erff(float);
double exp(double); double exp2(double); double log(double); double log2(double); double log10(double); double sin(double); double cos(double); double tan(double); double asin(double); double acos(double); double atan(double); double atan2(double, double); double sinh(double); double cosh(double); double tanh(double); double pow(double, double); double hypot(double, double); double erf(double);
}
static inline float rsqrtf(float x) { return (float)(1.0 / sqrt(x)); }
static inline double rsqrt(double x) { return 1.0 / sqrt(x); }
// What @fastmath asks for comes out exact here.
static inline float __expf(float x) { return expf(x); }
static inline float __logf(float x) { return logf(x); }
static inline float __log2f(float x) { return log2f(x); }
static inline float __log10f(float x) { return log10f(x); }
static inline float __sinf(float x) { return sinf(x); }
static inline float __cosf(float x) { return cosf(x); }
static inline float __tanf(float x) { return tanf(x); }
static inline float ptx_ex2_approx_ftz_f32(float x) { return exp2f(x); }
static inline float ptx_rsqrt_approx_ftz_f32(float x) { return rsqrtf(x); }
static inline float ptx_sqrt_approx_ftz_f32(float x) { return sqrtf(x); }
static inline float ptx_tanh_approx_f32(float x) { return tanhf(x); }
static inline float ptx_div_full_ftz_f32(float x, float y) { return x / y; }
static inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
static inline double __fma_rn(double x, double y, double z) { return fma(x, y, z); }
static inline float __fsqrt_rn(float x) { return sqrtf(x); }
static inline double __dsqrt_rn(double x) { return sqrt(x); }

// cvt.rzi: saturates; of a NaN it makes 0 if both kinds have 32 bits, else the highest bit alone.
template <class To, class From> static inline To hh_cvt(From x, From lo, From end, To least, To most, To nan) {
	return x != x ? nan : x <= lo ? least : x >= end ? most : (To)x;
}
#define HH_INT (-2147483647 - 1)
#define HH_LONG (-9223372036854775807ll - 1)
static inline int __float2int_rz(float x) { return hh_cvt<int>(x, -0x1p31f, 0x1p31f, HH_INT, 2147483647, 0); }
static inline unsigned int __float2uint_rz(float x) { return hh_cvt<unsigned int>(x, 0.0f, 0x1p32f, 0u, 4294967295u, 0u); }
static inline long long __float2ll_rz(float x) { return hh_cvt<long long>(x, -0x1p63f, 0x1p63f, HH_LONG, 9223372036854775807ll, HH_LONG); }
static inline unsigned long long __float2ull_rz(float x) { return hh_cvt<unsigned long long>(x, 0.0f, 0x1p64f, 0ull, 18446744073709551615ull, 1ull << 63); }
static inline int __double2int_rz(double x) { return hh_cvt<int>(x, -0x1p31, 0x1p31, HH_INT, 2147483647, HH_INT); }
static inline unsigned int __double2uint_rz(double x) { return hh_cvt<unsigned int>(x, 0.0, 0x1p32, 0u, 4294967295u, 1u << 31); }
static inline long long __double2ll_rz(double x) { return hh_cvt<long long>(x, -0x1p63, 0x1p63, HH_LONG, 9223372036854775807ll, HH_LONG); }
static inline unsigned long long __double2ull_rz(double x) { return hh_cvt<unsigned long long>(x, 0.0, 0x1p64, 0ull, 18446744073709551615ull, 1ull << 63); }

static inline float __double2float_rz(double x) {
	float r = (float)x;
	if (r == r && fabs((double)r) > fabs(x)) { // beyond it: the value before, which of an infinity is the largest
		unsigned int bits = __float_as_uint(r) - 1u;
		r = __uint_as_float(bits);
	}
	return r;
}
static inline float ptx_cvt_f32_f16(unsigned short x) { return (float)hh_bits<_Float16>(x); }
static inline unsigned short ptx_cvt_rn_f16_f32(float x) { return hh_bits<unsigned short>((_Float16)x); }

// PTX instructions. Those that C++ leaves undefined give what no caller can take for right.
static inline int ptx_bfe_s32(int x, int at, int bits) { return (int)((unsigned int)x << (32 - at - bits)) >> (32 - bits); }
static inline unsigned int ptx_bfe_u32(unsigned int x, int at, int bits) { return x >> at & ((1u << bits) - 1u); }
static inline unsigned int ptx_not_b32(unsigned int x) { return ~x; }
static inline int ptx_div_s32(int x, int y) { return y == 0 ? -1 : y == -1 ? (int)(0u - (unsigned int)x) : x / y; }
static inline int ptx_rem_s32(int x, int y) { return y == 0 ? x : y == -1 ? 0 : x % y; }
static inline unsigned int ptx_div_u32(unsigned int x, unsigned int y) { return y == 0 ? ~0u : x / y; }
static inline unsigned int ptx_rem_u32(unsigned int x, unsigned int y) { return y == 0 ? x : x % y; }
static inline long long ptx_div_s64(long long x, long long y) { return y == 0 ? -1ll : y == -1 ? (long long)(0ull - (unsigned long long)x) : x / y; }
static inline long long ptx_rem_s64(long long x, long long y) { return y == 0 ? x : y == -1 ? 0ll : x % y; }
static inline unsigned long long ptx_div_u64(unsigned long long x, unsigned long long y) { return y == 0 ? ~0ull : x / y; }
static inline unsigned long long ptx_rem_u64(unsigned long long x, unsigned long long y) { return y == 0 ? x : x % y; }
static inline unsigned int ptx_shl_b32(unsigned int x, unsigned int n) { return n > 31 ? 0u : x << n; }
static inline unsigned long long ptx_shl_b64(unsigned long long x, unsigned int n) { return n > 63 ? 0ull : x << n; }
static inline unsigned int ptx_shr_u32(unsigned int x, unsigned int n) { return n > 31 ? 0u : x >> n; }
static inline unsigned long long ptx_shr_u64(unsigned long long x, unsigned int n) { return n > 63 ? 0ull : x >> n; }
static inline int ptx_shr_s32(int x, unsigned int n) { return x >> (n > 31 ? 31 : n); }
static inline long long ptx_shr_s64(long long x, unsigned int n) { return x >> (n > 63 ? 63 : n); }

// min and max: a NaN loses, or wins with .NaN; -0 is below +0.
template <class F> static inline F hh_min(F x, F y) { return x != x ? y : y != y ? x : x < y ? x : y < x ? y : __builtin_signbit(x) ? x : y; }
template <class F> static inline F hh_max(F x, F y) { return x != x ? y : y != y ? x : x < y ? y : y < x ? x : __builtin_signbit(x) ? y : x; }
static inline float ptx_min_f32(float x, float y) { return hh_min(x, y); }
static inline float ptx_max_f32(float x, float y) { return hh_max(x, y); }
static inline double ptx_min_f64(double x, double y) { return hh_min(x, y); }
static inline double ptx_max_f64(double x, double y) { return hh_max(x, y); }
static inline float ptx_min_NaN_f32(float x, float y) { return x != x ? x : y != y ? y : hh_min(x, y); }
static inline float ptx_max_NaN_f32(float x, float y) { return x != x ? x : y != y ? y : hh_max(x, y); }

// A launch passes a pointer to each argument, as cuLaunchKernel does.
template <unsigned... I> struct hh_sequence {};
template <class... A, unsigned... I> static void hh_unpack(void (*f)(A...), void** a, hh_sequence<I...>) { f(*(A*)a[I]...); }
template <class T, T... I> struct hh_list { typedef hh_sequence<I...> type; };
template <class... A> static void hh_call(void (*f)(A...), void** a) {
	hh_unpack(f, a, typename __make_integer_seq<hh_list, unsigned int, sizeof...(A)>::type());
}

// A launch in progress: the driver calls hh_thread for each thread of a block, on a stack of its own where threads wait.
struct hh_launch { void (*body)(void*, void**); void* kernel; void** args; };
static hh_launch hh_now;
template <class F> static void hh_body(void* f, void** a) { hh_call((F*)f, a); }
extern "C" void hh_block(unsigned int threads, unsigned int waits);
extern "C" void hh_wait(unsigned int line, unsigned int together);
extern "C" unsigned int hh_self(void);
extern "C" void hh_thread(unsigned int i) {
	threadIdx = {i % blockDim.x, i / blockDim.x % blockDim.y, i / blockDim.x / blockDim.y};
	hh_now.body(hh_now.kernel, hh_now.args);
}
// Other threads run before a barrier opens: those of the block, or of the warp.
static inline void hh_sync(unsigned int line, unsigned int together) {
	hh_dim3 me = threadIdx;
	hh_wait(line, together);
	threadIdx = me;
}
#define __syncthreads() hh_sync(__LINE__, 1024)

// What the threads of a warp exchange. They meet once more before the next exchange.
static unsigned long long hh_slots[1024];
template <class T> static inline T hh_shfl(T x, int lane, unsigned int line) {
	unsigned int me = hh_self();
	__builtin_memcpy(&hh_slots[me], &x, sizeof x);
	hh_sync(line, 32);
	T out;
	__builtin_memcpy(&out, &hh_slots[(me & ~31u) + ((unsigned int)lane & 31u)], sizeof out);
	hh_sync(line, 32);
	return out;
}
static inline unsigned int hh_ballot(bool x, unsigned int line) {
	unsigned int me = hh_self(), out = 0;
	hh_slots[me] = x;
	hh_sync(line, 32);
	for (unsigned int i = 0; i < 32; i++) {
		out |= (unsigned int)hh_slots[(me & ~31u) + i] << i;
	}
	hh_sync(line, 32);
	return out;
}
#define __shfl_sync(mask, x, lane) hh_shfl(x, lane, __LINE__)
#define __ballot_sync(mask, x) hh_ballot(x, __LINE__)

// One thread runs at a time.
template <class T, class V> static inline T atomicAdd(T* p, V v) {
	T old = *p;
	__builtin_add_overflow(old, (T)v, p);
	return old;
}
static inline float atomicAdd(float* p, float v) { float old = *p; *p = old + v; return old; }
template <class T, class V> static inline T atomicMin(T* p, V v) { T old = *p; *p = (T)v < old ? (T)v : old; return old; }
template <class T, class V> static inline T atomicMax(T* p, V v) { T old = *p; *p = old < (T)v ? (T)v : old; return old; }
template <class T, class V> static inline T atomicAnd(T* p, V v) { T old = *p; *p = old & (T)v; return old; }
template <class T, class V> static inline T atomicOr(T* p, V v) { T old = *p; *p = old | (T)v; return old; }
template <class T, class V> static inline T atomicXor(T* p, V v) { T old = *p; *p = old ^ (T)v; return old; }
template <class T, class V> static inline T atomicExch(T* p, V v) { T old = *p; *p = (T)v; return old; }
template <class T, class V, class W> static inline T atomicCAS(T* p, V want, W v) {
	T old = *p;
	if (old == (T)want) {
		*p = (T)v;
	}
	return old;
}
template <class F> static void hh_grid(F* f, void** a, const unsigned int* grid, const unsigned int* block, unsigned int waits) {
	gridDim = {grid[0], grid[1], grid[2]};
	blockDim = {block[0], block[1], block[2]};
	hh_now = {hh_body<F>, (void*)f, a};
	for (blockIdx.z = 0; blockIdx.z < grid[2]; blockIdx.z++)
	for (blockIdx.y = 0; blockIdx.y < grid[1]; blockIdx.y++)
	for (blockIdx.x = 0; blockIdx.x < grid[0]; blockIdx.x++) {
		hh_block(block[0] * block[1] * block[2], waits);
	}
}
