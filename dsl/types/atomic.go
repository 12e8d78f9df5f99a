package types

import "slices"

// atomicOnFloats are the operations of `atomic`, as the intermediate form names them, that float32 has as well as the integers.
var atomicOnFloats = []string{"add", "min", "max", "exchange", "load", "store"}

// HasAtomic reports whether the language has an atomic operation on elements of kind k.
func HasAtomic(k Kind, op string) bool {
	switch k {
	case Int32, Uint32, Int64, Uint64:
		return true
	case Float32:
		return slices.Contains(atomicOnFloats, op)
	}
	return false
}

// AtomicOn reports how target t does atomic operations on elements of kind k, which the language has. Metal has none on 64
// bits (Metal Shading Language specification, atomic functions: ulong knows min and max alone, without a result, on some
// devices). What a target lacks on float32 goes through compare-exchange of bits.
func AtomicOn(t Target, k Kind) Support {
	switch {
	case t == Metal && k.Bits() == 64:
		return Impossible
	case k == Float32 && t != CUDA:
		return Emulated
	}
	return Native
}
