/* Runs the threads of a block. Where they wait for each other each has a stack: it runs until it comes to a barrier or
   ends, and the barrier opens when all wait at the same line. Every second block runs its threads backward. */
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
	unsigned line; /* where it waits */
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
	LEAVE(0, scheduler_stack, scheduler_size);
	switch_stack(&current->sp, scheduler_sp);
	_exit(94); /* one that ended is not resumed */
}

void hh_wait(unsigned line) {
	struct fiber* me = current;
	me->line = line;
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
	for (;;) {
		unsigned ended = 0;
		for (unsigned i = 0; i < n; i++) {
			resume(&fibers[back ? back - i : i]);
		}
		for (unsigned i = 0; i < n; i++) {
			ended += (unsigned)fibers[i].ended;
			if (fibers[i].ended != fibers[0].ended || !fibers[i].ended && fibers[i].line != fibers[0].line) {
				fprintf(stderr, "divergent barrier: thread 0 is at line %u, thread %u at line %u (0: ended)\n", fibers[0].ended ? 0 : fibers[0].line, i, fibers[i].ended ? 0 : fibers[i].line);
				_exit(3);
			}
		}
		if (ended == n) {
			return;
		}
	}
}
