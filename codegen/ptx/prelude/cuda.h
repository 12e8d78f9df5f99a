// Helper functions of generated CUDA C. A blank line ends a helper; only those that a kernel uses are printed, with
// the comment above each. They hold what C++ leaves undefined and what differs between GPUs; see language.md, Meaning
// of operations.

// The byte at which a member starts. NVRTC has this name for it, every other compiler that one.
#ifdef __CUDACC_RTC__
#define gg_offset(type, member) __INTADDR__(&((type*)0)->member)
#else
#define gg_offset(type, member) __builtin_offsetof(type, member)
#endif

// x as 16 bits, made in 32. ptxas takes a neg.s16 of -32768 that is widened for 32768, and packs what is the low half of a
// register together with another value in that register while its upper half is still needed.
__device__ __forceinline__ short gg_i16(int x) {
	int r;
	asm("bfe.s32 %0, %1, 0, 16;" : "=r"(r) : "r"(x));
	return (short)r;
}

// x as 16 bits in a register of its own: see gg_i16.
__device__ __forceinline__ unsigned short gg_u16(unsigned int x) {
	unsigned int r;
	asm("bfe.u32 %0, %1, 0, 16;" : "=r"(r) : "r"(x));
	return (unsigned short)r;
}

// x as 8 bits in a register of its own: see gg_i16.
__device__ __forceinline__ signed char gg_i8(int x) {
	int r;
	asm("bfe.s32 %0, %1, 0, 8;" : "=r"(r) : "r"(x));
	return (signed char)r;
}

// x as 8 bits in a register of its own: see gg_i16.
__device__ __forceinline__ unsigned char gg_u8(unsigned int x) {
	unsigned int r;
	asm("bfe.u32 %0, %1, 0, 8;" : "=r"(r) : "r"(x));
	return (unsigned char)r;
}

// -x, which wraps, as ~x + 1. ptxas 12.9 and 13.0 lose the sign of a neg.s32 that is the second of three operands of min or max on
// sm_90 and sm_100: min(min(a, -b), c) is min(a, b, c) there.
__device__ __forceinline__ int gg_neg_i32(int x) {
	unsigned int r;
	asm("not.b32 %0, %1;" : "=r"(r) : "r"(x));
	return (int)(r + 1u);
}

// -x as ~x + 1: see gg_neg_i32, since a conversion to a signed integer costs nothing.
__device__ __forceinline__ unsigned int gg_neg_u32(unsigned int x) {
	unsigned int r;
	asm("not.b32 %0, %1;" : "=r"(r) : "r"(x));
	return r + 1u;
}

// x / 0 is x. PTX division has no undefined case: MinInt / -1 wraps to MinInt.
__device__ __forceinline__ int gg_div_i32(int x, int y) {
	int q;
	asm("div.s32 %0, %1, %2;" : "=r"(q) : "r"(x), "r"(y));
	return y == 0 ? x : q;
}

