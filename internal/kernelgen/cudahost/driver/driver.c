/* Answers launches. A request comes on standard input as 64-bit words: kernel, grid x y z, block x y z, number of
   arguments; then for each argument a word that says what it is, a word n, and n bytes: 0 a scalar, 1 a buffer, 2 a
   part of the buffer of an earlier argument, whose number and offset are two words. The buffers go back on standard
   output, in order. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef unsigned long long u64;
typedef void entry(void** args, const unsigned* grid, const unsigned* block);
extern entry* const hh_entries[];

static void get(void* p, u64 n) {
	for (char* at = p; n > 0;) {
		ssize_t got = read(0, at, n);
		if (got <= 0) {
			_exit(got == 0 ? 0 : 90);
		}
		at += got;
		n -= (u64)got;
	}
}

static void put(const void* p, u64 n) {
	for (const char* at = p; n > 0;) {
		ssize_t done = write(1, at, n);
		if (done <= 0) {
			_exit(91);
		}
		at += done;
		n -= (u64)done;
	}
}

static void serve(void) {
	u64 head[8];
	get(head, sizeof head);
	u64 count = head[7], size[64];
	char *value[64], *memory[64], *pointer[64]; /* what the kernel takes by value, and where its views point */
	void* args[64];
	unsigned grid[3], block[3];
	if (count > 64) {
		_exit(92);
	}
	for (int d = 0; d < 3; d++) {
		grid[d] = (unsigned)head[1 + d];
		block[d] = (unsigned)head[4 + d];
	}
	for (u64 i = 0; i < count; i++) {
		u64 what[2], part[2];
		get(what, sizeof what);
		memory[i] = value[i] = 0;
		size[i] = what[1];
		args[i] = &pointer[i];
		switch (what[0]) {
		case 0:
			args[i] = value[i] = malloc(size[i]);
			get(value[i], size[i]);
			break;
		case 1:
			pointer[i] = memory[i] = malloc(size[i]);
			get(memory[i], size[i]);
			break;
		default:
			get(part, sizeof part);
			pointer[i] = memory[part[0]] + part[1];
		}
	}
	hh_entries[head[0]](args, grid, block);
	for (u64 i = 0; i < count; i++) {
		if (memory[i]) {
			put(memory[i], size[i]);
			free(memory[i]);
		}
		free(value[i]);
	}
}

int main(void) {
	for (;;) {
		serve();
	}
}
