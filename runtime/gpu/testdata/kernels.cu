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

// What follows up to Tell is of codegen/ptx/prelude/cuda.h.

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

// Prints n points, several times each, and reports site fail from the last one, if it is not 0.
extern "C" __global__ void Tell(i64 n, i64 times, i64 fail, unsigned int *record, unsigned long long launch) {
	i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n) return;
	for (i64 j = 0; j < times; j++) {
		unsigned int at = gg_print(record, launch, 0u, 4u, i, 0, 0, 0);
		if (at != 0u) {
			gg_put(record, at, (unsigned long long)j);
			gg_put(record, at + 2u, (unsigned long long)__float_as_uint((float)i + 0.5f));
			gg_put(record, at + 4u, i % 2 == 0 ? 1ull : 0ull);
			gg_put(record, at + 6u, 255ull);
		}
	}
	if (fail > 0 && i == n - 1) gg_report(record, launch, (unsigned int)fail, -3, 7, i, 0, 0, 0);
}
