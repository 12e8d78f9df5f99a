package gpugen_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/gpugen/gpugen"
	"github.com/gpugen/gpugen/codegen/opencl/clrun"
	"github.com/gpugen/gpugen/codegen/ptx/nvrtc"
	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/internal/golden"
	"github.com/gpugen/gpugen/internal/require"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/interp"
	"github.com/gpugen/gpugen/ir/pass"
)

var (
	update = flag.Bool("update", false, "rewrite the golden archives")
	only   = flag.String("only", "", "a regular expression: the golden archives to test, all by default")
)

func TestMain(m *testing.M) {
	nvrtc.WorkerMain() // the test binary serves as its own compile worker
	clrun.Main()       // and holds OpenCL drivers
	code := m.Run()
	if archivesDir != "" {
		os.RemoveAll(archivesDir)
	}
	os.Exit(code)
}

// compiled is an archive and what its sources give.
type compiled struct {
	*golden.Archive
	pkg     *gpugen.Package // nil when the archive is about errors
	diags   diag.List
	sources diag.Sources
	page    bool // an example of docs/language.md: inputs alone
}

var archives = sync.OnceValues(func() ([]*compiled, error) {
	list, err := golden.Load("testdata/golden")
	if err != nil {
		return nil, err
	}
	var out []*compiled
	wanted, err := regexp.Compile(*only)
	if err != nil {
		return nil, err
	}
	for _, a := range list {
		if wanted.MatchString(a.Name) {
			out = append(out, compile(a))
		}
	}
	pages, err := languageExamples()
	if err != nil {
		return nil, err
	}
	for _, a := range pages {
		if !wanted.MatchString(a.Name) {
			continue
		}
		c := compile(a)
		c.page = true
		out = append(out, c)
	}
	return out, nil
})

func load(t testing.TB) []*compiled {
	t.Helper()
	list, err := archives()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Fatal("no archive in testdata/golden")
	}
	return list
}

func compile(a *golden.Archive) *compiled {
	c := &compiled{Archive: a, sources: diag.Sources{}}
	var in gpugen.Input
	for _, s := range a.Sources() {
		in.Sources = append(in.Sources, gpugen.Source{Name: s.Name, Text: s.Data})
		c.sources[s.Name] = s.Data
	}
	c.pkg, c.diags = gpugen.Compile(in)
	return c
}

// outputs sets every stage's text in the archive.
func (c *compiled) outputs(t *testing.T) {
	if c.pkg == nil {
		var b bytes.Buffer
		if err := diag.Text(&b, c.diags, c.sources); err != nil {
			t.Fatal(err)
		}
		c.Set("errors", b.Bytes())
		return
	}
	for _, u := range c.pkg.Units {
		c.Set(u.Base+".ir", []byte(ir.Print(u.Module)))
		if u.CUDA != nil {
			c.Set(u.Base+".cuda.ir", []byte(ir.Print(pass.For(u.Module, types.CUDA))))
		}
		if u.Checked != nil {
			c.Set(u.Base+".checked.ir", []byte(ir.Print(u.Checked.Module)))
		}
		files, err := u.Outputs(c.pkg.Name, nil, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			c.Set(path.Base(f.Name), f.Data)
		}
	}
}

// TestGolden compares every stage of every archive with what is written there, and runs the run lines through the
// interpreter: under the rules of targets that fuse and of those that do not, before the passes of a target and, for
// devices, behind all of them, narrow and wide.
func TestGolden(t *testing.T) {
	for _, c := range load(t) {
		t.Run(c.Name, func(t *testing.T) {
			if c.page {
				c.codes(t)
			} else {
				c.outputs(t)
				if err := c.Finish(*update); err != nil {
					t.Error(err)
				}
			}
			for _, d := range c.diags {
				if d.Code == "internal-error" {
					t.Fatal(d)
				}
			}
			if c.pkg == nil {
				if c.page {
					return
				}
				var marks []golden.Mark
				for _, d := range c.diags {
					marks = append(marks, golden.Mark{File: d.Pos.File, Line: d.Pos.Line})
				}
				if err := c.CheckErrors(marks); err != nil {
					t.Error(err)
				}
				return
			}
			c.interpret(t)
		})
	}
}

// A form is a kernel as one target or several have it.
type form struct {
	kernel  *ir.Kernel
	fused   bool   // it runs under the rules of a target that fuses
	what    string // the first target that has it
	checked bool   // of the checked build
}

// forms is the kernels of the archive that must give the same, each once: targets often agree to the letter.
func (c *compiled) forms() []form {
	var out []form
	seen := map[string]bool{}
	add := func(m *ir.Module, what string, fused, checked bool) {
		if checked {
			what = "checked " + what
		}
		for _, k := range m.Kernels {
			key := fmt.Sprint(fused, checked, ir.PrintKernel(k))
			if !seen[key] {
				seen[key] = true
				out = append(out, form{k, fused, what, checked})
			}
		}
	}
	for _, u := range c.pkg.Units {
		for _, v := range u.Variants() {
			for _, target := range c.pkg.Options.Targets.List() {
				fused := target != types.CPU
				add(pass.Oracle(v.Module, target), target.String()+" oracle", fused, v == u.Checked)
				add(pass.For(v.Module, target), target.String(), fused, v == u.Checked)
			}
		}
	}
	return out
}

