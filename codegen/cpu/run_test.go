package cpu

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/codegen"
	"github.com/gpugen/gpugen/codegen/gowrap"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/abi"
	"github.com/gpugen/gpugen/ir/interp"
)

// program is a Go module outside the repository: generated packages, and a main that launches their kernels through
// the generated wrappers on the CPU. One go command builds and runs all of it.
type program struct {
	t     *testing.T
	dir   string
	main  bytes.Buffer // body of main
	paths []string     // packages
	cases []*launch

	integers bool // there are no floats in it
}

// launch is one call: the arguments before, and what the interpreter made of them.
type launch struct {
	name  string
	k     *ir.Kernel
	args  []interp.Arg
	want  []interp.Arg // nil where check says all
	trap  string       // the text that the error contains; no values are compared then
	check func(t *testing.T, got []*interp.Buffer)
	ulps  func(view int, i int64) int // 0 is exact
}

func newProgram(t *testing.T) *program {
	t.Helper()
	if testing.Short() {
		t.Skip("it runs the go command, which is not for -short")
	}
	p := &program{t: t, dir: t.TempDir()}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	mod := "module example.com/program\n\ngo 1.26\n\nrequire github.com/gpugen/gpugen v0.0.0\n\nreplace github.com/gpugen/gpugen => " + root + "\n"
	own, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if i := bytes.Index(own, []byte("require (")); i >= 0 {
		mod += "\n" + string(own[i:])
	}
	p.write("go.mod", mod)
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	p.write("go.sum", string(sum))
	return p
}

