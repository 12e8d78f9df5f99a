// Kernels that Metal leaves undefined. The lines above each say what a build must report: the kind and a part of the
// text, in every order of threads. All run as two threadgroups of 32 threads with n = 64, in[i] = i, out[i] = 0.
#include <metal_stdlib>
using namespace metal;

// watch: race: of threadgroup s
// thread: race: data race
kernel void write_write_scalar(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s;
	s = (int)t;
	out[i] = 1;
}

// watch: race: of threadgroup s
// thread: race: data race
kernel void write_write_same_value(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s;
	s = 1;
	out[i] = 1;
}

// watch: race: of threadgroup s
// thread: race: data race
kernel void neighbour_without_barrier(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[32];
	s[t] = in[i];
	out[i] = s[(t + 1u) & 31u];
}

// watch: race: of threadgroup s
// thread: race: data race
kernel void mirror_without_barrier(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[32];
	s[t] = in[i];
	out[i] = s[31u - t];
}

// watch: race: byte 0 of threadgroup s
// thread: race: data race
kernel void broadcast_without_barrier(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[1];
	if (t == 0u) {
		s[0] = in[0];
	}
	out[i] = s[0];
}

// watch: race: of threadgroup s
// thread: race: data race
kernel void tree_without_barrier(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[32];
	s[t] = in[i];
	for (uint h = 16u; h > 0u; h >>= 1) {
		if (t < h) {
			s[t] += s[t + h];
		}
	}
	if (t == 0u) {
		out[g] = s[0];
	}
}

// watch: race: of threadgroup s
// thread: race: data race
kernel void tree_barrier_behind_the_loop(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[32];
	s[t] = in[i];
	for (uint h = 16u; h > 0u; h >>= 1) {
		if (t < h) {
			s[t] += s[t + h];
		}
	}
	threadgroup_barrier(mem_flags::mem_threadgroup);
	if (t == 0u) {
		out[g] = s[0];
	}
}

// watch: race: of threadgroup s
// thread: race: data race
kernel void tree_first_barrier_only(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[32];
	s[t] = in[i];
	threadgroup_barrier(mem_flags::mem_threadgroup);
	for (uint h = 16u; h > 0u; h >>= 1) {
		if (t < h) {
			s[t] += s[t + h];
		}
	}
	if (t == 0u) {
		out[g] = s[0];
	}
}

// watch: race: of threadgroup s
// thread: race: data race
kernel void scan_reads_what_neighbours_write(
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
		if (t >= d) {
			s[t] += s[t - d];
		}
		threadgroup_barrier(mem_flags::mem_threadgroup);
	}
	out[i] = s[t];
}

// watch: race: of threadgroup s
// thread: race: data race
kernel void tile_without_second_barrier(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[32];
	int sum = 0;
	for (int k = 0; k < 2; k++) {
		s[t] = in[k * 32 + (int)t];
		threadgroup_barrier(mem_flags::mem_threadgroup);
		for (int q = 0; q < 32; q++) {
			sum += s[q];
		}
	}
	out[i] = sum;
}

// watch: race: of threadgroup s
// thread: race: data race
kernel void tile_without_first_barrier(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[32];
	int sum = 0;
	for (int k = 0; k < 2; k++) {
		s[t] = in[k * 32 + (int)t];
		for (int q = 0; q < 32; q++) {
			sum += s[q];
		}
		threadgroup_barrier(mem_flags::mem_threadgroup);
	}
	out[i] = sum;
}

// watch: race: of threadgroup s
// thread: race: data race
kernel void read_then_write_by_another(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[32];
	s[t] = in[i];
	threadgroup_barrier(mem_flags::mem_threadgroup);
	int v = s[t ^ 1u];
	s[t] = v;
	out[i] = v;
}

// watch: race: of threadgroup s
// thread: race: data race
kernel void scalar_used_again(
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
	}
	out[i] = sum;
}

