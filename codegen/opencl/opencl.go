// Package opencl turns scheduled kernels into OpenCL C 1.2, which a device's own driver compiles when a program starts.
// Package gpugen calls [Emit].
//
// The text is pure: it depends on the module alone. Arithmetic that the language leaves undefined, inexact or out goes
// through the helpers of prelude/opencl.h. Contraction is off by the standard's pragma, which clang-based drivers obey
// in front of the optimiser; so no option of the host has to be trusted. What the host does pass is stated in [Options].
// Kernels that hold a float64 stand under `#ifdef cl_khr_fp64`, so that a device without doubles builds the others.
package opencl

import (
	_ "embed"
	"fmt"

	"github.com/gpugen/gpugen/codegen"
	"github.com/gpugen/gpugen/codegen/internal/cfamily"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

//go:embed prelude/opencl.h
var preludeText string

// Options are what a host passes to the compiler: with Exact on a device that says CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT,
// with Inexact on others. Nothing else may be passed: no mad, no relaxed mathematics, no denormals as zeros.
const (
	Exact   = "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt"
	Inexact = "-cl-std=CL1.2 -DGPUGEN_INEXACT_DIVISION"
)

// head opens every text. Drivers older than the standard's 1.2 want doubles enabled.
const head = `#pragma OPENCL FP_CONTRACT OFF
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
`

// doubles is the macro of devices that have float64.
const doubles = "cl_khr_fp64"

var dialect = &cfamily.Dialect{
	Target:      types.OpenCL,
	C:           true,
	Doubles:     doubles,
	Head:        head,
	Types:       typeNames,
	Suffix:      suffixes,
	Table:       table(),
	Prelude:     cfamily.ParsePrelude(preludeText),
	Reserved:    keywords,
	Functions:   functions,
	FromBits:    fromBits,
	Reinterpret: reinterpret,
	Zero:        "{0}",
	Unroll:      "#pragma unroll %d",
	Shared:      "__local ",
	Constant:    "__constant ",
	// A barrier of the language orders views as well, which the local fence alone would not.
	Barrier:   "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
	Atomic:    atomic,
	Shuffle:   shuffle,
	Ballot:    ballot,
	Signature: signature,
}

// Emit prints the kernels of m, each of which the schedule pass has mapped to threads.
func Emit(m *ir.Module) codegen.Source { return cfamily.Emit(dialect, m) }

// fromBits is a float without a decimal literal, by its bits.
func fromBits(k types.Kind, bits uint64) string {
	if k == types.Float32 {
		return fmt.Sprintf("as_float(%#xu)", uint32(bits))
	}
	return fmt.Sprintf("as_double(%#xul)", bits)
}

// reinterpret keeps the bits and changes the kind.
func reinterpret(to, _ types.Kind, x cfamily.Expr) cfamily.Expr {
	return cfamily.Call("as_"+typeNames[to], x)
}

// Entry is the nearest name to want that a kernel's entry may have in this language.
func Entry(want string) string { return dialect.Entry(want) }
