package msl

import "github.com/gpugen/gpugen/codegen/internal/cfamily"

// keywords are the names that Metal adds to C++: its keywords, the types and the barrier that the text uses, the macros of its library,
// attributes (macros in the library of codegen/msl/hostrun). The words of OpenCL stand here too: the text is checked by a
// compiler that has them.
var keywords = cfamily.Words(`
	device constant thread threadgroup threadgroup_imageblock ray_data object_data kernel vertex fragment visible
	stitchable mesh object
	half bfloat uchar ushort uint ulong uint3 as_type metal threadgroup_barrier mem_flags atomic_uint memory_order
	simd_shuffle simd_ballot simd_vote
	atomic_int memory_order_relaxed atomic_fetch_add_explicit atomic_fetch_min_explicit atomic_fetch_max_explicit
	atomic_fetch_and_explicit atomic_fetch_or_explicit atomic_fetch_xor_explicit atomic_exchange_explicit
	atomic_load_explicit atomic_store_explicit atomic_compare_exchange_weak_explicit

	M_E_F M_LOG2E_F M_LOG10E_F M_LN2_F M_LN10_F M_PI_F M_PI_2_F M_PI_4_F M_1_PI_F M_2_PI_F M_2_SQRTPI_F M_SQRT2_F
	M_SQRT1_2_F M_E_H M_LOG2E_H M_LOG10E_H M_LN2_H M_LN10_H M_PI_H M_PI_2_H M_PI_4_H M_1_PI_H M_2_PI_H M_2_SQRTPI_H
	M_SQRT2_H M_SQRT1_2_H MAXHALF HUGE_VALH HALF_DIG HALF_MANT_DIG HALF_MAX HALF_MIN HALF_EPSILON HALF_MAX_EXP
	HALF_MIN_EXP HALF_MAX_10_EXP HALF_MIN_10_EXP HALF_RADIX METAL_FUNC METAL_ALIGN METAL_ASM METAL_CONST METAL_PURE
	METAL_INTERNAL METAL_VALID_ARGS METAL_ENABLE_IF TARGET_OS_IPHONE TARGET_OS_OSX TARGET_OS_MAC TARGET_OS_SIMULATOR

	max_total_threads_per_threadgroup thread_position_in_grid thread_position_in_threadgroup
	thread_index_in_threadgroup threadgroup_position_in_grid threads_per_threadgroup threadgroups_per_grid
	threads_per_grid

	global local generic pipe uniform read_only write_only read_write cl_mem_fence_flags event_t image1d_t image2d_t
	image3d_t queue_t reserve_id_t clk_event_t sampler_t
`)