// watch: race: of threadgroup s
// thread: race: data race
kernel void counter_without_atomics(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s;
	if (t == 0u) {
		s = 0;
	}
	threadgroup_barrier(mem_flags::mem_threadgroup);
	s += 1;
	threadgroup_barrier(mem_flags::mem_threadgroup);
	out[i] = s;
}

// watch: race: of threadgroup s
// thread: race: data race
kernel void bytes_that_overlap(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[8];
	threadgroup uchar* p = (threadgroup uchar*)s;
	if (t < 8u) {
		s[t] = 1;
	}
	p[t] = 1;
	out[i] = 1;
}

// watch: race: of threadgroup s
// thread: race: data race
kernel void shorts_that_overlap(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup ushort s[17];
	s[t >> 1] = (ushort)t;
	out[i] = 1;
}

// watch: race: of threadgroup s
// thread: race: data race
kernel void bools(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup bool s[16];
	s[t & 15u] = in[i] > 5;
	out[i] = 1;
}

static inline void put(threadgroup int* p, uint at, int v) { p[at] = v; }

// watch: race: of threadgroup s
// thread: race: data race
kernel void through_a_helper(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[32];
	put(s, t, in[i]);
	out[i] = s[t ^ 1u];
}

// watch: race: of buffer out
// thread: race: data race
kernel void buffer_within_a_threadgroup(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	out[i] = in[i];
	out[i ^ 1u] = 2;
}

// watch: race: of buffer out
// thread: race: data race
kernel void buffer_read_before_a_neighbour_writes(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	int v = out[i ^ 1u];
	out[i] = v + 1;
}

// watch: race: of buffer out
// thread: race: data race
kernel void buffer_all_threads_one_element(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	out[g] = in[i];
}

// watch: race: byte 0 of buffer out
kernel void buffer_of_all_threadgroups(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	if (t == 0u) {
		out[0] = (int)g;
	}
}

// watch: race: of another threadgroup
kernel void buffer_between_threadgroups(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	out[i] = in[i];
	threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
	if (t == 0u && g == 1u) {
		out[1] = 1;
	}
}

// watch: race: of another threadgroup
kernel void buffer_read_from_another_threadgroup(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	out[i] = in[i];
	threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
	if (t == 0u && g == 1u) {
		out[32] = out[0];
	}
}

// watch: race: of another threadgroup
kernel void buffer_read_by_another_threadgroup_before(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	int v = out[63u - i];
	threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
	out[i] = v;
}

// watch: race: of buffer out
kernel void counter_of_threadgroups(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	if (t == 31u) {
		out[5] += 1;
	}
}

// watch: race: of threadgroup s
// thread: race: data race
kernel void barrier_without_memory(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[32];
	s[t] = in[i];
	threadgroup_barrier(mem_flags::mem_none);
	out[i] = s[t ^ 1u];
}

// watch: race: of threadgroup s
kernel void barrier_for_the_other_memory(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[32];
	s[t] = in[i];
	threadgroup_barrier(mem_flags::mem_device);
	out[i] = s[t ^ 1u];
}

// watch: race: of buffer out
kernel void barrier_without_mem_device(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	out[i] = in[i];
	threadgroup_barrier(mem_flags::mem_threadgroup);
	int v = out[i ^ 1u];
	threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
	out[i] = v;
}

// watch: race: of buffer out
kernel void second_barrier_without_mem_device(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	out[i] = in[i];
	threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
	int v = out[i ^ 1u];
	threadgroup_barrier(mem_flags::mem_threadgroup);
	out[i] = v;
}

// watch: divergent barrier: 16 of 32 threads
// address: divergent barrier: 16 of 32 threads
// thread: divergent barrier: has ended
kernel void barrier_in_an_if(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	if (t < 16u) {
		threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
	}
	out[i] = 1;
}

