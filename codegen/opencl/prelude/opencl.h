// Helper functions of generated OpenCL C. A blank line ends a helper; only those that a kernel uses are printed, with
// the comment above each. They hold what OpenCL C 1.2 leaves undefined, inexact or out; see language.md, Meaning of
// operations. Those on doubles exist on devices with cl_khr_fp64 alone, as their kernels do.

// The byte at which a member starts.
#define gg_offset(type, member) __builtin_offsetof(type, member)

// x / 0 is x, MinInt / -1 is MinInt: the divisor becomes 1.
static inline int gg_div_i32(int x, int y) { return x / (y == 0 || (y == -1 && x == -2147483647 - 1) ? 1 : y); }

// x % 0 and MinInt % -1 are 0: the divisor becomes 1.
static inline int gg_rem_i32(int x, int y) {
	int d = y == 0 || (y == -1 && x == -2147483647 - 1) ? 1 : y;
	return x - x / d * d;
}

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
static inline int gg_abs_i32(int x) { return x < 0 ? as_int(0u - as_uint(x)) : x; }

// abs of the lowest value is itself.
static inline long gg_abs_i64(long x) { return x < 0l ? as_long(0ul - as_ulong(x)) : x; }

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

static inline uint gg_popcount_u8(uchar x) { return popcount((uint)x); }

static inline uint gg_clz_u8(uchar x) { return clz((uint)x) - 24u; }

// The ones below the lowest bit that is set.
static inline uint gg_ctz_u8(uchar x) { return popcount(~((uint)x | 0x100u) & (((uint)x | 0x100u) - 1u)); }

static inline uint gg_popcount_u16(ushort x) { return popcount((uint)x); }

static inline uint gg_clz_u16(ushort x) { return clz((uint)x) - 16u; }

// The ones below the lowest bit that is set.
static inline uint gg_ctz_u16(ushort x) { return popcount(~((uint)x | 0x10000u) & (((uint)x | 0x10000u) - 1u)); }

// The ones below the lowest bit that is set.
static inline uint gg_ctz_u32(uint x) { return popcount(~x & (x - 1u)); }

// The ones below the lowest bit that is set.
static inline ulong gg_ctz_u64(ulong x) { return popcount(~x & (x - 1ul)); }

// Swaps neighbours, pairs, nibbles, bytes, halves.
static inline uint gg_reverse_u32(uint x) {
	x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
	x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
	x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
	x = (x >> 8 & 0x00ff00ffu) | (x & 0x00ff00ffu) << 8;
	return x >> 16 | x << 16;
}

static inline uint gg_reverse_u8(uchar x) { return gg_reverse_u32((uint)x) >> 24; }

static inline uint gg_reverse_u16(ushort x) { return gg_reverse_u32((uint)x) >> 16; }

static inline ulong gg_reverse_u64(ulong x) { return ((ulong)gg_reverse_u32((uint)x) << 32) | (ulong)gg_reverse_u32((uint)(x >> 32)); }

// For numbers. Equal ones differ at most in the sign of a zero: -0 is below +0.
static inline float gg_minnum_f32(float x, float y) { return x < y ? x : y < x ? y : as_float(as_uint(x) | as_uint(y)); }

// NaN wins.
static inline float gg_min_f32(float x, float y) { return x != x ? x : y != y ? y : gg_minnum_f32(x, y); }

// NaN loses.
static inline float gg_fmin_f32(float x, float y) { return x != x ? y : y != y ? x : gg_minnum_f32(x, y); }

// For numbers. Equal ones differ at most in the sign of a zero: -0 is below +0.
static inline float gg_maxnum_f32(float x, float y) { return x > y ? x : y > x ? y : as_float(as_uint(x) & as_uint(y)); }

// NaN wins.
static inline float gg_max_f32(float x, float y) { return x != x ? x : y != y ? y : gg_maxnum_f32(x, y); }

// NaN loses.
static inline float gg_fmax_f32(float x, float y) { return x != x ? y : y != y ? x : gg_maxnum_f32(x, y); }

