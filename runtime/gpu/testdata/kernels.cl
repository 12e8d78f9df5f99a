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
