package gpugen_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gpugen/gpugen/codegen/msl/hostrun"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/internal/golden"
	"github.com/gpugen/gpugen/internal/kernelgen"
	"github.com/gpugen/gpugen/internal/require"
)

var (
	randomCUDA   = flag.Int("random.cuda", 240, "of how many random kernels the CUDA C is run on the CPU")
	randomNVRTC  = flag.Int("random.nvrtc", 20, "how many random kernels NVRTC compiles")
	randomDevice = flag.Int("random.device", 1000, "how many random kernels TestGoldenModule takes along")
)

// perArchive is how many random kernels share a file, and with it one compilation, one program and one package;
// perModule is how many share a Go module, and with it one test binary.
const (
	perArchive = 60
	perModule  = 300
)

// randomSeeds are the seeds of n random kernels, of which the first has first before it.
func randomSeeds(first, n int) (seeds []uint64) {
	for i := first; i < first+n; i++ {
		seeds = append(seeds, *randomFrom+uint64(i))
	}
	return seeds
}

// randomBatches compiles random kernels, per of them to a file, on all processors, and gives each file to f. A kernel that
// does not compile is reported by itself and left out.
func randomBatches(t *testing.T, seeds []uint64, per int, f func(seeds []uint64, c *compiled)) {
	t.Helper()
	var group sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for batch := range slices.Chunk(seeds, per) {
		slots <- struct{}{} // here, so that they run in their order
		group.Go(func() {
			defer func() { <-slots }()
			var kernels []*kernelgen.Kernel
			for _, seed := range batch {
				kernels = append(kernels, randomKernel(seed))
			}
			name := fmt.Sprintf("random%d", batch[0])
			c, err := randomArchive(name, kernels...)
			if err != nil {
				c, err = randomArchive(name, compiling(t, kernels)...)
			}
			if err != nil {
				t.Error(err)
				return
			}
			f(batch, c)
		})
	}
	group.Wait()
}

// compiling are the kernels that compile; the others are shrunk.
func compiling(t *testing.T, kernels []*kernelgen.Kernel) (out []*kernelgen.Kernel) {
	for _, k := range kernels {
		compiles := func(source string, runs []string) error {
			if _, err := archiveOf("random", source, runs); err != nil && strings.Contains(err.Error(), "internal-error") {
				return &disagreement{"gpugen", runs[0], err}
			} else if err != nil {
				return err
			}
			return nil
		}
		source := kernelgen.File("random", k)
		if err := compiles(source, k.Runs); err != nil {
			t.Error(shrunk(k.Seed, source, err, compiles))
			continue
		}
		out = append(out, k)
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
	if err := repeated(seed, again); err != nil {
		t.Error(err)
		return
	}
	t.Errorf("%v\nseed %d passes alone", batch, seed)
}

// repeated runs the kernel of a seed by itself, and shrinks one that fails. What it shrinks to has no race and reads nothing that is
// unwritten, or devices could well differ.
func repeated(seed uint64, again func(source string, runs []string) error) error {
	k := randomKernel(seed)
	source := kernelgen.File("random", k)
	for _, run := range k.Runs {
		err := again(source, []string{run})
		if d := (*disagreement)(nil); errors.As(err, &d) {
			d.run = run
		}
		if err != nil {
			return shrunk(seed, source, err, func(source string, runs []string) error {
				if err := agree(source, runs); err != nil {
					return errors.New(err.Error()) // no disagreement of this kind
				}
				return again(source, runs)
			})
		}
	}
	return nil
}

// TestRandomTargets compiles random kernels and compares every target with the interpreter: the Metal text on the CPU,
// of a part of them the CUDA C as well, narrow and wide, and the wrappers on the CPU target.
func TestRandomTargets(t *testing.T) {
	require.Tool(t, "clang", hostrun.CanRun(), hostrun.Remedy)
	for first, n := 0, randomKernels(); first < n; first += perModule {
		dir := t.TempDir()
		m, err := newModule(dir, false, types.CPU)
		if err != nil {
			t.Fatal(err)
		}
		randomBatches(t, randomSeeds(first, min(perModule, n-first)), perArchive, func(seeds []uint64, c *compiled) {
			if err := metalAgrees(c); err != nil {
				alone(t, err, recompiled(metalAgrees))
			}
			if seeds[0]-*randomFrom < uint64(*randomCUDA) {
				cudaAgrees := func(c *compiled) error { return runCUDA(context.Background(), c) }
				if err := cudaAgrees(c); err != nil {
					alone(t, err, recompiled(cudaAgrees))
				}
			}
			if err := m.add(c); err != nil {
				t.Error(err)
			}
		})
		if err := m.finish(); err != nil {
			t.Fatal(err)
		}
		if out, err := cpuTest(dir); err != nil {
			alone(t, fmt.Errorf("%w\n%s%s", err, kernelsAt(dir, out), out), recompiled(cpuAgrees))
		}
		os.RemoveAll(dir)
	}
}

// recompiled is a test of an archive as a test of a source.
func recompiled(test func(*compiled) error) func(source string, runs []string) error {
	return func(source string, runs []string) error {
		c, err := archiveOf("random", source, runs)
		if err != nil {
			return err
		}
		return test(c)
	}
}

func metalAgrees(c *compiled) error {
	lines, err := c.Runs()
	if err != nil || c.pkg.Units[0].Metal == nil {
		return err
	}
	return runMetal(context.Background(), c.Name, &c.pkg.Units[0].Variant, lines, false)
}

// cpuTest vets a module and replays its cases on the CPU target; nothing in it has a checked build.
func cpuTest(dir string) (string, error) {
	if out, err := goRun(dir, "cpu", false, "vet", "./..."); err != nil {
		return out, err
	}
	return goRun(dir, "cpu", false, "test", "-count=1", "-timeout=20m", ".")
}

func cpuAgrees(c *compiled) error {
	dir, err := os.MkdirTemp("", "random")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	m, err := newModule(dir, false, types.CPU)
	if err == nil {
		err = m.add(c)
	}
	if err == nil {
		err = m.finish()
	}
	if err != nil {
		return err
	}
	if out, err := cpuTest(dir); err != nil {
		return &disagreement{"cpu", "", fmt.Errorf("%w\n%s", err, out)}
	}
	return nil
}

// TestRandomNVRTC compiles the CUDA C of random kernels with every NVRTC here. Their sources compute much that they do
// not use.
func TestRandomNVRTC(t *testing.T) {
	var lock sync.Mutex
	var list []*compiled
	randomBatches(t, randomSeeds(0, *randomNVRTC), perArchive, func(_ []uint64, c *compiled) {
		lock.Lock()
		defer lock.Unlock()
		list = append(list, c)
	})
	nvrtcTakes(t, list, []string{"sm_75"}, aboutDeadCode)
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
