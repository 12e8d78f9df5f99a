package gpugen_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
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
		writeModule(t, dir, withExamples(t), false)
	}
	return archivesDir
}

// goTest replays the cases of the module in dir on a device, behind a look of vet on the CPU.
func goTest(dir, device string) (string, error) {
	commands := [][]string{{"vet", "./..."}, {"test", "-count=1", "-timeout=20m", "."}, {"test", "-count=1", "-timeout=20m", "-run", "Golden", "."}}
	if device != "cpu" {
		commands = commands[1:]
	}
	for _, args := range commands {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GPUGEN_DEVICE="+device, "GOFLAGS=-mod=mod", "CGO_ENABLED=0")
		if slices.Contains(args, "-run") { // once more, with the checked builds where there are some
			cmd.Env = append(cmd.Env, "GPUGEN_CHECKED=1")
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Sprintf("go %s: %s", strings.Join(args, " "), out), err
		}
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
	writeModule(t, *moduleDir, slices.Concat(withExamples(t), randomArchives(t, *randomDevice)), true)
}

// writeModule writes go.mod, a package an archive, the case file of each target and the test that replays them.
func writeModule(t *testing.T, dir string, archives []*compiled, withPTX bool) {
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	mod = bytes.Replace(mod, []byte("module github.com/gpugen/gpugen\n"), []byte("module "+goldenModule+"\n"), 1)
	mod = fmt.Appendf(mod, "\nrequire github.com/gpugen/gpugen v0.0.0\n\nreplace github.com/gpugen/gpugen => %q\n", root)
	write(t, dir, "go.mod", mod)
	sum, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "go.sum", sum)

	test := golden.GoTest{Package: "goldenmodule"}
	cases := map[types.Target]*golden.Cases{
		types.CPU:    {Format: golden.Format, Target: types.CPU.String()},
		types.CUDA:   {Format: golden.Format, Target: types.CUDA.String()},
		types.OpenCL: {Format: golden.Format, Target: types.OpenCL.String()},
	}
	for _, c := range archives {
		if c.pkg == nil {
			continue
		}
		folder := "a_" + c.Name
		writePackage(t, filepath.Join(dir, folder), c, withPTX)
		lines, err := c.Runs()
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range c.pkg.Units {
			for target, list := range cases {
				addCases(t, &test, list, target, c.Name, goldenModule+"/"+folder, u, lines)
			}
		}
	}
	text, err := test.File()
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "golden_test.go", text)
	for target, list := range cases {
		if len(list.Cases) == 0 {
			t.Fatalf("no case for %s", target)
		}
		var b bytes.Buffer
		if err := list.Write(&b); err != nil {
			t.Fatal(err)
		}
		write(t, dir, "cases."+target.String()+".json", b.Bytes())
	}
}

// addCases adds the cases of one file for one target, and the calls of their wrappers.
func addCases(t *testing.T, test *golden.GoTest, list *golden.Cases, target types.Target, archive, importPath string, u *gpugen.Unit, lines []*golden.RunLine) {
	oracle, device := pass.Oracle(u.Module, target), pass.For(u.Module, target)
	for _, k := range oracle.Kernels {
		var scheduled *ir.Kernel // the CPU has no schedule: its cases go through wrappers alone
		if target != types.CPU {
			scheduled = device.Kernels[slices.IndexFunc(device.Kernels, func(d *ir.Kernel) bool { return d.Entry == k.Entry })]
		}
		for _, line := range lines {
			if !matches(line, k) {
				continue
			}
			call, err := line.Bind(abi.Of(k))
			if err != nil {
				t.Fatal(err)
			}
			if !test.Add(archive, importPath, call) {
				continue // a kernel that the package does not export
			}
			c, err := golden.NewCase(target, archive, u.Base, line, k, scheduled)
			if err != nil {
				t.Fatalf("%s: %s: %v", archive, line.Text, err)
			}
			list.Cases = append(list.Cases, *c)
		}
	}
}

// writePackage writes an archive's sources and everything generated from them.
func writePackage(t *testing.T, dir string, c *compiled, withPTX bool) {
	for _, s := range c.Sources() {
		write(t, dir, s.Name, s.Data)
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
				t.Fatal(err)
			}
			toolchain, err := json.Marshal(r.Meta)
			if err != nil {
				t.Fatal(err)
			}
			compiled[w.File] = r.Code
			artifacts = append(artifacts, gpugen.Artifact{File: w.File, Kind: w.Kind, SHA256: gpugen.HashBytes(r.Code), Arch: w.Arch, Toolchain: toolchain})
		}
		files, err := u.Outputs(c.pkg.Name, compiled, artifacts, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			write(t, dir, f.Name, f.Data)
		}
	}
}

func write(t *testing.T, dir, name string, data []byte) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
}
