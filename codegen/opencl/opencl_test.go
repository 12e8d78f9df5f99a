package opencl

import (
	"encoding/binary"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/codegen/internal/cfamily"
	"github.com/gpugen/gpugen/codegen/internal/cfamily/cfamilytest"
	"github.com/gpugen/gpugen/codegen/opencl/clrun"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/internal/require"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/abi"
	"github.com/gpugen/gpugen/ir/interp"
)

// check has clang read text as OpenCL C of both ends of the range of versions, every warning an error, with doubles and
// without.
func check(t *testing.T, text string) {
	t.Helper()
	clang, err := exec.LookPath("clang-19")
	require.Tool(t, "clang", err == nil, "run make setup")
	for _, options := range [][]string{
		{"-cl-std=CL1.2"}, {"-cl-std=CL3.0"}, {"-cl-std=CL1.2", "-Xclang", "-cl-ext=-cl_khr_fp64", "-DGPUGEN_INEXACT_DIVISION"},
	} {
		cmd := exec.Command(clang, append(options, "-x", "cl", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter",
			"-Wno-sometimes-uninitialized", // __local memory is other threads' to fill
			"-target", "spir64", "-")...)
		cmd.Stdin = strings.NewReader(text)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s\n%s", options, err, out, numbered(text))
		}
	}
}

func numbered(text string) string {
	var b strings.Builder
	for i, l := range strings.Split(text, "\n") {
		fmt.Fprintf(&b, "%4d %s\n", i+1, l)
	}
	return b.String()
}

func open(t *testing.T) *clrun.Device {
	t.Helper()
	d, err := clrun.Open()
	require.Tool(t, "opencl", err == nil, clrun.Remedy)
	return d
}

func build(t *testing.T, d *clrun.Device, text string) *clrun.Program {
	t.Helper()
	options := Exact
	if !d.Exact {
		options = Inexact
	}
	p, err := d.Build(text, options)
	if err != nil {
		t.Fatalf("%v\n%s", err, numbered(text))
	}
	return p
}

func TestTableHasNoHole(t *testing.T) {
	for _, h := range dialect.Table.Holes(dialect.Prelude) {
		t.Errorf("no rule for %s", h)
	}
}

func TestFastMathIsInTheTableOfBounds(t *testing.T) {
	for _, err := range cfamilytest.Loose(types.OpenCL, dialect.Table) {
		t.Error(err)
	}
}

func TestEveryOperationIsOpenCL(t *testing.T) {
	check(t, Emit(cfamilytest.Module(cfamilytest.Cases(types.OpenCL))).Text)
}

func TestNamesAreOpenCL(t *testing.T) {
	check(t, Emit(cfamilytest.Names()).Text)
}

// TestEntriesAreOpenCL gives kernels the names of everything that the language has.
func TestEntriesAreOpenCL(t *testing.T) {
	m := &ir.Module{Package: "names", File: "names.gpu"}
	taken := map[string]bool{}
	for _, set := range []map[string]bool{keywords, functions} {
		for w := range set {
			if strings.HasPrefix(w, "convert_") && !strings.HasSuffix(w, "_sat_rtz") {
				continue // they are many
			}
			k := cfamilytest.Names().Kernels[0].Clone()
			k.Body.Instrs = k.Body.Instrs[:0]
			k.Entry = Entry(w)
			if k.Entry == w || taken[k.Entry] {
				t.Errorf("%q is the entry of a kernel %q", k.Entry, w)
			}
			taken[k.Entry] = true
			m.Kernels = append(m.Kernels, k)
		}
	}
	slices.SortFunc(m.Kernels, func(a, b *ir.Kernel) int { return strings.Compare(a.Entry, b.Entry) })
	check(t, Emit(m).Text)
	if got := Entry("Saxpy"); got != "Saxpy" {
		t.Errorf("Saxpy becomes %s", got)
	}
}

// launch runs a case's kernel over its buffers.
func launch(p *clrun.Program, c cfamilytest.Case, buffers []*interp.Buffer) error {
	n := int(buffers[0].Len())
	var args []clrun.Arg
	for _, b := range buffers {
		args = append(args, clrun.Arg{Data: b.Data, Elem: b.Kind().Size()})
	}
	args = append(args, clrun.Arg{Data: binary.LittleEndian.AppendUint64(nil, uint64(n))})
	return p.Run(c.Kernel.Entry, [3]int{(n + 255) / 256, 1, 1}, c.Kernel.Sched.Block, args)
}