// interpret runs each line on each form of a kernel.
func (c *compiled) interpret(t *testing.T) {
	lines, err := c.Runs()
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) == 0 {
		return
	}
	forms := c.forms()
	for _, line := range lines {
		ran := 0
		for _, f := range forms {
			if !matches(line, f.kernel) {
				continue
			}
			ran++
			line := line
			if f.checked {
				line = line.InChecked()
			}
			if (line.Want.Trap || line.Want.Finding == interp.Bounds.String()) && f.kernel.Sched != nil {
				continue // undefined once a device's passes have run
			}
			if _, err := golden.Run(f.kernel, line, f.fused); err != nil {
				t.Errorf("run:%d on %s, entry %s: %s\n%v", line.Number, f.what, f.kernel.Entry, line.Text, err)
			}
		}
		if ran == 0 {
			t.Errorf("run:%d: %s: no instance of any kernel runs this line", line.Number, line.Text)
		}
	}
}

// TestGoldenNVRTC compiles the CUDA C of every archive with every NVRTC here, for the floor and for Hopper, ptxas
// included. Kernels found by random tests hold dead code, about which it may warn.
func TestGoldenNVRTC(t *testing.T) {
	var written, found []*compiled
	for _, c := range load(t) {
		if strings.HasPrefix(c.Name, "rand") {
			found = append(found, c)
		} else {
			written = append(written, c)
		}
	}
	nvrtcTakes(t, written, []string{"sm_75", "sm_90"}, func(string) bool { return false })
	nvrtcTakes(t, found, []string{"sm_75", "sm_90"}, aboutDeadCode)
}

// aboutDeadCode reports NVRTC's warnings about variables that nothing uses.
func aboutDeadCode(warning string) bool {
	return strings.HasSuffix(warning, "was declared but never referenced") || strings.HasSuffix(warning, "was set but never used")
}

// nvrtcTakes compiles the CUDA C of archives with every NVRTC here; a warning that is not expected is an error.
func nvrtcTakes(t *testing.T, list []*compiled, archs []string, expected func(warning string) bool) {
	t.Helper()
	chains, err := nvrtc.Toolchains()
	require.Tool(t, "nvrtc", err == nil, "run make setup")
	versions := 0
	for _, chain := range chains {
		if chain.Err != nil {
			t.Error(chain.Err)
			continue
		}
		versions++
		var requests []nvrtc.Request
		for _, c := range list {
			if c.pkg == nil {
				continue
			}
			for _, u := range c.pkg.Units {
				for _, v := range u.Variants() {
					if v.CUDA == nil {
						continue
					}
					for _, arch := range archs {
						requests = append(requests, nvrtc.Request{
							Name: c.Name + "/" + u.Base + ".cu", Source: v.CUDA.Text, Arch: arch, NVRTC: chain.Version, Lines: v.CUDA.Lines,
						})
					}
				}
			}
		}
		results, err := nvrtc.CompileAll(context.Background(), requests, nil)
		if err != nil {
			t.Errorf("NVRTC %s: %v", chain.Version, err)
		}
		for i, r := range results {
			if r == nil {
				continue
			}
			for _, w := range r.Warnings {
				if !expected(w.Msg) {
					t.Errorf("NVRTC %s: %s: warning: %s", chain.Version, requests[i].Name, w.Msg)
				}
			}
			if len(r.Resources) == 0 {
				t.Errorf("NVRTC %s: %s: no resources reported", chain.Version, requests[i].Name)
			}
		}
	}
	if versions < 2 {
		require.Tool(t, "nvrtc", false, "run make setup: an old and a new NVRTC are needed")
	}
}

// TestDeterministic compiles every archive again, with its sources in another order, and expects the same bytes.
func TestDeterministic(t *testing.T) {
	for _, c := range load(t) {
		if c.pkg == nil {
			continue
		}
		var in gpugen.Input
		for _, s := range c.Sources() {
			in.Sources = append([]gpugen.Source{{Name: s.Name, Text: s.Data}}, in.Sources...)
		}
		again, diags := gpugen.Compile(in)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		for i, u := range c.pkg.Units {
			if got, want := files(t, again, i), files(t, c.pkg, i); got != want {
				t.Errorf("%s: %s gives other bytes the second time", c.Name, u.File)
			}
		}
	}
}

// files is all output of a unit as one text.
func files(t *testing.T, p *gpugen.Package, i int) string {
	out, err := p.Units[i].Outputs(p.Name, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range out {
		b.WriteString(f.Name + "\n")
		b.Write(f.Data)
	}
	return b.String()
}
