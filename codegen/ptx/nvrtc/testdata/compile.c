// The yardstick of the compile benchmark: load one NVRTC, compile one file, write the PTX, and nothing else.
//
//	cc -O2 -o compile compile.c -ldl
//	./compile /path/to/libnvrtc.so.11.2 kernel.cu out.ptx sm_75
//
// It loads the library as codegen/ptx/nvrtc does (no CUDA header, options equal), so the difference between
// the two is what Go, the search and the parsing of the log cost.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct program program;

static void *symbol(void *library, const char *name) {
	void *p = dlsym(library, name);
	if (!p) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	return p;
}

static void check(int code, const char *what) {
	if (code) {
		fprintf(stderr, "%s: nvrtc error %d\n", what, code);
		exit(1);
	}
}

int main(int argc, char **argv) {
	if (argc != 5) {
		fprintf(stderr, "usage: compile LIBRARY SOURCE OUTPUT ARCH\n");
		return 2;
	}
	void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	int (*create)(program **, const char *, const char *, int, const char **, const char **) =
	    symbol(library, "nvrtcCreateProgram");
	int (*compile)(program *, int, const char **) = symbol(library, "nvrtcCompileProgram");
	int (*logSize)(program *, size_t *) = symbol(library, "nvrtcGetProgramLogSize");
	int (*getLog)(program *, char *) = symbol(library, "nvrtcGetProgramLog");
	int (*ptxSize)(program *, size_t *) = symbol(library, "nvrtcGetPTXSize");
	int (*getPTX)(program *, char *) = symbol(library, "nvrtcGetPTX");
	int (*destroy)(program **) = symbol(library, "nvrtcDestroyProgram");

	FILE *f = fopen(argv[2], "rb");
	if (!f) {
		perror(argv[2]);
		return 1;
	}
	fseek(f, 0, SEEK_END);
	size_t n = (size_t)ftell(f);
	rewind(f);
	char *source = malloc(n + 1);
	if (fread(source, 1, n, f) != n) {
		perror(argv[2]);
		return 1;
	}
	source[n] = 0;
	fclose(f);

	char arch[64];
	snprintf(arch, sizeof arch, "-arch=%s", argv[4]);
	const char *options[] = {"--std=c++17",       "--fmad=false", "--ftz=false",           "--prec-div=true",
	                         "--prec-sqrt=true", arch,           "--ptxas-options=-v"};
	program *p;
	check(create(&p, source, argv[2], 0, NULL, NULL), "nvrtcCreateProgram");
	int code = compile(p, sizeof options / sizeof *options, options);
	check(logSize(p, &n), "nvrtcGetProgramLogSize");
	char *log = malloc(n + 1);
	check(getLog(p, log), "nvrtcGetProgramLog");
	if (n > 1)
		fprintf(stderr, "%s\n", log);
	check(code, "nvrtcCompileProgram");
	check(ptxSize(p, &n), "nvrtcGetPTXSize");
	char *ptx = malloc(n);
	check(getPTX(p, ptx), "nvrtcGetPTX");
	f = fopen(argv[3], "wb");
	if (!f || fwrite(ptx, 1, n - 1, f) != n - 1 || fclose(f)) {
		perror(argv[3]);
		return 1;
	}
	check(destroy(&p), "nvrtcDestroyProgram");
	return 0;
}
