package check

import (
	"fmt"
	"slices"

	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
)

// need is the first place where a body needs a type that some target lacks.
type need struct {
	kind types.Kind
	span
	via span // where the called function needs it
}

// needs lists what a body needs of each kind that some target lacks, itself or through the functions that it calls. Each
// kind appears once, with its first place.
func (c *checker) needs(facts *Body, calls []callSite) []need {
	first := map[types.Kind]need{}
	note := func(n need) {
		if old, ok := first[n.kind]; !ok || n.At.Compare(old.At) < 0 {
			first[n.kind] = n
		}
	}
	for e, v := range facts.Values {
		if v.Const == nil {
			for _, k := range types.Kinds(v.Type) {
				if scarce(k) {
					note(need{kind: k, span: at(e)})
				}
			}
		}
	}
	for id, v := range facts.Defs {
		for _, k := range types.Kinds(v.Type) {
			if scarce(k) {
				note(need{kind: k, span: at(id)})
			}
		}
	}
	for e := range facts.Calls {
		// A constant is computed here; as the operand of a call that is not it exists on the target.
		if facts.Values[e].Const != nil {
			continue
		}
		for _, a := range e.Args {
			for _, k := range types.Kinds(facts.Values[a].Type) {
				if scarce(k) {
					note(need{kind: k, span: at(a)})
				}
			}
		}
	}
	for _, s := range calls {
		for _, n := range c.funcNeeds(s.fn) {
			note(need{kind: n.kind, span: s.place, via: n.span})
		}
	}
	var out []need
	for k := types.Kind(0); k < types.NumKinds; k++ {
		if n, ok := first[k]; ok {
			out = append(out, n)
		}
	}
	return out
}

// funcNeeds is needs of a function. There is no recursion by then.
func (c *checker) funcNeeds(f *Func) []need {
	if n, ok := c.needed[f]; ok {
		return n
	}
	c.needed[f] = nil
	n := c.needs(f.Body, c.calls[f])
	c.needed[f] = n
	return n
}

// scarce reports a kind that some target cannot have.
func scarce(k types.Kind) bool {
	if k == types.Invalid || k.IsUntyped() {
		return false
	}
	for _, t := range types.AllTargets.List() {
		if types.Has(t, types.Arithmetic, k) == types.Impossible {
			return true
		}
	}
	return false
}

// targetsOf decides which targets each instance of a kernel has. A target that no instance has is an error.
func (c *checker) targetsOf(k *kernelDecl) {
	if len(k.bodies) == 0 {
		return
	}
	for _, t := range c.prog.Options.Targets.List() {
		var reason diag.Error
		has, asked := false, false
		for _, b := range k.bodies {
			if !b.kernel.Targets.Has(t) {
				continue
			}
			asked = true
			why := c.refusal(b, t)
			if why == nil {
				has = true
				continue
			}
			b.kernel.Targets &^= types.TargetsOf(t)
			if reason == nil {
				reason = why
			}
		}
		if asked && !has {
			c.report(reason)
		}
	}
}

// refusal is why target t cannot have a kernel instance, or nil.
func (c *checker) refusal(b *body, t types.Target) diag.Error {
	for _, n := range c.needs(b.facts, b.calls) {
		if types.Has(t, types.Arithmetic, n.kind) == types.Impossible {
			var others types.TargetSet
			for _, o := range b.kernel.Targets.List() {
				if types.Has(o, types.Arithmetic, n.kind) != types.Impossible {
					others |= types.TargetsOf(o)
				}
			}
			return &TargetTypeError{span: n.span, Kernel: b.kernel.Name, Type: n.kind, Target: t, Others: others, Via: n.via}
		}
	}
	uses := c.atomicsOf(b.atomics, b.calls)
	for _, u := range uses {
		if types.Has(t, u.op, u.kind) != types.Impossible {
			continue
		}
		e := &TargetAtomicError{span: u.place, Kernel: b.kernel.Name, Type: u.kind, Target: t, Via: u.via}
		for _, o := range b.kernel.Targets.List() {
			if !slices.ContainsFunc(uses, func(u atomicUse) bool { return types.Has(o, u.op, u.kind) == types.Impossible }) {
				e.Others |= types.TargetsOf(o)
			}
		}
		return e
	}
	limits := types.LimitsOf(t)
	if n := b.kernel.Threads; limits.Threads > 0 && n > limits.Threads {
		return &TargetLimitError{span: b.blockAt, What: fmt.Sprintf("a block has %d threads here", n), Target: t, Limit: limits.Threads, LimitsWhat: "threads a block"}
	}
	if e := b.sharedLimit(t); e != nil {
		return e
	}
	of := ""
	if c.prog.Options.Checked || c.prints(b.facts, b.calls) { // two hidden parameters: an address and 8 bytes
		of = " that prints or has a checked build"
		limits.Views = max(limits.Views-1, 0)
		limits.ParamBytes = max(limits.ParamBytes-24, 0)
	}
	return b.paramLimits(t, limits, of)
}

// inKernel puts what distinguishes kernels behind the name of a limit.
func inKernel(of string) string {
	if of == "" {
		return ""
	}
	return " in a kernel" + of
}

// prints reports whether a body prints, itself or through the functions that it calls. There is no recursion by then.
func (c *checker) prints(facts *Body, calls []callSite) bool {
	for _, call := range facts.Calls {
		if call.Kind == BuiltinCall && call.Builtin == "print" {
			return true
		}
	}
	return slices.ContainsFunc(calls, func(s callSite) bool {
		known, ok := c.printing[s.fn]
		if !ok {
			known = c.prints(s.fn.Body, c.calls[s.fn])
			c.printing[s.fn] = known
		}
		return known
	})
}

// paramLimits tests the number of views and the bytes of all parameters. On Metal views are buffers of their own; elsewhere
// they are addresses among the parameters, in OpenCL each with an offset behind it. Extents follow the parameters.
// of says more of the kernels that have these limits.
func (b *body) paramLimits(t types.Target, l types.Limits, of string) diag.Error {
	views, bytes := 0, 0
	reserve := func(size, align int) {
		bytes = (bytes+align-1)/align*align + size
	}
	over := func(name string, pos diag.Pos) diag.Error {
		s := span{pos, pos.Advance(len(name))}
		switch {
		case l.Views > 0 && views > l.Views:
			return &TargetLimitError{span: s, What: fmt.Sprintf("`%s` is view number %d", name, views), Target: t, Limit: l.Views, LimitsWhat: "views a kernel" + of}
		case l.ParamBytes > 0 && bytes > l.ParamBytes:
			return &TargetLimitError{span: s, What: fmt.Sprintf("`%s` ends at byte %d of the parameters", name, bytes), Target: t, Limit: l.ParamBytes, LimitsWhat: "bytes" + inKernel(of)}
		}
		return nil
	}
	for _, p := range b.kernel.Params {
		size, align := int(types.Size(p.Type)), int(types.Align(p.Type))
		if _, ok := p.Type.(*types.View); ok {
			views++
			size, align = 8, 8
			switch t {
			case types.Metal:
				size = 0
			case types.OpenCL:
				reserve(8, 8)
			}
		}
		if size > 0 {
			reserve(size, align)
		}
		if e := over(p.Name, p.Pos); e != nil {
			return e
		}
	}
	for _, s := range b.kernel.Symbols {
		reserve(8, 8)
		if e := over(s.Name, s.Pos); e != nil {
			return e
		}
	}
	return nil
}