// x % 0 is 0; MinInt % -1 is 0.
__device__ __forceinline__ int gg_rem_i32(int x, int y) {
	int r;
	asm("rem.s32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
	return y == 0 ? 0 : r;
}

// x / 0 is x. PTX division has no undefined case.
__device__ __forceinline__ unsigned int gg_div_u32(unsigned int x, unsigned int y) {
	unsigned int q;
	asm("div.u32 %0, %1, %2;" : "=r"(q) : "r"(x), "r"(y));
	return y == 0u ? x : q;
}

// x % 0 is 0.
__device__ __forceinline__ unsigned int gg_rem_u32(unsigned int x, unsigned int y) {
	unsigned int r;
	asm("rem.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y));
	return y == 0u ? 0u : r;
}

// x / 0 is x. PTX division has no undefined case: MinInt / -1 wraps to MinInt.
__device__ __forceinline__ long long gg_div_i64(long long x, long long y) {
	long long q;
	asm("div.s64 %0, %1, %2;" : "=l"(q) : "l"(x), "l"(y));
	return y == 0ll ? x : q;
}

// x % 0 is 0; MinInt % -1 is 0.
__device__ __forceinline__ long long gg_rem_i64(long long x, long long y) {
	long long r;
	asm("rem.s64 %0, %1, %2;" : "=l"(r) : "l"(x), "l"(y));
	return y == 0ll ? 0ll : r;
}

// x / 0 is x. PTX division has no undefined case.
__device__ __forceinline__ unsigned long long gg_div_u64(unsigned long long x, unsigned long long y) {
	unsigned long long q;
	asm("div.u64 %0, %1, %2;" : "=l"(q) : "l"(x), "l"(y));
	return y == 0ull ? x : q;
}

// x % 0 is 0.
__device__ __forceinline__ unsigned long long gg_rem_u64(unsigned long long x, unsigned long long y) {
	unsigned long long r;
	asm("rem.u64 %0, %1, %2;" : "=l"(r) : "l"(x), "l"(y));
	return y == 0ull ? 0ull : r;
}

__device__ __forceinline__ int gg_min_i32(int x, int y) { return y < x ? y : x; }

__device__ __forceinline__ int gg_max_i32(int x, int y) { return x < y ? y : x; }

__device__ __forceinline__ unsigned int gg_min_u32(unsigned int x, unsigned int y) { return y < x ? y : x; }

__device__ __forceinline__ unsigned int gg_max_u32(unsigned int x, unsigned int y) { return x < y ? y : x; }

__device__ __forceinline__ long long gg_min_i64(long long x, long long y) { return y < x ? y : x; }

__device__ __forceinline__ long long gg_max_i64(long long x, long long y) { return x < y ? y : x; }

__device__ __forceinline__ unsigned long long gg_min_u64(unsigned long long x, unsigned long long y) { return y < x ? y : x; }

__device__ __forceinline__ unsigned long long gg_max_u64(unsigned long long x, unsigned long long y) { return x < y ? y : x; }

// abs of the lowest value is itself.
__device__ __forceinline__ int gg_abs_i32(int x) { return x < 0 ? (int)(0u - (unsigned int)x) : x; }

// abs of the lowest value is itself.
__device__ __forceinline__ long long gg_abs_i64(long long x) { return x < 0 ? (long long)(0ull - (unsigned long long)x) : x; }

// The divisor is positive.
__device__ __forceinline__ long long gg_ceildiv_i64(long long x, long long y) { return x / y + (x % y > 0); }

// A 64-bit shift count, or a negative one, as 32 bits that are at least as far out of range.
__device__ __forceinline__ unsigned int gg_count_u64(unsigned long long n) { return n < 64ull ? (unsigned int)n : 64u; }

// PTX clamps the count to the width, at which nothing is left.
__device__ __forceinline__ unsigned int gg_shl_u32(unsigned int x, unsigned int n) {
	unsigned int r;
	asm("shl.b32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(n));
	return r;
}

// At the width nothing is left. PTX would clamp the count, but ptxas takes (x * 12) << 64, in 64 bits, for x * 12.
__device__ __forceinline__ unsigned long long gg_shl_u64(unsigned long long x, unsigned int n) { return n < 64u ? x << n : 0ull; }

// PTX clamps the count to the width, at which the sign is left.
__device__ __forceinline__ int gg_shr_i32(int x, unsigned int n) {
	int r;
	asm("shr.s32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(n));
	return r;
}

// PTX clamps the count to the width, at which nothing is left.
__device__ __forceinline__ unsigned int gg_shr_u32(unsigned int x, unsigned int n) {
	unsigned int r;
	asm("shr.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(n));
	return r;
}

// PTX clamps the count to the width, at which the sign is left.
__device__ __forceinline__ long long gg_shr_i64(long long x, unsigned int n) {
	long long r;
	asm("shr.s64 %0, %1, %2;" : "=l"(r) : "l"(x), "r"(n));
	return r;
}

// PTX clamps the count to the width, at which nothing is left.
__device__ __forceinline__ unsigned long long gg_shr_u64(unsigned long long x, unsigned int n) {
	unsigned long long r;
	asm("shr.u64 %0, %1, %2;" : "=l"(r) : "l"(x), "r"(n));
	return r;
}

__device__ __forceinline__ int gg_mulhi_i8(int x, int y) { return (x * y) >> 8; }

__device__ __forceinline__ unsigned int gg_mulhi_u8(unsigned int x, unsigned int y) { return (x * y) >> 8; }

__device__ __forceinline__ unsigned int gg_popcount_u8(unsigned char x) { return (unsigned int)__popc(x); }

__device__ __forceinline__ unsigned int gg_clz_u8(unsigned char x) { return (unsigned int)__clz(x) - 24u; }

__device__ __forceinline__ unsigned int gg_ctz_u8(unsigned char x) { return (unsigned int)__clz((int)__brev(x | 0x100u)); }

__device__ __forceinline__ unsigned int gg_reverse_u8(unsigned char x) { return __brev(x) >> 24; }

__device__ __forceinline__ int gg_mulhi_i16(int x, int y) { return (x * y) >> 16; }

__device__ __forceinline__ unsigned int gg_mulhi_u16(unsigned int x, unsigned int y) { return (x * y) >> 16; }

__device__ __forceinline__ unsigned int gg_popcount_u16(unsigned short x) { return (unsigned int)__popc(x); }

__device__ __forceinline__ unsigned int gg_clz_u16(unsigned short x) { return (unsigned int)__clz(x) - 16u; }

__device__ __forceinline__ unsigned int gg_ctz_u16(unsigned short x) { return (unsigned int)__clz((int)__brev(x | 0x10000u)); }

__device__ __forceinline__ unsigned int gg_reverse_u16(unsigned short x) { return __brev(x) >> 16; }

__device__ __forceinline__ unsigned int gg_clz_u32(unsigned int x) { return (unsigned int)__clz((int)x); }

__device__ __forceinline__ unsigned int gg_ctz_u32(unsigned int x) { return (unsigned int)__clz((int)__brev(x)); }

__device__ __forceinline__ unsigned long long gg_clz_u64(unsigned long long x) { return (unsigned long long)__clzll((long long)x); }

__device__ __forceinline__ unsigned long long gg_ctz_u64(unsigned long long x) { return (unsigned long long)__clzll((long long)__brevll(x)); }

// NaN wins; -0 is below +0. Before sm_80 there is no min.NaN, and a plain min drops NaN.
__device__ __forceinline__ float gg_min_f32(float x, float y) {
	float r;
#if __CUDA_ARCH__ >= 800
	asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
	return r;
#else
	asm("min.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
	return x != x || y != y ? x + y : r;
#endif
}

// NaN wins; -0 is below +0. PTX has no min.NaN on doubles.
__device__ __forceinline__ double gg_min_f64(double x, double y) {
	double r;
	asm("min.f64 %0, %1, %2;" : "=d"(r) : "d"(x), "d"(y));
	return x != x || y != y ? x + y : r;
}

// NaN loses; -0 is below +0.
__device__ __forceinline__ float gg_fmin_f32(float x, float y) {
	float r;
	asm("min.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
	return r;
}

// NaN loses; -0 is below +0.
__device__ __forceinline__ double gg_fmin_f64(double x, double y) {
	double r;
	asm("min.f64 %0, %1, %2;" : "=d"(r) : "d"(x), "d"(y));
	return r;
}

// NaN wins; -0 is below +0. Before sm_80 there is no max.NaN, and a plain max drops NaN.
__device__ __forceinline__ float gg_max_f32(float x, float y) {
	float r;
#if __CUDA_ARCH__ >= 800
	asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
	return r;
#else
	asm("max.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
	return x != x || y != y ? x + y : r;
#endif
}

// NaN wins; -0 is below +0. PTX has no max.NaN on doubles.
__device__ __forceinline__ double gg_max_f64(double x, double y) {
	double r;
	asm("max.f64 %0, %1, %2;" : "=d"(r) : "d"(x), "d"(y));
	return x != x || y != y ? x + y : r;
}

// NaN loses; -0 is below +0.
__device__ __forceinline__ float gg_fmax_f32(float x, float y) {
	float r;
	asm("max.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
	return r;
}

// NaN loses; -0 is below +0.
__device__ __forceinline__ double gg_fmax_f64(double x, double y) {
	double r;
	asm("max.f64 %0, %1, %2;" : "=d"(r) : "d"(x), "d"(y));
	return r;
}

// Truncates and saturates, as the PTX conversion does; NaN is 0, which PTX gives for some widths only.
__device__ __forceinline__ int gg_conv_f32_i32(float x) { return x != x ? 0 : __float2int_rz(x); }

// Truncates and saturates, as the PTX conversion does; NaN is 0, which PTX gives for some widths only.
__device__ __forceinline__ unsigned int gg_conv_f32_u32(float x) { return x != x ? 0u : __float2uint_rz(x); }

// Truncates and saturates, as the PTX conversion does; NaN is 0, which PTX gives for some widths only.
__device__ __forceinline__ long long gg_conv_f32_i64(float x) { return x != x ? 0ll : __float2ll_rz(x); }

// Truncates and saturates, as the PTX conversion does; NaN is 0, which PTX gives for some widths only.
__device__ __forceinline__ unsigned long long gg_conv_f32_u64(float x) { return x != x ? 0ull : __float2ull_rz(x); }

__device__ __forceinline__ signed char gg_conv_f32_i8(float x) {
	int v = gg_conv_f32_i32(x);
	return (signed char)(v < -128 ? -128 : v > 127 ? 127 : v);
}

__device__ __forceinline__ short gg_conv_f32_i16(float x) {
	int v = gg_conv_f32_i32(x);
	return (short)(v < -32768 ? -32768 : v > 32767 ? 32767 : v);
}

__device__ __forceinline__ unsigned char gg_conv_f32_u8(float x) {
	unsigned int v = gg_conv_f32_u32(x);
	return (unsigned char)(v > 255u ? 255u : v);
}

__device__ __forceinline__ unsigned short gg_conv_f32_u16(float x) {
	unsigned int v = gg_conv_f32_u32(x);
	return (unsigned short)(v > 65535u ? 65535u : v);
}

// Truncates and saturates, as the PTX conversion does; NaN is 0, which PTX gives for some widths only.
__device__ __forceinline__ int gg_conv_f64_i32(double x) { return x != x ? 0 : __double2int_rz(x); }

// Truncates and saturates, as the PTX conversion does; NaN is 0, which PTX gives for some widths only.
__device__ __forceinline__ unsigned int gg_conv_f64_u32(double x) { return x != x ? 0u : __double2uint_rz(x); }

// Truncates and saturates, as the PTX conversion does; NaN is 0, which PTX gives for some widths only.
__device__ __forceinline__ long long gg_conv_f64_i64(double x) { return x != x ? 0ll : __double2ll_rz(x); }

// Truncates and saturates, as the PTX conversion does; NaN is 0, which PTX gives for some widths only.
__device__ __forceinline__ unsigned long long gg_conv_f64_u64(double x) { return x != x ? 0ull : __double2ull_rz(x); }

__device__ __forceinline__ signed char gg_conv_f64_i8(double x) {
	int v = gg_conv_f64_i32(x);
	return (signed char)(v < -128 ? -128 : v > 127 ? 127 : v);
}

__device__ __forceinline__ short gg_conv_f64_i16(double x) {
	int v = gg_conv_f64_i32(x);
	return (short)(v < -32768 ? -32768 : v > 32767 ? 32767 : v);
}

__device__ __forceinline__ unsigned char gg_conv_f64_u8(double x) {
	unsigned int v = gg_conv_f64_u32(x);
	return (unsigned char)(v > 255u ? 255u : v);
}

__device__ __forceinline__ unsigned short gg_conv_f64_u16(double x) {
	unsigned int v = gg_conv_f64_u32(x);
	return (unsigned short)(v > 65535u ? 65535u : v);
}

// At most 2 ULP over the whole range.
__device__ __forceinline__ float gg_fast_div_f32(float x, float y) {
	float r;
	asm("div.full.ftz.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
	return r;
}

__device__ __forceinline__ float gg_fast_sqrt_f32(float x) {
	float r;
	asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
	return r;
}

__device__ __forceinline__ float gg_fast_rsqrt_f32(float x) {
	float r;
	asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
	return r;
}

__device__ __forceinline__ float gg_fast_exp2_f32(float x) {
	float r;
	asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
	return r;
}

// By logarithm and power of two where base and exponent are ordinary numbers.
__device__ __forceinline__ float gg_fast_pow_f32(float x, float y) {
	return x >= 1.17549435e-38f && x <= 3.4028235e+38f && fabsf(y) <= 3.4028235e+38f ? __powf(x, y) : powf(x, y);
}

__device__ __forceinline__ float gg_fast_tanh_f32(float x) {
	float r;
	asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
	return r;
}

// A value of 64 bits at two words of the record.
__device__ __forceinline__ void gg_put(unsigned int* record, unsigned int at, unsigned long long value) {
	record[at] = (unsigned int)value;
	record[at + 1u] = (unsigned int)(value >> 32);
}

// The first failure since the host asked is kept. The words are those of the host: failed, used, dropped, capacity, site, a
// gap, launch, index, extent, where. Inlined, since ptxas loses a pointer that it gives a function in uniform registers.
__device__ __forceinline__ void gg_report(unsigned int* record, unsigned long long launch, unsigned int site, long long index, long long extent, long long a, long long b, long long c, long long t) {
	if (*(volatile unsigned int*)record != 0u || atomicExch(record, 1u) != 0u) {
		return;
	}
	record[4] = site;
	gg_put(record, 6u, launch);
	gg_put(record, 8u, (unsigned long long)index);
	gg_put(record, 10u, (unsigned long long)extent);
	gg_put(record, 12u, (unsigned long long)a);
	gg_put(record, 14u, (unsigned long long)b);
	gg_put(record, 16u, (unsigned long long)c);
	gg_put(record, 18u, (unsigned long long)t);
}

// Takes room for an entry of so many values and gives their place, or 0 where the record is full. Whoever finds it full adds
// nothing more to the words in use, so that they cannot wrap.
__device__ __forceinline__ unsigned int gg_print(unsigned int* record, unsigned long long launch, unsigned int site, unsigned int values, long long a, long long b, long long c, long long t) {
	unsigned int words = 12u + 2u * values;
	unsigned int capacity = record[3];
	unsigned int at = *(volatile unsigned int*)(record + 1);
	if (at < capacity) {
		at = atomicAdd(record + 1, words);
	}
	if (at >= capacity || capacity - at < words) {
		atomicAdd(record + 2, 1u);
		return 0u;
	}
	at += 24u;
	record[at] = words;
	record[at + 1u] = site;
	gg_put(record, at + 2u, launch);
	gg_put(record, at + 4u, (unsigned long long)a);
	gg_put(record, at + 6u, (unsigned long long)b);
	gg_put(record, at + 8u, (unsigned long long)c);
	gg_put(record, at + 10u, (unsigned long long)t);
	return at + 12u;
}

// Exact. A float16 is held as its bits.
__device__ __forceinline__ float gg_conv_f16_f32(unsigned short x) {
	float r;
	asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(x));
	return r;
}

// To nearest, ties to even.
__device__ __forceinline__ unsigned short gg_conv_f32_f16(float x) {
	unsigned short r;
	asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(x));
	return r;
}

// Exact. A bfloat16 is the upper half of a float.
__device__ __forceinline__ float gg_conv_bf16_f32(unsigned short x) { return __uint_as_float((unsigned int)x << 16); }

// To nearest, ties to even. Before sm_80 there is no instruction for it.
__device__ __forceinline__ unsigned short gg_conv_f32_bf16(float x) {
#if __CUDA_ARCH__ >= 800
	unsigned short r;
	asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r) : "f"(x));
	return r;
#else
	unsigned int b = __float_as_uint(x);
	return (unsigned short)(x != x ? 0x7fc0u : (b + 0x7fffu + (b >> 16 & 1u)) >> 16);
#endif
}

// As a float rounded to odd: rounding that once more, to 16 bits, is rounding once.
__device__ __forceinline__ float gg_odd_u64(unsigned long long x) {
	int s = 40 - __clzll((long long)x);
	if (s <= 0) {
		return (float)x;
	}
	unsigned long long top = x >> s;
	return (float)((top | (unsigned long long)(top << s != x)) << s);
}

// As a float rounded to odd.
__device__ __forceinline__ float gg_odd_i64(long long x) { return x < 0ll ? -gg_odd_u64(0ull - (unsigned long long)x) : gg_odd_u64((unsigned long long)x); }

// As a float rounded to odd: toward zero, and the last bit says that something was lost.
__device__ __forceinline__ float gg_odd_f64(double x) {
	float r = __double2float_rz(x);
	return x == x && (double)r != x ? __uint_as_float(__float_as_uint(r) | 1u) : r;
}

// Gives what it found. NaN wins, -0 is below +0: no atomic of the machine says so, but a comparison of bits does.
__device__ __forceinline__ float gg_atomic_min_f32(float* p, float v) {
	unsigned int* q = (unsigned int*)p;
	unsigned int found = *(volatile unsigned int*)q;
	for (;;) {
		unsigned int next = __float_as_uint(gg_min_f32(__uint_as_float(found), v));
		unsigned int seen = next == found ? found : atomicCAS(q, found, next);
		if (seen == found) {
			return __uint_as_float(found);
		}
		found = seen;
	}
}

// Gives what it found, as the one for the least.
__device__ __forceinline__ float gg_atomic_max_f32(float* p, float v) {
	unsigned int* q = (unsigned int*)p;
	unsigned int found = *(volatile unsigned int*)q;
	for (;;) {
		unsigned int next = __float_as_uint(gg_max_f32(__uint_as_float(found), v));
		unsigned int seen = next == found ? found : atomicCAS(q, found, next);
		if (seen == found) {
			return __uint_as_float(found);
		}
		found = seen;
	}
}