#ifdef cl_khr_fp64
// For numbers. Equal ones differ at most in the sign of a zero: -0 is below +0.
static inline double gg_minnum_f64(double x, double y) { return x < y ? x : y < x ? y : as_double(as_ulong(x) | as_ulong(y)); }
#endif

#ifdef cl_khr_fp64
// NaN wins.
static inline double gg_min_f64(double x, double y) { return x != x ? x : y != y ? y : gg_minnum_f64(x, y); }
#endif

#ifdef cl_khr_fp64
// NaN loses.
static inline double gg_fmin_f64(double x, double y) { return x != x ? y : y != y ? x : gg_minnum_f64(x, y); }
#endif

#ifdef cl_khr_fp64
// For numbers. Equal ones differ at most in the sign of a zero: -0 is below +0.
static inline double gg_maxnum_f64(double x, double y) { return x > y ? x : y > x ? y : as_double(as_ulong(x) & as_ulong(y)); }
#endif

#ifdef cl_khr_fp64
// NaN wins.
static inline double gg_max_f64(double x, double y) { return x != x ? x : y != y ? y : gg_maxnum_f64(x, y); }
#endif

#ifdef cl_khr_fp64
// NaN loses.
static inline double gg_fmax_f64(double x, double y) { return x != x ? y : y != y ? x : gg_maxnum_f64(x, y); }
#endif

#if defined(GPUGEN_INEXACT_DIVISION) && !defined(cl_khr_fp64)
// q * 2^e with that sign, rounded to the nearest; q is not 0, and its lowest bit stands for all below it.
static inline float gg_round_f32(uint sign, int e, uint q) {
	int up = (int)clz(q);
	q <<= up;
	e += 158 - up;
	if (e >= 255) {
		return as_float(sign | 0x7f800000u);
	}
	int drop = e > 0 ? 8 : 9 - e;
	if (drop > 32) {
		return as_float(sign);
	}
	ulong mid = 1ul << (drop - 1), rest = (ulong)q & ((mid << 1) - 1ul), r = (ulong)q >> drop;
	r += rest > mid || (rest == mid && (r & 1ul) != 0ul) ? 1ul : 0ul;
	return as_float(sign | ((e > 0 ? (uint)(e - 1) << 23 : 0u) + (uint)r));
}
#endif

// Correctly rounded. For a device that does not divide so the host defines GPUGEN_INEXACT_DIVISION: then in doubles, whose
// quotient rounds to the same float, or else by dividing significands.
#ifndef GPUGEN_INEXACT_DIVISION
static inline float gg_div_f32(float x, float y) { return x / y; }
#elif defined(cl_khr_fp64)
static inline float gg_div_f32(float x, float y) { return (float)((double)x / (double)y); }
#else
static inline float gg_div_f32(float x, float y) {
	uint sign = (as_uint(x) ^ as_uint(y)) & 0x80000000u, a = as_uint(x) & 0x7fffffffu, b = as_uint(y) & 0x7fffffffu;
	if (a > 0x7f800000u || b > 0x7f800000u || (a == b && (a == 0u || a == 0x7f800000u))) {
		return as_float(0x7fc00000u);
	}
	if (a == 0x7f800000u || b == 0u) {
		return as_float(sign | 0x7f800000u);
	}
	if (a == 0u || b == 0x7f800000u) {
		return as_float(sign);
	}
	int ea = (int)(a >> 23), eb = (int)(b >> 23);
	uint ma = ea == 0 ? a : (a & 0x7fffffu) | 0x800000u, mb = eb == 0 ? b : (b & 0x7fffffu) | 0x800000u;
	int ua = (int)clz(ma) - 8, ub = (int)clz(mb) - 8;
	ma <<= ua;
	mb <<= ub;
	ea = (ea == 0 ? 1 : ea) - ua;
	eb = (eb == 0 ? 1 : eb) - ub;
	ulong n = (ulong)ma << 31, q = n / (ulong)mb;
	return gg_round_f32(sign, ea - eb - 31, (uint)q | (q * (ulong)mb != n ? 1u : 0u));
}
#endif

