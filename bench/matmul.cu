// The same tiled product written by hand in CUDA C and compiled by nvcc, next to the one that gpugen generates.
//
//	nvcc -O3 -arch=sm_90 -o matmul matmul.cu -lcuda && ./matmul matmul.ptx 4096
//
// Both are launched in turn on the same memory; the figures to compare are of one run.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cuda_runtime.h>
#include <vector>

__global__ void __launch_bounds__(256) byHand(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m, int k, int n) {
	__shared__ float as[16][16], bs[16][16];
	int ty = threadIdx.y, tx = threadIdx.x, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
	float acc = 0;
	for (int t = 0; t < (k + 15) / 16; t++) {
		as[ty][tx] = row < m && t * 16 + tx < k ? a[row * k + t * 16 + tx] : 0;
		bs[ty][tx] = t * 16 + ty < k && col < n ? b[(t * 16 + ty) * n + col] : 0;
		__syncthreads();
#pragma unroll
		for (int q = 0; q < 16; q++)
			acc += as[ty][q] * bs[q][tx];
		__syncthreads();
	}
	if (row < m && col < n)
		c[row * n + col] = acc;
}

static void check(int r, const char *what) {
	if (r != 0) {
		fprintf(stderr, "%s: %d\n", what, r);
		exit(1);
	}
}
#define CHECK(call) check((int)(call), #call)

int main(int argc, char **argv) {
	if (argc != 3)
		return fprintf(stderr, "usage: matmul matmul.ptx size\n"), 2;
	int size = atoi(argv[2]);
	size_t bytes = (size_t)size * size * sizeof(float);
	CHECK(cudaFree(0));
	CUmodule module;
	CUfunction ours;
	CHECK(cuModuleLoad(&module, argv[1]));
	CHECK(cuModuleGetFunction(&ours, module, "MatMul"));
	std::vector<float> host((size_t)size * size);
	for (size_t i = 0; i < host.size(); i++)
		host[i] = (float)((i * 7919) % 17) - 8;
	float *a, *b, *c, *d;
	CHECK(cudaMalloc(&a, bytes));
	CHECK(cudaMalloc(&b, bytes));
	CHECK(cudaMalloc(&c, bytes));
	CHECK(cudaMalloc(&d, bytes));
	CHECK(cudaMemcpy(a, host.data(), bytes, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(b, host.data(), bytes, cudaMemcpyHostToDevice));
	cudaEvent_t start, end;
	CHECK(cudaEventCreate(&start));
	CHECK(cudaEventCreate(&end));
	unsigned blocks = (size + 15) / 16;
	long long n = size;
	void *args[] = {&a, &b, &c, &n, &n, &n};
	std::vector<float> hand, generated;
	for (int i = 0; i < 12; i++) {
		float t, u;
		CHECK(cudaEventRecord(start));
		byHand<<<dim3(blocks, blocks), dim3(16, 16)>>>(a, b, d, size, size, size);
		CHECK(cudaEventRecord(end));
		CHECK(cudaEventSynchronize(end));
		CHECK(cudaEventElapsedTime(&t, start, end));
		CHECK(cudaEventRecord(start));
		CHECK(cuLaunchKernel(ours, blocks, blocks, 1, 16, 16, 1, 0, 0, args, 0));
		CHECK(cudaEventRecord(end));
		CHECK(cudaEventSynchronize(end));
		CHECK(cudaEventElapsedTime(&u, start, end));
		if (i >= 2)
			hand.push_back(t), generated.push_back(u);
	}
	std::vector<float> x(host.size()), y(host.size());
	CHECK(cudaMemcpy(x.data(), c, bytes, cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(y.data(), d, bytes, cudaMemcpyDeviceToHost));
	for (size_t i = 0; i < x.size(); i++)
		if (x[i] != y[i])
			return fprintf(stderr, "element %zu: %g and %g\n", i, x[i], y[i]), 1;
	std::sort(hand.begin(), hand.end());
	std::sort(generated.begin(), generated.end());
	float h = hand[hand.size() / 2], g = generated[generated.size() / 2];
	printf("n = %d  by hand %.3f ms  generated %.3f ms  ratio %.3f (medians of %zu rounds, equal results)\n", size, h, g, g / h, hand.size());
	return 0;
}
