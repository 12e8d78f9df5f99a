/* Watches every access of a kernel to buffers and threadgroup memory. The compiler's pass for the thread sanitizer calls
   the functions here, which stand in for that sanitizer's library: they know Metal's memory, as the library does not.

   For each element they keep the last write and the reads since, for each byte once an access is not of whole elements.
   Threads of one group are ordered by the barriers whose
   flags name the memory, threads of different groups by nothing. What two threads touch without an order between them,
   one of them writing, is a race, whatever the order of this run. A read of threadgroup memory that nothing wrote is
   kept until the barrier: when another thread writes the byte before it, the two are a race. */
#include "hostrun.h"

struct access { u32 pc; u32 group; u32 epoch; u16 thread; u8 seen; };

struct cell {
	struct access write;
	struct access read;    /* the first read of the latest group and epoch that read */
	struct access another; /* by another thread of the same group and epoch */
	struct access foreign; /* by another group than the one of `read` */
	struct access updates[3]; /* the same of atomic operations, which are in conflict with all that is not one */
};

enum { READ, WRITE, UPDATE }; /* what an access does */

enum { DEVICE = 0, THREADGROUP = 1 }; /* bit numbers of mem_flags */

static const u64 STRIDE = 2ul << 30; /* of address space for each buffer, which stands in the middle */
static const u64 PAGE = 64 << 10;

static char* arena;
static const struct launch* launch;
static struct range watched[31];
static u64 mapped[31];
static struct { struct cell* cells; u64 count; u32 unit; } shadow[31 + 64]; /* of buffers, then of variables */
static char *lowest, *highest;      /* of threadgroup memory */
static u32 epoch[2];
static u32 owner; /* group + 1, over all launches */
static struct { u32 pc, variable, thread; u64 offset; u8 seen; } unwritten;

static u64 pages(u64 size) { return (size + PAGE - 1) / PAGE * PAGE + PAGE; }

static void* map(u64 size, int protection) {
	void* p = mmap(0, size, protection, MAP_PRIVATE_ANONYMOUS_NORESERVE, -1, 0);
	if (p == (void*)-1) {
		_exit(95);
	}
	return p;
}

char* watch_buffer(u32 index, u64 size) {
	if (arena == 0) {
		arena = map(31 * STRIDE, PROT_NONE);
	}
	watched[index].at = arena + index * STRIDE + STRIDE / 2;
	watched[index].size = size;
	mapped[index] = pages(size);
	if (mapped[index] > STRIDE / 2 || mprotect(watched[index].at, mapped[index], PROT_READ_WRITE) != 0) {
		_exit(95);
	}
	return watched[index].at;
}

static void add_cells(u32 i, u64 size, u32 unit) {
	shadow[i].unit = unit;
	shadow[i].count = (size + unit - 1) / unit;
	shadow[i].cells = map(pages(shadow[i].count * sizeof(struct cell)), PROT_READ_WRITE);
}

static void drop_cells(u32 i) { munmap(shadow[i].cells, pages(shadow[i].count * sizeof(struct cell))); }

/* split gives each byte a cell of its own. */
static void split(u32 i, u64 size) {
	struct cell* whole = shadow[i].cells;
	u64 count = shadow[i].count;
	u32 unit = shadow[i].unit;
	add_cells(i, size, 1);
	for (u64 at = 0; at < size; at++) {
		shadow[i].cells[at] = whole[at / unit];
	}
	munmap(whole, pages(count * sizeof(struct cell)));
}

void watch_begin(const struct launch* l) {
	launch = l;
	lowest = highest = 0;
	unwritten.seen = 0;
	for (u32 i = 0; i < 31; i++) {
		if (watched[i].at != 0) {
			add_cells(i, watched[i].size, l->buffer[i].unit);
		}
	}
	for (u32 v = 0; v < l->variables; v++) {
		char *at = l->variable[v].at, *end = at + l->variable[v].size;
		add_cells(31 + v, l->variable[v].size, l->variable[v].unit);
		lowest = lowest == 0 || at < lowest ? at : lowest;
		highest = end > highest ? end : highest;
	}
}

