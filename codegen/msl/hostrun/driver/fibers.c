/* Runs the threads of a threadgroup as fibers of one thread of the machine: each runs until it waits at a barrier or
   ends, and the barrier opens when all wait at the same line. Texts without barriers need no fibers. Nothing here is instrumented. The sanitizers are told of
   the switches; for the one that finds races a barrier that orders memory is a meeting of all fibers. */
#include "hostrun.h"

#ifdef HOSTRUN_ADDRESS
extern void __sanitizer_start_switch_fiber(void**, const void*, u64);
extern void __sanitizer_finish_switch_fiber(void*, const void**, u64*);
#endif
#ifdef HOSTRUN_THREAD
extern void* __tsan_get_current_fiber(void);
extern void* __tsan_create_fiber(u32);
extern void __tsan_switch_to_fiber(void*, u32);
extern void __tsan_acquire(void*);
extern void __tsan_release(void*);
#define ACQUIRE(p) __tsan_acquire(p)
#define RELEASE(p) __tsan_release(p)
#else
#define ACQUIRE(p) ((void)(p))
#define RELEASE(p) ((void)(p))
#endif

/* switch_stack saves what a function must keep, stores the stack pointer and goes on where another left off. */
#if defined(__x86_64__)
__asm__(
	".text\n"
	".type hostrun_switch_stack,@function\n"
	"hostrun_switch_stack:\n"
	"	pushq %rbp\n	pushq %rbx\n	pushq %r12\n	pushq %r13\n	pushq %r14\n	pushq %r15\n"
	"	movq %rsp,(%rdi)\n"
	"	movq %rsi,%rsp\n"
	"	popq %r15\n	popq %r14\n	popq %r13\n	popq %r12\n	popq %rbx\n	popq %rbp\n"
	"	ret\n");
