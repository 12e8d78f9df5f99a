package gpu

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/gpugen/gpugen/runtime/internal/driver"
)

// recorder is a device that keeps what it is told, and fails where it is told to.
type recorder struct {
	memory     map[uintptr]int
	next       uintptr
	grids      []driver.Grid
	entries    []string // of loads
	args       [][]byte // of the last launch, slot by slot
	sizes      []int
	launchErr  error
	syncErr    error
	loadErr    error
	allocErr   error
	maxThreads int
	log        []string
	lost       bool
}

type recordedFunc struct {
	entry string
	max   int
}

func (f *recordedFunc) MaxThreads() int { return f.max }

func (r *recorder) Info() driver.Info               { return driver.Info{Name: "recorder", Arch: "sm_75"} }
func (r *recorder) Memory() (f, t int64, err error) { return 1, 2, nil }
func (r *recorder) Alloc(n int) (driver.Mem, bool, error) {
	if r.allocErr != nil {
		return driver.Mem{}, false, r.allocErr
	}
	r.next += 0x1000_0000_0000
	r.memory[r.next] = n
	return driver.Mem{Addr: r.next}, false, nil
}
func (r *recorder) Free(m driver.Mem) error {
	if _, ok := r.memory[m.Addr]; !ok {
		return errors.New("freed twice")
	}
	delete(r.memory, m.Addr)
	r.log = append(r.log, "free")
	return nil
}
func (r *recorder) NewStream() (driver.Stream, error) { return &recordedStream{r}, nil }
func (r *recorder) NewEvent() (driver.Event, error)   { return &recordedEvent{r}, nil }
func (r *recorder) Load(k *driver.Kernel) (driver.Func, error) {
	if r.loadErr != nil {
		return nil, r.loadErr
	}
	r.entries = append(r.entries, k.Entry)
	return &recordedFunc{k.Entry, r.maxThreads}, nil
}
func (r *recorder) Close(lost bool) error {
	r.lost = lost
	r.log = append(r.log, "close")
	return nil
}

type recordedStream struct{ r *recorder }

func (s *recordedStream) CopyIn(driver.Mem, int, unsafe.Pointer, int) error  { return nil }
func (s *recordedStream) CopyOut(unsafe.Pointer, driver.Mem, int, int) error { return s.r.syncErr }
func (s *recordedStream) Copy(driver.Mem, int, driver.Mem, int, int) error   { return nil }
func (s *recordedStream) Zero(m driver.Mem, off, n int) error {
	s.r.log = append(s.r.log, "zero")
	return nil
}
func (s *recordedStream) Launch(f driver.Func, g *driver.Grid, a *driver.Args) error {
	defer a.Release()
	if s.r.launchErr != nil {
		return s.r.launchErr
	}
	s.r.grids = append(s.r.grids, *g)
	s.r.entries = append(s.r.entries, "launch "+f.(*recordedFunc).entry)
	s.r.args, s.r.sizes = nil, nil
	table := (*[driver.MaxSlots]unsafe.Pointer)(a.Params())
	for i := range a.Len() {
		s.r.args = append(s.r.args, append([]byte(nil), unsafe.Slice((*byte)(table[i]), 1)...))
		s.r.sizes = append(s.r.sizes, a.Offset(i))
	}
	return nil
}
func (s *recordedStream) After(driver.Stream) error { s.r.log = append(s.r.log, "after"); return nil }
func (s *recordedStream) Sync() error               { return s.r.syncErr }
func (s *recordedStream) Drain() error              { s.r.log = append(s.r.log, "drain"); return s.r.syncErr }
func (s *recordedStream) Close() error              { return nil }

type recordedEvent struct{ r *recorder }

