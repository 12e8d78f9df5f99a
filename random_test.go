package gpugen_test

import (
	"errors"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/check"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/internal/golden"
	"github.com/gpugen/gpugen/internal/kernelgen"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/abi"
	"github.com/gpugen/gpugen/ir/interp"
	"github.com/gpugen/gpugen/ir/lower"
	"github.com/gpugen/gpugen/ir/pass"
)

var (
	randomN    = flag.Int("random.n", 1200, "how many random kernels run; one in six does not on Metal")
	randomFrom = flag.Uint64("random.from", 1, "the seed of the first random kernel")
)

// randomKernels is how many random kernels run; -short makes it few, unless the flag is given.
func randomKernels() int {
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "random.n" })
	if testing.Short() && !given {
		return 60
	}
	return *randomN
}

// randomKernel is the kernel of a seed. Two in five have blocks of threads, one in five has a block on each point; one in six uses
// float64, which keeps it off Metal.
func randomKernel(seed uint64) *kernelgen.Kernel {
	return kernelgen.New(seed, kernelgen.Options{Float64: seed%6 == 0, Blocks: seed%5 < 2, Rows: seed%5 == 2})
}

// A disagreement is what a random kernel shows: at which stage the memory differs from that of the stage before it.
type disagreement struct {
	stage string
	run   string
	err   error
}

func (d *disagreement) Error() string { return fmt.Sprintf("%s: %s\n%v", d.stage, d.run, d.err) }

// TestRandomKernels runs random kernels through the interpreter as lowering leaves them, before the passes of a target
// and behind them, forward and shuffled, and asks for equal memory, no race and no false claim of a pass. A kernel that
// disagrees is shrunk; what is printed is ready to be kept as an archive of testdata/golden.
func TestRandomKernels(t *testing.T) {
	eachSeed(t, randomKernels(), func(seed uint64) error {
		k := randomKernel(seed)
		source := kernelgen.File("random", k)
		err := agree(source, k.Runs)
		if err == nil {
			return nil
		}
		return shrunk(seed, source, err, agree, stageOf)
	})
}

