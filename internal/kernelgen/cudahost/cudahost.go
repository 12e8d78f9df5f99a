// Package cudahost turns CUDA C text into results without a GPU: clang builds it as C++ over a small header that says
// what CUDA's intrinsics and the PTX instructions of the prelude do, and a driver runs the blocks one after the other,
// their threads as fibers where they meet at barriers, under the address and undefined-behaviour sanitizers.
//
// The random tests of the root package call it; it imports nothing of ours. It finds what is printed wrong and what is
// undefined; what a GPU does beside that it cannot say: table functions are the C library's, and races are left to hostrun and the
// interpreter.
package cudahost

import (
	"bytes"
	"context"
	"embed"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

//go:embed driver/shim.h
var shim string

//go:embed driver/driver.c driver/block.c
var driver embed.FS

// Program is CUDA C compiled for this machine. It runs one kernel at a time.
type Program struct {
	dir     string
	entries map[string]int

	process *exec.Cmd // answers launches until one ends it
	in      io.WriteCloser
	out     io.Reader
	log     bytes.Buffer
}

// Arg is an argument of a launch, in the order of the kernel's parameters.
type Arg struct {
	Data   []byte // of a scalar, or the memory of a view, which the run changes
	View   bool
	Part   bool // a part of the memory of an earlier argument
	Of     int  // its number
	Offset int64
}

// asm is an instruction of the prelude as it is written there: with one or two operands, or one and constants.
var asm = regexp.MustCompile(`asm\("([\w.]+) %0, %1(?:, %2)?((?:, \d+)*);" : "=\w"\((\w+)\) : (.*)\);`)

var (
	operand = regexp.MustCompile(`"\w"\((\w+)\)`)
	entry   = regexp.MustCompile(`extern "C" __global__ void(?: __launch_bounds__\(\d+\))?\s+(\w+)\(`)
)

// Build compiles text with the given clang. Close frees what it made.
func Build(ctx context.Context, clang, text string) (*Program, error) {
	text = asm.ReplaceAllStringFunc(text, func(s string) string {
		m := asm.FindStringSubmatch(s)
		return m[3] + " = ptx_" + strings.ReplaceAll(m[1], ".", "_") + "(" + operand.ReplaceAllString(m[4], "$1") + m[2] + ");"
	})
	dir, err := os.MkdirTemp("", "cudahost")
	if err != nil {
		return nil, fmt.Errorf("cudahost: %w", err)
	}
	p := &Program{dir: dir, entries: map[string]int{}}
	var calls strings.Builder
	found := entry.FindAllStringSubmatchIndex(text, -1)
	for i, m := range found {
		name, body := text[m[2]:m[3]], text[m[1]:]
		if i+1 < len(found) {
			body = text[m[1]:found[i+1][0]]
		}
		waits := 0
		if strings.Contains(body, "__syncthreads(") || strings.Contains(body, "_sync(0x") {
			waits = 1
		}
		p.entries[name] = i
		fmt.Fprintf(&calls, "extern \"C\" void hh_%d(void** a, const unsigned int* grid, const unsigned int* block) { hh_grid(&%s, a, grid, block, %d); }\n", i, name, waits)
	}
	source := map[string]string{
		"kernels.cc": shim + "#line 1 \"kernels.cu\"\n" + text + calls.String(),
		"table.c":    table(len(p.entries)),
	}
	for _, name := range []string{"driver.c", "block.c"} {
		data, err := driver.ReadFile("driver/" + name)
		if err != nil {
			p.Close()
			return nil, fmt.Errorf("cudahost: %w", err)
		}
		source[name] = string(data)
	}
	for name, data := range source {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644); err != nil {
			p.Close()
			return nil, fmt.Errorf("cudahost: %w", err)
		}
	}
	const sanitize = "-fsanitize=address,undefined"
	for _, args := range [][]string{
		// CUDA shifts negative numbers left as C++20 does.
		{"-x", "c++", "-std=c++17", "-O0", "-w", "-fno-exceptions", "-fno-rtti", "-ffp-contract=off", sanitize, "-fno-sanitize=shift-base,vptr", "-fno-sanitize-recover=all", "-c", "kernels.cc", "-o", "kernels.o"},
		{"-O1", "-w", sanitize, "table.c", "driver.c", "block.c", "kernels.o", "-lm", "-o", "program"},
	} {
		c := exec.CommandContext(ctx, clang, args...)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			p.Close()
			return nil, fmt.Errorf("cudahost: clang: %w\n%s", err, out)
		}
	}
	return p, nil
}

// table is the table of the entries.
func table(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "void hh_%d(void**, const unsigned*, const unsigned*);\n", i)
	}
	b.WriteString("void (*const hh_entries[])(void**, const unsigned*, const unsigned*) = {")
	for i := range n {
		fmt.Fprintf(&b, "hh_%d, ", i)
	}
	b.WriteString("0};\n")
	return b.String()
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

// Run launches a kernel and waits for its end. What a sanitizer finds is an error.
func (p *Program) Run(ctx context.Context, name string, grid, block [3]uint32, args []Arg) error {
	kernel, ok := p.entries[name]
	if !ok {
		return fmt.Errorf("cudahost: there is no kernel %s", name)
	}
	var in bytes.Buffer
	words := func(list ...uint64) {
		for _, v := range list {
			in.Write(binary.LittleEndian.AppendUint64(nil, v))
		}
	}
	words(uint64(kernel), uint64(grid[0]), uint64(grid[1]), uint64(grid[2]), uint64(block[0]), uint64(block[1]), uint64(block[2]), uint64(len(args)))
	for _, a := range args {
		switch {
		case a.Part:
			words(2, 0, uint64(a.Of), uint64(a.Offset))
		case a.View:
			words(1, uint64(len(a.Data)))
			in.Write(a.Data)
		default:
			words(0, uint64(len(a.Data)))
			in.Write(a.Data)
		}
	}
	if err := p.start(); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { p.process.Process.Kill() })
	defer stop()
	_, err := p.in.Write(in.Bytes())
	for _, a := range args {
		if err == nil && a.View && !a.Part {
			_, err = io.ReadFull(p.out, a.Data)
		}
	}
	if err != nil {
		p.in.Close()
		p.process.Wait()
		p.process = nil
		return fmt.Errorf("cudahost: kernel %s: %w: %s", name, err, strings.TrimSpace(p.log.String()))
	}
	return nil
}

// start starts the program's process unless it is there.
func (p *Program) start() error {
	if p.process != nil {
		return nil
	}
	c := exec.Command(filepath.Join(p.dir, "program"))
	c.Env = append(os.Environ(), "ASAN_OPTIONS=detect_leaks=0")
	p.log.Reset()
	c.Stderr = &p.log
	in, err := c.StdinPipe()
	if err != nil {
		return fmt.Errorf("cudahost: %w", err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return fmt.Errorf("cudahost: %w", err)
	}
	if err := c.Start(); err != nil {
		return fmt.Errorf("cudahost: %w", err)
	}
	p.process, p.in, p.out = c, in, out
	return nil
}