func (e *recordedEvent) Record(driver.Stream) error                { return nil }
func (e *recordedEvent) Hold(driver.Stream) error                  { return nil }
func (e *recordedEvent) Sync() error                               { return e.r.syncErr }
func (e *recordedEvent) Done() (bool, error)                       { return true, nil }
func (e *recordedEvent) Since(driver.Event) (time.Duration, error) { return time.Second, nil }
func (e *recordedEvent) Close() error                              { e.r.log = append(e.r.log, "event"); return nil }

func record(t *testing.T) (*recorder, *Device, *Stream) {
	t.Helper()
	r := &recorder{memory: map[uintptr]int{}, maxThreads: 1024}
	c, err := newCore(key{kind: KindCUDA, ordinal: 0}, r)
	if err != nil {
		t.Fatal(err)
	}
	return r, &Device{c: c}, c.def
}

func kernel(dims int, block [3]uint32, per uint32) *Kernel {
	return &Kernel{Name: "K", Entry: "k", Code: &Code{}, Block: block, Per: per, Dims: dims, Targets: TargetCUDA}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Blocks are the points over block and coarsening, rounded up; y and z fold at 65,535; x has a limit that is an error.
func TestGrids(t *testing.T) {
	r, _, s := record(t)
	one, flat, cube := [3]uint32{256, 1, 1}, [3]uint32{32, 8, 1}, [3]uint32{8, 8, 4}
	for _, c := range []struct {
		block  [3]uint32
		per    uint32
		spans  []Span
		blocks [3]uint32
		max    int // of a *LaunchError
	}{
		{one, 1, []Span{{0, 1}}, [3]uint32{1, 1, 1}, 0},
		{one, 1, []Span{{0, 255}}, [3]uint32{1, 1, 1}, 0},
		{one, 1, []Span{{0, 256}}, [3]uint32{1, 1, 1}, 0},
		{one, 1, []Span{{0, 257}}, [3]uint32{2, 1, 1}, 0},
		{one, 1, []Span{{0, 1000}}, [3]uint32{4, 1, 1}, 0},
		{one, 4, []Span{{0, 1024}}, [3]uint32{1, 1, 1}, 0},
		{one, 4, []Span{{0, 1025}}, [3]uint32{2, 1, 1}, 0},
		{one, 0, []Span{{-5, 252}}, [3]uint32{2, 1, 1}, 0},
		{one, 1, []Span{{10, 20}}, [3]uint32{1, 1, 1}, 0},
		{flat, 1, []Span{{0, 100}, {0, 33}}, [3]uint32{2, 13, 1}, 0},
		{flat, 2, []Span{{0, 100}, {0, 65}}, [3]uint32{2, 13, 1}, 0},
		{[3]uint32{1, 1, 1}, 1, []Span{{0, 65535}, {0, 1}}, [3]uint32{1, 65535, 1}, 0},
		{[3]uint32{1, 1, 1}, 1, []Span{{0, 65536}, {0, 1}}, [3]uint32{1, 65535, 1}, 0},
		{[3]uint32{1, 1, 1}, 1, []Span{{0, 1 << 40}, {0, 1}}, [3]uint32{1, 65535, 1}, 0},
		{cube, 1, []Span{{0, 1 << 20}, {0, 1 << 20}, {0, 9}}, [3]uint32{2, 65535, 65535}, 0},
		{cube, 1, []Span{{0, 5}, {0, 9}, {0, 9}}, [3]uint32{2, 2, 2}, 0},
		{one, 1, []Span{{0, 256 * math.MaxInt32}}, [3]uint32{math.MaxInt32, 1, 1}, 0},
		{one, 1, []Span{{0, 256*math.MaxInt32 + 1}}, [3]uint32{}, math.MaxInt32},
		{one, 1, []Span{{math.MinInt, math.MaxInt}}, [3]uint32{}, math.MaxInt},
		{[3]uint32{1025, 1, 1}, 1, []Span{{0, 1}}, [3]uint32{}, 1024},
		{[3]uint32{32, 32, 2}, 1, []Span{{0, 1}, {0, 1}, {0, 1}}, [3]uint32{}, 1024},
	} {
		r.grids = nil
		err := kernel(len(c.spans), c.block, c.per).Begin(s).Points(c.spans...)
		if c.max != 0 {
			var e *LaunchError
			if !errors.As(err, &e) || e.Kernel != "K" || e.Max != c.max || e.Want < e.Max || len(r.grids) != 0 {
				t.Errorf("%v of %v: %v", c.spans, c.block, err)
			}
			continue
		}
		if err != nil || len(r.grids) != 1 || r.grids[0].Blocks != c.blocks {
			t.Errorf("%v of %v: %v, %+v, want %v", c.spans, c.block, err, r.grids, c.blocks)
		}
	}
	for _, spans := range [][]Span{{{0, 0}}, {{5, 5}}, {{3, -3}}, {{math.MaxInt, math.MinInt}}, {{0, 3}, {0, 0}}, {{0, -1}, {0, 1 << 60}}} {
		r.grids = nil
		if err := kernel(len(spans), one, 1).Begin(s).Points(spans...); err != nil || len(r.grids) != 0 {
			t.Errorf("the empty domain %v: %v, %v", spans, err, r.grids)
		}
	}
}

// In a kernel of blocks a domain counts blocks of exactly Block threads, whatever Per says.
func TestGridsOfBlocks(t *testing.T) {
	r, _, s := record(t)
	for _, c := range []struct {
		block  [3]uint32
		spans  []Span
		blocks [3]uint32
		max    int // of a *LaunchError
	}{
		{[3]uint32{256, 1, 1}, []Span{{0, 1}}, [3]uint32{1, 1, 1}, 0},
		{[3]uint32{256, 1, 1}, []Span{{0, 1000}}, [3]uint32{1000, 1, 1}, 0},
		{[3]uint32{256, 1, 1}, []Span{{-5, 252}}, [3]uint32{257, 1, 1}, 0},
		{[3]uint32{16, 16, 1}, []Span{{0, 3}, {0, 5}}, [3]uint32{5, 3, 1}, 0},
		{[3]uint32{16, 16, 1}, []Span{{2, 3}}, [3]uint32{1, 1, 1}, 0}, // one dim of blocks, two of threads
		{[3]uint32{64, 1, 1}, []Span{{0, 2}, {0, 3}, {0, 4}}, [3]uint32{4, 3, 2}, 0},
		{[3]uint32{8, 8, 4}, []Span{{0, 65535}, {0, 65536}, {0, 9}}, [3]uint32{9, 65535, 65535}, 0},
		{[3]uint32{1, 1, 1}, []Span{{0, 1 << 40}, {0, 1}}, [3]uint32{1, 65535, 1}, 0},
		{[3]uint32{1, 1, 1}, []Span{{0, math.MaxInt32}}, [3]uint32{math.MaxInt32, 1, 1}, 0},
		{[3]uint32{256, 1, 1}, []Span{{0, math.MaxInt32}}, [3]uint32{math.MaxInt32, 1, 1}, 0},
		{[3]uint32{1, 1, 1}, []Span{{0, math.MaxInt32 + 1}}, [3]uint32{}, math.MaxInt32},
		{[3]uint32{1, 1, 1}, []Span{{math.MinInt, math.MaxInt}}, [3]uint32{}, math.MaxInt},
		{[3]uint32{1025, 1, 1}, []Span{{0, 1}}, [3]uint32{}, 1024},
	} {
		r.grids = nil
		k := kernel(len(c.spans), c.block, 4)
		k.Group = true
		err := k.Begin(s).Points(c.spans...)
		if c.max != 0 {
			var e *LaunchError
			if !errors.As(err, &e) || e.Max != c.max || e.Want < e.Max || len(r.grids) != 0 {
				t.Errorf("%v of %v: %v", c.spans, c.block, err)
			}
			continue
		}
		if err != nil || len(r.grids) != 1 || r.grids[0].Blocks != c.blocks || r.grids[0].Threads != c.block {
			t.Errorf("%v of %v: %v, %+v, want %v", c.spans, c.block, err, r.grids, c.blocks)
		}
	}
	k := kernel(2, [3]uint32{16, 16, 1}, 1)
	k.Group = true
	if err := k.Begin(s).Points(Span{0, 3}, Span{4, 4}); err != nil || len(r.grids) != 0 {
		t.Errorf("no blocks: %v, %v", err, r.grids)
	}
}

// A `by block` kernel has any number of points: beyond a grid its wide variant strides.
func TestGridsByBlock(t *testing.T) {
	r, _, s := record(t)
	for _, c := range []struct {
		spans  []Span
		blocks [3]uint32
	}{
		{[]Span{{3, 1000}}, [3]uint32{997, 1, 1}},
		{[]Span{{0, math.MaxInt32}}, [3]uint32{math.MaxInt32, 1, 1}},
		{[]Span{{0, math.MaxInt32 + 1}}, [3]uint32{math.MaxInt32, 1, 1}},
		{[]Span{{0, 1 << 40}, {0, 1 << 40}}, [3]uint32{math.MaxInt32, 65535, 1}},
	} {
		r.grids = nil
		k := kernel(len(c.spans), [3]uint32{256, 1, 1}, 1)
		k.Group, k.ByBlock = true, true
		err := k.Begin(s).Points(c.spans...)
		if err != nil || len(r.grids) != 1 || r.grids[0].Blocks != c.blocks {
			t.Errorf("%v: %v, %+v, want %v", c.spans, err, r.grids, c.blocks)
		}
		if wide := r.entries[len(r.entries)-1] == "launch k_wide"; wide != (c.blocks[0] == math.MaxInt32) {
			t.Errorf("%v: wide is %v", c.spans, wide)
		}
	}
}

// The threads of all blocks along x stay under the bound of a narrow kernel.
func TestNarrowBlocks(t *testing.T) {
	r, _, s := record(t)
	for _, c := range []struct {
		block [3]uint32
		spans []Span
		wide  bool
	}{
		{[3]uint32{1, 1, 1}, []Span{{0, narrow - 1}}, false},
		{[3]uint32{1, 1, 1}, []Span{{0, narrow}}, true},
		{[3]uint32{256, 1, 1}, []Span{{0, (narrow - 1) / 256}}, false},
		{[3]uint32{256, 1, 1}, []Span{{0, (narrow-1)/256 + 1}}, true},
		{[3]uint32{256, 1, 1}, []Span{{100, (narrow-1)/256 + 100}}, false},
		{[3]uint32{16, 16, 1}, []Span{{0, narrow - 1}, {0, 5}}, false}, // y has no threads beyond a block's
		{[3]uint32{16, 16, 1}, []Span{{0, narrow}, {0, 5}}, true},
	} {
		k := kernel(len(c.spans), c.block, 1)
		k.Group = true
		if err := k.Begin(s).Points(c.spans...); err != nil {
			t.Fatal(err)
		}
		if got := r.entries[len(r.entries)-1] == "launch k_wide"; got != c.wide {
			t.Errorf("%v of %v: wide is %v", c.spans, c.block, got)
		}
	}
}

// A launch is narrow only if every view, extent and end of a span is under the bound.
func TestNarrowAndWide(t *testing.T) {
	r, _, s := record(t)
	small := must(Alloc[uint8](s, 8)).View()
	large := must(Alloc[uint8](s, 1<<31+16)).View()
	edge := must(Alloc[uint8](s, narrow)).View()
	under := must(Alloc[float64](s, narrow-1)).View() // counts in elements, not in bytes
	for _, c := range []struct {
		v      View
		extent int
		span   Span
		wide   bool
	}{
		{small, 8, Span{0, 8}, false}, {large, 8, Span{0, 8}, true}, {edge, 8, Span{0, 8}, true}, {under, 8, Span{0, 8}, false},
		{small, narrow - 1, Span{0, 8}, false}, {small, narrow, Span{0, 8}, true}, {small, 1 << 40, Span{0, 8}, true},
		{small, 8, Span{0, narrow}, true}, {small, 8, Span{narrow - 2, narrow - 1}, false}, {small, 8, Span{-narrow, 8}, true},
		{small, 8, Span{-narrow + 1, -narrow + 2}, false},
	} {
		r.entries = nil
		l := kernel(1, [3]uint32{256, 1, 1}, 1).Begin(s)
		l.Write("v", c.v)
		l.Extent(c.extent)
		l.Int(1 << 50) // decides nothing
		if err := l.Points(c.span); err != nil {
			t.Fatal(err)
		}
		entry := "launch k"
		if c.wide {
			entry = "launch k_wide"
		}
		if r.entries[len(r.entries)-1] != entry {
			t.Errorf("%+v: %v, want %v", c, r.entries, entry)
		}
	}
}

// Each slot is aligned as C aligns it, and 8 bytes for views and ints.
func TestSlots(t *testing.T) {
	r, _, s := record(t)
	b := must(Alloc[float32](s, 100))
	l := kernel(1, [3]uint32{1, 1, 1}, 1).Begin(s)
	Value(l, int8(1))
	Value(l, 2.5)
	Value(l, int8(3))
	Value(l, uint16(4))
	Value(l, [3]float32{5, 6, 7})
	Value(l, true)
	l.Write("b", b.Slice(3, 4).View())
	Value(l, struct {
		A bool
		B int32
		C int16
	}{true, 1, 2})
	l.Int(-1)
	l.Extent(100)
	if err := l.Points(Span{0, 1}); err != nil {
		t.Fatal(err)
	}
	want := []int{0, 8, 16, 18, 20, 32, 40, 48, 64, 72}
	for i, off := range want {
		if r.sizes[i] != off {
			t.Fatalf("offsets %v, want %v", r.sizes, want)
		}
	}
	if r.args[0][0] != 1 || r.args[2][0] != 3 || r.args[3][0] != 4 || r.args[5][0] != 1 || r.args[6][0] != 12 || r.args[8][0] != 255 || r.args[9][0] != 100 {
		t.Errorf("bytes %v", r.args)
	}
	// Exactly 4,096 bytes fit.
	l = kernel(1, [3]uint32{1, 1, 1}, 1).Begin(s)
	Value(l, [1023]float32{})
	Value(l, int32(1))
	if err := l.Points(Span{0, 1}); err != nil {
		t.Error(err)
	}
	l = kernel(1, [3]uint32{1, 1, 1}, 1).Begin(s)
	Value(l, [1024]float32{})
	Value(l, int8(1))
	var e *LaunchError
	if err := l.Points(Span{0, 1}); !errors.As(err, &e) || e.Max != 4096 {
		t.Error(err)
	}
	l = kernel(1, [3]uint32{1, 1, 1}, 1).Begin(s)
	for range maxViews + 1 {
		l.Read("v", b.View())
	}
	if err := l.Points(Span{0, 1}); !errors.As(err, &e) {
		t.Error(err)
	}
}

func TestHeaderArithmetic(t *testing.T) {
	_, _, s := record(t)
	const big, low = math.MaxInt, math.MinInt
	for _, c := range []struct {
		name string
		f    func(l *Launch) int
		want int
		ok   bool
	}{
		{"add", func(l *Launch) int { return l.Add(2, -3) }, -1, true},
		{"add", func(l *Launch) int { return l.Add(big, 0) }, big, true},
		{"add", func(l *Launch) int { return l.Add(big, 1) }, 0, false},
		{"add", func(l *Launch) int { return l.Add(low, -1) }, 0, false},
		{"sub", func(l *Launch) int { return l.Sub(2, 3) }, -1, true},
		{"sub", func(l *Launch) int { return l.Sub(low, 0) }, low, true},
		{"sub", func(l *Launch) int { return l.Sub(-1, low) }, big, true},
		{"sub", func(l *Launch) int { return l.Sub(low, 1) }, 0, false},
		{"sub", func(l *Launch) int { return l.Sub(0, low) }, 0, false},
		{"mul", func(l *Launch) int { return l.Mul(-3, 4) }, -12, true},
		{"mul", func(l *Launch) int { return l.Mul(low, 1) }, low, true},
		{"mul", func(l *Launch) int { return l.Mul(1<<31, -(1 << 32)) }, low, true},
		{"mul", func(l *Launch) int { return l.Mul(low, -1) }, 0, false},
		{"mul", func(l *Launch) int { return l.Mul(1<<31, 1<<32) }, 0, false},
		{"mul", func(l *Launch) int { return l.Mul(big, big) }, 0, false},
		{"mul", func(l *Launch) int { return l.Mul(0, low) }, 0, true},
		{"neg", func(l *Launch) int { return l.Neg(5) }, -5, true},
		{"neg", func(l *Launch) int { return l.Neg(low) }, 0, false},
		{"div", func(l *Launch) int { return l.Div(-7, 2) }, -3, true},
		{"div", func(l *Launch) int { return l.Div(7, -1) }, -7, true},
		{"div", func(l *Launch) int { return l.Div(low, -1) }, 0, false},
		{"div", func(l *Launch) int { return l.Div(7, 0) }, 0, false},
		{"mod", func(l *Launch) int { return l.Mod(-7, 2) }, -1, true},
		{"mod", func(l *Launch) int { return l.Mod(low, -1) }, 0, true},
		{"mod", func(l *Launch) int { return l.Mod(7, 0) }, 0, false},
		{"ceildiv", func(l *Launch) int { return l.CeilDiv(7, 2) }, 4, true},
		{"ceildiv", func(l *Launch) int { return l.CeilDiv(8, 2) }, 4, true},
		{"ceildiv", func(l *Launch) int { return l.CeilDiv(0, 2) }, 0, true},
		{"ceildiv", func(l *Launch) int { return l.CeilDiv(-7, 2) }, -3, true},
		{"ceildiv", func(l *Launch) int { return l.CeilDiv(big, 2) }, 1 << 62, true},
		{"ceildiv", func(l *Launch) int { return l.CeilDiv(7, 0) }, 0, false},
		{"ceildiv", func(l *Launch) int { return l.CeilDiv(7, -2) }, 0, false},
		{"min", func(l *Launch) int { return l.Min(low, 3) }, low, true},
		{"max", func(l *Launch) int { return l.Max(low, 3) }, 3, true},
	} {
		l := kernel(1, [3]uint32{1, 1, 1}, 1).Begin(s)
		got := c.f(l)
		l.Add(big, 1) // the first error sticks
		first := l.err.(*ContractError).Text
		err := l.Points(Span{0, 1})
		if wrong := !strings.Contains(first, "+ 1"); got != c.want || err == nil || c.ok && wrong {
			t.Errorf("%s: %d, %v, want %d %v", c.name, got, err, c.want, c.ok)
		}
		l = kernel(1, [3]uint32{1, 1, 1}, 1).Begin(s)
		c.f(l)
		var e *ContractError
		if err := l.Points(Span{0, 1}); (err == nil) != c.ok || !c.ok && !errors.As(err, &e) {
			t.Errorf("%s: %v, want ok %v", c.name, err, c.ok)
		}
	}
}

// A kernel is loaded once a device and form, and each device has its own.
func TestLoadsAreCached(t *testing.T) {
	r1, d1, s1 := record(t)
	r2, d2, s2 := record(t)
	k := kernel(1, [3]uint32{256, 1, 1}, 1)
	for range 3 {
		for _, s := range []*Stream{s1, s2} {
			must(0, k.Begin(s).Points(Span{0, 1}))
			must(0, k.Begin(s).Points(Span{0, narrow}))
		}
	}
	loads := func(r *recorder) (n int) {
		for _, e := range r.entries {
			if !strings.HasPrefix(e, "launch") {
				n++
			}
		}
		return n
	}
	if loads(r1) != 2 || loads(r2) != 2 {
		t.Errorf("%v, %v", r1.entries, r2.entries)
	}
	must(0, d1.c.shut())
	_, d3, s3 := record(t)
	must(0, k.Begin(s3).Points(Span{0, 1}))
	if list := *k.cache.Load(); len(list) != 3 {
		t.Errorf("%d entries; the closed device's must go", len(list))
	}
	must(0, d2.c.shut())
	must(0, d3.c.shut())
}

func TestLoadErrors(t *testing.T) {
	r, _, s := record(t)
	r.loadErr = &driver.LoadFailure{Arch: "sm_75", Driver: "CUDA 12.4", Tried: []driver.Attempt{
		{Artifact: "cubin sm_70", Err: &driver.Fault{Op: "cuModuleLoadDataEx", Code: 209, Name: "CUDA_ERROR_NO_BINARY_FOR_GPU"}},
		{Artifact: "PTX 99.0 for sm_75", Err: driver.ErrPTXTooNew},
		{Artifact: "CUDA C through NVRTC", Err: &driver.CompileFailure{Source: "x", Log: "x.cu(1): error"}},
	}}
	k := kernel(1, [3]uint32{256, 1, 1}, 1)
	err := k.Begin(s).Points(Span{0, 1})
	var e *LoadError
	var c *CompileError
	if !errors.As(err, &e) || len(e.Tried) != 3 || e.Kernel != "K" || e.Arch != "sm_75" || !errors.Is(err, ErrPTXTooNew) || !errors.As(err, &c) || c.Kernel != "K" {
		t.Errorf("%#v", err)
	}
	for _, part := range []string{"sm_75", "CUDA 12.4", "cubin sm_70", "PTX 99.0", "x.cu(1): error"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q lacks %q", err, part)
		}
	}
	r.loadErr = nil
	if err := k.Begin(s).Points(Span{0, 1}); err != nil {
		t.Errorf("a failed load was kept: %v", err)
	}
}

