// Package golden turns the archives of testdata/golden into tests: the sources and run lines written by hand, the text
// of every later stage written by -update, and the values that the interpreter and every target must give.
//
// The golden test of the root package, the command's tests and the launcher on the GPU machine call it; it imports
// ir/interp, ir/abi and what lies below them, and it alone reads and writes testdata/golden.
//
// An archive is a txtar file. Sections `*.gpu` and `run` are its inputs; every other section is an output, and exactly
// the outputs that a test sets must be there, byte for byte: see [Archive.Finish]. A line of `run` is a call and what
// it gives, see [ParseLine]:
//
//	Saxpy[float32](2, [1 2], [3 4]) -> y=[5 8]
//	Sine(rand(7, 1000)) -> oracle ~2
//	Shift([1 2 3], &a[1:3]) -> error AliasError
//	NoBarrier(rand(7, 64), fill(64, 0)) -> race 9 12
//
// Values have no hidden state: binding a line twice gives the same bytes, on every machine.
package golden