// agree runs cases in programs of a few kernels, whose text may be changed first, and returns what disagrees with the
// interpreter.
func agree(t *testing.T, cases []cfamilytest.Case, change func(string) string) (bad []error) {
	t.Helper()
	d := open(t)
	for some := range slices.Chunk(cases, 64) {
		text := Emit(cfamilytest.Module(some)).Text
		if change != nil {
			text = change(text)
		}
		p := build(t, d, text)
		for _, c := range some {
			buffers := c.Buffers()
			err := launch(p, c, buffers)
			if err == nil {
				err = c.Check(buffers, types.OpenCL)
			}
			if err != nil {
				bad = append(bad, fmt.Errorf("%s: %w", c, err))
			}
		}
		p.Close()
	}
	return bad
}

func TestEveryOperationAgreesWithTheInterpreter(t *testing.T) {
	for _, err := range agree(t, cfamilytest.Cases(types.OpenCL), nil) {
		t.Error(err)
	}
}

// TestInexactDevices runs the division and the square root that devices get whose own are not correctly rounded: in
// doubles, and in integers where there are none.
func TestInexactDevices(t *testing.T) {
	var cases []cfamilytest.Case
	for _, c := range cfamilytest.Cases(types.OpenCL) {
		if (c.Op == ir.OpDiv || c.Op == ir.OpSqrt) && c.To == types.Float32 {
			cases = append(cases, c)
		}
	}
	if len(cases) != 2 {
		t.Fatalf("%d cases", len(cases))
	}
	for _, without := range []string{"", "#undef cl_khr_fp64\n"} {
		for _, err := range agree(t, cases, func(text string) string {
			if !strings.Contains(text, "#ifndef GPUGEN_INEXACT_DIVISION") {
				t.Fatal("the text has no inexact division")
			}
			return "#define GPUGEN_INEXACT_DIVISION 1\n" + without + text
		}) {
			t.Errorf("%s%v", without, err)
		}
	}
}

