package opencl

import (
	"fmt"
	"maps"

	"github.com/gpugen/gpugen/codegen/internal/cfamily"
)

// keywords are the names that OpenCL C, up to 3.0, adds to C: its words and types, the functions and constants that a
// kernel's text calls without a table, its macros. Some drivers know vector types as keywords.
var keywords = func() map[string]bool {
	all := cfamily.Words(`
		kernel global local constant private generic pipe uniform read_only write_only read_write
		half quad complex imaginary uchar ushort uint ulong size_t ptrdiff_t intptr_t uintptr_t
		image1d_t image1d_array_t image1d_buffer_t image2d_t image2d_array_t image2d_depth_t image2d_array_depth_t
		image2d_msaa_t image2d_array_msaa_t image2d_msaa_depth_t image2d_array_msaa_depth_t image3d_t
		sampler_t event_t queue_t clk_event_t reserve_id_t ndrange_t clk_profiling_info cl_mem_fence_flags
		memory_order memory_scope atomic_int atomic_uint atomic_long atomic_ulong atomic_float atomic_double atomic_flag
		atomic_size_t atomic_ptrdiff_t atomic_intptr_t atomic_uintptr_t

		atomic_add atomic_min atomic_max atomic_and atomic_or atomic_xor atomic_xchg atomic_cmpxchg
		sub_group_shuffle sub_group_ballot cl_khr_subgroup_shuffle cl_khr_subgroup_ballot
		atom_add atom_min atom_max atom_and atom_or atom_xor atom_xchg atom_cmpxchg
		barrier get_group_id get_local_id get_num_groups as_int as_uint as_long as_ulong as_float as_double

		CLK_LOCAL_MEM_FENCE CLK_GLOBAL_MEM_FENCE CLK_IMAGE_MEM_FENCE CLK_NORMALIZED_COORDS_TRUE CLK_NORMALIZED_COORDS_FALSE
		CLK_ADDRESS_NONE CLK_ADDRESS_CLAMP_TO_EDGE CLK_ADDRESS_CLAMP CLK_ADDRESS_REPEAT CLK_ADDRESS_MIRRORED_REPEAT
		CLK_FILTER_NEAREST CLK_FILTER_LINEAR ATOMIC_VAR_INIT ATOMIC_FLAG_INIT
		CL_VERSION_1_0 CL_VERSION_1_1 CL_VERSION_1_2 CL_VERSION_2_0 CL_VERSION_3_0
		M_E_F M_LOG2E_F M_LOG10E_F M_LN2_F M_LN10_F M_PI_F M_PI_2_F M_PI_4_F M_1_PI_F M_2_PI_F M_2_SQRTPI_F M_SQRT2_F
		M_SQRT1_2_F M_E_H M_LOG2E_H M_LOG10E_H M_LN2_H M_LN10_H M_PI_H M_PI_2_H M_PI_4_H M_1_PI_H M_2_PI_H M_2_SQRTPI_H
		M_SQRT2_H M_SQRT1_2_H HALF_DIG HALF_MANT_DIG HALF_MAX HALF_MIN HALF_EPSILON HALF_MAX_EXP HALF_MIN_EXP HALF_MAX_10_EXP
		HALF_MIN_10_EXP HALF_RADIX
		cl_khr_fp64 cl_khr_fp16 cl_khr_byte_addressable_store cl_khr_int64_base_atomics cl_khr_int64_extended_atomics
		cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics cl_khr_local_int32_base_atomics
		cl_khr_local_int32_extended_atomics cl_khr_3d_image_writes cl_khr_subgroups cl_khr_select_fprounding_mode
		cl_amd_printf cl_amd_media_ops cl_intel_subgroups cl_intel_subgroups_short cl_intel_required_subgroup_size
		cl_clang_storage_class_specifiers GPUGEN_INEXACT_DIVISION
	`)
	for _, t := range []string{"bool", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double", "quad"} {
		for _, n := range []int{2, 3, 4, 8, 16} {
			all[fmt.Sprintf("%s%d", t, n)] = true
		}
	}
	return all
}()

