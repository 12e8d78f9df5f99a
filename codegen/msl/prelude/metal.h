// Helper functions of generated Metal text. A blank line ends a helper; only those that a kernel uses are printed, with
// the comment above each. They hold what Metal leaves undefined or lacks; see language.md, Meaning of operations.

// The byte at which a member starts.
#define gg_offset(type, member) __builtin_offsetof(type, member)

// x / 0 is x, MinInt / -1 is MinInt: the divisor becomes 1.
static inline int gg_div_i32(int x, int y) { return x / (y == 0 || (y == -1 && x == -2147483647 - 1) ? 1 : y); }

// x % 0 and MinInt % -1 are 0: the divisor becomes 1.
static inline int gg_rem_i32(int x, int y) {
	int d = y == 0 || (y == -1 && x == -2147483647 - 1) ? 1 : y;
	return x - x / d * d;
}

// Neither y == 0 nor MinInt % -1.
static inline int gg_remnz_i32(int x, int y) { return x - x / y * y; }

// x / 0 is x: the divisor becomes 1.
static inline uint gg_div_u32(uint x, uint y) { return x / (y == 0u ? 1u : y); }

// x % 0 is 0: the divisor becomes 1.
static inline uint gg_rem_u32(uint x, uint y) {
	uint d = y == 0u ? 1u : y;
	return x - x / d * d;
}

// x / 0 is x, MinInt / -1 is MinInt: the divisor becomes 1.
static inline long gg_div_i64(long x, long y) { return x / (y == 0l || (y == -1l && x == -9223372036854775807l - 1l) ? 1l : y); }

// x % 0 and MinInt % -1 are 0: the divisor becomes 1.
static inline long gg_rem_i64(long x, long y) {
	long d = y == 0l || (y == -1l && x == -9223372036854775807l - 1l) ? 1l : y;
	return x - x / d * d;
}

// Neither y == 0 nor MinInt % -1.
static inline long gg_remnz_i64(long x, long y) { return x - x / y * y; }

// x / 0 is x: the divisor becomes 1.
static inline ulong gg_div_u64(ulong x, ulong y) { return x / (y == 0ul ? 1ul : y); }

// x % 0 is 0: the divisor becomes 1.
static inline ulong gg_rem_u64(ulong x, ulong y) {
	ulong d = y == 0ul ? 1ul : y;
	return x - x / d * d;
}

static inline int gg_min_i32(int x, int y) { return y < x ? y : x; }

static inline int gg_max_i32(int x, int y) { return x < y ? y : x; }

static inline uint gg_min_u32(uint x, uint y) { return y < x ? y : x; }

static inline uint gg_max_u32(uint x, uint y) { return x < y ? y : x; }

static inline long gg_min_i64(long x, long y) { return y < x ? y : x; }

static inline long gg_max_i64(long x, long y) { return x < y ? y : x; }

static inline ulong gg_min_u64(ulong x, ulong y) { return y < x ? y : x; }

static inline ulong gg_max_u64(ulong x, ulong y) { return x < y ? y : x; }

// abs of the lowest value is itself.
static inline int gg_abs_i32(int x) { return x < 0 ? as_type<int>(0u - as_type<uint>(x)) : x; }

// abs of the lowest value is itself.
static inline long gg_abs_i64(long x) { return x < 0l ? as_type<long>(0ul - as_type<ulong>(x)) : x; }

// The divisor is positive.
static inline long gg_ceildiv_i64(long x, long y) { return x / y + (x - x / y * y > 0l ? 1l : 0l); }

// A 64-bit shift count, or a negative one, as 32 bits that are at least as far out of range.
static inline uint gg_count_u64(ulong n) { return n < 64ul ? (uint)n : 64u; }

static inline uint gg_shl_u32(uint x, uint n) { return n < 32u ? x << n : 0u; }

static inline ulong gg_shl_u64(ulong x, uint n) { return n < 64u ? x << n : 0ul; }

static inline int gg_shr_i32(int x, uint n) { return x >> (n < 32u ? n : 31u); }

static inline uint gg_shr_u32(uint x, uint n) { return n < 32u ? x >> n : 0u; }

static inline long gg_shr_i64(long x, uint n) { return x >> (n < 64u ? n : 63u); }

static inline ulong gg_shr_u64(ulong x, uint n) { return n < 64u ? x >> n : 0ul; }

static inline int gg_mulhi_i8(int x, int y) { return (x * y) >> 8; }

