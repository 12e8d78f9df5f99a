package gpugen_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/codegen/msl/hostrun"
	"github.com/gpugen/gpugen/internal/golden"
	"github.com/gpugen/gpugen/internal/kernelgen"
	"github.com/gpugen/gpugen/internal/require"
)

var (
	randomMetal  = flag.Int("random.metal", 24, "of how many random kernels the Metal text is run")
	randomCUDA   = flag.Int("random.cuda", 24, "of how many random kernels the CUDA C is run on the CPU")
	randomCPU    = flag.Int("random.cpu", 40, "how many random kernels the CPU target runs")
	randomNVRTC  = flag.Int("random.nvrtc", 12, "how many random kernels NVRTC compiles")
	randomDevice = flag.Int("random.device", 200, "how many random kernels TestGoldenModule takes along")
)

// perArchive is how many random kernels share a file, and with it one program, one package and one compilation.
const perArchive = 20

// randomArchives compiles n random kernels, several to a file.
func randomArchives(t *testing.T, n int) []*compiled {
	t.Helper()
	var out []*compiled
	for first := 0; first < n; first += perArchive {
		var kernels []*kernelgen.Kernel
		for i := first; i < min(first+perArchive, n); i++ {
			kernels = append(kernels, randomKernel(*randomFrom+uint64(i)))
		}
		c, err := randomArchive(fmt.Sprintf("random%d", first/perArchive), kernels...)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	return out
}

func randomArchive(name string, kernels ...*kernelgen.Kernel) (*compiled, error) {
	var runs []string
	for _, k := range kernels {
		runs = append(runs, k.Runs...)
	}
	return archiveOf(name, kernelgen.File("random", kernels...), runs)
}

func archiveOf(name, source string, runs []string) (*compiled, error) {
	a, err := golden.Parse(name, kernelgen.Archive("", name+".gpu", source, runs))
	if err != nil {
		return nil, err
	}
	c := compile(a)
	if c.pkg == nil {
		return nil, c.diags
	}
	return c, nil
}

// namesSeed finds the kernel that a failure of a batch names.
var namesSeed = regexp.MustCompile(`\bR(\d+)\b`)

// alone repeats the failure of a batch with the one kernel that it names, and shrinks that.
func alone(t *testing.T, batch error, again func(source string, runs []string) error) {
	t.Helper()
	m := namesSeed.FindStringSubmatch(batch.Error())
	if m == nil {
		t.Error(batch)
		return
	}
	seed, _ := strconv.ParseUint(m[1], 10, 64)
	k := randomKernel(seed)
	for _, run := range k.Runs {
		source := kernelgen.File("random", k)
		err := again(source, []string{run})
		if d := (*disagreement)(nil); errors.As(err, &d) {
			d.run = run
		}
		if err != nil {
			t.Error(shrunk(seed, source, err, again))
			return
		}
	}
	t.Errorf("%v\nseed %d passes alone", batch, seed)
}

// TestRandomMetal runs the Metal text of random kernels on the CPU, narrow and wide, against the interpreter.
func TestRandomMetal(t *testing.T) {
	require.Tool(t, "clang", hostrun.CanRun(), hostrun.Remedy)
	for _, c := range randomArchives(t, *randomMetal) {
		lines, err := c.Runs()
		if err != nil {
			t.Fatal(err)
		}
		if err := runMetal(context.Background(), c.Name, &c.pkg.Units[0].Variant, lines); err != nil {
			alone(t, err, metalAgrees)
		}
	}
}

func metalAgrees(source string, runs []string) error {
	c, err := archiveOf("random", source, runs)
	if err != nil {
		return err
	}
	lines, err := c.Runs()
	if err != nil {
		return err
	}
	if c.pkg.Units[0].Metal == nil {
		return nil
	}
	return runMetal(context.Background(), c.Name, &c.pkg.Units[0].Variant, lines)
}

// TestRandomCUDA runs the CUDA C of random kernels on the CPU, narrow and wide, against the interpreter.
func TestRandomCUDA(t *testing.T) {
	require.Tool(t, "clang", hostrun.CanRun(), hostrun.Remedy)
	for _, c := range randomArchives(t, *randomCUDA) {
		if err := runCUDA(context.Background(), c); err != nil {
			alone(t, err, func(source string, runs []string) error {
				c, err := archiveOf("random", source, runs)
				if err != nil {
					return err
				}
				return runCUDA(context.Background(), c)
			})
		}
	}
}

// TestRandomNVRTC compiles the CUDA C of random kernels with every NVRTC here. Their sources compute much that they do
// not use.
func TestRandomNVRTC(t *testing.T) {
	nvrtcTakes(t, randomArchives(t, *randomNVRTC), []string{"sm_75"}, aboutDeadCode)
}

// kernelsAt names the kernels in whose generated Go a compiler or vet found something.
func kernelsAt(dir, out string) (names string) {
	for _, m := range regexp.MustCompile(`(?m)^(\S+_gpu_cpu\.go):(\d+):`).FindAllStringSubmatch(out, -1) {
		data, err := os.ReadFile(filepath.Join(dir, m[1]))
		if err != nil {
			continue
		}
		line, _ := strconv.Atoi(m[2])
		before := strings.Join(strings.Split(string(data), "\n")[:line], "\n")
		if all := regexp.MustCompile(`func gpu(R\d+)`).FindAllStringSubmatch(before, -1); len(all) > 0 {
			names += all[len(all)-1][1] + "\n"
		}
	}
	return names
}

// TestRandomCPU calls the wrappers of random kernels on the CPU target and compares the memory with the interpreter's.
func TestRandomCPU(t *testing.T) {
	dir := t.TempDir()
	writeModule(t, dir, randomArchives(t, *randomCPU), false)
	out, err := goTest(dir, "cpu")
	if err != nil {
		alone(t, fmt.Errorf("%w\n%s%s", err, kernelsAt(dir, out), out), func(source string, runs []string) error {
			if err := agree(source, runs); err != nil {
				return err
			}
			c, err := archiveOf("random", source, runs)
			if err != nil {
				return err
			}
			dir, err := os.MkdirTemp("", "random")
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir)
			writeModule(t, dir, []*compiled{c}, false)
			if out, err := goTest(dir, "cpu"); err != nil {
				return &disagreement{"cpu", runs[0], fmt.Errorf("%w\n%s", err, out)}
			}
			return nil
		})
	}
}
