package gpu

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unsafe"

	"github.com/gpugen/gpugen/runtime/internal/driver"
)

// recordBytes is the size of a stream's record, header included: some 16,000 prints of two values between two Syncs.
const recordBytes = 1 << 20

// journal is what a stream has for kernels that report or print; it is made with the first launch of one. Launches write to
// the record in use. Whoever collects takes that away first, and the next launch gets another one, so that nothing is
// written to a record while it is read and cleared; collectors come one at a time. core.mu guards the fields.
type journal struct {
	kernels []*Kernel // by their number in what tells a launch
	count   uint32    // launches
	now     driver.Mem
	inUse   bool         // now is a record
	spare   []driver.Mem // records that are clear
	all     []driver.Mem
}

// ready reports whether a record is in use, after it has taken a spare one if there is none. core.mu is held.
func (r *journal) ready() bool {
	if r == nil {
		return false
	}
	if last := len(r.spare) - 1; !r.inUse && last >= 0 {
		r.now, r.spare, r.inUse = r.spare[last], r.spare[:last], true
	}
	return r.inUse
}

// addRecord gives s one more record.
func (s *Stream) addRecord(op string) error {
	if err := s.enter(op); err != nil {
		return err
	}
	defer s.leave()
	c := s.c
	m, zero, err := c.drv.Alloc(recordBytes)
	if err != nil {
		return c.fail(s, op, err)
	}
	if !zero {
		err = s.drv.Zero(m, 0, recordBytes)
	}
	if err == nil {
		err = s.clearHeader(m)
	}
	if err != nil {
		c.drv.Free(m)
		return c.fail(s, op, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.journal == nil {
		s.journal = &journal{}
	}
	s.journal.all = append(s.journal.all, m)
	s.journal.spare = append(s.journal.spare, m)
	return nil
}

// clearHeader makes a record one that nothing is told in.
func (s *Stream) clearHeader(m driver.Mem) error {
	header := &[headerWords]uint32{wordCapacity: recordBytes/4 - headerWords}
	return s.drv.CopyIn(m, 0, unsafe.Pointer(header), headerWords*4)
}

// bindRecord binds the hidden slots of a launch. core.mu is held, and a record is ready.
func (l *Launch) bindRecord() {
	r, k := l.s.journal, l.k
	n := slices.Index(r.kernels, k)
	if n < 0 {
		n = len(r.kernels)
		r.kernels = append(r.kernels, k)
	}
	r.count++
	if l.args.View(r.now, 0, recordBytes, recordBytes/4) {
		Value(l, uint64(n)<<32|uint64(r.count))
	} else {
		l.full()
	}
}

// freeRecords gives the records of a closed stream back.
func (s *Stream) freeRecords() (first error) {
	if s.journal == nil {
		return nil
	}
	for _, m := range s.journal.all {
		if err := s.c.drv.Free(m); first == nil {
			first = err
		}
	}
	s.journal = nil
	return first
}

// collect reads what kernels have told since the last time: it prints what they print, and gives the first test that
// failed. It is called where all work of s is done, by one goroutine at a time.
func (s *Stream) collect(op string) error {
	c := s.c
	c.mu.Lock()
	r := s.journal
	if r == nil || !r.inUse {
		c.mu.Unlock()
		return nil
	}
	m, kernels := r.now, r.kernels
	r.inUse = false
	c.mu.Unlock()

	header, entries, err := s.readRecord(m)
	if err != nil {
		return c.fail(s, op, err)
	}
	c.mu.Lock()
	r.spare = append(r.spare, m)
	c.mu.Unlock()
	err = c.print(printed(entries, kernels), header[wordDropped])
	if header[wordFailed] != 0 {
		return failure(header, kernels)
	}
	return err
}

// readRecord reads a record and clears it.
func (s *Stream) readRecord(m driver.Mem) (*[headerWords]uint32, []uint32, error) {
	header := new([headerWords]uint32)
	read := func(to unsafe.Pointer, off, words int) error {
		err := s.drv.CopyOut(to, m, off, 4*words)
		var t *driver.Trap
		if errors.As(err, &t) { // of a launch that came meanwhile; whoever asks next would miss it
			s.trapped = t
			err = s.drv.CopyOut(to, m, off, 4*words)
		}
		return err
	}
	if err := read(unsafe.Pointer(header), 0, headerWords); err != nil {
		return nil, nil, err
	}
	if header[wordFailed]|header[wordUsed]|header[wordDropped] == 0 {
		return header, nil, nil
	}
	var entries []uint32
	if used := int(min(header[wordUsed], header[wordCapacity])); used > 0 {
		entries = make([]uint32, used)
		if err := read(unsafe.Pointer(&entries[0]), 4*headerWords, used); err != nil {
			return nil, nil, err
		}
		if err := s.drv.Zero(m, 4*headerWords, 4*used); err != nil {
			return nil, nil, err
		}
	}
	return header, entries, s.clearHeader(m)
}

// entry is what one print printed.
type entry struct {
	kernel *Kernel
	launch uint32
	where  [wheres]int64
	site   *Site
	values []uint32
}

// where reads the values that say where.
func where(w []uint32) (at [wheres]int64) {
	for i := range at {
		at[i] = int64(word64(w[2*i:]))
	}
	return at
}

// printed lists the entries of a record: by launch, then by point or thread, each with its own in their order, so that the
// same program prints the same whatever ran first. What is not an entry ends the list: the room of one that did not fit.
func printed(words []uint32, kernels []*Kernel) (out []entry) {
	for len(words) >= entryValues {
		n, launch := words[entryWords], word64(words[entryLaunch:])
		if n < entryValues || int(n) > len(words) || launch>>32 >= uint64(len(kernels)) {
			break
		}
		k := kernels[launch>>32]
		if site := int(words[entrySite]); site < len(k.Sites) {
			out = append(out, entry{k, uint32(launch), where(words[entryWhere:]), &k.Sites[site], words[entryValues:n]})
		}
		words = words[n:]
	}
	slices.SortStableFunc(out, func(a, b entry) int {
		return cmp.Or(cmp.Compare(int32(a.launch-b.launch), 0), slices.Compare(a.where[:], b.where[:]))
	})
	return out
}

// print writes what was printed, and how much of it was lost.
func (c *core) print(list []entry, dropped uint32) error {
	var b bytes.Buffer
	for _, e := range list {
		values := make([]any, 0, len(e.site.Args))
		for i, t := range e.site.Args {
			if 2*i+2 <= len(e.values) {
				values = append(values, value(t, word64(e.values[2*i:])))
			}
		}
		fmt.Fprintf(&b, e.site.Text, values...)
	}
	if dropped > 0 {
		fmt.Fprintf(&b, "gpugen: %d more prints had no room in the buffer of the stream\n", dropped)
	}
	if b.Len() == 0 {
		return nil
	}
	c.printing.Lock()
	defer c.printing.Unlock()
	if _, err := c.out.Write(b.Bytes()); err != nil {
		return fmt.Errorf("gpu: print: %w", err)
	}
	return nil
}

// failure is the failed test of a record.
func failure(header *[headerWords]uint32, kernels []*Kernel) error {
	launch := word64(header[wordLaunch:])
	if launch>>32 >= uint64(len(kernels)) {
		return &TrapError{Kernel: "a kernel", Text: "the record of the stream was overwritten"}
	}
	k := kernels[launch>>32]
	at := where(header[wordWhere:])
	e := &TrapError{Kernel: k.Name, Index: int(int64(word64(header[wordIndex:]))), Extent: int(int64(word64(header[wordExtent:])))}
	for _, i := range at[:min(k.Dims, wheres-1)] {
		e.Point = append(e.Point, int(i))
	}
	if k.Group && !k.ByBlock {
		e.Thread = k.thread(int(at[wheres-1]))
	}
	if int(header[wordSite]) >= len(k.Sites) {
		e.Text = "the record of the stream was overwritten"
		return e
	}
	s := &k.Sites[header[wordSite]]
	e.Pos = Pos{s.File, s.Line, s.Col}
	switch s.Kind {
	case SiteBounds:
		e.Param, e.Dim = s.Param, s.Dim
	case SiteZeroDivisor:
		e.Text = "division by zero"
	case SiteNegativeShift:
		e.Text = fmt.Sprintf("shift by %d", e.Index)
	case SiteAssert:
		e.Text = "assertion failed: " + s.Text
	}
	return e
}

// thread is the index of a thread in its block, the last dim the fastest.
func (k *Kernel) thread(n int) []int {
	dims := 3
	for dims > max(1, k.Threads) && k.Block[dims-1] <= 1 {
		dims--
	}
	at := make([]int, dims)
	for a := range dims {
		size := int(max(1, k.Block[a]))
		at[dims-1-a] = n % size
		n /= size
	}
	return at
}