static inline uint gg_mulhi_u8(uint x, uint y) { return (x * y) >> 8; }

static inline int gg_mulhi_i16(int x, int y) { return (x * y) >> 16; }

static inline uint gg_mulhi_u16(uint x, uint y) { return (x * y) >> 16; }

static inline int gg_mulhi_i32(int x, int y) { return (int)(((long)x * (long)y) >> 32); }

static inline uint gg_mulhi_u32(uint x, uint y) { return (uint)(((ulong)x * (ulong)y) >> 32); }

// By halves: no term overflows.
static inline ulong gg_mulhi_u64(ulong x, ulong y) {
	ulong xl = x & 0xfffffffful, xh = x >> 32, yl = y & 0xfffffffful, yh = y >> 32;
	ulong mid = xh * yl + ((xl * yl) >> 32);
	ulong low = xl * yh + (mid & 0xfffffffful);
	return xh * yh + (mid >> 32) + (low >> 32);
}

// The unsigned high half, less what each negative operand adds to it.
static inline long gg_mulhi_i64(long x, long y) {
	ulong ux = as_type<ulong>(x), uy = as_type<ulong>(y);
	return as_type<long>(gg_mulhi_u64(ux, uy) - (x < 0l ? uy : 0ul) - (y < 0l ? ux : 0ul));
}

static inline uint gg_popcount_u32(uint x) { return popcount(x); }

static inline uint gg_clz_u32(uint x) { return clz(x); }

static inline uint gg_ctz_u32(uint x) { return ctz(x); }

static inline uint gg_reverse_u32(uint x) { return reverse_bits(x); }

static inline uint gg_popcount_u8(uchar x) { return gg_popcount_u32((uint)x); }

static inline uint gg_clz_u8(uchar x) { return gg_clz_u32((uint)x) - 24u; }

static inline uint gg_ctz_u8(uchar x) { return gg_ctz_u32((uint)x | 0x100u); }

static inline uint gg_reverse_u8(uchar x) { return gg_reverse_u32((uint)x) >> 24; }

static inline uint gg_popcount_u16(ushort x) { return gg_popcount_u32((uint)x); }

static inline uint gg_clz_u16(ushort x) { return gg_clz_u32((uint)x) - 16u; }

static inline uint gg_ctz_u16(ushort x) { return gg_ctz_u32((uint)x | 0x10000u); }

static inline uint gg_reverse_u16(ushort x) { return gg_reverse_u32((uint)x) >> 16; }

static inline ulong gg_popcount_u64(ulong x) { return (ulong)(gg_popcount_u32((uint)x) + gg_popcount_u32((uint)(x >> 32))); }

static inline ulong gg_clz_u64(ulong x) { return (ulong)(x >> 32 != 0ul ? gg_clz_u32((uint)(x >> 32)) : 32u + gg_clz_u32((uint)x)); }

static inline ulong gg_ctz_u64(ulong x) { return (ulong)((uint)x != 0u ? gg_ctz_u32((uint)x) : 32u + gg_ctz_u32((uint)(x >> 32))); }

static inline ulong gg_reverse_u64(ulong x) { return ((ulong)gg_reverse_u32((uint)x) << 32) | (ulong)gg_reverse_u32((uint)(x >> 32)); }

// By its bits, which no math mode may assume away.
static inline bool gg_isnan_f32(float x) { return (as_type<uint>(x) & 0x7fffffffu) > 0x7f800000u; }

// For numbers. Equal ones differ at most in the sign of a zero: -0 is below +0.
static inline float gg_minnum_f32(float x, float y) {
	return x < y ? x : y < x ? y : as_type<float>(as_type<uint>(x) | as_type<uint>(y));
}

// NaN wins.
static inline float gg_min_f32(float x, float y) { return gg_isnan_f32(x) ? x : gg_isnan_f32(y) ? y : gg_minnum_f32(x, y); }

// NaN loses.
static inline float gg_fmin_f32(float x, float y) { return gg_isnan_f32(x) ? y : gg_isnan_f32(y) ? x : gg_minnum_f32(x, y); }

// For numbers. Equal ones differ at most in the sign of a zero: -0 is below +0.
static inline float gg_maxnum_f32(float x, float y) {
	return x > y ? x : y > x ? y : as_type<float>(as_type<uint>(x) & as_type<uint>(y));
}

// NaN wins.
static inline float gg_max_f32(float x, float y) { return gg_isnan_f32(x) ? x : gg_isnan_f32(y) ? y : gg_maxnum_f32(x, y); }

