package gpu

import (
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"unsafe"

	"github.com/gpugen/gpugen/runtime/internal/driver"
)

// maxViews is more views than fit into CUDA's 4,096 bytes of arguments together with their extents.
const maxViews = 64

// narrow is the bound under which index arithmetic in 32 bits cannot overflow: the compiler counts on a slack of 2^20
// for the guarded tail of the last block and for the stride of a folded grid, 65,535 blocks of 8 threads.
const narrow = 1<<31 - 1<<20

// debugWide makes every launch take the wide entry, so that tests reach it without gigabytes.
var debugWide = strings.Contains(os.Getenv("GPUGEN_DEBUG"), "wide")

// Launch collects the arguments of one launch and checks them. The first error sticks: the calls after it do nothing,
// and Points returns it. Begin makes a Launch and Points or Fail ends it; it may not be used after that.
type Launch struct {
	k     *Kernel
	s     *Stream
	err   error
	alias *AliasError // of views that overlap; it counts once their shapes are right
	args  *driver.Args
	wide  bool

	views [maxViews]View
	names [maxViews]string
	mut   uint64 // the views that the kernel writes
	n     int    // views

	grid driver.Grid
}

var launches = sync.Pool{New: func() any { return new(Launch) }}

// Begin starts a launch of k in s.
func (k *Kernel) Begin(s *Stream) *Launch {
	l := launches.Get().(*Launch)
	if k != nil && k.Checked != nil && s != nil && s.c != nil && s.c.key.checked {
		k = k.Checked
	}
	l.k, l.s, l.err, l.alias, l.wide, l.mut, l.n = k, s, nil, nil, debugWide, 0, 0
	l.args = driver.NewArgs()
	if k == nil {
		l.err = ErrNil
	} else if err := s.ready(k.Name); err != nil {
		l.err = about(k.Name, "stream", err)
	} else if why := k.unsupported(s.c); why != "" {
		l.err = &UnsupportedError{k.Name, s.c.key.String(), why}
	}
	return l
}

// about puts a plain error of this package into the context of a launch; typed ones have theirs.
func about(kernel, what string, err error) error {
	switch err {
	case ErrNil, ErrFreed, ErrClosed:
		return fmt.Errorf("%s: %s: %w", kernel, what, err)
	}
	return err
}

// Read binds a view that the kernel only reads to the next slot.
func (l *Launch) Read(param string, v View) { l.bind(param, v, 0) }

// Write binds a mut view to the next slot.
func (l *Launch) Write(param string, v View) { l.bind(param, v, 1) }

func (l *Launch) bind(param string, v View, mut uint64) {
	if l.err != nil {
		return
	}
	if err := v.usableIn(l.s, l.k.Name); err != nil {
		l.err = about(l.k.Name, param, err)
		return
	}
	i := l.n
	if i == maxViews || !l.args.View(v.m.mem, v.off, v.bytes, v.n) {
		l.full()
		return
	}
	l.views[i], l.names[i] = v, param
	l.mut |= mut << i
	l.n++
	l.wide = l.wide || v.n >= narrow
	for j := 0; j < i && l.alias == nil; j++ {
		w := &l.views[j]
		if (l.mut>>j|mut)&1 == 0 || !w.overlaps(&v) || l.inPlace(j, i) {
			continue
		}
		writes, with := i, j
		if mut == 0 {
			writes, with = j, i
		}
		l.alias = &AliasError{l.k.Name, l.names[writes], l.names[with]}
	}
}

// inPlace says whether views i and j are the same range and may be.
func (l *Launch) inPlace(i, j int) bool {
	v, w := &l.views[i], &l.views[j]
	if v.off != w.off || v.bytes != w.bytes {
		return false
	}
	for _, p := range l.k.InPlace {
		a, b := int(p.A), int(p.B)
		if a == i && b == j || a == j && b == i {
			return true
		}
	}
	return false
}

func (l *Launch) full() {
	l.err = &LaunchError{l.k.Name, "bytes of arguments", driver.MaxBytes + 1, driver.MaxBytes}
}

// Value binds a scalar, vector or struct to the next slot.
func Value[T any](l *Launch, v T) {
	if l.err != nil {
		return
	}
	p := l.args.Bytes(int(unsafe.Sizeof(v)), int(unsafe.Alignof(v)))
	if p == nil {
		l.full()
		return
	}
	*(*T)(p) = v
}

// Int binds an int, in 8 bytes, to the next slot.
func (l *Launch) Int(v int) { Value(l, int64(v)) }

// Extent binds an extent to the next slot.
func (l *Launch) Extent(v int) {
	l.wide = l.wide || v >= narrow
	Value(l, int64(v))
}

// Equal checks that dimension dim of a parameter, which is got, is want.
func (l *Launch) Equal(param string, dim, got, want int) {
	if got != want && l.err == nil {
		l.err = &ShapeError{l.k.Name, param, dim, want, got}
	}
}

// Require checks a relation between extents and parameters; text is how the kernel states it.
func (l *Launch) Require(ok bool, text string) {
	if !ok && l.err == nil {
		l.err = &ContractError{l.k.Name, "requires " + text}
	}
}

// Fail ends the launch with err.
func (l *Launch) Fail(err error) error {
	if l.err == nil {
		l.err = err
	}
	return l.end()
}

