// An OpenCL library that makes of the installed one another: its devices have no doubles and do not divide correctly
// rounded, and what LESSCL_FAIL names fails. Build: cc -shared -fPIC -o liblesscl.so lesscl.c -Wl,--no-as-needed -l:libOpenCL.so.1
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int fails(const char *name) {
	const char *f = getenv("LESSCL_FAIL");
	return f && !strcmp(f, name);
}

int32_t clGetDeviceInfo(void *device, uint32_t what, size_t size, void *value, size_t *n) {
	int32_t r = REAL(clGetDeviceInfo)(device, what, size, value, n);
	if (r == 0 && value && what == 0x101b) // CL_DEVICE_SINGLE_FP_CONFIG
		*(uint64_t *)value &= ~(uint64_t)(1 << 7);
	if (r == 0 && value && what == 0x102f && fails("version"))
		strcpy(value, "OpenCL 1.1 old");
	if (r == 0 && value && what == 0x1028 && fails("compiler"))
		*(uint32_t *)value = 0;
	return r;
}

void *clCreateProgramWithSource(void *context, uint32_t n, const char **lines, const size_t *lengths, int32_t *code) {
	static const char before[] = "#undef cl_khr_fp64\n#line 1\n";
	size_t size = sizeof before + strlen(lines[0]);
	char *text = malloc(size);
	snprintf(text, size, "%s%s", before, lines[0]);
	const char *one[1] = {text};
	void *p = REAL(clCreateProgramWithSource)(context, 1, one, NULL, code);
	free(text);
	return p;
}

// The program is built as the real device needs it, and must have been asked for as this one does.
int32_t clBuildProgram(void *program, uint32_t n, void **devices, const char *options, void *notify, void *data) {
	if (strcmp(options, "-cl-std=CL1.2 -DGPUGEN_INEXACT_DIVISION"))
		return -43;
	return REAL(clBuildProgram)(program, n, devices, options, notify, data);
}

int32_t clFinish(void *queue) {
	int32_t r = REAL(clFinish)(queue);
	return fails("finish") ? -5 : r;
}