// NaN loses.
static inline float gg_fmax_f32(float x, float y) { return gg_isnan_f32(x) ? y : gg_isnan_f32(y) ? x : gg_maxnum_f32(x, y); }

// Truncates and saturates; NaN is 0.
static inline char gg_conv_f32_i8(float x) { return (char)(gg_isnan_f32(x) ? 0 : x >= 128.0f ? 127 : x <= -129.0f ? -128 : (int)x); }

// Truncates and saturates; NaN is 0.
static inline short gg_conv_f32_i16(float x) { return (short)(gg_isnan_f32(x) ? 0 : x >= 32768.0f ? 32767 : x <= -32769.0f ? -32768 : (int)x); }

// Truncates and saturates; NaN is 0.
static inline int gg_conv_f32_i32(float x) { return gg_isnan_f32(x) ? 0 : x >= 2147483648.0f ? 2147483647 : x < -2147483648.0f ? -2147483647 - 1 : (int)x; }

// Truncates and saturates; NaN is 0.
static inline long gg_conv_f32_i64(float x) { return gg_isnan_f32(x) ? 0l : x >= 9223372036854775808.0f ? 9223372036854775807l : x < -9223372036854775808.0f ? -9223372036854775807l - 1l : (long)x; }

// Truncates and saturates; NaN is 0.
static inline uchar gg_conv_f32_u8(float x) { return (uchar)(gg_isnan_f32(x) || x < 1.0f ? 0u : x >= 256.0f ? 255u : (uint)x); }

// Truncates and saturates; NaN is 0.
static inline ushort gg_conv_f32_u16(float x) { return (ushort)(gg_isnan_f32(x) || x < 1.0f ? 0u : x >= 65536.0f ? 65535u : (uint)x); }

// Truncates and saturates; NaN is 0.
static inline uint gg_conv_f32_u32(float x) { return gg_isnan_f32(x) || x < 1.0f ? 0u : x >= 4294967296.0f ? 4294967295u : (uint)x; }

// Truncates and saturates; NaN is 0.
static inline ulong gg_conv_f32_u64(float x) { return gg_isnan_f32(x) || x < 1.0f ? 0ul : x >= 18446744073709551616.0f ? 18446744073709551615ul : (ulong)x; }

// Exact, unlike Metal's fmod: long division of the significands, eight bits of the quotient at a time.
static inline float gg_fmod_f32(float x, float y) {
	uint sign = as_type<uint>(x) & 0x80000000u, a = as_type<uint>(x) & 0x7fffffffu, b = as_type<uint>(y) & 0x7fffffffu;
	if (a >= 0x7f800000u || b > 0x7f800000u || b == 0u) {
		return as_type<float>(0x7fc00000u);
	}
	if (a < b) {
		return x;
	}
	uint ea = a >> 23 == 0u ? 1u : a >> 23, eb = b >> 23 == 0u ? 1u : b >> 23;
	uint ma = a >> 23 == 0u ? a : (a & 0x7fffffu) | 0x800000u, mb = b >> 23 == 0u ? b : (b & 0x7fffffu) | 0x800000u;
	ma %= mb;
	for (uint n = ea - eb; n > 0u;) {
		uint s = n < 8u ? n : 8u;
		ma = (ma << s) % mb;
		n -= s;
	}
	if (ma == 0u) {
		return as_type<float>(sign);
	}
	uint up = clz(ma) - 8u;
	up = up < eb - 1u ? up : eb - 1u;
	ma <<= up;
	uint e = ma < 0x800000u ? 0u : eb - up;
	return as_type<float>(sign | (e << 23) | (ma & 0x7fffffu));
}

// Metal has no hypot. Scaled by a power of two so that no square overflows or vanishes; within 1 ULP.
static inline float gg_hypot_f32(float x, float y) {
	float a = fabs(x), b = fabs(y);
	if (as_type<uint>(a) == 0x7f800000u || as_type<uint>(b) == 0x7f800000u) {
		return as_type<float>(0x7f800000u);
	}
	float hi = gg_max_f32(a, b), lo = gg_min_f32(a, b);
	float s = hi > 1.0e18f ? 5.421010862427522e-20f : hi < 1.0e-18f ? 79228162514264337593543950336.0f : 1.0f;
	hi *= s;
	lo *= s;
	return precise::sqrt(fma(hi, hi, lo * lo)) / s;
}

