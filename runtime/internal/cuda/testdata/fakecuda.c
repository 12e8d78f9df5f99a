// A stand-in for the CUDA driver library, for machines without a GPU: it shows two GPUs, checks that a context is current
// on the calling thread, that handles and ranges are that context's own, and runs the kernels of runtime/gpu/testdata by
// name, at once.
// cc -shared -fPIC -o libfakecuda.so fakecuda.c
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_DEVICE = 101, INVALID_CONTEXT = 201, NO_BINARY = 209, INVALID_PTX = 218,
       UNSUPPORTED_PTX = 222, INVALID_HANDLE = 400, NOT_FOUND = 500, ILLEGAL_ADDRESS = 700 };

static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static __thread void *current;

// The primary context of each GPU. A reset makes another one, with another handle.
enum { DEVICES = 2 };
struct context { uintptr_t handle; int retained, fault; struct block *blocks; size_t used; };
static struct context contexts[DEVICES] = {{.handle = 0x1000}, {.handle = 0x801000}};

// entered is the context that is current on this thread, NULL without one.
static struct context *entered(void) {
	for (int d = 0; d < DEVICES; d++)
		if (current == (void *)contexts[d].handle && contexts[d].retained) return &contexts[d];
	return NULL;
}

#define IN()                               \
	struct context *c = entered();         \
	do {                                   \
		if (!c) return INVALID_CONTEXT;    \
		if (c->fault) return c->fault;     \
	} while (0)

struct block { uint64_t p; size_t n; struct block *next; };
static const size_t total = (size_t)1 << 34;

// inside says whether [p, p+n) lies in one allocation of a context.
static int inside(struct context *c, uint64_t p, size_t n) {
	int ok = 0;
	pthread_mutex_lock(&mu);
	for (struct block *b = c->blocks; b; b = b->next)
		if (p >= b->p && p + n <= b->p + b->n) ok = 1;
	pthread_mutex_unlock(&mu);
	return ok;
}