func (p *program) write(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// add writes the generated package of a module under dir.
func (p *program) add(dir string, m *ir.Module, names *codegen.GoNames) {
	p.t.Helper()
	if err := ir.Verify(m); err != nil {
		p.t.Fatalf("%s: %v", dir, err)
	}
	in := gowrap.Input{Package: m.Package, File: m.File, Names: names, Targets: types.TargetsOf(types.CPU)}
	for _, k := range m.Kernels {
		in.Kernels = append(in.Kernels, abi.Of(k))
	}
	out, err := gowrap.File(in)
	if err != nil {
		p.t.Fatal(err)
	}
	base := filepath.Join(dir, strings.TrimSuffix(m.File, ".gpu"))
	p.write(base+"_gpu.go", out.Wrapper)
	p.write(base+"_gpu_dev.go", out.Dev)
	p.write(base+"_gpu_metal.go", out.Metal)
	p.write(base+"_gpu_cpu.go", string(Emit(m, names)))
	p.paths = append(p.paths, dir)
}

// launch adds a call of a kernel in the package of a directory; the interpreter gives the values that it must leave.
func (p *program) launch(dir string, k *ir.Kernel, args ...interp.Arg) *launch {
	p.t.Helper()
	l := p.call(dir, k, args...)
	for _, a := range args {
		w := a
		if a.Buffer != nil {
			w.Buffer = a.Buffer.Clone()
		}
		l.want = append(l.want, w)
	}
	report, err := interp.Run(k, l.want, interp.Options{})
	if err != nil {
		p.t.Fatalf("%s: %v", l.name, err)
	}
	if report.Has(interp.Bounds) {
		l.trap = "out of range: dimension"
	}
	return l
}

// call adds a call without an expectation.
func (p *program) call(dir string, k *ir.Kernel, args ...interp.Arg) *launch {
	l := &launch{name: fmt.Sprintf("%s.%s", dir, k.Instance), k: k, args: args}
	id := len(p.cases)
	p.cases = append(p.cases, l)
	b := &p.main
	var names []string
	for i, a := range args {
		kind := goName(k.Params[i].Type)
		if a.Buffer != nil {
			kind = goName(k.Params[i].Elem())
			p.write(fmt.Sprintf("%d_%d.in", id, i), string(a.Buffer.Data))
			fmt.Fprintf(b, "\tx%d_%d := view%d[%s](\"%d_%d.in\"", id, i, len(a.Buffer.Dims), kind, id, i)
			for _, d := range a.Buffer.Dims {
				fmt.Fprintf(b, ", %d", d)
			}
			fmt.Fprint(b, ")\n")
		} else {
			fmt.Fprintf(b, "\tx%d_%d := scalar[%s](0x%x)\n", id, i, kind, a.Bits)
		}
		names = append(names, fmt.Sprintf("x%d_%d", id, i))
	}
	fmt.Fprintf(b, "\tif run(%d, %s.%s(s, %s)) {\n", id, filepath.Base(dir), k.Name, strings.Join(names, ", "))
	for i, a := range args {
		if a.Buffer != nil {
			fmt.Fprintf(b, "\t\tsave(%q, x%d_%d)\n", fmt.Sprintf("%d_%d.out", id, i), id, i)
		}
	}
	fmt.Fprint(b, "\t}\n")
	return l
}

// run vets and runs the program and compares what it left.
func (p *program) run() {
	p.t.Helper()
	var imports strings.Builder
	for _, d := range p.paths {
		fmt.Fprintf(&imports, "\t%q\n", "example.com/program/"+d)
	}
	p.write("main.go", strings.Replace(strings.Replace(mainText, "\t// imports\n", imports.String(), 1), "\t// calls\n", p.main.String(), 1))
	p.goTool("vet", "./...")
	p.goTool("run", ".")
	if !p.integers {
		p.fusesNothing()
	}
	for id, l := range p.cases {
		p.t.Run(l.name, func(t *testing.T) { p.compare(t, id, l) })
	}
}

func (p *program) goTool(args ...string) []byte {
	p.t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", "CGO_ENABLED=0")
	if args[0] == "build" {
		cmd.Env = append(cmd.Env, "GOOS=linux", "GOARCH=arm64")
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		if len(out) > 6000 {
			out = out[:6000]
		}
		p.t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// fusesNothing compiles the packages that have no fma of their own for arm64, where Go fuses products with sums unless
// a conversion stands between them, and looks for such an instruction.
func (p *program) fusesNothing() {
	p.t.Helper()
	args := []string{"build", "-gcflags=-S"}
	for _, d := range p.paths {
		if d != "ops" {
			args = append(args, "./"+d)
		}
	}
	list := p.goTool(args...)
	if !bytes.Contains(list, []byte("FMULS")) {
		p.t.Error("the arm64 listing has no product of floats")
	}
	for line := range bytes.Lines(list) {
		for _, op := range []string{"FMADD", "FMSUB", "FNMADD", "FNMSUB"} {
			if bytes.Contains(line, []byte("\t"+op)) {
				p.t.Errorf("fused: %s", line)
				return
			}
		}
	}
}

func (p *program) compare(t *testing.T, id int, l *launch) {
	failed, err := os.ReadFile(filepath.Join(p.dir, fmt.Sprintf("%d.err", id)))
	if l.trap != "" || err == nil {
		if l.trap == "" || !strings.Contains(string(failed), l.trap) {
			t.Errorf("error %q, want %q", failed, l.trap)
		}
		return
	}
	got := make([]*interp.Buffer, len(l.args))
	view := 0
	for i, a := range l.args {
		if a.Buffer == nil {
			continue
		}
		data, err := os.ReadFile(filepath.Join(p.dir, fmt.Sprintf("%d_%d.out", id, i)))
		if err != nil {
			t.Fatal(err)
		}
		got[i] = &interp.Buffer{Elem: a.Buffer.Elem, Dims: a.Buffer.Dims, Data: data}
		if l.want == nil {
			continue
		}
		want := l.want[i].Buffer
		bad := 0
		for e := range want.Len() {
			ulps := 0
			if l.ulps != nil {
				ulps = l.ulps(view, e)
			}
			if !near(want.Kind(), got[i].At(e), want.At(e), ulps) {
				if bad++; bad <= 5 {
					t.Errorf("%s[%d] of shape %v is %#x, want %#x", l.k.Params[i].Name, e, want.Dims, got[i].At(e), want.At(e))
				}
			}
		}
		if bad > 5 {
			t.Errorf("%s: %d more", l.k.Params[i].Name, bad-5)
		}
		view++
	}
	if l.check != nil {
		l.check(t, got)
	}
}

// goName is a basic type as the program spells it.
func goName(t types.Type) string {
	switch t {
	case types.Float16:
		return "gpu.Float16"
	case types.BFloat16:
		return "gpu.BFloat16"
	}
	return t.String()
}

// near compares bits; NaNs are equal, floats may be some values apart.
func near(k types.Kind, got, want uint64, ulps int) bool {
	if got == want {
		return true
	}
	if !k.IsFloat() {
		return false
	}
	a, b := ir.FloatOf(k, got), ir.FloatOf(k, want)
	if a != a || b != b {
		return a != a && b != b
	}
	order := func(bits uint64) int64 {
		sign := uint64(1) << (k.Bits() - 1)
		if bits&sign != 0 {
			return -int64(bits &^ sign)
		}
		return int64(bits)
	}
	d := order(got) - order(want)
	return ulps > 0 && -int64(ulps) <= d && d <= int64(ulps)
}

const mainText = `package main

import (
	"fmt"
	"os"
	"unsafe"

	"github.com/gpugen/gpugen/runtime/gpu"
	// imports
)

var s *gpu.Stream

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// scalar reads the low bytes of bits.
func scalar[T any](bits uint64) T { return *(*T)(unsafe.Pointer(&bits)) }

func view1[T any](file string, n int) gpu.Buffer[T] {
	data := must(os.ReadFile(file))
	host := make([]T, n)
	if n > 0 {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&host[0])), len(data)), data)
	}
	return must(gpu.Upload(s, host))
}

func view2[T any](file string, h, w int) gpu.Buffer2[T] { return view1[T](file, h*w).Reshape2(h, w) }

func view3[T any](file string, d, h, w int) gpu.Buffer3[T] {
	return view1[T](file, d*h*w).Reshape3(d, h, w)
}

func run(id int, err error) bool {
	if err == nil {
		err = s.Sync()
	}
	if err != nil {
		if werr := os.WriteFile(fmt.Sprintf("%d.err", id), []byte(err.Error()), 0o644); werr != nil {
			panic(werr)
		}
	}
	return err == nil
}

type buffer[T any] interface {
	Len() int
	Download(*gpu.Stream, []T) error
}

func save[T any](file string, b buffer[T]) {
	host := make([]T, b.Len())
	if err := b.Download(s, host); err != nil {
		panic(err)
	}
	var data []byte
	if len(host) > 0 {
		data = unsafe.Slice((*byte)(unsafe.Pointer(&host[0])), len(host)*int(unsafe.Sizeof(host[0])))
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		panic(err)
	}
}

func main() {
	dev := must(gpu.Open(gpu.CPU()))
	defer dev.Close()
	s = dev.DefaultStream()
	// calls
}
`