func TestFaults(t *testing.T) {
	r, d, s := record(t)
	b := must(Alloc[float32](s, 4))
	e := must(d.NewEvent())
	k, other := kernel(1, [3]uint32{256, 1, 1}, 1), kernel(1, [3]uint32{256, 1, 1}, 1)
	other.Name = "Other"
	must(0, other.Begin(s).Points(Span{0, 1}))
	must(0, s.Sync())
	for range 40 {
		must(0, k.Begin(s).Points(Span{0, 1}))
	}
	must(0, other.Begin(s).Points(Span{0, 1}))

	// A refused call is not the end of the device.
	r.launchErr = &driver.Fault{Op: "cuLaunchKernel", Code: 701, Name: "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"}
	err := k.Begin(s).Points(Span{0, 1})
	var de *DeviceError
	if !errors.As(err, &de) || de.Code != 701 || de.Op != "K" || de.Lost || errors.Is(err, ErrDeviceLost) {
		t.Fatalf("%#v", err)
	}
	r.launchErr = nil
	r.allocErr = &driver.OutOfMemory{Requested: 8, Available: 4}
	var ae *AllocError
	if _, err := Alloc[float64](s, 1); !errors.As(err, &ae) || ae.Requested != 8 || ae.Available != 4 {
		t.Error(err)
	}

	r.syncErr = &driver.Fault{Op: "cuStreamSynchronize", Code: 700, Name: "CUDA_ERROR_ILLEGAL_ADDRESS", Message: "an illegal address", Sticky: true}
	err = s.Sync()
	if !errors.As(err, &de) || !errors.Is(err, ErrDeviceLost) || de.Op != "Sync" || len(de.Launches) != 32 || de.Launches[30] != "Other" || de.Launches[31] != "K" {
		t.Fatalf("%#v", err)
	}
	r.syncErr = nil
	_, err2 := Alloc[float32](s, 1)
	_, err3 := d.NewStream()
	for i, err := range []error{s.Sync(), err2, err3, k.Begin(s).Points(Span{0, 1}), b.Upload(s, make([]float32, 4)), b.Download(s, make([]float32, 4)), e.Sync()} {
		if !errors.Is(err, ErrDeviceLost) {
			t.Errorf("call %d after the fault: %v", i, err)
		}
	}
	// Nothing of it is touched any more.
	if err := b.Free(); err != nil {
		t.Error(err)
	}
	if err := d.c.shut(); err != nil || !r.lost {
		t.Errorf("close of a lost device: %v, lost %v", err, r.lost)
	}
	if len(r.memory) != 1 {
		t.Error("memory of a lost device was freed through it")
	}
	_ = e.Close()
}