// functions are built-in, so that no kernel may have their names. A local may.
var functions = func() map[string]bool {
	all := cfamily.Words(`
		get_work_dim get_global_size get_global_id get_local_size get_global_offset get_enqueued_local_size
		get_global_linear_id get_local_linear_id get_sub_group_size get_max_sub_group_size get_num_sub_groups
		get_sub_group_id get_sub_group_local_id work_group_barrier sub_group_barrier
		acos acosh acospi asin asinh asinpi atan atan2 atanh atanpi atan2pi cbrt ceil copysign cos cosh cospi erfc erf exp
		exp2 exp10 expm1 fabs fdim floor fma fmax fmin fmod fract frexp hypot ilogb ldexp lgamma lgamma_r log log2 log10
		log1p logb mad maxmag minmag modf nan nextafter pow pown powr remainder remquo rint rootn round rsqrt sin sincos
		sinh sinpi sqrt tan tanh tanpi tgamma trunc
		abs abs_diff add_sat hadd rhadd clamp clz ctz mad_hi mad_sat max min mul_hi rotate sub_sat upsample popcount mad24
		mul24 degrees mix radians step smoothstep sign cross dot distance length normalize fast_distance fast_length
		fast_normalize isequal isnotequal isgreater isgreaterequal isless islessequal islessgreater isfinite isinf isnan
		isnormal isordered isunordered signbit any all bitselect select shuffle shuffle2 printf prefetch
		mem_fence read_mem_fence write_mem_fence async_work_group_copy async_work_group_strided_copy wait_group_events
		atomic_add atomic_sub atomic_xchg atomic_inc atomic_dec atomic_cmpxchg atomic_min atomic_max atomic_and atomic_or
		atomic_xor atom_add atom_sub atom_xchg atom_inc atom_dec atom_cmpxchg atom_min atom_max atom_and atom_or atom_xor
		atomic_load atomic_store atomic_exchange atomic_init atomic_fetch_add atomic_fetch_sub atomic_fetch_or
		atomic_fetch_xor atomic_fetch_and atomic_fetch_min atomic_fetch_max atomic_work_item_fence
		atomic_compare_exchange_strong atomic_compare_exchange_weak atomic_flag_test_and_set atomic_flag_clear
		read_imagef read_imagei read_imageui write_imagef write_imagei write_imageui get_image_width get_image_height
		get_image_depth get_image_dim get_image_array_size get_image_channel_data_type get_image_channel_order
		work_group_all work_group_any work_group_broadcast sub_group_all sub_group_any sub_group_broadcast
		to_global to_local to_private get_fence enqueue_kernel get_default_queue
		vload_half vstore_half vload_half2 vload_half3 vload_half4 vload_half8 vload_half16 vstore_half2 vstore_half3
		vstore_half4 vstore_half8 vstore_half16
	`)
	for _, f := range []string{"cos", "divide", "exp", "exp2", "exp10", "log", "log2", "log10", "powr", "recip", "rsqrt", "sin", "sqrt", "tan"} {
		all["half_"+f], all["native_"+f] = true, true
	}
	for _, op := range []string{"add", "min", "max"} {
		for _, scope := range []string{"work_group", "sub_group"} {
			for _, form := range []string{"reduce", "scan_inclusive", "scan_exclusive"} {
				all[scope+"_"+form+"_"+op] = true
			}
		}
	}
	for _, n := range []string{"2", "3", "4", "8", "16"} {
		all["vload"+n], all["vstore"+n] = true, true
	}
	for _, to := range []string{"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double"} {
		for _, n := range []string{"", "2", "3", "4", "8", "16"} {
			all["as_"+to+n] = true
			for _, mode := range []string{"", "_sat"} {
				for _, rounding := range []string{"", "_rte", "_rtz", "_rtp", "_rtn"} {
					all["convert_"+to+n+mode+rounding] = true
				}
			}
		}
	}
	maps.DeleteFunc(all, func(name string, _ bool) bool { return keywords[name] })
	return all
}()
