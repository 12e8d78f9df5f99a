// Package ptx turns scheduled kernels into header-free CUDA C++17, from which codegen/ptx/nvrtc makes PTX and cubins.
// Package gpugen calls [Emit].
//
// The text is pure: it depends on the module alone and includes nothing, so that NVRTC 11.8 to 13 and nvcc compile it
// anywhere. Its meaning relies on four options that the compile stage always passes: --fmad=false (only our own pass
// fuses), --ftz=false, --prec-div=true and --prec-sqrt=true. Arithmetic that C++ leaves undefined or that differs
// between GPUs goes through the helpers of prelude/cuda.h, most of them one PTX instruction and a select.
package ptx

import (
	_ "embed"
	"fmt"

	"github.com/gpugen/gpugen/codegen"
	"github.com/gpugen/gpugen/codegen/internal/cfamily"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

//go:embed prelude/cuda.h
var preludeText string

var dialect = &cfamily.Dialect{
	Target:      types.CUDA,
	Types:       typeNames,
	Suffix:      suffixes,
	Table:       table(),
	Prelude:     cfamily.ParsePrelude(preludeText),
	Reserved:    keywords,
	FromBits:    fromBits,
	Reinterpret: reinterpret,
	Zero:        "{}",
	Unroll:      "#pragma unroll %d",
	Shared:      "__shared__ ",
	// A module has 64 KiB of constant memory, of which the arguments of kernels and the compiler take a part.
	Constant:      "static __constant__ const ",
	Global:        "static __device__ const ",
	ConstantBytes: 48 << 10,
	Narrow:        map[types.Kind]string{types.Int8: "gg_i8", types.Uint8: "gg_u8", types.Int16: "gg_i16", types.Uint16: "gg_u16"},
	Short:         true,
	Barrier:       "__syncthreads();",
	Atomic:        atomic,
	Shuffle:       shuffle,
	Ballot:        ballot,
	Signature:     signature,
}

// Emit prints the kernels of m, each of which the schedule pass has mapped to threads.
func Emit(m *ir.Module) codegen.Source { return cfamily.Emit(dialect, m) }

// fromBits is a float without a decimal literal, by its bits.
func fromBits(k types.Kind, bits uint64) string {
	if k == types.Float32 {
		return fmt.Sprintf("__uint_as_float(%#xu)", uint32(bits))
	}
	return fmt.Sprintf("__longlong_as_double(%#xll)", bits)
}

// reinterpret keeps the bits and changes the kind.
func reinterpret(to, from types.Kind, x cfamily.Expr) cfamily.Expr {
	switch {
	case from == types.Float32 && to == types.Int32:
		return cfamily.Call("__float_as_int", x)
	case from == types.Float32:
		return cfamily.Call("__float_as_uint", x)
	case from == types.Float64 && to == types.Uint64:
		return cfamily.Cast(typeNames[to], cfamily.Call("__double_as_longlong", x))
	case from == types.Float64:
		return cfamily.Call("__double_as_longlong", x)
	case to == types.Float32 && from == types.Int32:
		return cfamily.Call("__int_as_float", x)
	case to == types.Float32:
		return cfamily.Call("__uint_as_float", x)
	case to == types.Float64 && from == types.Uint64:
		return cfamily.Call("__longlong_as_double", cfamily.Cast(typeNames[types.Int64], x))
	case to == types.Float64:
		return cfamily.Call("__longlong_as_double", x)
	}
	return cfamily.Cast(typeNames[to], x)
}

// Entry is the nearest name to want that a kernel's entry may have in this language.
func Entry(want string) string { return dialect.Entry(want) }