// Correctly rounded, as gg_div_f32 is.
#ifndef GPUGEN_INEXACT_DIVISION
static inline float gg_sqrt_f32(float x) { return sqrt(x); }
#elif defined(cl_khr_fp64)
static inline float gg_sqrt_f32(float x) { return (float)sqrt((double)x); }
#else
static inline float gg_sqrt_f32(float x) {
	uint a = as_uint(x);
	if (a > 0x7f800000u && a != 0x80000000u) {
		return as_float(0x7fc00000u);
	}
	if (a == 0u || a >= 0x7f800000u) {
		return x;
	}
	int e = (int)(a >> 23);
	uint m = e == 0 ? a : (a & 0x7fffffu) | 0x800000u;
	int up = (int)clz(m) - 8;
	e = (e == 0 ? 1 : e) - up;
	m <<= up + (e & 1);
	ulong n = (ulong)m << 28, r = 0ul;
	for (ulong bit = 1ul << 26; bit != 0ul; bit >>= 1) {
		r |= (r | bit) * (r | bit) <= n ? bit : 0ul;
	}
	return gg_round_f32(0u, (e - (e & 1) - 150) / 2 - 15, (uint)(r << 1) | (r * r != n ? 1u : 0u));
}
#endif

// Within a few ULP on every device.
static inline float gg_fast_div_f32(float x, float y) { return x / y; }

// Toward zero, saturating; NaN is 0. Not every driver has convert_int_sat_rtz for its own vectors, and NaN is up to it there.
static inline char gg_conv_f32_i8(float x) { return x != x ? (char)0 : x >= 128.0f ? (char)127 : x <= -129.0f ? (char)-128 : (char)x; }

// Toward zero, saturating; NaN is 0. Not every driver has convert_int_sat_rtz for its own vectors, and NaN is up to it there.
static inline short gg_conv_f32_i16(float x) { return x != x ? (short)0 : x >= 32768.0f ? (short)32767 : x <= -32769.0f ? (short)-32768 : (short)x; }

// Toward zero, saturating; NaN is 0. Not every driver has convert_int_sat_rtz for its own vectors, and NaN is up to it there.
static inline int gg_conv_f32_i32(float x) { return x != x ? 0 : x >= 2147483648.0f ? 2147483647 : x < -2147483648.0f ? -2147483647 - 1 : (int)x; }

// Toward zero, saturating; NaN is 0. Not every driver has convert_int_sat_rtz for its own vectors, and NaN is up to it there.
static inline long gg_conv_f32_i64(float x) { return x != x ? 0l : x >= 9223372036854775808.0f ? 9223372036854775807l : x < -9223372036854775808.0f ? -9223372036854775807l - 1l : (long)x; }

// Toward zero, saturating; NaN is 0. Not every driver has convert_int_sat_rtz for its own vectors, and NaN is up to it there.
static inline uchar gg_conv_f32_u8(float x) { return x != x || x < 1.0f ? (uchar)0 : x >= 256.0f ? (uchar)255 : (uchar)x; }

// Toward zero, saturating; NaN is 0. Not every driver has convert_int_sat_rtz for its own vectors, and NaN is up to it there.
static inline ushort gg_conv_f32_u16(float x) { return x != x || x < 1.0f ? (ushort)0 : x >= 65536.0f ? (ushort)65535 : (ushort)x; }

// Toward zero, saturating; NaN is 0. Not every driver has convert_int_sat_rtz for its own vectors, and NaN is up to it there.
static inline uint gg_conv_f32_u32(float x) { return x != x || x < 1.0f ? 0u : x >= 4294967296.0f ? 4294967295u : (uint)x; }

// Toward zero, saturating; NaN is 0. Not every driver has convert_int_sat_rtz for its own vectors, and NaN is up to it there.
static inline ulong gg_conv_f32_u64(float x) { return x != x || x < 1.0f ? 0ul : x >= 18446744073709551616.0f ? 18446744073709551615ul : (ulong)x; }

#ifdef cl_khr_fp64
// Toward zero, saturating; NaN is 0. Not every driver has convert_int_sat_rtz for its own vectors, and NaN is up to it there.
static inline char gg_conv_f64_i8(double x) { return x != x ? (char)0 : x >= 128.0 ? (char)127 : x <= -129.0 ? (char)-128 : (char)x; }
#endif

