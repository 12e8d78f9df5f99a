package hostrun

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Program is Metal text compiled for this machine. It runs one kernel at a time.
type Program struct {
	dir       string
	runner    string
	sanitizer Sanitizer
	kernels   []Kernel
	image     *image
	plain     int // 1 where nothing in the text is a barrier

	process *exec.Cmd // answers launches until one ends it
	in      io.WriteCloser
	out     io.Reader
	log     bytes.Buffer
}

// Order is the order in which the threads of a threadgroup run between two barriers, and the threadgroups of a grid.
type Order int

// The orders.
const (
	Forward Order = iota
	Reverse
	Random // by the launch's Seed, another one behind each barrier
)

// Launch is one run of a kernel: threadgroups, threads in each, and the memory behind each buffer index, which the run
// changes.
type Launch struct {
	Grid, Block [3]int
	Buffers     map[int][]byte
	Order       Order
	Seed        uint64

	drop int // the line whose barriers are left out
}

// Kernels lists the kernels of the text.
func (p *Program) Kernels() []Kernel { return p.kernels }

// kernel is the index of a kernel, -1 for none of that name.
func (p *Program) kernel(name string) int {
	return slices.IndexFunc(p.kernels, func(k Kernel) bool { return k.Name == name })
}

// Close ends and removes the program.
func (p *Program) Close() error {
	if p.process != nil {
		p.in.Close()
		p.process.Wait()
		p.process = nil
	}
	return os.RemoveAll(p.dir)
}

// maxGroups bounds a grid: a test that wants more is a mistake.
const maxGroups = 1 << 24

// check reports what a device would refuse at the launch.
func (l Launch) check(k Kernel) error {
	groups, threads := 1, 1
	for d := range 3 {
		if l.Grid[d] < 1 || l.Block[d] < 1 || l.Grid[d] > maxGroups || l.Block[d] > 1024 {
			return fmt.Errorf("hostrun: kernel %s: a grid of %v threadgroups of %v threads", k.Name, l.Grid, l.Block)
		}
		groups, threads = groups*l.Grid[d], threads*l.Block[d]
	}
	limit := k.Threads
	if limit == 0 {
		limit = 1024
	}
	if threads > limit {
		return fmt.Errorf("hostrun: kernel %s: %d threads a threadgroup, %d are allowed", k.Name, threads, limit)
	}
	if groups > maxGroups {
		return fmt.Errorf("hostrun: kernel %s: %d threadgroups", k.Name, groups)
	}
	for _, b := range k.Buffers {
		if _, ok := l.Buffers[b.Index]; !ok {
			return fmt.Errorf("hostrun: kernel %s: nothing is bound to %s at buffer index %d", k.Name, b.Name, b.Index)
		}
	}
	return nil
}

// unit is the size of the scalars that a type is made of, 1 for those of several sizes.
func unit(typ string) int {
	scalar, _, _ := strings.Cut(typ, "[")
	return max(sizes[scalar], 1)
}

// request spells a launch out for the runner, and gives the buffers in the order in which they come back.
func (p *Program) request(kernel int, l Launch) (in []byte, order [][]byte) {
	k := p.kernels[kernel]
	word := func(v int) { in = binary.LittleEndian.AppendUint64(in, uint64(v)) }
	word(kernel)
	for _, v := range append(l.Grid[:], l.Block[:]...) {
		word(v)
	}
	word(int(l.Order))
	word(int(l.Seed))
	word(l.drop)
	word(p.plain)
	word(len(k.Threadgroup))
	word(len(l.Buffers))
	for _, v := range k.Threadgroup {
		at, ok := p.image.variable(k.Name, v.Name)
		if !ok {
			v.Size = 0 // nothing mentions it
		}
		word(int(at))
		word(v.Size)
		word(unit(v.Type))
	}
	for i := range variables {
		if b, ok := l.Buffers[i]; ok {
			element := ""
			if at := slices.IndexFunc(k.Buffers, func(b Binding) bool { return b.Index == i }); at >= 0 {
				element = k.Buffers[at].Type
			}
			word(i)
			word(len(b))
			word(unit(element))
			in = append(in, b...)
			order = append(order, b)
		}
	}
	return in, order
}

// Run runs a kernel to its end. What it does that Metal leaves undefined is a *Fault; the buffers then hold nothing of
// use.
func (p *Program) Run(ctx context.Context, name string, l Launch) error {
	kernel := p.kernel(name)
	if kernel < 0 {
		return fmt.Errorf("hostrun: there is no kernel %s", name)
	}
	if err := l.check(p.kernels[kernel]); err != nil {
		return err
	}
	in, order := p.request(kernel, l)
	if err := p.start(); err != nil {
		return err
	}
	process := p.process.Process
	stop := context.AfterFunc(ctx, func() { process.Kill() })
	defer stop()
	_, err := p.in.Write(in)
	for _, b := range order {
		if err == nil {
			_, err = io.ReadFull(p.out, b)
		}
	}
	if err == nil {
		return nil
	}
	p.in.Close()
	end := p.process.Wait()
	p.process = nil
	if ctx.Err() != nil {
		return fmt.Errorf("hostrun: kernel %s: %w", name, ctx.Err())
	}
	if exit := (*exec.ExitError)(nil); end != nil && !errors.As(end, &exit) {
		return fmt.Errorf("hostrun: kernel %s: %w", name, end)
	}
	return p.fault(p.kernels[kernel], p.log.String(), end)
}

// start starts the program's process unless it is there. Sanitizers print addresses; lines are found here, where no
// other program is needed for it.
func (p *Program) start() error {
	if p.process != nil {
		return nil
	}
	c := exec.Command(p.runner, filepath.Join(p.dir, library))
	const common = "symbolize=0:print_stacktrace=0:abort_on_error=0"
	c.Env = append(os.Environ(), "UBSAN_OPTIONS="+common, "ASAN_OPTIONS="+common+":detect_leaks=0", "TSAN_OPTIONS="+common+":halt_on_error=1:history_size=4")
	p.log.Reset()
	c.Stderr = &p.log
	c.WaitDelay = time.Second
	in, err := c.StdinPipe()
	if err != nil {
		return fmt.Errorf("hostrun: %w", err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return fmt.Errorf("hostrun: %w", err)
	}
	if err := c.Start(); err != nil {
		return fmt.Errorf("hostrun: %w", err)
	}
	p.process, p.in, p.out = c, in, out
	return nil
}
