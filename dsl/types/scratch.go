package types

// BlockThreads is how many threads work on a point of a `by block` kernel, unless @block says otherwise.
const BlockThreads = 256

// ReduceScratch is the number of elements of shared memory that a reduction over a block of so many threads takes, where it
// goes through shared memory alone: a value a thread, and for a scan two, with room for the totals of the subgroups.
func ReduceScratch(threads int64, scan bool) int64 {
	switch {
	case threads == 1:
		return 0
	case !scan:
		return threads
	}
	return 2 * max(threads, 64)
}
