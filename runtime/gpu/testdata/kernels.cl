// The kernels of opencl_test.go, in the form that gpugen generates.

#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void Saxpy_float32(float a, __global const float* restrict x, ulong x_at, __global float* restrict y, ulong y_at, long n) {
	x += x_at;
	y += y_at;
	int i = (int)get_group_id(0) * 1024 + (int)get_local_id(0);
	for (int u = 0; u < 4; u++, i += 256) {
		if (i < (int)n) {
			y[i] = a * x[i] + y[i];
		}
	}
}

__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void Rows(__global uchar* restrict x, ulong x_at, long h, long w) {
	x += x_at;
	long i = (long)get_group_id(0) * 32 + (long)get_local_id(0);
	for (long r = (long)get_group_id(1); r < h; r += (long)get_num_groups(1)) {
		if (i < w) {
			x[r * w + i] += 1;
		}
	}
}

// Takes a while, then adds 1 to x[0].
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void Slow(__global int* x, ulong x_at, long n) {
	x += x_at;
	uint v = (uint)x[0];
	uint s = v;
	for (int i = 0; i < 20000000; i++) {
		s = s * 1664525u + 1013904223u;
	}
	x[0] = (int)(v + 1u + (s == 12345u && n < 0 ? 1u : 0u));
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void Mixed(char a, float b, char c, ushort d, uchar f, __global float* out, ulong out_at, long n) {
	out += out_at;
	if (n == 6) {
		out[0] = (float)a;
		out[1] = b;
		out[2] = (float)c;
		out[3] = (float)d;
		out[4] = f != 0 ? 1.0f : 0.0f;
		out[5] = (float)(out_at % 1000);
	}
}

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void Touch(__global const float* none, ulong none_at, __global int* x, ulong x_at, long n, long m) {
	none += none_at;
	x += x_at;
	int i = (int)get_group_id(0) * 256 + (int)get_local_id(0);
	if (i < (int)m) {
		x[i] = n > 0 ? (int)none[0] : 7;
	}
}

// A block of 4 x 16 threads as one row.
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void Row(__global int* x, ulong x_at, long n) {
	x += x_at;
	x[(get_group_id(1) * get_num_groups(0) + get_group_id(0)) * 64 + get_local_id(0)] = (int)(get_local_size(0) * 1000 + get_local_id(0));
}

// What follows up to Tell is of codegen/opencl/prelude/opencl.h.

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

// Prints n points, several times each, and reports site fail from the last one, if it is not 0.
__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void Tell(long n, long times, long fail, volatile __global uint* record, ulong record_at, ulong launch) {
	record += record_at;
	long i = (long)get_global_id(0);
	if (i >= n) {
		return;
	}
	for (long j = 0; j < times; j++) {
		uint at = gg_print(record, launch, 0u, 4u, i, 0, 0, 0);
		if (at != 0u) {
			gg_put(record, at, (ulong)j);
			gg_put(record, at + 2u, (ulong)as_uint((float)i + 0.5f));
			gg_put(record, at + 4u, i % 2 == 0 ? 1ul : 0ul);
			gg_put(record, at + 6u, 255ul);
		}
	}
	if (fail > 0 && i == n - 1) {
		gg_report(record, launch, (uint)fail, -3, 7, i, 0, 0, 0);
	}
}
