package cfamily

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/abi"
)

// Printer prints one kernel.
type Printer struct {
	Kernel *ir.Kernel
	// Params and Symbols hold the C name of each parameter and extent symbol, set by the dialect's Signature.
	Params, Symbols []string
	// Record and Launch are the C names of the hidden slots, set by Signature where the kernel has sites.
	Record, Launch string
	// Index holds what BlockIdx, ThreadIdx and GridDim are in x, y and z, set by Signature.
	Index map[ir.Op][3]string

	d       *Dialect
	module  *ir.Module
	w       *writer
	names   *namer
	helpers map[string]bool
	types   *declaredTypes
	placed  map[*ir.Instr]bool
	uses    map[*ir.Instr]int
	used    map[any]bool // parameters, symbols, locals and index operations that the body mentions
	value   map[*ir.Instr]string
	local   map[*ir.Local]string
	tables  map[*ir.Table]string
	decls   declarations
}

func newPrinter(d *Dialect, m *ir.Module, k *ir.Kernel, w *writer, helpers map[string]bool, declared *declaredTypes, tables map[*ir.Table]string) *Printer {
	if k.Sched == nil {
		panic(fmt.Sprintf("cfamily: kernel %s is not scheduled", k.Instance))
	}
	w.marked = diag.Pos{}
	p := &Printer{
		Kernel: k, Params: make([]string, len(k.Params)), Symbols: make([]string, len(k.Symbols)), Index: map[ir.Op][3]string{},
		d: d, module: m, w: w, names: newNamer(d), helpers: helpers, types: declared, placed: ir.Placed(k.Body), uses: make(map[*ir.Instr]int, k.Body.Len()),
		used: map[any]bool{}, value: map[*ir.Instr]string{}, local: map[*ir.Local]string{}, tables: tables, decls: declare(k.Body),
	}
	for _, name := range tables {
		p.names.reserved[name] = true
	}
	for _, name := range declared.name {
		p.names.scopes[0][name] = true // nothing in a kernel hides a type of its parameters
	}
	k.Body.Walk(p.note)
	return p
}

// note counts the uses of an instruction's operands and marks what it mentions.
func (p *Printer) note(in *ir.Instr) {
	for _, a := range in.Args {
		p.uses[a]++
	}
	if in.Local != nil {
		p.used[in.Local] = true
	}
	switch in.Op {
	case ir.OpParamGet:
		p.used[in.Param] = true
	case ir.OpLoad, ir.OpStore, ir.OpAtomic:
		if in.Param == nil {
			break
		}
		p.used[in.Param] = true
		for i, h := range in.Param.Dims {
			if i > 0 {
				h.Walk(p.noteHeader)
			}
		}
	case ir.OpExtent:
		p.used[in.Sym] = true
	case ir.OpBlockIdx, ir.OpThreadIdx, ir.OpGridDim:
		p.used[in.Op] = true
	}
}

func (p *Printer) noteHeader(h *types.Header) {
	if h.Op == types.HSym {
		p.used[p.headerName(h.Name)] = true
	}
}

// headerName is the symbol, or else the parameter, that a header expression names.
func (p *Printer) headerName(name string) any {
	for _, s := range p.Kernel.Symbols {
		if s.Name == name {
			return s
		}
	}
	for _, q := range p.Kernel.Params {
		if q.Name == name {
			return q
		}
	}
	panic(fmt.Sprintf("cfamily: kernel %s has no %q", p.Kernel.Instance, name))
}

// Declare takes a name in the innermost scope.
func (p *Printer) Declare(name string) string { return p.names.declare(name) }

// TypeName is a name for a type of the kernel's own at the outermost level: no kernel or type of the module is called so.
func (p *Printer) TypeName(name string) string {
	taken := func(name string) bool {
		for _, t := range p.types.name {
			if t == name {
				return true
			}
		}
		return slices.ContainsFunc(p.module.Kernels, func(k *ir.Kernel) bool { return k.Entry == name })
	}
	for taken(name) {
		name += "_"
	}
	return name
}

// Mentions reports whether the body uses a *ir.Param, a *ir.Symbol, a *ir.Local, or an ir.Op that is an index of the
// launch.
func (p *Printer) Mentions(what any) bool { return p.used[what] }

