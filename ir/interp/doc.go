// Package interp turns a kernel of package ir and its arguments into the buffers that the kernel leaves: it is the
// oracle that every target is compared with, and the finder of what a device would silently get wrong.
//
// The tests, the goldens and `gpugen verify` call it; it imports ir, dsl/types and dsl/diag alone and touches no
// system. [Run] checks a launch as the host does (shapes, relations, aliases), compiles the tree of instructions to
// closures over one flat register file and runs every point of the domain, or every thread of the grid when the kernel
// has a schedule, in the order that [Options] asks for. Blocks run one after another; where a kernel has barriers, each
// thread of a block is a coroutine with a register file of its own, and all are resumed from barrier to barrier.
//
// Invariants: every operation means what the language's meaning table says, bit for bit, and table functions are
// computed in float64 and rounded once; nothing that a kernel does can make Run panic or hang; a value that a pass claims to
// have proved (InBounds, NoWrap, DivNZ, ShlIn) is checked all the same, and a false claim is a finding.
package interp