void watch_end(void) {
	for (u32 i = 0; i < 31; i++) {
		if (watched[i].at != 0) {
			drop_cells(i);
			mprotect(watched[i].at, mapped[i], PROT_NONE);
			watched[i].at = 0;
			watched[i].size = 0;
		}
	}
	for (u32 v = 0; v < launch->variables; v++) {
		drop_cells(31 + v);
	}
	launch = 0;
	lowest = highest = 0;
}

/* watch_group begins a threadgroup, whose memory nothing has written. */
void watch_group(void) {
	owner++;
	epoch[DEVICE]++;
	epoch[THREADGROUP]++;
	for (u32 v = 0; v < launch->variables; v++) {
		for (u64 i = 0; i < shadow[31 + v].count; i++) {
			shadow[31 + v].cells[i] = (struct cell){0};
		}
	}
}

static u32 opening; /* the flags of the barrier at which the fibers of a round wait */

void watch_barrier(u32 flags) { opening = flags; }

/* watch_group_end ends what threads did between two barriers, or before the end of the group. */
void watch_group_end(void) {
	if (unwritten.seen) {
		REPORT("unwritten %u %lu %u %u %u\n", unwritten.variable, unwritten.offset, unwritten.pc, unwritten.thread, current_group);
	}
	epoch[DEVICE] += opening >> DEVICE & 1;
	epoch[THREADGROUP] += opening >> THREADGROUP & 1;
	opening = 0;
}

/* race ends the run: `old` is in conflict with the current access. Groups are told by their owner numbers, of which
   the current one belongs to current_group. */
static void race(u32 index, u64 offset, const struct access* old, int wrote, u32 pc, int write) {
	REPORT("race %u %lu %d %u %u %d %d %u %u %u\n", index, offset, wrote, old->pc, old->thread, old->group == owner, write, pc, current_thread, current_group);
}

/* apart tells an access that nothing orders before the current one. */
static int apart(const struct access* old, u32 now) {
	int same_phase = old->epoch == now && old->thread != (u16)current_thread;
	return old->seen && (old->group != owner || same_phase);
}

/* note keeps an access among those of its sort: the first, another, a foreign one. */
static void note(struct access* first, struct access* another, struct access* foreign, const struct access* me) {
	if (first->seen && first->group == owner && first->epoch == me->epoch) {
		if (first->thread != me->thread && !another->seen) {
			*another = *me;
		}
		return;
	}
	if (first->seen && first->group != owner) {
		*foreign = *first;
	}
	*first = *me;
	another->seen = 0;
}

static void touch(struct cell* c, u32 index, u64 offset, u32 now, u32 pc, int how) {
	struct access me = {pc, owner, now, (u16)current_thread, 1};
	if (apart(&c->write, now)) {
		race(index, offset, &c->write, 1, pc, how != READ);
	}
	struct access* reads[] = {&c->read, &c->another, &c->foreign};
	for (int i = 0; i < 3; i++) {
		if (how != READ && apart(reads[i], now)) {
			race(index, offset, reads[i], 0, pc, 1);
		}
		if (how != UPDATE && apart(&c->updates[i], now)) {
			race(index, offset, &c->updates[i], 1, pc, how != READ);
		}
	}
	switch (how) {
	case WRITE:
		c->write = me;
		for (int i = 0; i < 3; i++) {
			reads[i]->seen = c->updates[i].seen = 0;
		}
		break;
	case UPDATE:
		note(&c->updates[0], &c->updates[1], &c->updates[2], &me);
		break;
	default:
		note(&c->read, &c->another, &c->foreign, &me);
	}
}

