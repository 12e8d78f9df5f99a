/* What a launch costs from C: the driver API called directly, with the PTX that the Go program launches.
 *
 *   cc -O2 -o launch launch.c -lcuda && ./launch saxpy.ptx
 *
 * It prints the same columns as bench/saxpy, so that the two are run in turn on one machine and compared as a ratio. */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static void check(CUresult r, const char *what) {
	if (r != CUDA_SUCCESS) {
		const char *name = "?";
		cuGetErrorName(r, &name);
		fprintf(stderr, "%s: %s\n", what, name);
		exit(1);
	}
}
#define CHECK(call) check(call, #call)

int main(int argc, char **argv) {
	if (argc != 2) {
		fprintf(stderr, "usage: launch saxpy.ptx\n");
		return 2;
	}
	CUdevice device;
	CUcontext context;
	CUmodule module;
	CUfunction kernel;
	CUstream stream;
	CUdeviceptr x, y;
	CHECK(cuInit(0));
	CHECK(cuDeviceGet(&device, 0));
	CHECK(cuDevicePrimaryCtxRetain(&context, device));
	CHECK(cuCtxSetCurrent(context));
	CHECK(cuModuleLoad(&module, argv[1]));
	CHECK(cuModuleGetFunction(&kernel, module, "Saxpy_float32"));
	CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	CHECK(cuMemAlloc(&x, 4096));
	CHECK(cuMemAlloc(&y, 4096));
	float a = 2;
	long long n = 256;
	void *args[] = {&a, &x, &y, &n};
	for (int round = 0; round < 5; round++) {
		for (int i = 0; i < 1000; i++)
			CHECK(cuLaunchKernel(kernel, 1, 1, 1, 256, 1, 1, 0, stream, args, 0));
		CHECK(cuStreamSynchronize(stream));
		const int launches = 20000;
		double start = now();
		for (int i = 0; i < launches; i++)
			CHECK(cuLaunchKernel(kernel, 1, 1, 1, 256, 1, 1, 0, stream, args, 0));
		double submitted = now();
		CHECK(cuStreamSynchronize(stream));
		printf("launch  C   %6.0f ns submitted  %6.0f ns drained\n", (submitted - start) / launches, (now() - start) / launches);
	}
	return 0;
}