int cuInit(unsigned f) { return f ? INVALID_VALUE : 0; }
int cuDriverGetVersion(int *v) { *v = 12040; return 0; }
int cuGetErrorName(int code, const char **s) { *s = code == ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS" : code == UNSUPPORTED_PTX ? "CUDA_ERROR_UNSUPPORTED_PTX_VERSION" : "CUDA_ERROR_FAKE"; return 0; }
int cuGetErrorString(int code, const char **s) { static __thread char b[64]; snprintf(b, sizeof b, "fake error %d", code); *s = b; return 0; }
int cuDeviceGetCount(int *n) { *n = DEVICES; return 0; }
int cuDeviceGet(int *d, int o) { *d = o; return o < 0 || o >= DEVICES ? INVALID_DEVICE : 0; }
int cuDeviceGetName(char *s, int n, int d) { snprintf(s, n, "Fake GPU"); return 0; }
int cuDeviceGetAttribute(int *v, int a, int d) { *v = a == 75 ? 8 : a == 76 ? 6 : 0; return 0; }
int cuDeviceTotalMem_v2(size_t *n, int d) { *n = total; return 0; }
int cuDevicePrimaryCtxRetain(void **c, int d) { contexts[d].retained++; *c = (void *)contexts[d].handle; return 0; }
int cuDevicePrimaryCtxReset_v2(int d) { contexts[d].handle += 0x1000; contexts[d].fault = 0; return 0; }
int cuDevicePrimaryCtxRelease_v2(int d) {
	if (--contexts[d].retained == 0) return cuDevicePrimaryCtxReset_v2(d);
	return 0;
}
int cuCtxGetCurrent(void **c) { *c = current; return 0; }
int cuCtxSetCurrent(void *c) { current = c; return 0; }

int cuMemGetInfo_v2(size_t *f, size_t *t) { IN(); *f = total - c->used; *t = total; return 0; }
int cuMemAlloc_v2(uint64_t *p, size_t n) {
	IN();
	if (n == 0) return INVALID_VALUE;
	if (n > total - c->used) return OUT_OF_MEMORY;
	struct block *b = malloc(sizeof *b);
	b->p = (uint64_t)malloc(n);
	if (!b->p) return OUT_OF_MEMORY;
	memset((void *)b->p, 0xEE, n < 1 << 20 ? n : 1 << 20);
	b->n = n;
	pthread_mutex_lock(&mu);
	b->next = c->blocks; c->blocks = b; c->used += n;
	pthread_mutex_unlock(&mu);
	*p = b->p;
	return 0;
}
int cuMemFree_v2(uint64_t p) {
	IN();
	pthread_mutex_lock(&mu);
	for (struct block **b = &c->blocks; *b; b = &(*b)->next)
		if ((*b)->p == p) {
			struct block *gone = *b;
			*b = gone->next; c->used -= gone->n;
			pthread_mutex_unlock(&mu);
			free((void *)p); free(gone);
			return 0;
		}
	pthread_mutex_unlock(&mu);
	return INVALID_VALUE;
}

// Streams, events and functions carry the handle of the context that they were made in.
struct stream { int alive; uintptr_t of; };
#define STREAM(s) do { if (!s || ((struct stream *)s)->alive != 0x57 || ((struct stream *)s)->of != c->handle) return INVALID_HANDLE; } while (0)
int cuStreamCreate(void **s, unsigned f) { IN(); if (f != 1) return INVALID_VALUE; struct stream *n = malloc(sizeof *n); n->alive = 0x57; n->of = c->handle; *s = n; return 0; }
int cuStreamDestroy_v2(void *s) { IN(); STREAM(s); ((struct stream *)s)->alive = 0; return 0; } // kept, so that a later use is seen
int cuStreamSynchronize(void *s) { IN(); STREAM(s); return 0; }

struct event { int alive, timed; uintptr_t of; struct timespec at; };
#define EVENT(e) do { if (!e || ((struct event *)e)->alive != 0xE7 || ((struct event *)e)->of != c->handle) return INVALID_HANDLE; } while (0)
int cuEventCreate(void **e, unsigned f) { IN(); struct event *n = calloc(1, sizeof *n); n->alive = 0xE7; n->timed = !(f & 2); n->of = c->handle; *e = n; return 0; }
int cuEventDestroy_v2(void *e) { IN(); EVENT(e); ((struct event *)e)->alive = 0; return 0; }
int cuEventRecord(void *e, void *s) { IN(); EVENT(e); STREAM(s); clock_gettime(CLOCK_MONOTONIC, &((struct event *)e)->at); return 0; }
int cuEventSynchronize(void *e) { IN(); EVENT(e); return 0; }
int cuEventQuery(void *e) { IN(); EVENT(e); return 0; }
int cuEventElapsedTime(float *ms, void *a, void *b) {
	IN(); EVENT(a); EVENT(b);
	struct event *x = a, *y = b;
	if (!x->timed || !y->timed) return INVALID_HANDLE;
	*ms = (y->at.tv_sec - x->at.tv_sec) * 1e3 + (y->at.tv_nsec - x->at.tv_nsec) / 1e6;
	return 0;
}
int cuStreamWaitEvent(void *s, void *e, unsigned f) { IN(); STREAM(s); EVENT(e); return f ? INVALID_VALUE : 0; }

int cuMemsetD8Async(uint64_t p, unsigned char v, size_t n, void *s) { IN(); STREAM(s); if (!inside(c, p, n)) return INVALID_VALUE; memset((void *)p, v, n); return 0; }
int cuMemcpyHtoDAsync_v2(uint64_t d, const void *h, size_t n, void *s) { IN(); STREAM(s); if (!inside(c, d, n)) return INVALID_VALUE; memcpy((void *)d, h, n); return 0; }
int cuMemcpyDtoHAsync_v2(void *h, uint64_t d, size_t n, void *s) { IN(); STREAM(s); if (!inside(c, d, n)) return INVALID_VALUE; memcpy(h, (void *)d, n); return 0; }
int cuMemcpyDtoDAsync_v2(uint64_t d, uint64_t f, size_t n, void *s) { IN(); STREAM(s); if (!inside(c, d, n) || !inside(c, f, n)) return INVALID_VALUE; memcpy((void *)d, (void *)f, n); return 0; }

// A module is its text. PTX has a version; a cubin here is a text that starts with CUBIN or with BAD.
int cuModuleLoadDataEx(void **m, const void *image, unsigned n, int *options, void **values) {
	IN();
	char *text = strdup(image);
	char *log = NULL;
	for (unsigned i = 0; i < n; i++)
		if (options[i] == 5) log = values[i];
	if (!strncmp(text, "BAD", 3)) return NO_BINARY;
	if (strncmp(text, "CUBIN", 5)) {
		char *v = strstr(text, ".version ");
		if (!v) { if (log) strcpy(log, "ptxas: syntax error\n"); return INVALID_PTX; }
		if (atof(v + 9) > 8.4) return UNSUPPORTED_PTX;
	}
	*m = text;
	return 0;
}
int cuModuleUnload(void *m) { IN(); return 0; }
struct function { uintptr_t of; const char *name; };
int cuModuleGetFunction(void **f, void *m, const char *name) {
	IN();
	char entry[128];
	snprintf(entry, sizeof entry, ".entry %s(", name);
	if (!strstr(m, entry)) return NOT_FOUND;
	struct function *n = malloc(sizeof *n);
	n->of = c->handle;
	n->name = strdup(name);
	*f = n;
	return 0;
}
int cuFuncGetAttribute(int *v, int a, struct function *f) { IN(); *v = strcmp(f->name, "Small") ? 1024 : 64; return a ? INVALID_VALUE : 0; }

#define ARG(T, i) (*(T *)a[i])
int cuLaunchKernel(struct function *k, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *s, void **a, void **extra) {
	IN(); STREAM(s);
	if (k->of != c->handle) return INVALID_HANDLE;
	const char *f = k->name;
	if (!gx || !gy || !gz || !bx || !by || !bz || gy > 65535 || gz > 65535 || shared || extra) return INVALID_VALUE;
	pthread_mutex_lock(&mu);
	if (!strncmp(f, "Saxpy_float32", 13)) {
		float k = ARG(float, 0), *x = ARG(float *, 1), *y = ARG(float *, 2);
		for (int64_t i = 0, n = ARG(int64_t, 3); i < n && i < (int64_t)gx * bx * 4; i++) y[i] = k * x[i] + y[i];
	} else if (!strcmp(f, "Fill_wide")) {
		memset(ARG(void *, 0), 1, ARG(int64_t, 1));
	} else if (!strcmp(f, "Rows")) {
		uint8_t *x = ARG(uint8_t *, 0);
		for (int64_t i = 0, n = ARG(int64_t, 1) * ARG(int64_t, 2); i < n; i++) x[i]++;
	} else if (!strcmp(f, "Slow")) {
		(*ARG(int *, 0))++;
	} else if (!strcmp(f, "Mixed")) {
		double *o = ARG(double *, 6);
		float *e = a[4];
		o[0] = ARG(signed char, 0); o[1] = ARG(double, 1); o[2] = ARG(signed char, 2); o[3] = ARG(uint16_t, 3);
		o[4] = e[0]; o[5] = e[1]; o[6] = e[2]; o[7] = ARG(uint8_t, 5);
	} else if (!strcmp(f, "Tell")) {
		uint32_t *r = ARG(uint32_t *, 3);
		uint64_t launch = ARG(uint64_t, 4);
		int64_t n = ARG(int64_t, 0), times = ARG(int64_t, 1), fail = ARG(int64_t, 2);
		for (int64_t i = n - 1; i >= 0; i--) { // the host puts them in order
			for (int64_t j = 0; j < times; j++) {
				uint32_t at = r[1];
				if (at < r[3]) r[1] += 20;
				if (at >= r[3] || r[3] - at < 20) { r[2]++; continue; }
				float v = (float)i + 0.5f;
				uint64_t e[10] = {20, launch, i, 0, 0, 0, j, 0, i % 2 == 0, 255};
				memcpy(&e[7], &v, 4);
				memcpy(r + 24 + at, e, 80);
			}
		}
		if (fail && !r[0]) {
			uint64_t e[7] = {launch, -3, 7, n - 1, 0, 0, 0};
			r[0] = 1; r[4] = (uint32_t)fail;
			memcpy(r + 6, e, 56);
		}
	} else if (!strcmp(f, "Poke")) {
		c->fault = ILLEGAL_ADDRESS;
	}
	pthread_mutex_unlock(&mu);
	return 0;
}