// Type is the name of a kind.
func (p *Printer) Type(k types.Kind) string {
	t := p.d.Types[k]
	if t == "" {
		panic(fmt.Sprintf("cfamily: %s has no type for %s, in kernel %s", p.d.Target, k, p.Kernel.Instance))
	}
	return t
}

// InPlace reports whether a parameter's view may be the same memory as another's.
func InPlace(k *ir.Kernel, param int) bool {
	for _, pair := range k.InPlace {
		if pair[0] == param || pair[1] == param {
			return true
		}
	}
	return false
}

// Threads is the number of threads a block.
func Threads(k *ir.Kernel) int { return k.Sched.Block[0] * k.Sched.Block[1] * k.Sched.Block[2] }

// Need is need for dialects.
func (p *Printer) Need(f string) string { return p.need(f) }

// need gives the name of a function and has it printed if it is a helper.
func (p *Printer) need(f string) string {
	if p.d.Prelude.Has(f) {
		p.helpers[f] = true
	}
	return f
}

// kernelText prints the kernel.
func (p *Printer) kernelText() {
	k := p.Kernel
	sig := p.d.Signature(p, k)
	for _, l := range sig.Before {
		p.w.line(diag.Pos{}, l)
	}
	if len(sig.Before) > 0 {
		p.w.blank()
	}
	for _, l := range k.Doc {
		p.w.line(diag.Pos{}, "// "+comment(l))
	}
	if len(k.Doc) > 0 {
		p.w.line(diag.Pos{}, "//")
	}
	p.w.line(diag.Pos{}, "// "+comment(k.Instance)+": "+p.summary()+".")
	for i, l := range sig.Open {
		if i == len(sig.Open)-1 {
			p.w.statement(k.Pos, l)
		} else {
			p.w.line(k.Pos, l)
		}
	}
	p.w.indent++
	for _, l := range sig.Locals {
		p.w.line(k.Pos, l)
	}
	p.declareShared()
	for _, l := range p.decls.top {
		p.declareLocal(l, l.Pos)
	}
	p.block(k.Body)
	p.w.indent--
	p.w.line(diag.Pos{}, "}")
	for _, l := range sig.After {
		p.w.line(diag.Pos{}, l)
	}
}

// Components are the components of a vector of three.
func Components(name string) [3]string { return [3]string{name + ".x", name + ".y", name + ".z"} }

// summary says what a reader of the text must know of the kernel: how it is launched and for which sizes.
func (p *Printer) summary() string {
	k := p.Kernel
	limits := "every view and extent under 2^31"
	if k.Wide {
		limits = "any extent"
	}
	if len(k.Group) == 0 {
		return limits
	}
	var blocks, threads, sizes []string
	for _, d := range k.Domain {
		blocks = append(blocks, d.Name)
	}
	for _, t := range k.Group {
		threads = append(threads, t.Name)
		sizes = append(sizes, fmt.Sprint(t.N))
	}
	text := "blocks of " + strings.Join(sizes, " x ") + " threads for each " + strings.Join(blocks, ", ")
	if !k.ByBlock {
		text = "blocks " + strings.Join(blocks, ", ") + " of " + strings.Join(sizes, " x ") + " threads " + strings.Join(threads, ", ")
	}
	if n := abi.Of(k).Shared; n > 0 {
		text += fmt.Sprintf(", %d bytes of shared memory a block", n)
	}
	return text + "; " + limits
}

// declareShared declares the shared variables that the body uses.
func (p *Printer) declareShared() {
	for _, l := range p.Kernel.Locals {
		if l.Shared && p.Mentions(l) {
			p.local[l] = p.names.declare(l.Name)
			p.w.statement(l.Pos, p.d.Shared+p.declarator(l.Type, p.local[l])+";")
		}
	}
}

// HasAtomic reports whether the kernel has atomic operations on a view.
func HasAtomic(k *ir.Kernel, q *ir.Param) bool {
	found := false
	k.Body.Walk(func(in *ir.Instr) { found = found || in.Op == ir.OpAtomic && in.Param == q })
	return found
}

// HasBarrier reports whether threads of a block meet in the kernel.
func HasBarrier(k *ir.Kernel) bool {
	found := false
	k.Body.Walk(func(in *ir.Instr) { found = found || in.Op == ir.OpBarrier })
	return found
}