/* touch_all is an access to bytes of a buffer or variable, which are there. */
static void touch_all(u32 index, u64 offset, u64 size, u64 whole, u32 space, u32 pc, int how, int fills) {
	if ((offset | size) % shadow[index].unit != 0) {
		split(index, whole);
	}
	u32 unit = shadow[index].unit;
	for (u64 at = offset; at < offset + size; at += unit) {
		struct cell* c = &shadow[index].cells[at / unit];
		if (space == THREADGROUP && !fills && !c->write.seen && !c->updates[0].seen && !unwritten.seen) {
			unwritten.seen = 1;
			unwritten.pc = pc;
			unwritten.variable = index - 31;
			unwritten.offset = at;
			unwritten.thread = current_thread;
		}
		touch(c, index, at, epoch[space], pc, how);
	}
}

/* access is a read, a write or an atomic operation; one that fills needs no value before it. */
static void access(const char* p, u64 size, int how, int fills, void* caller) {
	if (launch == 0) {
		return;
	}
	u32 pc = (u32)((char*)caller - anchor);
	if (p >= arena && p < arena + 31 * STRIDE) {
		u32 b = (u32)((u64)(p - arena) / STRIDE);
		long offset = p - (arena + b * STRIDE + STRIDE / 2);
		if (offset < 0 || (u64)offset + size > watched[b].size) {
			REPORT("bounds %u %ld %lu %lu %d %u %u %u\n", b, offset, size, watched[b].size, how != READ, pc, current_thread, current_group);
		}
		touch_all(b, (u64)offset, size, watched[b].size, DEVICE, pc, how, fills);
		return;
	}
	if (p < lowest || p >= highest) {
		return;
	}
	for (u32 v = 0; v < launch->variables; v++) {
		const struct range* r = &launch->variable[v];
		if (p < r->at || p >= r->at + r->size) {
			continue;
		}
		u64 offset = (u64)(p - r->at);
		if (offset + size > r->size) {
			REPORT("bounds %u %ld %lu %lu %d %u %u %u\n", 31 + v, (long)offset, size, r->size, how != READ, pc, current_thread, current_group);
		}
		touch_all(31 + v, offset, size, r->size, THREADGROUP, pc, how, fills);
		return;
	}
}

/* watch_atomic is an atomic operation, by its number; the one that exchanges needs no value before it. */
void watch_atomic(const char* p, u32 op, void* caller) { access(p, 4, UPDATE, op == 8, caller); }

#define CALLER __builtin_return_address(0)
#define SIZE(n) \
	void __tsan_read##n(void* p) { access(p, n, READ, 0, CALLER); } \
	void __tsan_write##n(void* p) { access(p, n, WRITE, 1, CALLER); } \
	void __tsan_unaligned_read##n(void* p) { access(p, n, READ, 0, CALLER); } \
	void __tsan_unaligned_write##n(void* p) { access(p, n, WRITE, 1, CALLER); }
SIZE(1)
SIZE(2)
SIZE(4)
SIZE(8)
SIZE(16)

void __tsan_init(void) {}
void __tsan_func_entry(void* caller) { (void)caller; }
void __tsan_func_exit(void) {}

void* __tsan_memset(void* to, int value, u64 n) {
	access(to, n, WRITE, 1, CALLER);
	for (u64 i = 0; i < n; i++) {
		((volatile u8*)to)[i] = (u8)value;
	}
	return to;
}

void* __tsan_memmove(void* to, const void* from, u64 n) {
	access(from, n, READ, 0, CALLER);
	access(to, n, WRITE, 1, CALLER);
	volatile u8* d = to;
	const u8* s = from;
	for (u64 i = 0; i < n; i++) {
		u64 at = d <= s ? i : n - 1 - i;
		d[at] = s[at];
	}
	return to;
}

void* __tsan_memcpy(void* to, const void* from, u64 n) {
	access(from, n, READ, 0, CALLER);
	access(to, n, WRITE, 1, CALLER);
	for (u64 i = 0; i < n; i++) {
		((volatile u8*)to)[i] = ((const u8*)from)[i];
	}
	return to;
}
