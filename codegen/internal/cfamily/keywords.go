package cfamily

import "strings"

// keywords are the words of C and C++ up to C++20, alternative tokens included, and names that a C-like compiler may
// define as macros. The name of a function is no problem: a local hides it, and the functions that kernels call are
// added from the table of operations.
var keywords = Words(`
	alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class compl
	concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default delete
	do double dynamic_cast else enum explicit export extern false float for friend goto if inline int long
	mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
	reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct switch
	template this thread_local throw true try typedef typeid typename typeof union unsigned using virtual void volatile
	wchar_t while xor xor_eq linux unix i386 main std

	NULL NAN INFINITY HUGE_VAL HUGE_VALF MAXFLOAT EOF BUFSIZ RAND_MAX
	CHAR_BIT CHAR_MIN CHAR_MAX SCHAR_MIN SCHAR_MAX UCHAR_MAX SHRT_MIN SHRT_MAX USHRT_MAX INT_MIN INT_MAX UINT_MAX
	LONG_MIN LONG_MAX ULONG_MAX LLONG_MIN LLONG_MAX ULLONG_MAX SIZE_MAX
	FLT_RADIX FLT_DIG FLT_MANT_DIG FLT_MAX FLT_MIN FLT_EPSILON FLT_MAX_EXP FLT_MIN_EXP FLT_MAX_10_EXP FLT_MIN_10_EXP
	DBL_DIG DBL_MANT_DIG DBL_MAX DBL_MIN DBL_EPSILON DBL_MAX_EXP DBL_MIN_EXP DBL_MAX_10_EXP DBL_MIN_10_EXP
	M_E M_LOG2E M_LOG10E M_LN2 M_LN10 M_PI M_PI_2 M_PI_4 M_1_PI M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2
	FP_NAN FP_INFINITE FP_ZERO FP_SUBNORMAL FP_NORMAL FP_ILOGB0 FP_ILOGBNAN
	assert errno isnan isinf isfinite isnormal signbit fpclassify isgreater isless isunordered
`)

// Words makes a set of the words in s.
func Words(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}
