// Kernels that are right: they must pass in every build, and give the same in every order of threads. All run as two
// threadgroups of 32 threads with n = 64, in[i] = i, out[i] = 0.
#include <metal_stdlib>
using namespace metal;

kernel void neighbours(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[32];
	s[t] = in[i];
	threadgroup_barrier(mem_flags::mem_threadgroup);
	out[i] = s[t ^ 1u];
}

kernel void neighbours_in_a_buffer(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	out[i] = in[i];
	threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
	int v = out[i ^ 1u];
	threadgroup_barrier(mem_flags::mem_device);
	out[i] = v;
}

kernel void tree(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[32];
	s[t] = in[i];
	threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
	for (uint h = 16u; h > 0u; h >>= 1) {
		if (t < h) {
			s[t] += s[t + h];
		}
		threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
	}
	if (t == 0u) {
		out[g] = s[0];
	}
}

kernel void scan(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[32];
	s[t] = in[i];
	threadgroup_barrier(mem_flags::mem_threadgroup);
	for (uint d = 1u; d < 32u; d <<= 1) {
		int v = t >= d ? s[t - d] : 0;
		threadgroup_barrier(mem_flags::mem_threadgroup);
		s[t] += v;
		threadgroup_barrier(mem_flags::mem_threadgroup);
	}
	out[i] = s[t];
}

kernel void scan_with_two_buffers(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[2][32];
	uint from = 0u;
	s[0][t] = in[i];
	threadgroup_barrier(mem_flags::mem_threadgroup);
	for (uint d = 1u; d < 32u; d <<= 1) {
		s[1u - from][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);
		from = 1u - from;
		threadgroup_barrier(mem_flags::mem_threadgroup);
	}
	out[i] = s[from][t];
}

kernel void tiles(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[32];
	int sum = 0;
	for (int k = 0; k < n; k += 32) {
		s[t] = in[k + (int)t];
		threadgroup_barrier(mem_flags::mem_threadgroup);
		for (int q = 0; q < 32; q++) {
			sum += s[q];
		}
		threadgroup_barrier(mem_flags::mem_threadgroup);
	}
	out[i] = sum;
}

kernel void transposed(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[8][9];
	for (uint k = t; k < 64u; k += 32u) {
		s[k >> 3][k & 7u] = in[k];
	}
	threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
	for (uint k = t; k < 64u && g == 0u; k += 32u) {
		out[k] = s[k & 7u][k >> 3];
	}
}

kernel void broadcast(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s;
	if (t == 0u) {
		s = in[g * 32u] + 5;
	}
	threadgroup_barrier(mem_flags::mem_threadgroup);
	out[i] = s;
}

kernel void scalar_used_again_with_barriers(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s;
	int sum = 0;
	for (int k = 0; k < 3; k++) {
		if ((int)t == k) {
			s = in[i];
		}
		threadgroup_barrier(mem_flags::mem_threadgroup);
		sum += s;
		threadgroup_barrier(mem_flags::mem_threadgroup);
	}
	out[i] = sum;
}

kernel void bytes_side_by_side(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup uchar s[32];
	s[t] = (uchar)in[i];
	threadgroup_barrier(mem_flags::mem_threadgroup);
	out[i] = (int)s[31u - t];
}

kernel void bools_side_by_side(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup bool s[32];
	s[t] = in[i] % 3 == 1;
	threadgroup_barrier(mem_flags::mem_threadgroup);
	out[i] = s[t ^ 1u] && !s[t] ? 7 : 8;
}

kernel void own_element_without_a_barrier(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[32];
	s[t] = in[i];
	s[t] = s[t] * 2;
	out[i] = s[t];
	out[i] += 1;
}

kernel void all_read_one(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	out[i] = in[7] + in[i];
}

kernel void barrier_under_a_uniform_condition(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[32];
	s[t] = in[i];
	if (n > 5 && g < 7u) {
		threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
		out[i] = s[31u - t];
	}
}

kernel void barrier_in_one_threadgroup(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[32];
	s[t] = in[i];
	if (g == 1u) {
		threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
		out[i] = s[31u - t];
		return;
	}
	out[i] = s[t];
}

kernel void return_behind_the_last_barrier(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[32];
	s[t] = in[i];
	threadgroup_barrier(mem_flags::mem_threadgroup);
	if (t > 3u) {
		return;
	}
	out[i] = s[31u - t];
}

static inline int other(threadgroup int* p, uint t) {
	threadgroup_barrier(mem_flags::mem_threadgroup);
	return p[t ^ 2u];
}

kernel void barrier_in_a_helper(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[32];
	s[t] = in[i];
	out[i] = other(s, t);
}

kernel void loop_of_a_loaded_length(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[32];
	int sum = 0;
	for (int k = 0; k < in[3]; k++) {
		s[t] = k;
		threadgroup_barrier(mem_flags::mem_threadgroup);
		sum += s[31u - t];
		threadgroup_barrier(mem_flags::mem_threadgroup);
	}
	out[i] = sum;
}

kernel void loop_that_is_guarded(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[32];
	s[t] = in[i];
	volatile bool endless = true;
	if (endless) for (;;) {
		threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
		if (s[0] >= 3 + 32 * (int)g) {
			break;
		}
		threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
		if (t == 0u) {
			s[0] += 1;
		}
	}
	out[i] = s[0];
}

kernel void each_threadgroup_its_own_part(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	for (uint k = 0u; k < 32u; k++) {
		if ((k ^ t) == 0u) {
			out[g * 32u + k] = in[k] * (int)g;
		}
	}
}

kernel void two_variables(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int a[16];
	threadgroup int b[16];
	if (t < 16u) {
		a[t] = in[i];
	} else {
		b[t - 16u] = in[i];
	}
	threadgroup_barrier(mem_flags::mem_threadgroup);
	out[i] = t < 16u ? b[t] : a[31u - t];
}

kernel void barriers_that_order_nothing(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup_barrier(mem_flags::mem_none);
	out[i] = in[i];
	threadgroup_barrier(mem_flags::mem_none);
}
