package gpugen_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/gpugen/gpugen"
	"github.com/gpugen/gpugen/codegen/msl/hostrun"
	"github.com/gpugen/gpugen/codegen/opencl"
	"github.com/gpugen/gpugen/codegen/opencl/clrun"
	"github.com/gpugen/gpugen/codegen/ptx/nvrtc"
	"github.com/gpugen/gpugen/internal/require"
)

// TestB18SharedMemoryOverTheLimit: shared memory is summed over a kernel and compared with each target's limit at its
// source line, before any tool runs; what is just within the limit the tools take as well.
func TestB18SharedMemoryOverTheLimit(t *testing.T) {
	source := func(targets, shared string) string {
		return fmt.Sprintf("package p\n\n@targets(%s)\nkernel Big(o mut [n]float32) blocks b in ceildiv(n, 32) threads t in 32 {\n\t%s\n\ttile[t] = 1\n\tbarrier()\n\tif b*32+t < n {\n\t\to[b*32+t] = tile[t+1]\n\t}\n}\n", targets, shared)
	}
	for _, c := range []struct {
		targets, shared string
		want            string // in the message; "" compiles
	}{
		{"cuda", "shared tile [12288]float32", ""},
		{"cuda", "shared tile [12289]float32", "49156 bytes, cuda has 49152"},
		{"cuda", "shared tile [13000]float32", "52000 bytes, cuda has 49152"},
		{"metal", "shared tile [8192]float32", ""},
		{"metal", "shared tile [8193]float32", "32772 bytes, metal has 32768"},
		{"opencl", "shared tile [8192]float32", ""},
		{"opencl", "shared tile [8193]float32", "32772 bytes, opencl has 32768"},
		{"cuda, cpu", "shared tile [8193]float32", ""},
		{"metal, opencl", "shared tile [5632]float32\n\tshared v [852]float32x3\n\tv[t].y = 1", ""}, // 12 bytes a vector: 22528 + 10224
		{"metal, opencl", "shared tile [5632]float32\n\tshared v [853]float32x3\n\tv[t].y = 1", "32788 bytes, metal has 32768, opencl has 32768"},
		{"metal", "shared tile [4096]float32\n\tshared more [4096]float32\n\tmore[t] = 1", ""},
		{"metal", "shared tile [4096]float32\n\tshared more [4097]float32\n\tmore[t] = 1", "32772 bytes, metal has 32768"},
		{"metal", "shared tile [4096]float32\n\tif b > 0 {\n\t\tshared more [4097]float32\n\t\tmore[t] = 1\n\t}", "32772 bytes, metal has 32768"},
		{"cuda", "shared tile [64]float32\n\tshared flags [50000]bool\n\tflags[t] = true", "50256 bytes, cuda has 49152"},
	} {
		src := source(c.targets, c.shared)
		p, diags := gpugen.Compile(gpugen.Input{Sources: []gpugen.Source{{Name: "k.gpu", Text: []byte(src)}}})
		if c.want != "" {
			size, limit, _ := strings.Cut(c.want, ", ")
			if len(diags) != 1 || !strings.Contains(diags[0].Message, size) || !strings.Contains(diags[0].Message, limit) || diags[0].Pos.Line < 5 || diags[0].Pos.Line > 7 {
				t.Errorf("%s\n%v\nwant %q", src, diags, c.want)
			}
			continue
		}
		if diags.HasErrors() {
			t.Errorf("%s\n%v", src, diags)
			continue
		}
		u := p.Units[0]
		if u.CUDA != nil {
			_, err := nvrtc.Toolchains()
			require.Tool(t, "nvrtc", err == nil, "run make setup")
			r, err := nvrtc.Compile(context.Background(), nvrtc.Request{Name: "k.cu", Source: u.CUDA.Text, Arch: "sm_75", Lines: u.CUDA.Lines})
			if err != nil {
				t.Errorf("%s\n%v", src, err)
			} else if got := r.Resources["Big"].SharedBytes; got < 32772 || got > 49152 {
				t.Errorf("%s\nptxas counts %d bytes", src, got)
			}
		}
		if u.OpenCL != nil {
			d, err := clrun.Open()
			require.Tool(t, "opencl", err == nil, clrun.Remedy)
			if p, err := d.Build(u.OpenCL.Text, opencl.Exact); err != nil {
				t.Errorf("%s\n%v", src, err)
			} else {
				p.Close()
			}
		}
		if u.Metal != nil {
			require.Tool(t, "clang", hostrun.Clang() != "", hostrun.Remedy)
			if _, err := hostrun.Check(context.Background(), u.Metal.Text); err != nil {
				t.Errorf("%s\n%v", src, err)
			}
		}
	}
}

