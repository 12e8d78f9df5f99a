package interp

import (
	"fmt"
	"math/bits"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// Arg is one argument of a launch: the bits of a scalar, or a buffer.
type Arg struct {
	Bits   uint64  // of a scalar, in the low bits
	Buffer *Buffer // of a view, or of a struct or vector by value: then it has no dims
}

// Buffer is device memory as a view sees it: elements row-major, scalars little-endian. Two arguments may share Data:
// slices of one array (made with two-index expressions) are known to overlap.
type Buffer struct {
	Elem types.Type
	Dims []int64
	Data []byte
}

// Scalar is the argument with the given bits.
func Scalar(b uint64) Arg { return Arg{Bits: b} }

// View is the argument that passes b; to a struct or vector by value, its one element.
func View(b *Buffer) Arg { return Arg{Buffer: b} }

// NewBuffer makes a zeroed buffer.
func NewBuffer(elem types.Type, dims ...int64) *Buffer {
	b := &Buffer{Elem: elem, Dims: dims}
	b.Data = make([]byte, b.Len()*types.Size(elem))
	return b
}

// Len is the number of elements.
func (b *Buffer) Len() int64 {
	n := int64(1)
	for _, d := range b.Dims {
		n *= d
	}
	return n
}

// Kind is the kind of the elements, Invalid where they are composite.
func (b *Buffer) Kind() types.Kind { return types.KindOf(b.Elem) }

// At is the bits of element i of a basic type, in row-major order; integers are sign- or zero-extended to 64 bits.
func (b *Buffer) At(i int64) uint64 { return loader(b.Kind())(b.Data, i) }

// Set stores the bits of element i of a basic type.
func (b *Buffer) Set(i int64, v uint64) { storer(b.Kind())(b.Data, i, v) }

// Part is one scalar of every element: Get, Put and Raw take the number of an element, in row-major order.
type Part struct {
	types.Scalar
	Get func(element int64) uint64
	Put func(element int64, v uint64)
	Raw func(element int64) []byte // its bytes
}

// Parts are the scalars of an element, in the order of memory; a basic element is one itself.
func (b *Buffer) Parts() []Part {
	size := types.Size(b.Elem)
	var out []Part
	for _, s := range types.Scalars(b.Elem) {
		get, put := loader(s.Kind), storer(s.Kind)
		raw := func(i int64) []byte { return b.Data[i*size+s.Offset:][:s.Kind.Size()] }
		out = append(out, Part{
			Scalar: s, Raw: raw,
			Get: func(i int64) uint64 { return get(raw(i), 0) },
			Put: func(i int64, v uint64) { put(raw(i), 0, v) },
		})
	}
	return out
}

// Clone copies the buffer and its memory.
func (b *Buffer) Clone() *Buffer {
	return &Buffer{Elem: b.Elem, Dims: append([]int64(nil), b.Dims...), Data: append([]byte(nil), b.Data...)}
}

// Order is the order in which points run; of a kernel with blocks, in which blocks run and the threads of each between
// two barriers. A
// correct kernel gives the same buffers under all of them.
type Order uint8

// The orders.
const (
	Forward Order = iota
	Reverse
	Shuffled // a permutation chosen by Options.Seed
)

// DefaultMaxSteps is the budget of a run whose Options name none: well over what tests use, minutes at the most.
const DefaultMaxSteps = 1 << 33

// Options are the choices of a run.
type Options struct {
	Order    Order
	Seed     uint64
	MaxSteps int64 // points and loop iterations together; 0 is DefaultMaxSteps
	Firsts   bool  // keep the first failure of each point or thread
	Told     bool  // look for no failure but those that the kernel reports itself, which is of a checked build
	Races    bool  // watch every element for accesses of two points or threads, one of which writes, that nothing orders
}

// Run runs k on args and changes the memory of its mut views. The error is a *ShapeError, a *ContractError, an
// *AliasError, a *StepError, or says which argument does not fit its parameter; after a *StepError the report tells
// what happened until then.
func Run(k *ir.Kernel, args []Arg, opt Options) (*Report, error) {
	l, err := bind(k, args)
	if err != nil {
		return nil, err
	}
	if err := checkAliases(k, args); err != nil {
		return nil, err
	}
	m := &machine{kernel: k, launch: l, args: args, left: opt.MaxSteps, report: &Report{}, seen: map[findingKey]int{}, races: opt.Races}
	if m.left == 0 {
		m.left = DefaultMaxSteps
	}
	m.told = opt.Told
	if opt.Firsts {
		m.failed = map[int64]bool{}
	}
	m.place = placementOf(k, l)
	m.watch()
	m.watchLoops()
	p := compile(m)
	ended := false
	if m.grouped(p) {
		ended = m.blocks(p, opt)
	} else {
		ended = m.points(p, opt)
	}
	m.sortPrints()
	if !ended {
		steps := opt.MaxSteps
		if steps == 0 {
			steps = DefaultMaxSteps
		}
		return m.report, &StepError{Kernel: k.Instance, Steps: steps}
	}
	return m.report, nil
}

// points runs every point, or every thread of a kernel that does not group them; none waits for another. It reports
// false when the budget does not suffice.
func (m *machine) points(p *program, opt Options) bool {
	r := p.file()
	total, place := m.launch.points(m.kernel, p)
	next := enumerate(total, opt)
	for range total {
		m.id = next()
		place(r, m.id)
		if m.left--; m.left < 0 {
			return false
		}
		m.begin()
		clear(r[p.localLo:p.localHi])
		if p.body(r) == stop {
			return false
		}
		m.report.Points++
	}
	return true
}

// machine is the state of one run.
type machine struct {
	kernel *ir.Kernel
	launch *Launch
	args   []Arg
	left   int64 // budget of steps
	id     int64 // linear number of the running point or thread
	report *Report
	seen   map[findingKey]int
	place  placement // what numbers of points and threads mean

	races  bool
	shadow []shadow // a parameter; without cells where nothing can race
	sites  []*ir.Instr
	now    uint64 // stamp of the running interval
	first  uint64 // stamp of the first interval of the running block
	common common // shared variables
	crew   *crew  // threads that may wait; nil where there is no barrier

	unordered bool // loops whose iterations have no order are watched
	loops     []running
	clock     uint64 // counts starts of those loops and of their iterations
	turns     turns

	failed map[int64]bool // points and threads with a failure, if the report wants their first
	told   bool           // failures are those that the kernel reports
}

// enumerate gives each number of [0, total) once, in the asked order.
func enumerate(total int64, opt Options) func() int64 {
	switch opt.Order {
	case Reverse:
		i := total
		return func() int64 { i--; return i }
	case Shuffled:
		if total < 2 {
			break
		}
		// An additive walk with a stride prime to total visits each number once and needs no table.
		n := uint64(total)
		stride := (opt.Seed*0x9E3779B97F4A7C15+0x632BE59BD9B4E019)%(n-1) + 1
		for gcd(stride, n) != 1 {
			stride = stride%(n-1) + 1
		}
		i := (opt.Seed ^ 0xD1B54A32D192ED03) % n
		return func() int64 {
			i += stride
			if i >= n || i < stride {
				i -= n
			}
			return int64(i)
		}
	}
	i := int64(-1)
	return func() int64 { i++; return i }
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// norm makes x a value of kind k: integers sign- or zero-extended, floats in the low bits, bools 0 or 1.
func norm(k types.Kind, x uint64) uint64 {
	switch {
	case k == types.Bool:
		return b2u(x != 0)
	case k.IsSigned():
		s := 64 - k.Bits()
		return uint64(int64(x<<s) >> s)
	case k.Bits() < 64:
		return x & (1<<k.Bits() - 1)
	}
	return x
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// mul64 is x*y when it fits an int64 and both are at least 0.
func mul64(x, y int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(x), uint64(y))
	return int64(lo), hi == 0 && int64(lo) >= 0
}

// Grid is the number of blocks, x to z, that the host launches for a scheduled kernel; all 0 for an empty domain.
func Grid(k *ir.Kernel, args []Arg) ([3]int64, error) {
	l, err := bind(k, args)
	if err != nil {
		return [3]int64{}, err
	}
	if k.Sched == nil {
		return [3]int64{}, fmt.Errorf("interp: %s has no schedule", k.Instance)
	}
	return l.grid(k), nil
}