// watch: divergent barrier: thread 20 has ended
kernel void barrier_behind_a_return(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	if (t >= 20u) {
		return;
	}
	threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
	out[i] = 1;
}

// watch: divergent barrier: waits at
kernel void barriers_on_both_sides(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	if ((t & 1u) == 0u) {
		threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
	} else {
		threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
	}
	out[i] = 1;
}

// watch: divergent barrier: has ended
kernel void barrier_in_a_loop_of_unequal_length(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	for (uint k = 0u; k <= t; k++) {
		threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
	}
	out[i] = 1;
}

// watch: divergent barrier: has ended
kernel void barrier_behind_a_break(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	for (uint k = 0u; k < 4u; k++) {
		if (k == 2u && t == 7u) {
			break;
		}
		threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
	}
	out[i] = 1;
}

// watch: divergent barrier: has ended
kernel void barrier_behind_a_continue(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	for (uint k = 0u; k < 4u; k++) {
		if (in[i] == (int)k) {
			continue;
		}
		threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
	}
	out[i] = 1;
}

// watch: divergent barrier: 1 of 32 threads
kernel void barrier_on_a_loaded_value(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	if (in[i] == 40 || in[i] == 3) {
		threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
	}
	out[i] = 1;
}

static inline bool met() {
	threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
	return true;
}

// watch: divergent barrier: has ended
kernel void barrier_on_the_right_of_an_operator(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	if (t < 9u && met()) {
		out[i] = 1;
	}
}

// watch: divergent barrier: has ended
kernel void barrier_in_one_case(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	switch (t & 3u) {
	case 1u:
		threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
		break;
	default:
		break;
	}
	out[i] = 1;
}

// watch: out of bounds: byte 256 of buffer in
// address: out of bounds: heap-buffer-overflow
kernel void buffer_one_past_the_end(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	if (i == 63u) {
		out[i] = in[i + 1u];
	}
}

// watch: out of bounds: byte 256 of buffer out
// address: out of bounds: heap-buffer-overflow
kernel void buffer_written_past_the_end(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	if (i == 63u) {
		out[i + 1u] = 1;
	}
}

// watch: out of bounds: byte -4 of buffer out
// address: out of bounds: AddressSanitizer
kernel void buffer_before_the_start(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	if (i == 0u) {
		out[-1] = 1;
	}
}

// watch: out of bounds: byte 400000000 of buffer in
kernel void buffer_far_away(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	if (i == 5u) {
		out[i] = in[100000000];
	}
}

// watch: out of bounds: 8 bytes there
kernel void buffer_over_its_last_bytes(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	device const long* p = (device const long*)(in + 62);
	if (i == 0u) {
		out[0] = (int)p[0] + (int)((device const long*)(in + n - 2))[1];
	}
}

// watch: out of bounds: byte 4 of buffer n
// address: out of bounds: heap-buffer-overflow
kernel void constant_past_the_end(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	constant int* p = &n;
	if (i == 0u) {
		out[0] = p[1];
	}
}

// watch: out of bounds: index 32 out of bounds
// address: out of bounds: index 32 out of bounds
kernel void threadgroup_past_the_end(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[32];
	s[t + 1u] = in[i];
	out[i] = 1;
}

// watch: out of bounds: index 4 out of bounds
kernel void threadgroup_inner_index(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[8][4];
	s[t >> 2][t & 3u] = in[i];
	if (t == 31u) {
		s[3][(t >> 3) + 1u] = 1;
	}
	out[i] = 1;
}

// watch: out of bounds: index -1 out of bounds
kernel void threadgroup_negative_index(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[32];
	int at = (int)t - 1;
	s[at] = in[i];
	out[i] = 1;
}

// address: out of bounds: global-buffer-overflow
kernel void threadgroup_through_a_pointer(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[32];
	threadgroup int* p = s;
	if (t == 31u) {
		p[t + 1u] = in[i];
	}
	s[t] = 1;
	out[i] = s[t];
}

