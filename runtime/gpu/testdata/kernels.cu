// The device code of cuda_test.go. kernels.ptx is this file through NVRTC 11.8 with -arch=compute_75 --std=c++17 --fmad=false.
typedef long long i64;

// Four points a thread, block-strided.
template <class T> __device__ void saxpy(T a, const T *x, T *y, i64 n) {
	i64 base = (i64)blockIdx.x * blockDim.x * 4 + threadIdx.x;
	for (int k = 0; k < 4; k++) {
		i64 i = base + (i64)k * blockDim.x;
		if (i < n) y[i] = a * x[i] + y[i];
	}
}
extern "C" __global__ void Saxpy_float32(float a, const float *x, float *y, i64 n) { saxpy(a, x, y, n); }
extern "C" __global__ void Saxpy_float32_wide(float a, const float *x, float *y, i64 n) { saxpy(a, x, y, n); }

extern "C" __global__ void Fill_wide(unsigned char *x, i64 n) {
	i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) x[i] = 1;
}

// Rows beyond 65,535 come round again.
extern "C" __global__ void Rows(unsigned char *x, i64 h, i64 w) {
	i64 c = (i64)blockIdx.x * blockDim.x + threadIdx.x;
	for (i64 r = (i64)blockIdx.y * blockDim.y + threadIdx.y; r < h; r += (i64)gridDim.y * blockDim.y)
		if (c < w) x[r * w + c] += 1;
}

// Adds 1 to x[0], 20 ms later.
extern "C" __global__ void Slow(int *x, i64 n) {
	int v = *(volatile int *)x;
	unsigned long long t, now;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
	do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)); while (now - t < 20000000);
	*(volatile int *)x = v + 1;
}

struct Vec { float v[3]; };

extern "C" __global__ void Mixed(signed char a, double b, signed char c, unsigned short d, Vec e, bool f, double *out, i64 n) {
	out[0] = a; out[1] = b; out[2] = c; out[3] = d;
	out[4] = e.v[0]; out[5] = e.v[1]; out[6] = e.v[2]; out[7] = f;
}

extern "C" __global__ void __launch_bounds__(64) Small(int *x, i64 n) { x[threadIdx.x] = 1; }

// Stores where nothing is.
extern "C" __global__ void Poke(int *x, i64 n) { *(volatile int *)((char *)x + (1ll << 50)) = 1; }
