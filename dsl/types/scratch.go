package types

// BlockThreads is how many threads work on a point of a `by block` kernel, unless @block says otherwise.
const BlockThreads = 256

// ScratchKind is the kind in which the threads of a block combine values of kind k through shared memory: narrow ones are
// combined in 32 bits, and those that have no form in memory in 64.
func ScratchKind(k Kind) Kind {
	switch k {
	case Float16, BFloat16:
		return Float32
	case Bool, Int8, Int16:
		return Int32
	case Uint8, Uint16:
		return Uint32
	case Int:
		return Int64
	}
	return k
}

// ScratchElems is how many elements of shared memory that takes: one a thread, and one a thread of those that combine the
// values of the others, whose number is about the square root.
func ScratchElems(threads int) (all, parts int) {
	parts = 1
	for parts*parts < threads {
		parts *= 2
	}
	return threads, parts
}
