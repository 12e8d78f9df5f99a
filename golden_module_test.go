package gpugen_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gpugen/gpugen"
	"github.com/gpugen/gpugen/codegen/opencl/clrun"
	"github.com/gpugen/gpugen/codegen/ptx/nvrtc"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/internal/golden"
	"github.com/gpugen/gpugen/internal/require"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/abi"
	"github.com/gpugen/gpugen/ir/pass"
)

var moduleDir = flag.String("module", "", "for TestGoldenModule: the folder to write the module of all archives to, with PTX")

// goldenModule is the path of the module that holds every archive as a package; below this module's own path, so that
// it may import internal/golden/replay.
const goldenModule = "github.com/gpugen/gpugen/internal/goldenmodule"

// matches reports whether the line calls kernel k, and the host would take this variant of it.
func matches(line *golden.RunLine, k *ir.Kernel) bool {
	return line.Matches(abi.Of(k)) && line.Suits(k)
}

// TestGoldenCPU builds every archive and example as a package of one module, calls every wrapper as its run lines say on the CPU
// target, and compares the memory bit by bit with the interpreter's.
func TestGoldenCPU(t *testing.T) {
	if out, err := goTest(archivesModule(t), "cpu"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestOpenCLWrappers calls the same wrappers on an OpenCL device.
func TestOpenCLWrappers(t *testing.T) {
	_, err := clrun.Open()
	require.Tool(t, "opencl", err == nil, clrun.Remedy)
	if out, err := goTest(archivesModule(t), "opencl"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// archivesDir is the module of all archives, once a test asks for it.
var archivesDir string

// archivesModule writes the module of all archives, once; TestMain removes it.
func archivesModule(t *testing.T) string {
	t.Helper()
	if archivesDir == "" {
		dir, err := os.MkdirTemp("", "goldenmodule")
		if err != nil {
			t.Fatal(err)
		}
		archivesDir = dir
		m, err := newModule(dir, false, types.CPU, types.OpenCL)
		for _, c := range withExamples(t) {
			if err == nil && c.pkg != nil {
				err = m.add(c)
			}
		}
		if err == nil {
			err = m.finish()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return archivesDir
}

// goTest replays the cases of the module in dir on a device, behind a look of vet on the CPU, and once more with the
// checked builds where there are some.
func goTest(dir, device string) (string, error) {
	if device == "cpu" {
		if out, err := goRun(dir, device, false, "vet", "./..."); err != nil {
			return out, err
		}
	}
	if out, err := goRun(dir, device, false, "test", "-count=1", "-timeout=20m", "."); err != nil {
		return out, err
	}
	return goRun(dir, device, true, "test", "-count=1", "-timeout=20m", "-run", "Golden", ".")
}

// goRun runs the go command in the module in dir.
func goRun(dir, device string, checked bool, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GPUGEN_DEVICE="+device, "GOFLAGS=-mod=mod", "CGO_ENABLED=0")
	if checked {
		cmd.Env = append(cmd.Env, "GPUGEN_CHECKED=1")
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Sprintf("go %s: %s", strings.Join(args, " "), out), err
	}
	return "", nil
}

// TestGoldenModule writes the same module with PTX in it, for the machine with a GPU: the test binary built from it
// replays every line on the device that GPUGEN_DEVICE names. Random kernels come along, those that the other random
// tests run.
func TestGoldenModule(t *testing.T) {
	if *moduleDir == "" {
		t.Skip("only for make gpu-bundle, which passes -module DIR")
	}
	m, err := newModule(*moduleDir, true, types.CPU, types.CUDA, types.OpenCL)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range withExamples(t) {
		if c.pkg == nil {
			continue
		}
		if err := m.add(c); err != nil {
			t.Fatal(err)
		}
	}
	randomBatches(t, randomSeeds(0, *randomDevice), perArchive, func(_ []uint64, c *compiled) {
		if err := m.add(c); err != nil {
			t.Error(err)
		}
	})
	if err := m.finish(); err != nil {
		t.Fatal(err)
	}
}

// module is a Go module in the making: a package an archive, the case file of each target and the test that replays them.
// Several archives may be added at once.
type module struct {
	lock    sync.Mutex // of test and cases
	dir     string
	withPTX bool
	checked bool // the cases are of checked builds
	test    golden.GoTest
	cases   map[types.Target]*golden.Cases
}

// newModule writes go.mod of a module for some targets.
func newModule(dir string, withPTX bool, targets ...types.Target) (*module, error) {
	m := &module{dir: dir, withPTX: withPTX, test: golden.GoTest{Package: "goldenmodule"}, cases: map[types.Target]*golden.Cases{}}
	for _, t := range targets {
		m.cases[t] = &golden.Cases{Format: golden.Format, Target: t.String()}
	}
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		return nil, err
	}
	mod = bytes.Replace(mod, []byte("module github.com/gpugen/gpugen\n"), []byte("module "+goldenModule+"\n"), 1)
	mod = fmt.Appendf(mod, "\nrequire github.com/gpugen/gpugen v0.0.0\n\nreplace github.com/gpugen/gpugen => %q\n", root)
	if err := writeFile(dir, "go.mod", mod); err != nil {
		return nil, err
	}
	sum, err := os.ReadFile("go.sum")
	if err != nil {
		return nil, err
	}
	return m, writeFile(dir, "go.sum", sum)
}

// add writes an archive's package and takes its cases.
func (m *module) add(c *compiled) error {
	if err := writePackage(filepath.Join(m.dir, folderOf(c.Name)), c, m.withPTX); err != nil {
		return err
	}
	lines, err := c.Runs()
	if err != nil {
		return err
	}
	for _, u := range c.pkg.Units {
		v, lines := &u.Variant, lines
		if m.checked {
			v, lines = u.Checked, inChecked(lines)
		}
		for target, list := range m.cases {
			if err := m.addCases(list, target, c.Name, u.Base, v, lines); err != nil {
				return err
			}
		}
	}
	return nil
}

// folderOf is the folder of an archive's package.
func folderOf(archive string) string { return "a_" + archive }

// finish writes the test and its cases.
func (m *module) finish() error {
	text, err := m.test.File()
	if err != nil {
		return err
	}
	if err := writeFile(m.dir, "golden_test.go", text); err != nil {
		return err
	}
	for target, list := range m.cases {
		if len(list.Cases) == 0 {
			return fmt.Errorf("no case for %s", target)
		}
		slices.SortStableFunc(list.Cases, func(a, b golden.Case) int {
			return cmp.Or(strings.Compare(a.Archive, b.Archive), cmp.Compare(a.Line, b.Line))
		})
		var b bytes.Buffer
		if err := list.Write(&b); err != nil {
			return err
		}
		if err := writeFile(m.dir, "cases."+target.String()+".json", b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// addCases adds the cases of one file for one target, and the calls of their wrappers.
func (m *module) addCases(list *golden.Cases, target types.Target, archive, base string, u *gpugen.Variant, lines []*golden.RunLine) error {
	oracle, device := pass.Oracle(u.Module, target), &ir.Module{}
	if target != types.CPU { // the CPU has no schedule: its cases go through wrappers alone
		device = pass.For(u.Module, target)
	}
	for _, k := range oracle.Kernels {
		var scheduled *ir.Kernel
		if i := slices.IndexFunc(device.Kernels, func(d *ir.Kernel) bool { return d.Entry == k.Entry }); i >= 0 {
			scheduled = device.Kernels[i]
		}
		for _, line := range lines {
			if !matches(line, k) {
				continue
			}
			call, err := line.Bind(abi.Of(k))
			if err != nil {
				return err
			}
			c, err := golden.NewCase(target, archive, base, line, k, scheduled)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", archive, line.Text, err)
			}
			m.lock.Lock()
			if m.test.Add(archive, goldenModule+"/"+folderOf(archive), call) { // else the package does not export it
				list.Cases = append(list.Cases, *c)
			}
			m.lock.Unlock()
		}
	}
	return nil
}

// writePackage writes an archive's sources and everything generated from them.
func writePackage(dir string, c *compiled, withPTX bool) error {
	for _, s := range c.Sources() {
		if err := writeFile(dir, s.Name, s.Data); err != nil {
			return err
		}
	}
	for _, u := range c.pkg.Units {
		compiled := map[string][]byte{}
		var artifacts []gpugen.Artifact
		for _, w := range u.Wanted() {
			if !withPTX || w.Kind != "ptx" {
				continue
			}
			r, err := nvrtc.Compile(context.Background(), nvrtc.Request{Name: w.Name, Source: w.Source.Text, Arch: w.Arch, Lines: w.Source.Lines})
			if err != nil {
				return err
			}
			toolchain, err := json.Marshal(r.Meta)
			if err != nil {
				return err
			}
			compiled[w.File] = r.Code
			artifacts = append(artifacts, gpugen.Artifact{File: w.File, Kind: w.Kind, SHA256: gpugen.HashBytes(r.Code), Arch: w.Arch, Toolchain: toolchain})
		}
		files, err := u.Outputs(c.pkg.Name, compiled, artifacts, nil)
		if err != nil {
			return err
		}
		for _, f := range files {
			if err := writeFile(dir, f.Name, f.Data); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeFile(dir, name string, data []byte) error {
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o666)
}
