package types

import "strings"

// Target is a place where kernels run.
type Target uint8

// The targets, in the order in which documents list them.
const (
	CUDA Target = iota
	Metal
	OpenCL
	CPU
	NumTargets
)

var targetNames = [NumTargets]string{CUDA: "cuda", Metal: "metal", OpenCL: "opencl", CPU: "cpu"}

// String is the name used in attributes and directives.
func (t Target) String() string { return targetNames[t] }

// TargetNamed is the target of a name in `@targets(…)` or `//gpugen:targets`.
func TargetNamed(name string) (Target, bool) {
	for t, n := range targetNames {
		if n == name {
			return Target(t), true
		}
	}
	return 0, false
}

// TargetSet is a set of targets.
type TargetSet uint8

// AllTargets holds every target.
const AllTargets TargetSet = 1<<NumTargets - 1

// TargetsOf is the set of the given targets.
func TargetsOf(ts ...Target) TargetSet {
	var s TargetSet
	for _, t := range ts {
		s |= 1 << t
	}
	return s
}

// Has reports whether t is in s.
func (s TargetSet) Has(t Target) bool { return s>>t&1 != 0 }

// List is s in the order of the constants.
func (s TargetSet) List() []Target {
	var out []Target
	for t := range NumTargets {
		if s.Has(t) {
			out = append(out, t)
		}
	}
	return out
}

// String lists the names, comma-separated.
func (s TargetSet) String() string {
	var n []string
	for _, t := range s.List() {
		n = append(n, t.String())
	}
	return strings.Join(n, ", ")
}

// Limits are what a target refuses, checked at the source line before any vendor tool runs.
type Limits struct {
	Views      int // buffers a kernel may take; 0 is no limit of its own
	ParamBytes int // bytes of all parameters by value; 0 is no limit
	Threads    int // threads a block
	Shared     int // bytes of shared memory a block
}

// LimitsOf is the limit table. CUDA: 4,096 bytes of parameters on every architecture (CUDA C++ Programming Guide,
// function parameters), 48 KiB of static shared memory (ibid., technical specifications). Metal: 31 buffers, of which
// gpugen takes one for scalars, extents and offsets, 4 KiB of setBytes and 32 KiB of threadgroup memory (Metal feature
// set tables). OpenCL: what every device of the full profile has (OpenCL 3.0 API, device queries). The CPU target could
// hold more than it takes; its limit keeps a block's memory in the cache of a core.
func LimitsOf(t Target) Limits {
	switch t {
	case CUDA:
		return Limits{ParamBytes: 4096, Threads: 1024, Shared: 48 << 10}
	case Metal:
		return Limits{Views: 30, ParamBytes: 4096, Threads: 1024, Shared: 32 << 10}
	case OpenCL:
		return Limits{ParamBytes: 1024, Threads: 1024, Shared: 32 << 10}
	}
	return Limits{Threads: 1024, Shared: 1 << 20}
}
