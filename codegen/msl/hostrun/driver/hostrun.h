/* What the parts of the runner share. It includes no header of the system, so that it needs none. */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef int i32;
typedef unsigned long u64;

extern void* malloc(u64);
extern void free(void*);
extern void _exit(int);
extern int dprintf(int, const char*, ...);
extern int snprintf(char*, u64, const char*, ...);
extern void* mmap(void*, u64, int, int, int, long);
extern int munmap(void*, u64);
extern int mprotect(void*, u64, int);

/* The argument of a kernel's trampoline; the glue text declares the same. */
struct ids { u32 group[3], member[3], groups[3], block[3]; };
struct call { u64 buffer[31]; struct ids ids; };
typedef void entry(const struct call*);

/* A variable in threadgroup memory, or a buffer: its bytes. */
struct range { char* at; u64 size; u32 unit; }; /* unit: bytes of an element, a power of 2 */

struct launch {
	entry* kernel;
	u32 grid[3], block[3];
	u32 order;     /* 0 forward, 1 reverse, 2 random */
	u64 seed;      /* of the random order */
	u32 drop;      /* the line whose barriers are left out, 0 for none */
	u32 plain;     /* no thread waits for another: none needs a stack of its own */
	u32 variables; /* in threadgroup memory */
	struct range variable[64];
	struct range buffer[31]; /* at 0 where none is bound */
};

/* fibers.c: runs all threads of all threadgroups. */
void run(const struct launch*);
extern u32 current_thread, current_group;

/* watch.c, in the build that watches every access; elsewhere buffers are plain memory. */
char* watch_buffer(u32 index, u64 size);
void watch_begin(const struct launch*);
void watch_group(void);
void watch_barrier(u32 flags);
void watch_atomic(const char* p, u32 op, void* caller);
void watch_group_end(void);
void watch_end(void);

/* Ends the process with a line for the reader of standard error. Addresses of code count from the first trampoline. */
#define REPORT(...) (dprintf(2, "hostrun-report " __VA_ARGS__), _exit(3))
extern char* anchor;

enum { PROT_NONE = 0, PROT_READ_WRITE = 3, MAP_PRIVATE_ANONYMOUS_NORESERVE = 0x4022 };
