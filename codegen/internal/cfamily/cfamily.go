// Package cfamily turns kernels into C-like text: the part of printing that CUDA C, Metal and OpenCL C share.
// A target describes its language as a [Dialect] (type names, literal suffixes, one table of operations, a prelude of
// helper functions, the shape of a kernel's signature) and calls [Emit]; codegen/ptx, codegen/msl and codegen/opencl do.
//
// Invariants: the text means what the IR means for every input, C's undefined and implementation-defined cases
// included; an expression has exactly the C type of its IR kind, so that no promotion shows; names of the source survive
// where the language allows it; the same module gives the same bytes. What the IR cannot hold here (calls, points before
// scheduling, operations on kinds the target lacks) is a bug of an earlier stage and panics.
package cfamily

import (
	"strings"
	"sync"

	"github.com/gpugen/gpugen/codegen"
	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// Dialect describes a C-like language.
type Dialect struct {
	Target  types.Target
	C       bool                   // the language is C and not C++
	Doubles string                 // the macro of devices that have float64, where some have none
	Head    string                 // the first lines after the file's comment: includes, pragmas
	Types   [types.NumKinds]string // names of the kinds that values have
	Suffix  [types.NumKinds]string // of integer literals of at least 32 bits and of floating-point literals
	Table   *Table
	Prelude *Prelude
	// Reserved holds the words of the language that a user's name must not take, those of C++ left out.
	Reserved map[string]bool
	// Functions holds names that no kernel's entry may have, since the language declares functions of these names; locals
	// may hide them.
	Functions map[string]bool
	// FromBits is a floating-point constant that has no decimal literal: an infinity, a NaN, -0, a subnormal.
	FromBits func(k types.Kind, bits uint64) string
	// Reinterpret gives x, which has kind from, as the kind to of the same width, bit by bit.
	Reinterpret func(to, from types.Kind, x Expr) Expr
	// LoopBound is a declaration before a loop that may not end, and a condition on which a turn ends the thread, which
	// no thread lives to see; %s is a fresh name. Both are empty where compilers keep a loop that does not end.
	LoopBound [2]string
	// Zero is the initialiser of an array of zeros.
	Zero string
	// Unroll is the pragma before a loop that is to be unrolled, with %d for the number of copies.
	Unroll string
	// Shared stands before the declaration of a variable that all threads of a block have in common. Such variables are
	// declared at the kernel's outermost level and without a value, as every language wants it.
	Shared string
	// Constant stands before the declaration of a table of constants, as long as all of them take at most ConstantBytes (0:
	// any number); Global stands before those that follow.
	Constant, Global string
	ConstantBytes    int
	// Narrow are the functions of the prelude that convert an int to a narrower integer, for a vendor's compiler that gets
	// a cast wrong; a kind without one is cast. Short says that arithmetic of int16 calls its function too.
	Narrow map[types.Kind]string
	Short  bool
	// Barrier is the statement at which all threads of a block meet, behind which each sees what the others wrote to
	// shared variables and to views.
	Barrier string
	// Atomic is an atomic operation, which gives what it found; a store is written as a statement alone.
	Atomic func(p *Printer, a Atomic) Expr
	// Shuffle is x, of kind k, of another lane of the subgroup; Ballot a uint32 of the lanes where x holds.
	Shuffle func(p *Printer, k types.Kind, x, lane Expr) Expr
	Ballot  func(p *Printer, x Expr) Expr
	// Signature declares a kernel's parameters, in the scope that its body will have.
	Signature func(p *Printer, k *ir.Kernel) Signature

	words sync.Once
	all   map[string]bool // what language gathers
}

// Atomic is an atomic operation on memory.
type Atomic struct {
	Op     ir.AtomicOp
	Kind   types.Kind
	Shared bool   // of the block, not of a view
	Place  string // the element or variable
	Args   []Expr
}

// Signature is how a kernel begins.
type Signature struct {
	Before []string // lines before the function, at the outermost level
	Open   []string // the function's first lines, the last one ending in an opening brace
	Locals []string // first statements of the body
	After  []string // lines after the function
}

// Emit prints a module: a comment, the head, the helpers that the kernels use, the types of their parameters, the kernels.
func Emit(d *Dialect, m *ir.Module) codegen.Source {
	helpers := map[string]bool{}
	declared := declareTypes(d, m)
	var body writer
	declared.write(&body, helpers)
	tables := d.tables(&body, m, declared)
	for _, k := range m.Kernels {
		body.blank()
		p := newPrinter(d, m, k, &body, helpers, declared, tables)
		p.kernelText()
	}
	var w writer
	w.line(diag.Pos{}, "// Code generated by gpugen from "+comment(m.File)+". DO NOT EDIT.")
	if d.Head != "" {
		w.blank()
		w.text(d.Head)
	}
	for _, text := range d.Prelude.Select(helpers) {
		w.blank()
		w.text(text)
	}
	w.lines = append(w.lines, body.lines...)
	w.pos = append(w.pos, body.pos...)
	return codegen.Source{Text: strings.Join(w.lines, "\n") + "\n", Lines: w.pos}
}

// writer collects lines, the position of each beside it.
type writer struct {
	lines  []string
	pos    []diag.Pos
	indent int
	marked diag.Pos // the last position named in a comment
}

// line adds one line at the current indent.
func (w *writer) line(pos diag.Pos, text string) {
	if text != "" {
		text = strings.Repeat("\t", w.indent) + text
	}
	w.lines = append(w.lines, text)
	w.pos = append(w.pos, pos)
}

// statement adds a line and, where the source line changes, a comment that names it.
func (w *writer) statement(pos diag.Pos, text string) {
	if pos.IsValid() && (pos.Line != w.marked.Line || pos.File != w.marked.File) {
		w.marked = pos
		text += " // " + where(pos)
	}
	w.line(pos, text)
}

// blank adds an empty line, but not a second one.
func (w *writer) blank() {
	if n := len(w.lines); n == 0 || w.lines[n-1] != "" {
		w.line(diag.Pos{}, "")
	}
}

// text adds lines that come from no source.
func (w *writer) text(s string) {
	for _, l := range strings.Split(strings.TrimSuffix(s, "\n"), "\n") {
		w.line(diag.Pos{}, l)
	}
}

// where names a source line as comments do: base name and line.
func where(pos diag.Pos) string {
	base := pos.File[strings.LastIndexAny(pos.File, `/\`)+1:]
	return comment(base) + ":" + itoa(pos.Line)
}

// comment makes s safe at the end of a `//` comment: no line end, and no backslash that would continue the line.
func comment(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
	s = strings.TrimRight(s, " \t")
	if strings.HasSuffix(s, `\`) || strings.HasSuffix(s, "??/") {
		s += "."
	}
	return s
}