// Metal has no erf. Interpolated at Chebyshev points: erf(x)/x as a polynomial in x*x up to 1, then -log(erfc(x)) as one
// in x - 1; from 4 on the result rounds to 1. Within 3 ULP.
static inline float gg_erf_f32(float x) {
	float a = fabs(x);
	if (gg_isnan_f32(x)) {
		return x;
	}
	if (a <= 1.0f) {
		float t = x * x;
		float p = -9.667045e-06f;
		p = fma(p, t, 0.00011265959f);
		p = fma(p, t, -0.00084840803f);
		p = fma(p, t, 0.0052210316f);
		p = fma(p, t, -0.02686543f);
		p = fma(p, t, 0.11283782f);
		p = fma(p, t, -0.37612638f);
		p = fma(p, t, 1.1283792f);
		return x * p;
	}
	if (a >= 4.0f) {
		return copysign(1.0f, x);
	}
	float u = a - 1.0f;
	float p = 7.5826826e-08f;
	p = fma(p, u, -2.6392433e-06f);
	p = fma(p, u, 3.8454644e-05f);
	p = fma(p, u, -0.0003363859f);
	p = fma(p, u, 0.002081732f);
	p = fma(p, u, -0.01010486f);
	p = fma(p, u, 0.041590456f);
	p = fma(p, u, 0.84310085f);
	p = fma(p, u, 2.638968f);
	p = fma(p, u, 1.8496056f);
	return copysign(1.0f - precise::exp(-p), x);
}

// A value of 64 bits at two words of the record.
static inline void gg_put(device atomic_uint* record, uint at, ulong value) {
	atomic_store_explicit(record + at, (uint)value, memory_order_relaxed);
	atomic_store_explicit(record + at + 1u, (uint)(value >> 32), memory_order_relaxed);
}

// The first failure since the host asked is kept. The words are those of the host: failed, used, dropped, capacity, site, a
// gap, launch, index, extent, where.
static void gg_report(device atomic_uint* record, ulong launch, uint site, long index, long extent, long a, long b, long c, long t) {
	if (atomic_load_explicit(record, memory_order_relaxed) != 0u || atomic_exchange_explicit(record, 1u, memory_order_relaxed) != 0u) {
		return;
	}
	atomic_store_explicit(record + 4, site, memory_order_relaxed);
	gg_put(record, 6u, launch);
	gg_put(record, 8u, (ulong)index);
	gg_put(record, 10u, (ulong)extent);
	gg_put(record, 12u, (ulong)a);
	gg_put(record, 14u, (ulong)b);
	gg_put(record, 16u, (ulong)c);
	gg_put(record, 18u, (ulong)t);
}

// Takes room for an entry of so many values and gives their place, or 0 where the record is full. Whoever finds it full adds
// nothing more to the words in use, so that they cannot wrap.
static uint gg_print(device atomic_uint* record, ulong launch, uint site, uint values, long a, long b, long c, long t) {
	uint words = 12u + 2u * values;
	uint capacity = atomic_load_explicit(record + 3, memory_order_relaxed);
	uint at = atomic_load_explicit(record + 1, memory_order_relaxed);
	if (at < capacity) {
		at = atomic_fetch_add_explicit(record + 1, words, memory_order_relaxed);
	}
	if (at >= capacity || capacity - at < words) {
		atomic_fetch_add_explicit(record + 2, 1u, memory_order_relaxed);
		return 0u;
	}
	at += 24u;
	atomic_store_explicit(record + at, words, memory_order_relaxed);
	atomic_store_explicit(record + at + 1u, site, memory_order_relaxed);
	gg_put(record, at + 2u, launch);
	gg_put(record, at + 4u, (ulong)a);
	gg_put(record, at + 6u, (ulong)b);
	gg_put(record, at + 8u, (ulong)c);
	gg_put(record, at + 10u, (ulong)t);
	return at + 12u;
}

// Exact. A float16 is held as its bits.
static inline float gg_conv_f16_f32(ushort x) { return (float)as_type<half>(x); }

// To nearest, ties to even, as Metal converts to half.
static inline ushort gg_conv_f32_f16(float x) { return as_type<ushort>((half)x); }

// Exact. A bfloat16 is the upper half of a float.
static inline float gg_conv_bf16_f32(ushort x) { return as_type<float>((uint)x << 16); }

