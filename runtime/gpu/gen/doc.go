// Package gen holds what the CPU kernels that gpugen generates need beyond Go: index checks that name the source
// position, and the operations whose meaning in the kernel language is not exactly Go's (division by zero,
// saturating conversions, negative shift counts, rounding to float32). Generated code calls it; people need none of
// it. It imports the standard library alone.
//
// Invariants: every function is pure; the result is the kernel language's on every platform, so products that feed
// sums are converted explicitly, which keeps Go from fusing them; what an inner loop calls is small enough for the
// compiler to inline (a test asks it).
package gen

// Integer is any integer type of the kernel language.
type Integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | int
}

// Float is a floating-point type that Go computes in.
type Float interface{ float32 | float64 }