// eachSeed calls f for n seeds, on all processors.
func eachSeed(t *testing.T, n int, f func(seed uint64) error) {
	seeds := make(chan uint64)
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for seed := range seeds {
				if err := f(seed); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range n {
		if t.Failed() && *randomN == 1200 {
			break
		}
		seeds <- *randomFrom + uint64(i)
	}
	close(seeds)
	group.Wait()
}

// shrunk reports a failure with the least source that shows it.
func shrunk(seed uint64, source string, err error, again func(source string, runs []string) error, notes ...func(source, run string) string) error {
	var d *disagreement
	if !errors.As(err, &d) {
		return fmt.Errorf("seed %d: %w\n%s", seed, err, source)
	}
	small, run := kernelgen.Shrink(source, d.run, func(source, run string) bool {
		var now *disagreement
		return errors.As(again(source, []string{run}), &now) && now.stage == d.stage
	})
	if e := again(small, []string{run}); e != nil {
		err = e
	}
	for _, note := range notes {
		err = fmt.Errorf("%w\n%s", err, note(small, run))
	}
	archive := kernelgen.Archive(fmt.Sprintf("Seed %d: %s.", seed, d.stage), fmt.Sprintf("rand%d.gpu", seed), small, []string{run})
	return fmt.Errorf("seed %d: %w\n--- smallest archive:\n%s--- whole source:\n%s", seed, err, archive, source)
}

// agree runs the lines of a source at every stage that the interpreter can run.
func agree(source string, runs []string) (err error) {
	stage := "compile"
	line := ""
	defer func() {
		if r := recover(); r != nil {
			err = &disagreement{stage + " panics", line, fmt.Errorf("%v\n%s", r, debug.Stack())}
		}
	}()
	if len(runs) > 0 {
		line = runs[0]
	}
	f, errs := dsl.Parse("random.gpu", []byte(source))
	program, list := check.Package([]*dsl.File{f}, check.Config{})
	errs.Add(list...)
	if errs.HasErrors() {
		return errs
	}
	plain := lower.Program(program)[0]
	common := plain.Clone()
	pass.Common(common)
	lines, err := linesOf(runs, common)
	if err != nil {
		return err
	}
	for _, l := range lines {
		text := l.Text
		line = text
		run := func(name string, m *ir.Module, want map[string]*golden.Call, fused bool) (map[string]*golden.Call, error) {
			stage = name
			out := map[string]*golden.Call{}
			for _, k := range m.Kernels {
				if !l.Matches(abi.Of(k)) {
					continue
				}
				if _, err := l.Bind(abi.Of(k)); err != nil {
					return nil, err // the line is wrong, not a stage
				}
				c, err := golden.Run(k, l, fused)
				if err == nil && want != nil {
					err = c.Equal(want[k.Instance], 0)
				}
				if err != nil {
					if k.Wide {
						name += ", wide"
					}
					return nil, &disagreement{name, text, err}
				}
				out[k.Instance] = c
			}
			if len(out) == 0 {
				return nil, fmt.Errorf("%s: no kernel runs %s", name, text)
			}
			return out, nil
		}
		stage = "reference"
		read, err := refer(program, plain, l)
		if err != nil {
			return &disagreement{stage, text, err}
		}
		// A load that nothing uses is gone when a pass finds that two views may be one: it was a race before.
		if !shares(l) {
			if _, err := run("lower", plain, read, false); err != nil {
				return err
			}
		}
		for _, t := range []types.Target{types.CPU, types.CUDA} {
			want := read
			if t != types.CPU {
				want = nil // products are fused
			}
			if want, err = run(t.String()+" oracle", pass.Oracle(common, t), want, t != types.CPU); err != nil {
				return err
			}
			if _, err := run(t.String(), pass.For(common, t), want, t != types.CPU); err != nil {
				return err
			}
		}
	}
	return nil
}

// linesOf parses lines. A kernel that allows it is run once more with two parameters in the same memory.
func linesOf(runs []string, m *ir.Module) ([]*golden.RunLine, error) {
	var out []*golden.RunLine
	for _, text := range runs {
		l, err := golden.ParseLine(text)
		if err != nil {
			return nil, err
		}
		out = append(out, l)
		for _, k := range m.Kernels {
			if !l.Matches(abi.Of(k)) || len(k.InPlace) == 0 {
				continue
			}
			pair := k.InPlace[0]
			if k.Params[pair[0]].Dims[0].String() != k.Params[pair[1]].Dims[0].String() {
				continue
			}
			shared := *l
			shared.Generics = nil
			for _, g := range k.Generics { // another instance may have other types
				if g.Type != nil {
					shared.Generics = append(shared.Generics, g.Type.String())
				} else {
					shared.Generics = append(shared.Generics, fmt.Sprint(g.Value))
				}
			}
			shared.Args = slices.Clone(l.Args)
			shared.Args[pair[1]] = golden.Argument{Same: k.Params[pair[0]].Name, Hi: -1}
			shared.Text = shared.String()
			out = append(out, &shared)
			break
		}
	}
	return out, nil
}

// shares reports a line that gives two parameters the same memory.
func shares(l *golden.RunLine) bool {
	return slices.ContainsFunc(l.Args, func(a golden.Argument) bool { return a.Same != "" })
}

// refer runs a line by a walk over the program's tree, for each instance. plain is the program as lowering leaves it.
func refer(program *check.Program, plain *ir.Module, l *golden.RunLine) (map[string]*golden.Call, error) {
	out := map[string]*golden.Call{}
	for i, k := range plain.Kernels {
		if !l.Matches(abi.Of(k)) {
			continue
		}
		c, err := l.Bind(abi.Of(k))
		if err != nil {
			return nil, err
		}
		launch, err := interp.Bind(k, c.Args)
		if err != nil {
			return nil, err
		}
		prints, err := kernelgen.Reference(program.Kernels[i], launch, c.Args)
		if err != nil {
			return nil, err
		}
		c.Printed = golden.PrintedBy(prints)
		out[k.Instance] = c
	}
	return out, nil
}

// stageOf finds the passes behind which a kernel gives other memory, for whoever looks into a failure.
func stageOf(source, text string) (out string) {
	defer func() {
		if r := recover(); r != nil {
			out = fmt.Sprint(r)
		}
	}()
	f, _ := dsl.Parse("random.gpu", []byte(source))
	program, list := check.Package([]*dsl.File{f}, check.Config{})
	if list.HasErrors() {
		return list.Error()
	}
	l, err := golden.ParseLine(text)
	if err != nil {
		return err.Error()
	}
	for _, t := range []types.Target{types.CPU, types.CUDA} {
		var before *golden.Call
		for _, s := range pass.Stages(lower.Program(program)[0], t) {
			i := slices.IndexFunc(s.Module.Kernels, func(k *ir.Kernel) bool { return l.Matches(abi.Of(k)) })
			c, err := golden.Run(s.Module.Kernels[i], l, t != types.CPU)
			if err == nil && before != nil {
				err = c.Equal(before, 0)
			}
			if err != nil {
				out += fmt.Sprintf("%s: behind %s: %v\n", t, s.Name, err)
			}
			before = c
		}
	}
	return out
}

// TestReference holds the walk over the tree against the literals of the golden archives, which people wrote, and where a
// line has none against the interpreter.
func TestReference(t *testing.T) {
	ran := map[string]int{}
	for _, c := range load(t) {
		lines, err := c.Runs()
		if err != nil {
			t.Fatal(err)
		}
		var files []*dsl.File
		for _, s := range c.Sources() {
			f, _ := dsl.Parse(s.Name, s.Data)
			files = append(files, f)
		}
		program, list := check.Package(files, check.Config{})
		if list.HasErrors() {
			continue
		}
		var plain []*ir.Kernel
		for _, m := range lower.Program(program) {
			pass.Common(m) // says which views may be one
			plain = append(plain, m.Kernels...)
		}
		for _, line := range lines {
			for i, k := range plain {
				if o := line.Want; !matches(line, k) || o.Error != "" || o.Trap || o.Finding != "" {
					continue
				}
				call, err := line.Bind(abi.Of(k))
				if err != nil {
					t.Fatal(err)
				}
				launch, err := interp.Bind(k, call.Args)
				if err != nil {
					t.Fatal(err)
				}
				prints, err := kernelgen.Reference(program.Kernels[i], launch, call.Args)
				call.Printed = golden.PrintedBy(prints)
				if far := (*kernelgen.BeyondError)(nil); errors.As(err, &far) {
					t.Logf("%s: %v", c.Name, far)
					continue
				}
				if got := call.Printed.Text(); err == nil && got != line.Want.Prints && !line.Want.Tells {
					err = fmt.Errorf("prints %q", got)
				}
				if err == nil && len(line.Want.Views) > 0 {
					err = call.CheckWants(false)
				} else if err == nil {
					var other *golden.Call
					if other, err = golden.Run(k, line, false); err == nil {
						err = other.Equal(call, 0)
					}
				}
				if err != nil {
					t.Errorf("%s: %s: %v", c.Name, line.Text, err)
				}
				ran[c.Name]++
			}
		}
	}
	for _, name := range []string{"atomics", "b19_switch", "block_sums", "byblock", "byblock_atomics", "philox", "subgroups", "barriers", "blocks", "comprehensions", "constant_tables", "half", "references", "shared", "statements", "struct_calls", "structs", "vectors"} {
		if ran[name] < 4 {
			t.Errorf("%d lines of %s ran", ran[name], name)
		}
	}
}

// TestReferenceFinds has the walk over the tree find what is wrong with kernels: it stands behind the promise that random
// kernels are right.
func TestReferenceFinds(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"nothing", "s[t] = x[b, t]\nbarrier()\nx[b, t] = s[3-t]", ""},
		{"a race of writes", "s[t/2] = 1\nbarrier()", "another thread wrote"},
		{"a race of a read behind a write", "s[t] = 1\nx[b, t] = s[t]\nif t > 0 {\nx[b, t] = s[t-1]\n}", "another thread wrote"},
		{"a race of a write behind a read", "s[t] = x[b, t]\nbarrier()\nv := s[(t+3)%4] + s[t]\nif t == 3 {\ns[t-1] = v\n}", "another thread reads"},
		{"a race between blocks", "x[0, t] = int32(b)", "another thread wrote"},
		{"a race of blocks that read", "s[t] = x[1, t]\nif b == 1 {\nx[b, t] = s[t]\n}", "another thread reads"},
		{"unwritten", "x[b, t] = s[t]", "`s` is read before it is written"},
		{"unwritten in the next block", "if b == 0 {\ns[t] = 1\n}\nbarrier()\nx[b, t] = s[t]", "`s` is read before it is written"},
		{"a scalar", "if t == 2 {\nf = true\n}\nbarrier()\nif f {\nx[b, t] = 1\n}", ""},
		{"a scalar of two threads", "f = t == 2", "another thread wrote"},
		{"divergent", "if t < 2 {\nbarrier()\n}", "waits at this barrier"},
		{"divergent at the first thread", "if t > 2 {\nbarrier()\n}", "waits at this barrier, the first does not"},
		{"two barriers", "if t < 2 {\nbarrier()\n} else {\nbarrier()\n}", "waits at this barrier"},
		{"out of range", "x[b, t+1] = 0", "index 4 of extent 4"},
		{"a sum", "v := block.ScanSum(x[b, t])\ns[t] = v\nbarrier()\nx[b, t] = s[3-t] + block.Max(v)", ""},
		{"a sum that orders nothing", "s[t] = x[b, t]\nv := block.Sum(x[b, t])\nx[b, t] = s[3-t] + v", "another thread wrote"},
		{"a sum that some reach", "if t < 2 {\nx[b, t] = block.Sum(x[b, t])\n}", "waits at this block.Sum"},
		{"a sum and a barrier", "if t == 1 {\nbarrier()\n} else {\nx[b, t] = block.Sum(x[b, t])\n}", "thread 1 of a block waits at this barrier, the first does not"},
		{"updates", "if t == 0 {\ns[0] = 0\n}\nbarrier()\natomic.Add(&s[0], 1)\nbarrier()\nx[b, t] = s[0]", ""},
		{"updates of several blocks", "atomic.Max(&x[0, t%2], 1)", ""},
		{"a read beside updates", "if t == 0 {\ns[0] = 0\n}\nbarrier()\natomic.Add(&s[0], 1)\nx[b, t] = s[0]", "another thread reads"},
		{"a write behind updates", "atomic.Add(&x[b, 0], 1)\nif t == 3 {\nx[b, 0] = 1\n}", "another thread updates"},
		{"an update behind a write", "x[b, t] = 1\natomic.Add(&x[b, 3-t], 1)", "another thread updates"},
		{"an update behind a read", "if x[b, 3-t] > 2 {\nx[b, 3-t] = 1\n}\nbarrier()\nif x[b, 0] > 2 {\n}\nif t == 1 {\natomic.Or(&x[b, 0], 1)\n}", "another thread reads"},
		{"updates of blocks beside a read", "if b == 0 {\natomic.Add(&x[0, t], 1)\n} else if x[0, t] > 2 {\n}", "another thread updates"},
		{"an update of what is unwritten", "atomic.Add(&s[t], 1)\nbarrier()\nx[b, t] = s[t]", "`s` is read before it is written"},
		{"fields of threads", "if t < 2 {\nq[0].v[t] = 1\n} else if t == 2 {\nq[0].w.y = 2\n} else {\nq[0].w.x = 3\n}\nbarrier()\nx[b, t] = q[0].v[t/2] + q[0].w.x", ""},
		{"a race of a component", "if t < 2 {\nq[0].w.xy = int32x2(int32(t))\n}", "another thread wrote"},
		{"a race of a field and the whole", "if t == 0 {\nq[1] = P{}\n} else {\nq[1].v[1] = 2\n}", "another thread wrote"},
		{"an unwritten component", "if t == 0 {\nq[0].w.x = 1\nx[b, 0] = q[0].w.yx.x\n}", "`q` is read before it is written"},
		{"out of range in a field", "if t == 0 {\nq[0].v[x[b, 0]] = 1\n}\nif t == 1 {\nq[1].v[x[b, 1]] = 1\n}", "index 2 of extent 2"},
		{"by reference", "s[t] = x[b, t]\nbarrier()\nx[b, t] = last(s) - last(ten)", ""},
		{"a race by reference", "s[t] = 1\nset(s, t/2)", "another thread wrote"},
		{"unwritten by reference", "x[b, t] = last(s)", "`s` is read before it is written"},
		{"out of range by reference", "if t == 3 {\nset(s, t+1)\n}", "index 4 of extent 4"},
		{"out of range of a table", "x[b, t] = ten[t]", "index 3 of extent 3"},
	} {
		source := "package p\n\ntype P struct {\nv [2]int32\nw int32x2\n}\n\nconst ten = [3]int32{10, 20, 30}\n\nfunc last(a [n]int32) int32 { return a[n-1] }\n\nfunc set(a mut [n]int32, i int) { a[i] = 7 }\n\n" +
			"kernel K(x mut [g, 4]int32) blocks b in g threads t in 4 {\nshared s [4]int32\nshared q [2]P\nshared f bool\n_ = len(s) + len(q)\nif g > 9 {\nif f {\n}\n}\n" + c.body + "\n}\n"
		f, errs := dsl.Parse("p.gpu", []byte(source))
		program, list := check.Package([]*dsl.File{f}, check.Config{})
		errs.Add(list...)
		if errs.HasErrors() {
			t.Errorf("%s: %v", c.name, errs)
			continue
		}
		l, err := golden.ParseLine("K([[1 2 3 4] [5 6 7 8]]) -> oracle")
		if err != nil {
			t.Fatal(err)
		}
		_, err = refer(program, lower.Program(program)[0], l)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s gives %v, want %s", c.name, err, c.want)
		}
	}
}
