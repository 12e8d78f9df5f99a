// Package kernelgen turns a seed into a random kernel of the language with lines that run it, and a failing source into a
// small one.
//
// The random tests of the root package call it. It works on source text and syntax trees alone: [New] writes text,
// [Reference] runs a kernel over its tree, [Shrink] takes parts of a tree away. It imports dsl, dsl/check and
// interp.Eval, the one place that says what an operation gives.
//
// Every kernel that New makes compiles, ends, touches memory inside its views alone, writes only what belongs to the
// running point, or to the running thread up to the next barrier, in the text of a function too that takes the view or
// array by reference: it is told which element it may write. And it depends on nothing that the language leaves open: no
// payload of a NaN is looked at, no function within a tolerance is called, no garbage is read, no float is added where the
// order is open, unless every order gives the same: comprehensions, which the threads of a block share in kernels `by block`,
// add small whole numbers and multiply powers of two. block.Sum and its like add any floats, since the language says in which
// order. What many threads update atomically between two barriers they update by operations of which every order leaves the
// same, and nobody looks at what was there; elements of one thread see every operation. All threads come to each place where
// they meet, and to each where their subgroup exchanges values. Assertions hold. One kernel in six prints, in lines and as a rule
// from few threads. Division by zero, counts beyond the width, wrapping and every special value of floats
// are welcome. The same seed gives the same text on every machine.
package kernelgen