// Closing frees everything once; ordering costs nothing with one stream and one wait a dependency with more.
func TestDriverCalls(t *testing.T) {
	r, d, s := record(t)
	a, b := must(Alloc[float32](s, 4)), must(Alloc[float32](s, 4, Uninitialized()))
	if len(r.log) != 1 || r.log[0] != "zero" {
		t.Errorf("zeroing: %v", r.log)
	}
	k := kernel(1, [3]uint32{256, 1, 1}, 1)
	run := func(s *Stream) int {
		t.Helper()
		r.log = nil
		l := k.Begin(s)
		l.Read("a", a.View())
		l.Write("b", b.View())
		must(0, l.Points(Span{0, 4}))
		return len(r.log)
	}
	s2, s3 := must(d.NewStream()), must(d.NewStream())
	for i, c := range []struct {
		s     *Stream
		waits int
	}{{s, 0}, {s, 0}, {s2, 2}, {s2, 0}, {s3, 2}, {s3, 0}, {s, 1}} {
		if n := run(c.s); n != c.waits {
			t.Errorf("launch %d waits %d times, want %d", i, n, c.waits)
		}
	}
	run(s2)
	must(0, s2.Close())
	if n := run(s3); n != 0 {
		t.Errorf("a closed stream is waited for: %d", n)
	}
	must(0, a.Free())
	must(0, d.c.shut())
	if len(r.memory) != 0 || r.log[len(r.log)-1] != "close" || r.lost {
		t.Errorf("left: %v, %v", r.memory, r.log)
	}
	must(0, b.Free())
}

// Free waits for every stream that uses the memory, and for no other; the device gets the memory back once (B28).
func TestFreeWaitsForUses(t *testing.T) {
	r, d, s := record(t)
	k := kernel(1, [3]uint32{256, 1, 1}, 1)
	read, write := must(d.NewStream()), must(d.NewStream(Unordered()))
	b, other := must(Alloc[float32](s, 4, Uninitialized())), must(Alloc[float32](s, 4, Uninitialized()))
	for s, write := range map[*Stream]bool{read: false, write: true} {
		l := k.Begin(s)
		if write {
			l.Write("b", b.View())
		} else {
			l.Read("b", b.View())
		}
		must(0, l.Points(Span{0, 4}))
	}
	r.log = nil
	must(0, b.Free())
	if got := strings.Join(r.log, " "); got != "drain drain free" {
		t.Errorf("memory that two streams use: %s", got)
	}
	r.log = nil
	must(0, b.Free())
	must(0, other.Free())
	if got := strings.Join(r.log, " "); got != "free" {
		t.Errorf("memory that nobody uses: %s", got)
	}
	must(0, d.c.shut())
	must(0, other.Free())
	if len(r.memory) != 0 {
		t.Errorf("left: %v", r.memory)
	}
}
