package interp

// turns says where a `by block` kernel is among the loops that a device spreads over its threads, so that whoever
// compares what it prints knows what has an order. Only the outermost loops are spread: those within run in sequence.
type turns struct {
	depth      int   // loops without an order that run now
	loop, turn int64 // how many outermost ones have begun, and how many iterations of this one
}

// outermost runs a loop with all its indexes.
func (m *machine) outermost(run step) step {
	return func(r []uint64) signal {
		if m.turns.depth++; m.turns.depth == 1 {
			m.turns.loop, m.turns.turn = m.turns.loop+1, 0
		}
		sig := run(r)
		m.turns.depth--
		return sig
	}
}

// turn runs an iteration.
func (m *machine) turn(body step) step {
	return func(r []uint64) signal {
		if m.turns.depth == 1 {
			m.turns.turn++
		}
		return body(r)
	}
}
