package gpugen_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/gpugen/gpugen"
	"github.com/gpugen/gpugen/codegen/msl/hostrun"
	"github.com/gpugen/gpugen/codegen/opencl"
	"github.com/gpugen/gpugen/codegen/opencl/clrun"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/internal/golden"
	"github.com/gpugen/gpugen/internal/kernelgen/cudahost"
	"github.com/gpugen/gpugen/internal/require"
	"github.com/gpugen/gpugen/ir/abi"
	"github.com/gpugen/gpugen/ir/pass"
)

// spreadPrints prints from every iteration of a spread loop: on a device four threads do, each every fourth. What stands
// before it and behind it is printed by one of them.
const spreadPrints = `package p

@block(4)
kernel Many(y mut [rows, n]int32) for r in rows by block {
	print("%d %d;", r, -1)
	for j in n {
		print("%d %d;", r, j)
		y[r, j] = int32(j)
	}
	print("%d %d;", r, n)
}
`

// TestPrintsOfASpreadLoop: all is printed once, row after row, the loop between what stands around it, and what one thread
// prints is in its order. Where the record is full the rest is counted. Threads among each other have no order, so that no
// golden can hold the text.
func TestPrintsOfASpreadLoop(t *testing.T) {
	ctx := context.Background()
	u := compileText(t, spreadPrints)
	for name, launch := range map[string]func(t *testing.T, rows, n int) *golden.Told{
		"metal": func(t *testing.T, rows, n int) (told *golden.Told) {
			require.Tool(t, "clang", hostrun.CanRun(), hostrun.Remedy)
			p, err := hostrun.Build(ctx, u.Metal.Text)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			layout, slots := spreadSlots(u, types.Metal, rows, n)
			l := hostrun.Launch{Grid: [3]int{rows, 1, 1}, Block: layout.Block, Order: hostrun.Orders[len(hostrun.Orders)-1], Seed: 5, Buffers: map[int][]byte{}}
			if layout.Consts > 0 {
				l.Buffers[0] = make([]byte, layout.Consts)
			}
			for i, s := range layout.Slots {
				if s.Kind == abi.View || s.Kind == abi.Record {
					l.Buffers[s.Buffer] = slots[i]
				} else {
					copy(l.Buffers[0][s.Offset:], slots[i])
				}
			}
			if err := p.Run(ctx, layout.Entry, l); err != nil {
				t.Fatal(err)
			}
			return readSpread(t, layout, slots)
		},
		"cuda": func(t *testing.T, rows, n int) *golden.Told {
			require.Tool(t, "clang", hostrun.CanRun(), hostrun.Remedy)
			p, err := cudahost.Build(ctx, hostrun.Clang(), u.CUDA.Text)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			layout, slots := spreadSlots(u, types.CUDA, rows, n)
			var args []cudahost.Arg
			for i, s := range layout.Slots {
				args = append(args, cudahost.Arg{Data: slots[i], View: s.Kind == abi.View || s.Kind == abi.Record})
			}
			if err := p.Run(ctx, layout.Entry, [3]uint32{uint32(rows), 1, 1}, [3]uint32{uint32(layout.Block[0]), 1, 1}, args); err != nil {
				t.Fatal(err)
			}
			return readSpread(t, layout, slots)
		},
		"opencl": func(t *testing.T, rows, n int) *golden.Told {
			d, err := clrun.Open()
			require.Tool(t, "opencl", err == nil, clrun.Remedy)
			p, err := d.Build(u.OpenCL.Text, opencl.Exact)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			layout, slots := spreadSlots(u, types.OpenCL, rows, n)
			var args []clrun.Arg
			for i, s := range layout.Slots {
				a := clrun.Arg{Data: slots[i]}
				if s.Kind == abi.View || s.Kind == abi.Record {
					a.Elem = 4
				}
				args = append(args, a)
			}
			if err := p.Run(layout.Entry, [3]int{rows, 1, 1}, layout.Block, args); err != nil {
				t.Fatal(err)
			}
			return readSpread(t, layout, slots)
		},
	} {
		t.Run(name, func(t *testing.T) {
			const threads = 4
			for _, c := range []struct{ rows, n int }{{2, 9}, {3, 1}, {2, 400}} {
				told := launch(t, c.rows, c.n)
				row, seen := 0, 0
				var last [threads]int
				var before int
				for _, one := range strings.Split(strings.TrimSuffix(strings.Join(told.Entries, ""), ";"), ";") {
					var r, j int
					if _, err := fmt.Sscanf(one, "%d %d", &r, &j); err != nil || r < row || r >= c.rows || j < -1 || j > c.n {
						t.Fatalf("%d rows of %d: %q behind row %d: %v", c.rows, c.n, one, row, err)
					}
					seen++
					if first := seen == 1 || r > row; first != (j == -1) || first && seen > 1 && before != c.n && told.Dropped == 0 {
						t.Errorf("%d rows of %d: %d behind %d", c.rows, c.n, j, before)
					}
					before = j
					if r > row || j == -1 {
						row, last = r, [threads]int{}
					}
					if j == -1 || j == c.n {
						continue
					}
					if j+1 <= last[j%threads] {
						t.Errorf("%d rows of %d: %d after %d in row %d", c.rows, c.n, j, last[j%threads]-1, r)
					}
					last[j%threads] = j + 1
				}
				if told.Dropped == 0 && before != c.n {
					t.Errorf("%d rows of %d: %d is last", c.rows, c.n, before)
				}
				if seen+int(told.Dropped) != c.rows*(c.n+2) || (told.Dropped > 0) != (c.n == 400) || seen < 18 && c.n > 1 {
					t.Errorf("%d rows of %d: %d printed, %d dropped", c.rows, c.n, seen, told.Dropped)
				}
			}
		})
	}
}

// spreadSlots is what a launch of Many on a target gets, slot by slot.
func spreadSlots(u *gpugen.Unit, target types.Target, rows, n int) (abi.Layout, [][]byte) {
	layout := abi.Of(pass.For(u.Module, target).Kernels[0])
	extents := []int{rows, n}
	var slots [][]byte
	for _, s := range layout.Slots {
		switch s.Kind {
		case abi.View:
			slots = append(slots, make([]byte, 4*rows*n))
		case abi.Extent:
			slots = append(slots, binary.LittleEndian.AppendUint64(nil, uint64(extents[0])))
			extents = extents[1:]
		case abi.Record:
			slots = append(slots, golden.NewRecord())
		case abi.Launch:
			slots = append(slots, binary.LittleEndian.AppendUint64(nil, 1))
		}
	}
	return layout, slots
}

// readSpread reads what Many printed, and looks at what it stored.
func readSpread(t *testing.T, layout abi.Layout, slots [][]byte) (told *golden.Told) {
	t.Helper()
	n := int(binary.LittleEndian.Uint64(slots[2]))
	for i := range len(slots[0]) / 4 {
		if got := int(binary.LittleEndian.Uint32(slots[0][4*i:])); got != i%n {
			t.Fatalf("element %d is %d", i, got)
		}
	}
	for i, s := range layout.Slots {
		if s.Kind == abi.Record {
			var err error
			if told, err = golden.ReadRecord(layout, slots[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return told
}
