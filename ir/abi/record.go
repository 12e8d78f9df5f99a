package abi

// The record of a stream is how kernels tell the host something while they run: an array of 32-bit words in device memory,
// written with relaxed atomics of 32 bits, which every device has, and read by the host behind the launch. The preludes
// of the targets write it, runtime/gpu reads it, and the numbers here are theirs. A value of 64 bits is two words, the low
// one first.
//
// The header comes first. RecordFailed is 0 until a launch fails a test; the thread that makes it 1 writes the rest of the
// failure. RecordUsed counts the words of the entries behind the header, RecordDropped the entries for which the
// RecordCapacity words that the host gave had no room. An entry, which is what one print printed, is its length in words,
// its site, the launch, where, and the values.
const (
	RecordFailed      = 0
	RecordUsed        = 1
	RecordDropped     = 2
	RecordCapacity    = 3
	RecordSite        = 4
	RecordLaunch      = 6 // two words, as in the slot
	RecordIndex       = 8
	RecordExtent      = 10
	RecordWhere       = 12
	RecordHeaderWords = 24

	EntryWords  = 0
	EntrySite   = 1
	EntryLaunch = 2
	EntryWhere  = 4
	EntryValues = 12

	// Wheres is the number of values that say where: up to three dims of the point or block, then the number of the thread in
	// its block. What a kernel lacks is 0.
	Wheres = 4
)