#ifdef cl_khr_fp64
// Toward zero, saturating; NaN is 0. Not every driver has convert_int_sat_rtz for its own vectors, and NaN is up to it there.
static inline short gg_conv_f64_i16(double x) { return x != x ? (short)0 : x >= 32768.0 ? (short)32767 : x <= -32769.0 ? (short)-32768 : (short)x; }
#endif

#ifdef cl_khr_fp64
// Toward zero, saturating; NaN is 0. Not every driver has convert_int_sat_rtz for its own vectors, and NaN is up to it there.
static inline int gg_conv_f64_i32(double x) { return x != x ? 0 : x >= 2147483648.0 ? 2147483647 : x <= -2147483649.0 ? -2147483647 - 1 : (int)x; }
#endif

#ifdef cl_khr_fp64
// Toward zero, saturating; NaN is 0. Not every driver has convert_int_sat_rtz for its own vectors, and NaN is up to it there.
static inline long gg_conv_f64_i64(double x) { return x != x ? 0l : x >= 9223372036854775808.0 ? 9223372036854775807l : x < -9223372036854775808.0 ? -9223372036854775807l - 1l : (long)x; }
#endif

#ifdef cl_khr_fp64
// Toward zero, saturating; NaN is 0. Not every driver has convert_int_sat_rtz for its own vectors, and NaN is up to it there.
static inline uchar gg_conv_f64_u8(double x) { return x != x || x < 1.0 ? (uchar)0 : x >= 256.0 ? (uchar)255 : (uchar)x; }
#endif

#ifdef cl_khr_fp64
// Toward zero, saturating; NaN is 0. Not every driver has convert_int_sat_rtz for its own vectors, and NaN is up to it there.
static inline ushort gg_conv_f64_u16(double x) { return x != x || x < 1.0 ? (ushort)0 : x >= 65536.0 ? (ushort)65535 : (ushort)x; }
#endif

#ifdef cl_khr_fp64
// Toward zero, saturating; NaN is 0. Not every driver has convert_int_sat_rtz for its own vectors, and NaN is up to it there.
static inline uint gg_conv_f64_u32(double x) { return x != x || x < 1.0 ? 0u : x >= 4294967296.0 ? 4294967295u : (uint)x; }
#endif

#ifdef cl_khr_fp64
// Toward zero, saturating; NaN is 0. Not every driver has convert_int_sat_rtz for its own vectors, and NaN is up to it there.
static inline ulong gg_conv_f64_u64(double x) { return x != x || x < 1.0 ? 0ul : x >= 18446744073709551616.0 ? 18446744073709551615ul : (ulong)x; }
#endif

// Exact. A float16 is held as its bits, so that no device needs cl_khr_fp16.
static inline float gg_conv_f16_f32(ushort x) { return vload_half(0, (__private const half*)&x); }

// To nearest, ties to even.
static inline ushort gg_conv_f32_f16(float x) {
	ushort r;
	vstore_half_rte(x, 0, (__private half*)&r);
	return r;
}

// Exact. A bfloat16 is the upper half of a float.
static inline float gg_conv_bf16_f32(ushort x) { return as_float((uint)x << 16); }

// To nearest, ties to even.
static inline ushort gg_conv_f32_bf16(float x) {
	uint b = as_uint(x);
	return (ushort)(x != x ? 0x7fc0u : (b + 0x7fffu + ((b >> 16) & 1u)) >> 16);
}

// As a float rounded to odd: rounding that once more, to 16 bits, is rounding once.
static inline float gg_odd_u64(ulong x) {
	uint n = (uint)clz(x);
	if (n >= 40u) {
		return (float)x;
	}
	uint s = 40u - n;
	ulong top = x >> s;
	return (float)((top | (top << s != x ? 1ul : 0ul)) << s);
}

// As a float rounded to odd.
static inline float gg_odd_i64(long x) { return x < 0l ? -gg_odd_u64(0ul - as_ulong(x)) : gg_odd_u64(as_ulong(x)); }

