// Package msl turns scheduled kernels into Metal Shading Language text, for C++14 dialects from Metal 2.1 on.
// Package gpugen calls [Emit]; codegen/msl/xcrun or the system's own compiler at load time makes a library of it.
//
// The text is pure: plain scalar code, specialised, without function constants, so that it is checked and executed on
// a CPU by codegen/msl/hostrun. Apple's compiler is not at hand where it is made, so it leans on the language as little
// as it can: integer functions are operators and helpers of prelude/metal.h, overloads always see operands of exactly
// their type, and NaN is found by its bits, which holds even where a compiler is told that there is none. It still
// relies on the safe math mode, which the loader and the offline compiler ask for: correctly rounded division, no
// reassociation, no contraction (stated in the text as well). Functions come from namespace precise, in @fastmath
// kernels too: what namespace fast does to NaN and infinities is not defined.
package msl

import (
	_ "embed"
	"fmt"

	"github.com/gpugen/gpugen/codegen"
	"github.com/gpugen/gpugen/codegen/internal/cfamily"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

//go:embed prelude/metal.h
var preludeText string

// head opens every text. Contraction is a pragma of Metal from 3.2 on; before that, the one of clang.
const head = `#include <metal_stdlib>
using namespace metal;

#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#else
#pragma clang fp contract(off)
#endif
`

var dialect = &cfamily.Dialect{
	Target:      types.Metal,
	Head:        head,
	Types:       typeNames,
	Suffix:      suffixes,
	Table:       table(),
	Prelude:     cfamily.ParsePrelude(preludeText),
	Reserved:    keywords,
	FromBits:    fromBits,
	Reinterpret: reinterpret,
	// For a compiler of C++ a loop without side effects ends: it may conclude that an exit was taken, and drop the test
	// that guards what the exit leads to. That the thread ends after 2^64 turns leaves nothing to conclude. (A volatile
	// test before the loop saves only the code before it.)
	LoopBound: [2]string{"ulong %s = 0ul;", "++%s == 0ul"},
	Zero:      "{}",
	Unroll:    "#pragma clang loop unroll_count(%d)",
	Shared:    "threadgroup ",
	Constant:  "constant ",
	// A barrier of the language orders views as well, which mem_threadgroup alone would not.
	Barrier:   "threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);",
	Atomic:    atomic,
	Shuffle:   shuffle,
	Ballot:    ballot,
	Signature: signature,
}

// Emit prints the kernels of m, each of which the schedule pass has mapped to threads.
func Emit(m *ir.Module) codegen.Source { return cfamily.Emit(dialect, m) }

func fromBits(k types.Kind, bits uint64) string {
	return fmt.Sprintf("as_type<%s>(%#xu)", typeNames[k], bits)
}

func reinterpret(to, _ types.Kind, x cfamily.Expr) cfamily.Expr {
	return cfamily.Call("as_type<"+typeNames[to]+">", x)
}

// Entry is the nearest name to want that a kernel's entry may have in this language.
func Entry(want string) string { return dialect.Entry(want) }