// TestB21BarrierOrdersBuffers: Metal's barrier names both kinds of memory in every text there is; with one flag alone the
// text that needs the other is a race, so that nothing but the flags can have been right.
func TestB21BarrierOrdersBuffers(t *testing.T) {
	require.Tool(t, "clang", hostrun.CanRun(), hostrun.Remedy)
	const both = "mem_flags::mem_device | mem_flags::mem_threadgroup"
	n := 0
	for _, c := range withExamples(t) {
		if c.pkg == nil {
			continue
		}
		for _, u := range c.pkg.Units {
			if u.Metal == nil {
				continue
			}
			got := strings.Count(u.Metal.Text, "threadgroup_barrier(")
			n += got
			if got != strings.Count(u.Metal.Text, "threadgroup_barrier("+both+");") {
				t.Errorf("%s: a barrier without both flags:\n%s", c.Name, u.Metal.Text)
			}
		}
	}
	if n < 20 {
		t.Errorf("only %d barriers", n)
	}
	for kernel, c := range map[string]struct{ needs, other string }{
		"Device": {"mem_flags::mem_device", "mem_flags::mem_threadgroup"},
		"Shared": {"mem_flags::mem_threadgroup", "mem_flags::mem_device"},
	} {
		u := compileText(t, `package p

kernel Device(t mut [256]int32, o mut [256]int32) blocks b in 1 threads i in 256 {
	t[i] = int32(i)
	barrier()
	o[i] = t[i^1]
}

kernel Shared(t mut [256]int32, o mut [256]int32) blocks b in 1 threads i in 256 {
	shared s [256]int32
	s[i] = int32(i)
	barrier()
	o[i] = s[i^1]
}
`)
		for flags, race := range map[string]bool{both: false, c.needs: false, c.other: true} {
			p, err := hostrun.Build(context.Background(), strings.ReplaceAll(u.Metal.Text, both, flags))
			if err != nil {
				t.Fatal(err)
			}
			err = p.Run(context.Background(), kernel, hostrun.Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{256, 1, 1}, Buffers: map[int][]byte{1: make([]byte, 1024), 2: make([]byte, 1024)}})
			fault := (*hostrun.Fault)(nil)
			if got := errors.As(err, &fault) && fault.Kind == hostrun.Race; got != race || err != nil && fault == nil {
				t.Errorf("%s with %s: a race is %v: %v", kernel, flags, got, err)
			}
			p.Close()
		}
	}
}

// TestBlocksOnTheCPU: threads of a block become loops. No generated Go starts a goroutine, waits for one, or imports
// anything but the runtime.
func TestBlocksOnTheCPU(t *testing.T) {
	blocks := 0
	for _, c := range withExamples(t) {
		if c.pkg == nil {
			continue
		}
		for _, u := range c.pkg.Units {
			f, err := parser.ParseFile(token.NewFileSet(), u.Base+"_gpu_cpu.go", u.CPU, 0)
			if len(u.CPU) == 0 {
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", c.Name, err)
				continue
			}
			for _, i := range f.Imports {
				if path := strings.Trim(i.Path.Value, `"`); path != "math" && path != "math/bits" && !strings.HasPrefix(path, "github.com/gpugen/gpugen/runtime/gpu") {
					t.Errorf("%s imports %s", c.Name, path)
				}
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n.(type) {
				case *ast.GoStmt, *ast.ChanType, *ast.SendStmt, *ast.SelectStmt, *ast.DeferStmt:
					t.Errorf("%s: a %T", c.Name, n)
				}
				return true
			})
			for _, k := range u.Module.Kernels {
				if len(barriers(k.Body)) > 0 {
					blocks++
				}
			}
		}
	}
	if blocks < 20 {
		t.Errorf("only %d kernels with barriers", blocks)
	}
}
