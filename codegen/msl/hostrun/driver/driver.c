/* The runner: loads a library of kernels and runs launches of them. Requests come on standard input as 64-bit words:
   kernel, grid x y z in threadgroups, block x y z, order, seed, dropped line, 1 for kernels without
   barriers, number of variables in threadgroup memory and of buffers; for each variable its distance from the first trampoline, its size and that of an element; for each
   buffer its index, its size, that of an element, and its bytes. The buffers go back on standard output, in order, each as its bytes. The process ends with its
   input, or with a fault. */
#include "hostrun.h"

extern long read(int, void*, u64);
extern long write(int, const void*, u64);
extern void* dlopen(const char*, int);
extern void* dlsym(void*, const char*);
extern char* dlerror(void);

char* anchor;
static void* library;

static void get(void* p, u64 n) {
	for (char* at = p; n > 0;) {
		long got = read(0, at, n);
		if (got <= 0) {
			_exit(got == 0 ? 0 : 90);
		}
		at += got;
		n -= (u64)got;
	}
}

static void put(const void* p, u64 n) {
	for (const char* at = p; n > 0;) {
		long done = write(1, at, n);
		if (done <= 0) {
			_exit(91);
		}
		at += done;
		n -= (u64)done;
	}
}

static u64 word(void) {
	u64 w;
	get(&w, sizeof w);
	return w;
}

static entry* find(u64 kernel) {
	char name[32];
	snprintf(name, sizeof name, "hostrun_%lu", kernel);
	return (entry*)dlsym(library, name);
}

static char* fresh(u32 index, u64 size) {
#ifdef HOSTRUN_WATCH
	return watch_buffer(index, size);
#else
	(void)index;
	return malloc(size);
#endif
}

static void serve(void) {
	static struct launch l;
	u64 kernel = word();
	for (int d = 0; d < 6; d++) {
		(d < 3 ? l.grid : l.block)[d % 3] = (u32)word();
	}
	l.order = (u32)word();
	l.seed = word();
	l.drop = (u32)word();
	l.plain = (u32)word();
	l.variables = (u32)word();
	u64 buffers = word();
	l.kernel = find(kernel);
	if (l.kernel == 0 || l.variables > 64 || buffers > 31) {
		_exit(92);
	}
	for (u32 i = 0; i < l.variables; i++) {
		l.variable[i].at = anchor + (long)word();
		l.variable[i].size = word();
		l.variable[i].unit = (u32)word();
	}
	u32 index[31];
	for (u64 i = 0; i < 31; i++) {
		l.buffer[i].at = 0;
		l.buffer[i].size = 0;
	}
	for (u64 i = 0; i < buffers; i++) {
		index[i] = (u32)word();
		if (index[i] > 30) {
			_exit(92);
		}
		struct range* b = &l.buffer[index[i]];
		b->size = word();
		b->unit = (u32)word();
		b->at = fresh(index[i], b->size);
		get(b->at, b->size);
	}
#ifdef HOSTRUN_WATCH
	watch_begin(&l);
#endif
	run(&l);
	for (u64 i = 0; i < buffers; i++) {
		put(l.buffer[index[i]].at, l.buffer[index[i]].size);
#ifndef HOSTRUN_WATCH
		free(l.buffer[index[i]].at);
#endif
	}
#ifdef HOSTRUN_WATCH
	watch_end();
#endif
}

int main(int argc, char** argv) {
	library = argc == 2 ? dlopen(argv[1], 2 /* RTLD_NOW */) : 0;
	if (library == 0) {
		dprintf(2, "%s\n", argc == 2 ? dlerror() : "usage: runner library");
		return 93;
	}
	anchor = (char*)find(0);
	for (;;) {
		serve();
	}
}