enum { FRAME = 8, RETURN = 6 }; /* words on a new stack, and which of them is where it begins */
#elif defined(__aarch64__)
__asm__(
	".text\n"
	".type hostrun_switch_stack,%function\n"
	"hostrun_switch_stack:\n"
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
extern void switch_stack(void** from, void* to) __asm__("hostrun_switch_stack");

enum state { READY, WAITING, EXCHANGING, ENDED };

struct fiber {
	void* sp;
	char* stack;
	enum state state;
	u32 line; /* where it waits */
	u32 value, lane, votes; /* what it brings to an exchange of its SIMD group, and takes away */
	struct call call;
	void* shadow; /* what a sanitizer keeps of it: for races a fiber of its own, used again for each group */
};

enum { STACK = 1 << 20, GUARD = 16 << 20, THREADS = 1024 };

static struct fiber fibers[THREADS];
static u32 order[THREADS];
static u32 made;
static const struct launch* launch;
static struct fiber* current;
static void* scheduler_sp;
static u64 state_of_random;
u32 current_thread, current_group;

#ifdef HOSTRUN_ADDRESS
static void* scheduler_shadow;
static const void* scheduler_stack;
static u64 scheduler_size;
#endif
#ifdef HOSTRUN_THREAD
static void* scheduler_shadow;
#endif
static char started, ended; /* what fibers and scheduler acquire and release */
/* And what the fibers of a barrier do. Two barriers take turns: one fiber comes to the next while others leave the last,
   which must not learn of it. */
static char met[2];
static u32 phase;

/* back goes from the current fiber to the scheduler. */
static void back(void) {
#ifdef HOSTRUN_ADDRESS
	__sanitizer_start_switch_fiber(&current->shadow, scheduler_stack, scheduler_size);
#endif
#ifdef HOSTRUN_THREAD
	__tsan_switch_to_fiber(scheduler_shadow, 1);
#endif
	switch_stack(&current->sp, scheduler_sp);
#ifdef HOSTRUN_ADDRESS
	__sanitizer_finish_switch_fiber(current->shadow, &scheduler_stack, &scheduler_size);
#endif
}

/* resume goes from the scheduler to a fiber, until that waits or ends. */
static void resume(u32 thread) {
	current = &fibers[thread];
	current_thread = thread;
#ifdef HOSTRUN_ADDRESS
	__sanitizer_start_switch_fiber(&scheduler_shadow, current->stack, STACK);
#endif
#ifdef HOSTRUN_THREAD
	__tsan_switch_to_fiber(current->shadow, 1);
#endif
	switch_stack(&scheduler_sp, current->sp);
#ifdef HOSTRUN_ADDRESS
	__sanitizer_finish_switch_fiber(scheduler_shadow, 0, 0);
#endif
}

static void fiber_main(void) {
#ifdef HOSTRUN_ADDRESS
	__sanitizer_finish_switch_fiber(0, &scheduler_stack, &scheduler_size);
#endif
	ACQUIRE(&started);
	launch->kernel(&current->call);
	RELEASE(&ended);
	current->state = ENDED;
	back();
	_exit(94); /* one that ended is not resumed */
}

/* hostrun_barrier is Metal's threadgroup_barrier. */
void hostrun_barrier(u32 flags, u32 line) {
	if (line == launch->drop) {
		return;
	}
	current->state = WAITING;
	current->line = line;
	char* meeting = &met[phase & 1];
	if (flags != 0) {
		RELEASE(meeting);
	}
#ifdef HOSTRUN_WATCH
	watch_barrier(flags);
#endif
	back();
	if (flags != 0) {
		ACQUIRE(meeting);
	}
}

/* hostrun_atomic is every atomic operation of Metal, by a number: fibers of one thread of the machine need no more. */
u32 hostrun_atomic(u32 op, u64 at, u32 value, u32 old) {
#ifdef HOSTRUN_WATCH
	watch_atomic((const char*)at, op, __builtin_return_address(0));
#endif
	volatile u32* p = (volatile u32*)at;
	u32 found = *p, next = found;
	switch (op) {
	case 0: next = found + value; break;
	case 1: next = (i32)found < (i32)value ? found : value; break;
	case 2: next = (i32)found > (i32)value ? found : value; break;
	case 3: next = found < value ? found : value; break;
	case 4: next = found > value ? found : value; break;
	case 5: next = found & value; break;
	case 6: next = found | value; break;
	case 7: next = found ^ value; break;
	case 8: next = value; break;
	case 10: next = found == old ? value : found; break;
	}
	if (op != 9) {
		*p = next;
	}
	return found;
}

enum { SIMD = 32 }; /* threads of a SIMD group */

/* hostrun_simd is what threads of a SIMD group compute together, and waits for all of them: a shuffle, or a ballot. */
u32 hostrun_simd(u32 ballot, u32 value, u32 lane, u32 line) {
	current->state = EXCHANGING;
	current->line = line;
	current->value = value;
	current->lane = lane;
	current->votes = ballot;
	back();
	return current->value;
}

/* exchange lets SIMD groups go on whose threads all wait at the same line; it tells whether there were any. */
static int exchange(u32 n) {
	int found = 0;
	for (u32 at = 0; at + SIMD <= n; at += SIMD) {
		struct fiber* f = fibers + at;
		u32 was[SIMD], same = 0, votes = 0;
		for (u32 i = 0; i < SIMD; i++) {
			was[i] = f[i].value;
			votes |= (u32)(f[i].value != 0) << i;
			same += f[i].state == EXCHANGING && f[i].line == f[0].line;
		}
		if (same != SIMD) {
			continue;
		}
		found = 1;
		for (u32 i = 0; i < SIMD; i++) {
			f[i].value = f[i].votes ? votes : was[f[i].lane % SIMD];
			f[i].state = READY;
		}
	}
	return found;
}

static u32 random_below(u32 n) {
	state_of_random = state_of_random * 6364136223846793005ul + 1442695040888963407ul;
	return (u32)((state_of_random >> 33) % n);
}

/* arrange fills a list with 0 to n-1 in the order of the launch. */
static void arrange(u32* list, u32 n) {
	for (u32 i = 0; i < n; i++) {
		list[i] = launch->order == 1 ? n - 1 - i : i;
	}
	for (u32 i = n; launch->order == 2 && i > 1; i--) {
		u32 j = random_below(i), t = list[i - 1];
		list[i - 1] = list[j];
		list[j] = t;
	}
}

/* prepare makes a fiber ready to begin the kernel. */
static void prepare(u32 thread) {
	struct fiber* f = &fibers[thread];
	void** frame = (void**)(f->stack + STACK) - FRAME;
	for (int i = 0; i < FRAME; i++) {
		frame[i] = 0;
	}
	frame[RETURN] = (void*)fiber_main;
	f->sp = frame;
	f->state = READY;
#ifdef HOSTRUN_ADDRESS
	f->shadow = 0;
#endif
}

/* meet opens the barrier at which all threads wait, or reports those that do not. */
static void meet(u32 n) {
	u32 waiting = 0, first = n, other = n;
	for (u32 i = 0; i < n; i++) {
		if ((fibers[i].state == WAITING || fibers[i].state == EXCHANGING) && first == n) {
			first = i;
		}
	}
	for (u32 i = 0; i < n; i++) {
		if (fibers[i].state == WAITING && fibers[i].line == fibers[first].line) {
			waiting++;
		} else if (other == n) {
			other = i;
		}
	}
	if (waiting != n) {
		REPORT("divergent %u %u %u %u %u %u\n", current_group, waiting, n, fibers[first].line, other, fibers[other].state == ENDED ? 0 : fibers[other].line);
	}
	for (u32 i = 0; i < n; i++) {
		fibers[i].state = READY;
	}
	phase++;
}

/* run_group runs one threadgroup of n threads. Its memory starts as NaN, as -1, as no bool. */
static void run_group(u32 n) {
	for (u32 v = 0; v < launch->variables; v++) {
		for (u64 i = 0; i < launch->variable[v].size; i++) {
			((volatile u8*)launch->variable[v].at)[i] = 0xff;
		}
	}
#ifdef HOSTRUN_WATCH
	watch_group();
#endif
#ifndef HOSTRUN_THREAD
	if (launch->plain) {
		arrange(order, n);
		for (u32 i = 0; i < n; i++) {
			current_thread = order[i];
			launch->kernel(&fibers[order[i]].call);
		}
#ifdef HOSTRUN_WATCH
		watch_group_end();
#endif
		return;
	}
#endif
	for (u32 i = 0; i < n; i++) {
		prepare(i);
	}
	ACQUIRE(&ended);
	RELEASE(&started);
	for (;;) {
		arrange(order, n);
		for (u32 i = 0; i < n; i++) {
			if (fibers[order[i]].state == READY) {
				resume(order[i]);
			}
		}
		if (exchange(n)) {
			continue;
		}
#ifdef HOSTRUN_WATCH
		watch_group_end();
#endif
		u32 done = 0;
		for (u32 i = 0; i < n; i++) {
			done += fibers[i].state == ENDED;
		}
		if (done == n) {
			return;
		}
		meet(n);
	}
}

/* stacks makes fibers up to n, each stack with a guard below. */
static void stacks(u32 n) {
	for (; made < n; made++) {
		char* p = mmap(0, GUARD + STACK, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS_NORESERVE, -1, 0);
		if (p == (char*)-1 || mprotect(p, GUARD, PROT_NONE) != 0) {
			_exit(95);
		}
		fibers[made].stack = p + GUARD;
#ifdef HOSTRUN_THREAD
		fibers[made].shadow = __tsan_create_fiber(0);
#endif
	}
}

void run(const struct launch* l) {
	launch = l;
	state_of_random = l->seed * 2654435761ul + 1;
	u32 n = l->block[0] * l->block[1] * l->block[2];
	u32 groups = l->grid[0] * l->grid[1] * l->grid[2];
	if (n == 0 || n > THREADS) {
		_exit(92);
	}
	stacks(n);
#ifdef HOSTRUN_THREAD
	scheduler_shadow = __tsan_get_current_fiber();
#endif
	for (u32 i = 0; i < n; i++) {
		struct call* c = &fibers[i].call;
		for (u32 b = 0; b < 31; b++) {
			c->buffer[b] = (u64)l->buffer[b].at;
		}
		for (int d = 0; d < 3; d++) {
			c->ids.groups[d] = l->grid[d];
			c->ids.block[d] = l->block[d];
		}
		c->ids.member[0] = i % l->block[0];
		c->ids.member[1] = i / l->block[0] % l->block[1];
		c->ids.member[2] = i / (l->block[0] * l->block[1]);
	}
	u32* list = malloc((u64)groups * sizeof *list + 1);
	arrange(list, groups);
	for (u32 g = 0; g < groups; g++) {
		current_group = list[g];
		for (u32 i = 0; i < n; i++) {
			u32* at = fibers[i].call.ids.group;
			at[0] = current_group % l->grid[0];
			at[1] = current_group / l->grid[0] % l->grid[1];
			at[2] = current_group / (l->grid[0] * l->grid[1]);
		}
		run_group(n);
	}
	free(list);
	ACQUIRE(&ended);
}
