package msl

import (
	"context"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/codegen/internal/cfamily/cfamilytest"
	"github.com/gpugen/gpugen/codegen/msl/hostrun"
	"github.com/gpugen/gpugen/internal/require"
	"github.com/gpugen/gpugen/ir/abi"
)

// blockLaunch is the launch of a kernel of blocks over fresh memory.
func blockLaunch(b *cfamilytest.Block, o hostrun.Order) hostrun.Launch {
	l := hostrun.Launch{Grid: b.Grid, Block: b.Kernel.Sched.Block, Order: o, Seed: 5, Buffers: map[int][]byte{}}
	layout := abi.Of(b.Kernel)
	consts, extents := make([]byte, layout.Consts), b.Extents
	for _, s := range layout.Slots {
		if s.Kind == abi.View {
			l.Buffers[s.Buffer] = slices.Clone(b.Buffers[s.Param].Data)
			continue
		}
		binary.LittleEndian.PutUint64(consts[s.Offset:], uint64(extents[0]))
		extents = extents[1:]
	}
	if len(consts) > 0 {
		l.Buffers[0] = consts
	}
	return l
}

// output is the buffer index of the view that a kernel of blocks writes.
func output(b *cfamilytest.Block) int {
	for _, s := range abi.Of(b.Kernel).Slots {
		if s.Kind == abi.View && s.Param == b.Out {
			return s.Buffer
		}
	}
	panic("no output")
}

func TestBlocksAreMetal(t *testing.T) {
	text := check(t, cfamilytest.BlockModule(cfamilytest.Blocks()))
	for _, want := range []string{
		"// Matmul: blocks by, bx of 4 x 4 threads ty, tx, 128 bytes of shared memory a block; every view and extent under 2^31.\n[[max_total_threads_per_threadgroup(16)]]\n",
		"\tthreadgroup float left[4][4];\n\tthreadgroup float right[4][4];\n", "\tthreadgroup int total;\n", "\tthreadgroup bool odd[2][2][8];\n", "\tthreadgroup uchar threadgroup_barrier_[8];\n",
		"\t\t\tthreadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestBlocksRun runs the kernels under every sanitizer and in every order of threads, once more with one threadgroup
// along y and z that does the work of all, and expects each of their barriers to be needed.
func TestBlocksRun(t *testing.T) {
	require.Tool(t, "clang", hostrun.CanRun(), hostrun.Remedy)
	ctx := context.Background()
	list := cfamilytest.Blocks()
	text := Emit(cfamilytest.BlockModule(list)).Text
	for _, s := range hostrun.Sanitizers {
		p, err := hostrun.BuildWith(ctx, text, s)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		for _, b := range list {
			for _, o := range hostrun.Orders {
				for _, folded := range []bool{false, true} {
					l := blockLaunch(b, o)
					if folded {
						l.Grid[1], l.Grid[2] = 1, 1
					}
					if err := p.Run(ctx, b.Kernel.Entry, l); err != nil {
						t.Errorf("%s, order %d: %v", s, o, err)
						continue
					}
					got := b.Buffers[b.Out].Clone()
					copy(got.Data, l.Buffers[output(b)])
					for i, want := range b.Want {
						if got.At(int64(i)) != want {
							t.Errorf("%s, %s, order %d: element %d is %#x, want %#x", b.Kernel.Name, s, o, i, got.At(int64(i)), want)
							break
						}
					}
				}
			}
			if s == hostrun.Address {
				continue // it finds no races
			}
			lines, err := p.Needless(ctx, b.Kernel.Entry, blockLaunch(b, hostrun.Forward))
			if err != nil || len(lines) > 0 {
				t.Errorf("%s: %s does not miss the barriers of lines %v (error %v):\n%s", s, b.Kernel.Name, lines, err, text)
			}
		}
		if n := len(p.Kernels()[1].Barriers); n != 3 {
			t.Errorf("Reduce has %d barriers", n)
		}
	}
}
