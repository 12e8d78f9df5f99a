package msl

import (
	"context"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/codegen/internal/cfamily/cfamilytest"
	"github.com/gpugen/gpugen/codegen/msl/hostrun"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/internal/require"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/abi"
	"github.com/gpugen/gpugen/ir/interp"
)

// check has clang judge the text of m and compares the bindings with the slot tables.
func check(t *testing.T, m *ir.Module) string {
	t.Helper()
	require.Tool(t, "clang", hostrun.Clang() != "", hostrun.Remedy)
	text := Emit(m).Text
	kernels, err := hostrun.Check(context.Background(), text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if len(kernels) != len(m.Kernels) {
		t.Fatalf("%d kernels of %d in the syntax tree", len(kernels), len(m.Kernels))
	}
	for i, k := range m.Kernels {
		if kernels[i].Name != k.Entry {
			t.Errorf("kernel %d is %s, want %s", i, kernels[i].Name, k.Entry)
		}
		if err := kernels[i].Match(abi.Of(k)); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
	}
	return text
}

func TestTableHasNoHole(t *testing.T) {
	for _, h := range dialect.Table.Holes(dialect.Prelude) {
		t.Errorf("no rule for %s", h)
	}
}

func TestFastMathIsInTheTableOfBounds(t *testing.T) {
	for _, err := range cfamilytest.Loose(types.Metal, dialect.Table) {
		t.Error(err)
	}
}

func TestEveryOperationIsMetal(t *testing.T) {
	check(t, cfamilytest.Module(cfamilytest.Cases(types.Metal)))
}

// args are a case's memory by buffer index: the constant block with the extent, then the views.
func launch(c cfamilytest.Case, buffers []*interp.Buffer) hostrun.Launch {
	n := buffers[0].Len()
	l := hostrun.Launch{Grid: [3]int{int((n + 255) / 256), 1, 1}, Block: c.Kernel.Sched.Block, Buffers: map[int][]byte{}}
	for _, s := range abi.Of(c.Kernel).Slots {
		if s.Kind == abi.View {
			l.Buffers[s.Buffer] = buffers[s.Param].Data
		}
	}
	l.Buffers[0] = binary.LittleEndian.AppendUint64(nil, uint64(n))
	return l
}

func TestEveryOperationAgreesWithTheInterpreter(t *testing.T) {
	require.Tool(t, "clang", hostrun.CanRun(), hostrun.Remedy)
	ctx := context.Background()
	cases := cfamilytest.Cases(types.Metal)
	p, err := hostrun.Build(ctx, Emit(cfamilytest.Module(cases)).Text)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, c := range cases {
		buffers := c.Buffers()
		if err := p.Run(ctx, c.Kernel.Entry, launch(c, buffers)); err != nil {
			t.Errorf("%s: %v", c, err)
		} else if err := c.Check(buffers, types.Metal); err != nil {
			t.Error(err)
		}
	}
}

// TestWrongTextIsNoticed breaks helpers one by one: the comparison with the interpreter, or the sanitizer, must object.
func TestWrongTextIsNoticed(t *testing.T) {
	require.Tool(t, "clang", hostrun.CanRun(), hostrun.Remedy)
	ctx := context.Background()
	var cases []cfamilytest.Case
	for _, c := range cfamilytest.Cases(types.Metal) {
		if wide := c.Args[0] == types.Int32 || c.Args[0] == types.Float32; wide && c.Args[len(c.Args)-1] == c.Args[0] && !c.NoWrap {
			cases = append(cases, c)
		}
	}
	text := Emit(cfamilytest.Module(cases)).Text
	for _, m := range []struct {
		op           ir.Op
		right, wrong string
	}{
		{ir.OpDiv, "y == -1 && ", "y == -2 && "},
		{ir.OpRem, "return x - x / d * d;", "return x - x / y * y;"},
		{ir.OpShl, "n < 32u ? x << n", "n < 33u ? x << n"},
		{ir.OpShr, "n < 32u ? n : 31u", "n"},
		{ir.OpAbs, "x < 0 ? as_type<int>(0u - as_type<uint>(x)) : x", "x < 0 ? -x : x"},
		{ir.OpAdd, "as_type<int>(as_type<uint>(a[i]) + as_type<uint>(b[i]))", "a[i] + b[i]"},
		{ir.OpMax, "gg_isnan_f32(y) ? y : gg_maxnum_f32(x, y)", "gg_maxnum_f32(x, y)"},
		{ir.OpMax, "as_type<float>(as_type<uint>(x) & as_type<uint>(y))", "x"},
		{ir.OpRem, "s = n < 8u ? n : 8u", "s = n < 9u ? n : 9u"},
		{ir.OpConv, "x >= 2147483648.0f ? 2147483647 : ", ""},
		{ir.OpErf, "fma(p, t, 0.112837", "fma(p, t, 0.112836"},
	} {
		changed := strings.Replace(text, m.right, m.wrong, 1)
		if changed == text {
			t.Errorf("%s: %q is not in the text", m.op, m.right)
			continue
		}
		p, err := hostrun.Build(ctx, changed)
		if err != nil {
			continue // noticed before it ran
		}
		noticed := false
		for _, c := range cases {
			if c.Op == m.op && !noticed {
				buffers := c.Buffers()
				noticed = p.Run(ctx, c.Kernel.Entry, launch(c, buffers)) != nil || c.Check(buffers, types.Metal) != nil
			}
		}
		if !noticed {
			t.Errorf("%s: %q in place of %q is not noticed", m.op, m.wrong, m.right)
		}
		p.Close()
	}
}