// To nearest, ties to even.
static inline ushort gg_conv_f32_bf16(float x) {
	uint b = as_type<uint>(x);
	return (ushort)(gg_isnan_f32(x) ? 0x7fc0u : (b + 0x7fffu + ((b >> 16) & 1u)) >> 16);
}

// As a float rounded to odd: rounding that once more, to 16 bits, is rounding once.
static inline float gg_odd_u64(ulong x) {
	uint n = (uint)gg_clz_u64(x);
	if (n >= 40u) {
		return (float)x;
	}
	uint s = 40u - n;
	ulong top = x >> s;
	return (float)((top | (top << s != x ? 1ul : 0ul)) << s);
}

// As a float rounded to odd.
static inline float gg_odd_i64(long x) { return x < 0l ? -gg_odd_u64(0ul - as_type<ulong>(x)) : gg_odd_u64(as_type<ulong>(x)); }

// Gives what it found. Metal's own may fail where the values agree.
static inline uint gg_atomic_cas_device(device atomic_uint* p, uint old, uint v) {
	uint found = old;
	while (!atomic_compare_exchange_weak_explicit(p, &found, v, memory_order_relaxed, memory_order_relaxed)) {
		if (found != old) {
			break;
		}
	}
	return found;
}

// In any order; gives what it found.
static inline float gg_atomic_add_f32_device(device atomic_uint* p, float v) {
	uint found = atomic_load_explicit(p, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(p, &found, as_type<uint>(as_type<float>(found) + v), memory_order_relaxed, memory_order_relaxed)) {
	}
	return as_type<float>(found);
}

// NaN wins, -0 is below +0; gives what it found.
static inline float gg_atomic_min_f32_device(device atomic_uint* p, float v) {
	uint found = atomic_load_explicit(p, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(p, &found, as_type<uint>(gg_min_f32(as_type<float>(found), v)), memory_order_relaxed, memory_order_relaxed)) {
	}
	return as_type<float>(found);
}

// NaN wins, -0 is below +0; gives what it found.
static inline float gg_atomic_max_f32_device(device atomic_uint* p, float v) {
	uint found = atomic_load_explicit(p, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(p, &found, as_type<uint>(gg_max_f32(as_type<float>(found), v)), memory_order_relaxed, memory_order_relaxed)) {
	}
	return as_type<float>(found);
}

// Gives what it found. Metal's own may fail where the values agree.
static inline uint gg_atomic_cas_threadgroup(threadgroup atomic_uint* p, uint old, uint v) {
	uint found = old;
	while (!atomic_compare_exchange_weak_explicit(p, &found, v, memory_order_relaxed, memory_order_relaxed)) {
		if (found != old) {
			break;
		}
	}
	return found;
}

// In any order; gives what it found.
static inline float gg_atomic_add_f32_threadgroup(threadgroup atomic_uint* p, float v) {
	uint found = atomic_load_explicit(p, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(p, &found, as_type<uint>(as_type<float>(found) + v), memory_order_relaxed, memory_order_relaxed)) {
	}
	return as_type<float>(found);
}

// NaN wins, -0 is below +0; gives what it found.
static inline float gg_atomic_min_f32_threadgroup(threadgroup atomic_uint* p, float v) {
	uint found = atomic_load_explicit(p, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(p, &found, as_type<uint>(gg_min_f32(as_type<float>(found), v)), memory_order_relaxed, memory_order_relaxed)) {
	}
	return as_type<float>(found);
}

// NaN wins, -0 is below +0; gives what it found.
static inline float gg_atomic_max_f32_threadgroup(threadgroup atomic_uint* p, float v) {
	uint found = atomic_load_explicit(p, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(p, &found, as_type<uint>(gg_max_f32(as_type<float>(found), v)), memory_order_relaxed, memory_order_relaxed)) {
	}
	return as_type<float>(found);
}

// The value of another lane of the SIMD group.
static inline uint gg_shuffle_u32(uint x, int lane) { return simd_shuffle(x, (ushort)lane); }

// The value of another lane of the SIMD group, in two halves: Metal shuffles no 64 bits.
static inline ulong gg_shuffle_u64(ulong x, int lane) {
	uint lo = simd_shuffle((uint)x, (ushort)lane), hi = simd_shuffle((uint)(x >> 32), (ushort)lane);
	return (ulong)hi << 32 | (ulong)lo;
}

// The lanes of the SIMD group where x holds.
static inline uint gg_ballot(bool x) { return (uint)(simd_vote::vote_t)simd_ballot(x); }