// Points launches one point of the domain a thread, or in a kernel with Group one point a block, or returns the first
// error. A domain without points launches nothing.
func (l *Launch) Points(spans ...Span) error {
	if l.err == nil && l.alias != nil {
		l.err = l.alias
	}
	if l.err == nil && l.shape(spans) && l.err == nil {
		l.submit()
	}
	return l.end()
}

// shape sets the grid and says whether there is a point in it.
func (l *Launch) shape(spans []Span) bool {
	if len(spans) == 0 || len(spans) > 3 || len(spans) != l.k.Dims {
		l.err = &ContractError{l.k.Name, fmt.Sprintf("a domain of %d dimensions, want %d", len(spans), l.k.Dims)}
		return false
	}
	g := &l.grid
	g.Dims, g.Box, g.Blocks, g.Threads = len(spans), Box{}, [3]uint32{1, 1, 1}, [3]uint32{}
	points := true
	for d, s := range spans {
		g.Box.Lo[d], g.Box.Hi[d] = s.Lo, s.Hi
		points = points && s.Hi > s.Lo
	}
	if !points {
		return false
	}
	threads := 1
	for a := range 3 { // x, y, z
		g.Threads[a] = max(1, l.k.Block[a])
		threads *= int(g.Threads[a])
		d := len(spans) - 1 - a
		if d < 0 {
			continue
		}
		s := spans[d]
		l.wide = l.wide || s.Hi >= narrow || s.Lo <= -narrow
		n := s.Hi - s.Lo
		if n < 0 { // s.Lo is far below 0
			l.err = &LaunchError{l.k.Name, fmt.Sprintf("points in dimension %d", d), math.MaxInt, math.MaxInt}
			return false
		}
		per := int(g.Threads[a])
		limit := 65535
		if a == 0 {
			limit = math.MaxInt32
		}
		switch {
		case l.k.Group:
			// The kernel counts threads as well as blocks: blockidx*threads + threadidx.
			l.wide = l.wide || a == 0 && n > (narrow-1)/per
			per = 1
		case a == 0:
			per *= int(max(1, l.k.Per))
		}
		blocks := (n-1)/per + 1
		switch {
		case blocks <= limit:
		case a > 0 || l.k.ByBlock: // which are so many that the wide variant runs
			blocks = limit // kernels stride over the grid in y and z, wide ones of points in x too
		case l.s.c.key.kind == KindCPU:
			blocks = limit // which has no grid
		default:
			l.err = &LaunchError{l.k.Name, "blocks in x", blocks, limit}
			return false
		}
		g.Blocks[a] = uint32(blocks)
	}
	return true
}

// submit hands the launch to the device.
func (l *Launch) submit() {
	k, s, c := l.k, l.s, l.s.c
	f := k.cached(c, l.wide)
	if f == nil {
		if l.err = s.enter(k.Name); l.err != nil {
			l.err = about(k.Name, "stream", l.err)
			return
		}
		f, l.err = k.on(c, l.wide)
		s.leave()
		if l.err != nil {
			return
		}
	}
	t := &l.grid.Threads
	if n := int(t[0]) * int(t[1]) * int(t[2]); n > f.MaxThreads() {
		l.err = &LaunchError{k.Name, "threads a block", n, f.MaxThreads()}
		return
	}
	c.mu.Lock()
	err := l.claim()
	for err == nil && k.Sites != nil && !s.journal.ready() {
		c.mu.Unlock()
		if l.err = s.addRecord(k.Name); l.err != nil {
			l.err = about(k.Name, "stream", l.err)
			return
		}
		c.mu.Lock()
		err = l.claim()
	}
	if err == nil && k.Sites != nil {
		l.bindRecord()
		err = l.err
	}
	if err == nil {
		s.note(k.Name)
		args := l.args
		l.args = nil // the driver's from here on
		err = s.drv.Launch(f, &l.grid, args)
	}
	c.mu.Unlock()
	if err != nil {
		l.err = about(k.Name, "launch", c.fail(s, k.Name, err))
	}
}

// claim is Stream.claim over the views. core.mu is held.
func (l *Launch) claim() error {
again:
	if err := l.s.ready(l.k.Name); err != nil {
		return err
	}
	for i := range l.n {
		m := l.views[i].m
		if err := m.state(); err != nil {
			return about(l.k.Name, l.names[i], err)
		}
		if !m.settled(l.mut>>i&1 != 0) {
			goto again
		}
	}
	for i := range l.n {
		if err := l.views[i].m.order(l.s, l.mut>>i&1 != 0); err != nil {
			return err
		}
	}
	return nil
}

func (l *Launch) end() error {
	err := l.err
	if l.args != nil {
		l.args.Release()
	}
	clear(l.views[:l.n])
	clear(l.names[:l.n])
	l.k, l.s, l.err, l.alias, l.args = nil, nil, nil, nil, nil
	launches.Put(l)
	return err
}

// Arg is the argument in a slot, in a CPU kernel.
func Arg[T any](a *Args, slot int) T {
	var v T
	return *(*T)(a.Scalar(slot, unsafe.Sizeof(v)))
}

// Elems is the n elements of the view in a slot, in a CPU kernel.
func Elems[T any](a *Args, slot, n int) []T {
	var v T
	// The compiler sees that the length is n, so that a kernel checks an index against its extent alone.
	return unsafe.Slice((*T)(a.Elems(slot, n, unsafe.Sizeof(v))), n)
}