func TestBlocksAreOpenCL(t *testing.T) {
	text := Emit(cfamilytest.BlockModule(cfamilytest.Blocks())).Text
	check(t, text)
	for _, want := range []string{
		"// Matmul: blocks by, bx of 4 x 4 threads ty, tx, 128 bytes of shared memory a block; every view and extent under 2^31.\n" +
			"__kernel __attribute__((reqd_work_group_size(4, 4, 1)))\nvoid Matmul(__global const float* restrict a, ulong a_at, __global const float* restrict b, ulong b_at, __global float* c, ulong c_at, long m,",
		"\ta += a_at;\n\tb += b_at;\n\tc += c_at;\n\t__local float left[4][4];\n\t__local float right[4][4];\n", "\t__local int total;\n", "\t__local bool odd[2][2][8];\n",
		"\t\t\tbarrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestBlocksRun runs the kernels on their own grid and on one block along y and z that does the work of all.
func TestBlocksRun(t *testing.T) {
	d := open(t)
	list := cfamilytest.Blocks()
	p := build(t, d, Emit(cfamilytest.BlockModule(list)).Text)
	defer p.Close()
	for _, b := range list {
		for _, grid := range [][3]int{b.Grid, {b.Grid[0], 1, 1}} {
			var args []clrun.Arg
			extents := b.Extents
			for _, s := range abi.Of(b.Kernel).Slots {
				if s.Kind == abi.View {
					v := b.Buffers[s.Param]
					args = append(args, clrun.Arg{Data: slices.Clone(v.Data), Elem: v.Kind().Size()})
					continue
				}
				args = append(args, clrun.Arg{Data: binary.LittleEndian.AppendUint64(nil, uint64(extents[0]))})
				extents = extents[1:]
			}
			if err := p.Run(b.Kernel.Entry, grid, b.Kernel.Sched.Block, args); err != nil {
				t.Error(err)
				continue
			}
			got := b.Buffers[b.Out].Clone()
			copy(got.Data, args[b.Out].Data)
			for i, want := range b.Want {
				if got.At(int64(i)) != want {
					t.Errorf("%s, grid %v: element %d is %#x, want %#x", b.Kernel.Name, grid, i, got.At(int64(i)), want)
					break
				}
			}
		}
	}
}

// TestNothingIsFused: a product and a sum round twice, also across parentheses and casts, unless the kernel says fma.
func TestNothingIsFused(t *testing.T) {
	d := open(t)
	one := binary.LittleEndian.AppendUint32(nil, 0x3f800001) // 1 + 2^-23: the square has a term of 2^-46
	minus := binary.LittleEndian.AppendUint32(nil, 0xbf800002)
	for text, want := range map[string]uint32{"a[0] * a[0] + b[0]": 0, "(float)(a[0] * a[0]) + b[0]": 0, "fma(a[0], a[0], b[0])": 0x28800000} {
		for _, pragma := range []bool{true, false} {
			source := "__kernel void k(__global const float* a, ulong a_at, __global const float* b, ulong b_at, __global float* c, ulong c_at) {\n" +
				"\ta += a_at;\n\tb += b_at;\n\tc += c_at;\n\tc[0] = " + text + ";\n}\n"
			if pragma {
				source = head + source
			}
			p := build(t, d, source)
			args := []clrun.Arg{{Data: slices.Clone(one), Elem: 4}, {Data: slices.Clone(minus), Elem: 4}, {Data: make([]byte, 4), Elem: 4}}
			if err := p.Run("k", [3]int{1, 1, 1}, [3]int{1, 1, 1}, args); err != nil {
				t.Fatal(err)
			}
			p.Close()
			got := binary.LittleEndian.Uint32(args[2].Data)
			switch {
			case pragma && got != want:
				t.Errorf("%s is %#x, want %#x", text, got, want)
			case !pragma:
				t.Logf("without the pragma, %s is %#x on %s", text, got, d.Name)
			}
		}
	}
}

// TestTables reads tables of constants: subnormals survive, and a table of doubles hides from devices without them.
func TestTables(t *testing.T) {
	n := types.Sym("n")
	kernel := func(name string, table *ir.Table) *ir.Kernel {
		y := &ir.Param{Name: "y", Mut: true, Type: &types.View{Rank: 1, Elem: table.Elem()}, Dims: []*types.Header{n}}
		k := &ir.Kernel{
			Name: name, Instance: name, Entry: name, Params: []*ir.Param{y}, Symbols: []*ir.Symbol{{Name: "n"}}, Targets: types.AllTargets,
			Domain: []ir.Dim{{Name: "i", Lo: types.Const(0), Hi: n}}, Sched: &ir.Schedule{Block: [3]int{4, 1, 1}, Per: 1}, Body: &ir.Block{},
		}
		b := ir.Builder{Block: k.Body}
		i := b.New(ir.OpThreadIdx, types.Int32)
		b.Store(y, b.TableGet(table, i), i)
		return k
	}
	m := &ir.Module{Package: "p", File: "p.gpu"}
	for _, k := range cfamily.Floats {
		bits := []uint64{1, 2, 0x12345, ir.FloatBits(k, -0.1)}
		table := &ir.Table{Name: "half", Type: &types.Array{Dims: []int64{4}, Elem: k}, Bits: bits}
		m.Tables = append(m.Tables, table)
		m.Kernels = append(m.Kernels, kernel("K_"+k.String(), table))
	}
	text := Emit(m).Text
	if !strings.Contains(text, "#ifdef cl_khr_fp64\n__constant double half__2[4] = {") {
		t.Errorf("the table of doubles is not under its condition:\n%s", text)
	}
	check(t, text)
	p := build(t, open(t), text)
	defer p.Close()
	for i, k := range m.Kernels {
		table := m.Tables[i]
		got := interp.NewBuffer(table.Elem(), 4)
		args := []clrun.Arg{{Data: got.Data, Elem: table.Elem().Size()}, {Data: binary.LittleEndian.AppendUint64(nil, 4)}}
		if err := p.Run(k.Entry, [3]int{1, 1, 1}, k.Sched.Block, args); err != nil {
			t.Fatal(err)
		}
		for j, want := range table.Bits {
			if got.At(int64(j)) != want {
				t.Errorf("%s: element %d is %#x, want %#x", table.Elem(), j, got.At(int64(j)), want)
			}
		}
	}
}