#ifdef cl_khr_fp64
// As a float rounded to odd: toward zero, and the last bit says that something was lost.
static inline float gg_odd_f64(double x) {
	float r = convert_float_rtz(x);
	return x == x && (double)r != x ? as_float(as_uint(r) | 1u) : r;
}
#endif

// A value of 64 bits at two words of the record.
static inline void gg_put(volatile __global uint* record, uint at, ulong value) {
	record[at] = (uint)value;
	record[at + 1u] = (uint)(value >> 32);
}

// The first failure since the host asked is kept. The words are those of the host: failed, used, dropped, capacity, site, a
// gap, launch, index, extent, where.
static void gg_report(volatile __global uint* record, ulong launch, uint site, long index, long extent, long a, long b, long c, long t) {
	if (record[0] != 0u || atomic_xchg(record, 1u) != 0u) {
		return;
	}
	record[4] = site;
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
static uint gg_print(volatile __global uint* record, ulong launch, uint site, uint values, long a, long b, long c, long t) {
	uint words = 12u + 2u * values;
	uint capacity = record[3];
	uint at = record[1];
	if (at < capacity) {
		at = atomic_add(record + 1, words);
	}
	if (at >= capacity || capacity - at < words) {
		atomic_add(record + 2, 1u);
		return 0u;
	}
	at += 24u;
	record[at] = words;
	record[at + 1u] = site;
	gg_put(record, at + 2u, launch);
	gg_put(record, at + 4u, (ulong)a);
	gg_put(record, at + 6u, (ulong)b);
	gg_put(record, at + 8u, (ulong)c);
	gg_put(record, at + 10u, (ulong)t);
	return at + 12u;
}

// In any order; gives what it found.
static inline float gg_atomic_add_f32_global(volatile __global float* p, float v) {
	volatile __global uint* q = (volatile __global uint*)p;
	uint found = *q;
	for (;;) {
		uint seen = atomic_cmpxchg(q, found, as_uint(as_float(found) + v));
		if (seen == found) {
			return as_float(found);
		}
		found = seen;
	}
}

// NaN wins, -0 is below +0; gives what it found.
static inline float gg_atomic_min_f32_global(volatile __global float* p, float v) {
	volatile __global uint* q = (volatile __global uint*)p;
	uint found = *q;
	for (;;) {
		uint seen = atomic_cmpxchg(q, found, as_uint(gg_min_f32(as_float(found), v)));
		if (seen == found) {
			return as_float(found);
		}
		found = seen;
	}
}

// NaN wins, -0 is below +0; gives what it found.
static inline float gg_atomic_max_f32_global(volatile __global float* p, float v) {
	volatile __global uint* q = (volatile __global uint*)p;
	uint found = *q;
	for (;;) {
		uint seen = atomic_cmpxchg(q, found, as_uint(gg_max_f32(as_float(found), v)));
		if (seen == found) {
			return as_float(found);
		}
		found = seen;
	}
}

// In any order; gives what it found.
static inline float gg_atomic_add_f32_local(volatile __local float* p, float v) {
	volatile __local uint* q = (volatile __local uint*)p;
	uint found = *q;
	for (;;) {
		uint seen = atomic_cmpxchg(q, found, as_uint(as_float(found) + v));
		if (seen == found) {
			return as_float(found);
		}
		found = seen;
	}
}

// NaN wins, -0 is below +0; gives what it found.
static inline float gg_atomic_min_f32_local(volatile __local float* p, float v) {
	volatile __local uint* q = (volatile __local uint*)p;
	uint found = *q;
	for (;;) {
		uint seen = atomic_cmpxchg(q, found, as_uint(gg_min_f32(as_float(found), v)));
		if (seen == found) {
			return as_float(found);
		}
		found = seen;
	}
}

// NaN wins, -0 is below +0; gives what it found.
static inline float gg_atomic_max_f32_local(volatile __local float* p, float v) {
	volatile __local uint* q = (volatile __local uint*)p;
	uint found = *q;
	for (;;) {
		uint seen = atomic_cmpxchg(q, found, as_uint(gg_max_f32(as_float(found), v)));
		if (seen == found) {
			return as_float(found);
		}
		found = seen;
	}
}
