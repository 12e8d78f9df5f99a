// Package kernelgen turns a seed into a random kernel of the language with lines that run it, and a failing source into a
// small one.
//
// The random tests of the root package call it. It works on source text and syntax trees alone: [New] writes text,
// [Reference] runs a kernel over its tree, [Shrink] takes parts of a tree away. It imports dsl, dsl/check and
// interp.Eval, the one place that says what an operation gives.
//
// Every kernel that New makes compiles, ends, touches memory inside its views alone, writes only what belongs to the
// running point, or to the running thread up to the next barrier, and depends on nothing that the language leaves open: no
// payload of a NaN is looked at, no function within a tolerance is called, no garbage is read, no float is added where the
// order is open. Division by zero, counts beyond the width, wrapping and every special value of floats
// are welcome. The same seed gives the same text on every machine.
package kernelgen
