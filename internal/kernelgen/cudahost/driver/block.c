/* Runs the threads of a block. Where they wait for each other each has a stack: it runs until it comes to a barrier or
   ends, and the barrier opens when all of the block, or of the warp, wait at the same line. Every second block runs its
   threads backward. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern void hh_thread(unsigned i);

#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
extern void __sanitizer_start_switch_fiber(void**, const void*, unsigned long);
extern void __sanitizer_finish_switch_fiber(void*, const void**, unsigned long*);
#define LEAVE(keep, stack, size) __sanitizer_start_switch_fiber(keep, stack, size)
#define ENTER(keep, stack, size) __sanitizer_finish_switch_fiber(keep, stack, size)
#else
#define LEAVE(keep, stack, size) ((void)0)
#define ENTER(keep, stack, size) ((void)0)
#endif

/* switch_stack saves what a function must keep, stores the stack pointer and goes on where another left off. The C
   library's swapcontext makes a system call, and the address sanitizer clears the shadow of a whole stack for it. */
#if defined(__x86_64__)
__asm__(
	".text\n"
	".type hh_switch_stack,@function\n"
	"hh_switch_stack:\n"
	"	pushq %rbp\n	pushq %rbx\n	pushq %r12\n	pushq %r13\n	pushq %r14\n	pushq %r15\n"
	"	movq %rsp,(%rdi)\n"
	"	movq %rsi,%rsp\n"
	"	popq %r15\n	popq %r14\n	popq %r13\n	popq %r12\n	popq %rbx\n	popq %rbp\n"
	"	ret\n");
enum { FRAME = 8, RETURN = 6 }; /* words on a new stack, and which of them is where it begins */
#elif defined(__aarch64__)
__asm__(
	".text\n"
	".type hh_switch_stack,%function\n"
	"hh_switch_stack:\n"
	"	sub sp, sp, #160\n"
	"	stp x19, x20, [sp]\n	stp x21, x22, [sp, #16]\n	stp x23, x24, [sp, #32]\n	stp x25, x26, [sp, #48]\n"
	"	stp x27, x28, [sp, #64]\n	stp x29, x30, [sp, #80]\n"
	"	stp d8, d9, [sp, #96]\n	stp d10, d11, [sp, #112]\n	stp d12, d13, [sp, #128]\n	stp d14, d15, [sp, #144]\n"
	"	mov x9, sp\n"
	"	str x9, [x0]\n"
	"	mov sp, x1\n"
	"	ldp x19, x20, [sp]\n	ldp x21, x22, [sp, #16]\n	ldp x23, x24, [sp, #32]\n	ldp x25, x26, [sp, #48]\n"
	"	ldp x27, x28, [sp, #64]\n	ldp x29, x30, [sp, #80]\n"
	"	ldp d8, d9, [sp, #96]\n	ldp d10, d11, [sp, #112]\n	ldp d12, d13, [sp, #128]\n	ldp d14, d15, [sp, #144]\n"
	"	add sp, sp, #160\n"
	"	ret\n");
enum { FRAME = 20, RETURN = 11 };
#else
#error "no stack switch for this machine"
#endif
extern void switch_stack(void** from, void* to) __asm__("hh_switch_stack");

enum { STACK = 1 << 20, GUARD = 1 << 16, THREADS = 1024 };

static struct fiber {
	void* sp;
	char* stack;
	void* shadow;
	unsigned line; /* where it waits, 0 when it does not */
	unsigned together; /* for how many threads */
	int ended;
} fibers[THREADS];

static struct fiber* current;
static void* scheduler_sp;
static void* scheduler_shadow;
static const void* scheduler_stack;
static unsigned long scheduler_size;
static unsigned blocks;

static void begin(void) {
	ENTER(0, &scheduler_stack, &scheduler_size);
	hh_thread((unsigned)(current - fibers));
	current->ended = 1;
	current->line = 0;
	LEAVE(0, scheduler_stack, scheduler_size);
	switch_stack(&current->sp, scheduler_sp);
	_exit(94); /* one that ended is not resumed */
}

unsigned hh_self(void) { return (unsigned)(current - fibers); }

void hh_wait(unsigned line, unsigned together) {
	struct fiber* me = current;
	me->line = line;
	me->together = together;
	LEAVE(&me->shadow, scheduler_stack, scheduler_size);
	switch_stack(&me->sp, scheduler_sp);
	ENTER(me->shadow, &scheduler_stack, &scheduler_size);
}

static void resume(struct fiber* f) {
	current = f;
	LEAVE(&scheduler_shadow, f->stack, STACK);
	switch_stack(&scheduler_sp, f->sp);
	ENTER(scheduler_shadow, 0, 0);
}

static void prepare(struct fiber* f) {
	if (f->stack == 0) {
		char* p = mmap(0, GUARD + STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (p == MAP_FAILED || mprotect(p, GUARD, PROT_NONE) != 0) {
			_exit(95);
		}
		f->stack = p + GUARD;
	}
	void** frame = (void**)(f->stack + STACK) - FRAME;
	memset(frame, 0, FRAME * sizeof *frame);
	frame[RETURN] = (void*)begin;
	f->sp = frame;
	f->shadow = 0;
	f->line = 0;
	f->ended = 0;
}

/* The memory of __shared__ variables; 0 where the text has none. */
extern char __start_hh_shared[] __attribute__((weak));
extern char __stop_hh_shared[] __attribute__((weak));

/* opens lets fibers on that wait for as many threads as they are, all at the same line. */
static int opens(unsigned from, unsigned to, unsigned together) {
	for (unsigned i = from; i < to; i++) {
		if (fibers[i].line == 0 || fibers[i].line != fibers[from].line || fibers[i].together != together) {
			return 0;
		}
	}
	for (unsigned i = from; i < to; i++) {
		fibers[i].line = 0;
	}
	return 1;
}

/* meet opens the barriers at which all wait, and reports whether there are any. */
static int meet(unsigned n) {
	int open = opens(0, n, 1024);
	for (unsigned from = 0; from < n; from += 32) {
		open |= opens(from, from + 32 < n ? from + 32 : n, 32);
	}
	return open;
}

void hh_block(unsigned n, unsigned waits) {
	unsigned back = blocks++ & 1 ? n - 1 : 0;
	if (__start_hh_shared) { /* garbage: NaN, -1, no bool */
		memset(__start_hh_shared, 0xff, (unsigned long)(__stop_hh_shared - __start_hh_shared));
	}
	if (!waits) {
		for (unsigned i = 0; i < n; i++) {
			hh_thread(back ? back - i : i);
		}
		return;
	}
	if (n > THREADS) {
		_exit(92);
	}
	for (unsigned i = 0; i < n; i++) {
		prepare(&fibers[i]);
	}
	for (unsigned left = n; left > 0;) {
		for (unsigned i = 0; i < n; i++) {
			struct fiber* f = &fibers[back ? back - i : i];
			if (!f->ended && f->line == 0) {
				resume(f);
				left -= (unsigned)f->ended;
			}
		}
		if (left > 0 && !meet(n)) {
			fprintf(stderr, "divergent barrier: thread 0 is at line %u (0: ended)", fibers[0].line);
			for (unsigned i = 1; i < n; i++) {
				if (fibers[i].line != fibers[0].line) {
					fprintf(stderr, ", thread %u at line %u\n", i, fibers[i].line);
					break;
				}
			}
			_exit(3);
		}
	}
}
