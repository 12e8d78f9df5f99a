// Package uniform finds barriers, and what the threads of a block compute together, that only some threads may reach: it turns kernels with their functions
// inlined and their exits as written into errors for the user.
//
// The root package calls [Check] between lowering and the passes, on what pass.Inlined gives. What it accepts reaches every
// barrier with the whole block, on every target: GPUs would hang or go on with half the data, the CPU target cuts kernels
// at barriers.
//
// There are two levels, blocks and subgroups, each walked alone. A value is uniform when it is the same in all threads of a
// block: constants, scalar parameters, extents, block indexes,
// loads from views that are not `mut` at uniform indexes, reductions over the block, and what is computed from these; over a subgroup also its number, what its threads compute together, and thread indexes that
// do not change within 32 threads. A local is uniform where its
// last assignment was uniform and made by all threads. Control diverges under a condition that is not uniform, and behind
// an exit that only some threads take, up to where that exit leads. A loop that threads leave at different iterations
// diverges as a whole. What is not proved uniform counts as divergent; the analysis follows the structure once, and a loop
// until nothing new diverges.
package uniform

import (
	"slices"

	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/ir"
)

// Check gives an error for each barrier or reduction of m's kernels that only some threads of a block may reach.
func Check(m *ir.Module) diag.List {
	var list diag.List
	for _, k := range m.Kernels {
		for _, e := range kernel(k) {
			list.Report(e)
		}
	}
	return list.Dedupe()
}

// kernel gives the divergent barriers of k in the order in which they are found.
func kernel(k *ir.Kernel) []*BarrierError {
	var meet [2]bool
	k.Body.Walk(func(in *ir.Instr) {
		for sub := range meet {
			meet[sub] = meet[sub] || meets(in, sub == 1)
		}
	})
	var errs []*BarrierError
	for sub, there := range meet {
		if there {
			errs = append(errs, walk(k, sub == 1)...)
		}
	}
	return errs
}

// meets reports where the threads of a block meet, or with sub those of a subgroup.
func meets(in *ir.Instr, sub bool) bool {
	switch in.Op {
	case ir.OpBarrier, ir.OpReduce:
		return !sub
	}
	return sub && ir.Ops[in.Op].Class == ir.Collective
}

// walk gives the divergent meetings of blocks, or of subgroups.
func walk(k *ir.Kernel, sub bool) []*BarrierError {
	a := &analysis{
		sub: sub, kernel: k, why: map[*ir.Instr]*cause{}, entry: map[*ir.Instr]*state{}, found: map[*ir.Instr]bool{},
		ends: map[way]*state{},
	}
	a.block(k.Body, &state{locals: make([]*cause, len(k.Locals))})
	return a.errs
}

// analysis walks one kernel.
type analysis struct {
	sub    bool // about subgroups: what all threads of one have in common counts as uniform
	kernel *ir.Kernel
	why    map[*ir.Instr]*cause // why a value diverges; none: it is uniform
	around []*ir.Instr          // the Ranges, Loops and Scopes around, the innermost last
	left   []exit               // divergent exits that lead behind or to something around
	ends   map[way]*state       // what arrives at the end of a way
	entry  map[*ir.Instr]*state // what arrives at the start of any iteration of a loop
	found  map[*ir.Instr]bool   // barriers that are reported
	errs   []*BarrierError
}

// state is what holds at a place; nil where control does not come.
type state struct {
	locals []*cause // by ID: why a local diverges, nil when it is uniform
	ctl    *cause   // why only some threads may be here, nil when all or none are
}

func (s *state) clone() *state {
	if s == nil {
		return nil
	}
	return &state{slices.Clone(s.locals), s.ctl}
}

// join is what holds where two ways meet.
func join(s, t *state) *state {
	switch {
	case s == nil:
		return t
	case t == nil:
		return s
	}
	out := s.clone()
	for i, c := range t.locals {
		out.locals[i] = first(out.locals[i], c)
	}
	out.ctl = first(s.ctl, t.ctl)
	return out
}

// first is the first cause that there is.
func first(causes ...*cause) *cause {
	for _, c := range causes {
		if c != nil {
			return c
		}
	}
	return nil
}

// same reports whether the same things diverge in both.
func same(s, t *state) bool {
	return (s.ctl == nil) == (t.ctl == nil) && slices.EqualFunc(s.locals, t.locals, func(a, b *cause) bool { return (a == nil) == (b == nil) })
}

// way is where an exit leads: behind a Range, Loop or Scope, to the next iteration, or to the kernel's end.
type way struct {
	op     ir.Op     // OpBreak, OpContinue or OpReturn
	target *ir.Instr // nil for OpReturn
}

// exit is a divergent exit.
type exit struct {
	way
	why *cause
}