// watch: out of bounds: index 9 out of bounds
// address: out of bounds: index 9 out of bounds
kernel void local_array(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	int a[9];
	a[0] = 1;
	if (t == 9u) {
		a[t] = 2;
	}
	out[i] = a[0];
}

// address: out of bounds: stack-buffer-overflow
kernel void local_array_through_a_pointer(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	int a[9];
	a[0] = 1;
	thread int* p = a;
	if (t == 9u) {
		p[t] = 2;
	}
	out[i] = a[0];
}

// watch: undefined behavior: misaligned address
kernel void misaligned(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	device const uchar* p = (device const uchar*)in;
	if (i == 0u) {
		out[0] = *(device const int*)(p + 1);
	}
}

// watch: unwritten memory: byte 20 of threadgroup s
kernel void unwritten_array(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[32];
	if (t == 0u) {
		out[g] = s[5];
	}
}

// watch: unwritten memory: of threadgroup s
kernel void unwritten_scalar(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup float s;
	threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
	out[i] = s > 1.0f ? 1 : 0;
}

// watch: unwritten memory: of threadgroup s
kernel void unwritten_bool(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup bool s[32];
	threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
	out[i] = s[t] ? 1 : 0;
}

// watch: unwritten memory: byte 64 of threadgroup s
kernel void unwritten_half(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[32];
	if (t < 16u) {
		s[t] = in[i];
	}
	threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
	if (t == 16u) {
		out[g] = s[t];
	}
}

// watch: unwritten memory: of threadgroup 1 reads
kernel void unwritten_in_the_second_threadgroup(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[32];
	if (g == 0u) {
		s[t] = in[i];
	}
	threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
	out[i] = s[t];
}

// watch: unwritten memory: of threadgroup s
kernel void unwritten_accumulator(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[32];
	s[t] += in[i];
	threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
	out[i] = s[t ^ 1u];
}

// watch: unwritten memory: byte 3 of threadgroup s
kernel void unwritten_bytes(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[1];
	threadgroup uchar* p = (threadgroup uchar*)s;
	if (t < 3u) {
		p[t] = 1;
	}
	threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
	if (t == 0u) {
		out[g] = s[0];
	}
}

// watch: unwritten memory: byte 124 of threadgroup s
kernel void guard_leaves_a_hole(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	threadgroup int s[32];
	if ((int)i + 1 < n || g == 0u) {
		s[t] = in[i];
	}
	threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
	out[i] = s[31u - t];
}

// watch: undefined behavior: signed integer overflow
// address: undefined behavior: signed integer overflow
kernel void signed_overflow(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	out[i] = (in[i] + 2147483647) - 1;
}

// watch: undefined behavior: signed integer overflow
kernel void signed_product(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	out[i] = in[i] * 100000000;
}

// watch: undefined behavior: negation of
kernel void signed_negation(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	out[i] = -(in[i] - 2147483647 - 1);
}

// watch: undefined behavior: division by zero
kernel void division_by_zero(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	out[i] = 5 / in[i];
}

// watch: undefined behavior: division by zero
kernel void remainder_by_zero(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	out[i] = 5 % in[i];
}

// watch: undefined behavior: cannot be represented
kernel void division_that_overflows(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	int least = -2147483647 - 1;
	if (i == 0u) {
		out[i] = least / (in[i] - 1);
	}
}

// watch: undefined behavior: is outside the range
kernel void float_too_large_for_int(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	out[i] = (int)((float)in[i] * 1e9f);
}

// watch: undefined behavior: nan is outside the range
kernel void nan_to_int(
	constant int& n [[buffer(0)]],
	device const int* in [[buffer(1)]],
	device int* out [[buffer(2)]],
	uint t [[thread_index_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]],
	uint i [[thread_position_in_grid]]) {
	float z = (float)in[0];
	out[i] = (int)(z / z);
}
