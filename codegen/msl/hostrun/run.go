package hostrun

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

//go:embed driver/driver.c
var driver []byte

// Program is Metal text compiled for this machine, with the undefined-behaviour sanitizer in it. Shifts are the one
// gap: OpenCL defines counts over the width, so that a missing guard shows in results alone.
//
// A Program runs one kernel at a time.
type Program struct {
	dir     string
	kernels []Kernel

	process *exec.Cmd // answers launches until one ends it
	in      io.WriteCloser
	out     io.Reader
	log     bytes.Buffer
}

// Launch is one run of a kernel: threadgroups, threads in each, and the memory behind each buffer index, which the run
// changes.
type Launch struct {
	Grid, Block [3]int
	Buffers     map[int][]byte
}

// CanRun reports whether programs can be built here: for this machine's own kind of code.
func CanRun() bool {
	return Clang() != "" && runtime.GOOS == "linux" && (runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64")
}

// Build checks text and compiles it. Close frees what it made.
func Build(ctx context.Context, text string) (*Program, error) {
	kernels, err := Check(ctx, text)
	if err != nil {
		return nil, err
	}
	dir, err := workspace(text)
	if err != nil {
		return nil, err
	}
	p := &Program{dir: dir, kernels: kernels}
	if err := p.compile(ctx); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// Kernels lists the kernels of the text.
func (p *Program) Kernels() []Kernel { return p.kernels }

// Close ends and removes the program.
func (p *Program) Close() error {
	if p.process != nil {
		p.in.Close()
		p.process.Wait()
		p.process = nil
	}
	return os.RemoveAll(p.dir)
}

func (p *Program) compile(ctx context.Context) error {
	glue, table := p.trampolines()
	for name, data := range map[string][]byte{"glue.cl": []byte(glue), "table.c": []byte(table), "driver.c": driver} {
		if err := os.WriteFile(filepath.Join(p.dir, name), data, 0o644); err != nil {
			return fmt.Errorf("hostrun: %w", err)
		}
	}
	const sanitize = "-fsanitize=undefined"
	if _, err := clang(ctx, p.dir, "-w", "-DHOSTRUN_CODEGEN", "-O0", "-g1", "-fPIC", sanitize, "-fno-sanitize-recover=undefined", "-c", "-o", "glue.o", "glue.cl"); err != nil {
		return err
	}
	_, err := tool(ctx, p.dir, "-O1", "-w", sanitize, "-o", "program", "table.c", "driver.c", "glue.o", "-lm")
	return err
}

// trampolines are functions of one shape that call the kernels with the parameters of a call, and the table of them.
func (p *Program) trampolines() (glue, table string) {
	var g, t, list strings.Builder
	g.WriteString("#include \"" + mainFile + "\"\n#undef buffer\n")
	g.WriteString("struct hostrun_call { ulong buffer[31]; uint group[3], member[3], groups[3], block[3]; };\n")
	t.WriteString("struct call;\ntypedef void entry(const struct call*);\n")
	for i, k := range p.kernels {
		var args []string
		for _, b := range k.Buffers {
			space := "__global"
			if b.Constant {
				space = "__constant"
			}
			a := fmt.Sprintf("(%s %s*)c->buffer[%d]", space, b.Type, b.Index)
			if b.Constant && k.Consts != nil {
				a = "*" + a
			}
			args = append(args, a)
		}
		for _, at := range k.Positions {
			args = append(args, positions[at])
		}
		fmt.Fprintf(&g, "extern \"C\" void hostrun_%d(__private const hostrun_call* c) { %s(%s); }\n", i, k.Name, strings.Join(args, ", "))
		fmt.Fprintf(&t, "extern entry hostrun_%d;\n", i)
		fmt.Fprintf(&list, "hostrun_%d, ", i)
	}
	fmt.Fprintf(&t, "entry* const hostrun_entries[] = {%s0};\nconst unsigned long hostrun_count = %d;\n", list.String(), len(p.kernels))
	return g.String(), t.String()
}

// positions are the values of the attributes that generated text has.
var positions = map[string]string{
	"threadgroup_position_in_grid":   "(uint3)(c->group[0], c->group[1], c->group[2])",
	"thread_position_in_threadgroup": "(uint3)(c->member[0], c->member[1], c->member[2])",
	"threadgroups_per_grid":          "(uint3)(c->groups[0], c->groups[1], c->groups[2])",
	"threads_per_threadgroup":        "(uint3)(c->block[0], c->block[1], c->block[2])",
}

// Run runs a kernel to its end. What the sanitizer finds is an error.
func (p *Program) Run(ctx context.Context, name string, l Launch) error {
	kernel := -1
	for i, k := range p.kernels {
		if k.Name == name {
			kernel = i
		}
	}
	if kernel < 0 {
		return fmt.Errorf("hostrun: there is no kernel %s", name)
	}
	var in bytes.Buffer
	word := func(v int) { in.Write(binary.LittleEndian.AppendUint64(nil, uint64(v))) }
	word(kernel)
	for _, v := range append(l.Grid[:], l.Block[:]...) {
		word(v)
	}
	word(len(l.Buffers))
	var order [][]byte
	for i := range 31 {
		if b, ok := l.Buffers[i]; ok {
			word(i)
			word(len(b))
			in.Write(b)
			order = append(order, b)
		}
	}
	if err := p.start(); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { p.process.Process.Kill() })
	defer stop()
	_, err := p.in.Write(in.Bytes())
	for _, b := range order {
		if err == nil {
			_, err = io.ReadFull(p.out, b)
		}
	}
	if err != nil {
		p.in.Close()
		end := p.process.Wait()
		p.process = nil
		return fmt.Errorf("hostrun: kernel %s: %w: %s", name, errors.Join(ctx.Err(), end), strings.TrimSpace(p.log.String()))
	}
	return nil
}

// start starts the program's process unless it is there.
func (p *Program) start() error {
	if p.process != nil {
		return nil
	}
	c := exec.Command(filepath.Join(p.dir, "program"))
	p.log.Reset()
	c.Stderr = &p.log
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
