package ir

import "slices"

// Cloner copies instructions while it maps what they refer to: values, locals, parameters, symbols and functions. What
// has no entry in a map stays as it is, so that a Cloner with empty maps copies a region in place, and one with entries
// for parameters inlines a body.
type Cloner struct {
	Values map[*Instr]*Instr
	Locals map[*Local]*Local
	Params map[*Param]*Param
	Syms   map[*Symbol]*Symbol
	Funcs  map[*Func]*Func
	Sites  map[*Site]*Site
}

// NewCloner makes a Cloner with empty maps.
func NewCloner() *Cloner {
	return &Cloner{map[*Instr]*Instr{}, map[*Local]*Local{}, map[*Param]*Param{}, map[*Symbol]*Symbol{}, map[*Func]*Func{}, map[*Site]*Site{}}
}

// mapped is m[k], or k itself when it has no entry; nil stays nil.
func mapped[T any](m map[*T]*T, k *T) *T {
	if v, ok := m[k]; ok {
		return v
	}
	return k
}

// Value is what stands for v in the copy.
func (c *Cloner) Value(v *Instr) *Instr { return mapped(c.Values, v) }

// Instr copies in, its blocks included, and records the copy as its value.
func (c *Cloner) Instr(in *Instr) *Instr {
	out := *in
	out.Args = slices.Clone(in.Args)
	for i, a := range out.Args {
		out.Args[i] = c.Value(a)
	}
	out.Param = mapped(c.Params, in.Param)
	out.Sym = mapped(c.Syms, in.Sym)
	out.Local = mapped(c.Locals, in.Local)
	out.Func = mapped(c.Funcs, in.Func)
	out.Site = mapped(c.Sites, in.Site)
	out.Outs = slices.Clone(in.Outs)
	for i, l := range out.Outs {
		out.Outs[i] = mapped(c.Locals, l)
	}
	out.Blocks = slices.Clone(in.Blocks)
	for i, b := range out.Blocks {
		out.Blocks[i] = c.Block(b)
	}
	c.Values[in] = &out
	return &out
}

// Block copies b and everything below it.
func (c *Cloner) Block(b *Block) *Block {
	if b == nil {
		return nil
	}
	out := &Block{}
	if b.Iter != nil {
		out.Iter = c.Instr(b.Iter)
	}
	if b.Instrs != nil {
		out.Instrs = make([]*Instr, len(b.Instrs))
	}
	for i, in := range b.Instrs {
		out.Instrs[i] = c.Instr(in)
	}
	return out
}

// locals copies locals and records the copies.
func (c *Cloner) locals(ls []*Local) []*Local {
	out := slices.Clone(ls)
	for i, l := range ls {
		n := *l
		out[i], c.Locals[l] = &n, &n
	}
	return out
}

// Clone is a deep copy of m. Types, tables, header expressions and documentation are immutable and shared.
func (m *Module) Clone() *Module {
	out := &Module{Package: m.Package, File: m.File, Structs: slices.Clone(m.Structs), Tables: slices.Clone(m.Tables), Consts: slices.Clone(m.Consts)}
	c := NewCloner()
	for _, f := range m.Funcs {
		n := *f
		c.Funcs[f] = &n
		out.Funcs = append(out.Funcs, &n)
	}
	for _, f := range out.Funcs {
		f.Locals = c.locals(f.Locals)
		f.Params = slices.Clone(f.Params)
		for i, p := range f.Params {
			f.Params[i] = mapped(c.Locals, p)
		}
		f.Results = slices.Clone(f.Results)
		f.Body = c.Block(f.Body)
	}
	for _, k := range m.Kernels {
		out.Kernels = append(out.Kernels, k.clone(c.Funcs))
	}
	return out
}

// Clone is a deep copy of k; functions that it calls are shared.
func (k *Kernel) Clone() *Kernel { return k.clone(nil) }

// clone copies k with calls sent to the given functions.
func (k *Kernel) clone(funcs map[*Func]*Func) *Kernel {
	c := NewCloner()
	c.Funcs = funcs
	n := *k
	n.Generics = slices.Clone(k.Generics)
	n.Params = slices.Clone(k.Params)
	for i, p := range k.Params {
		np := *p
		np.Dims = slices.Clone(p.Dims)
		n.Params[i], c.Params[p] = &np, &np
	}
	n.Symbols = slices.Clone(k.Symbols)
	for i, s := range k.Symbols {
		ns := *s
		n.Symbols[i], c.Syms[s] = &ns, &ns
	}
	n.Equal = slices.Clone(k.Equal)
	n.Requires = slices.Clone(k.Requires)
	n.Domain = slices.Clone(k.Domain)
	n.Group = slices.Clone(k.Group)
	n.InPlace = slices.Clone(k.InPlace)
	if k.Sched != nil {
		s := *k.Sched
		n.Sched = &s
	}
	n.Locals = c.locals(k.Locals)
	n.Sites = slices.Clone(k.Sites)
	for i, s := range k.Sites {
		ns := *s
		n.Sites[i], c.Sites[s] = &ns, &ns
	}
	n.Body = c.Block(k.Body)
	return &n
}

// NewLocal adds a local to f.
func (f *Func) NewLocal(l *Local) *Local {
	l.ID = len(f.Locals)
	f.Locals = append(f.Locals, l)
	return l
}

// NewLocal adds a local to k.
func (k *Kernel) NewLocal(l *Local) *Local {
	l.ID = len(k.Locals)
	k.Locals = append(k.Locals, l)
	return l
}
