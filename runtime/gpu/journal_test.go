package gpu_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/gpugen/gpugen/runtime/gpu"
)

// What gpugen would generate for a kernel that prints and asserts, by hand.
var tell = gpu.Kernel{Name: "Tell", Entry: "Tell", Code: &tellCode, CPU: tellCPU, Block: [3]uint32{256, 1, 1}, Per: 1, Dims: 1, Targets: everywhere | gpu.TargetOpenCL,
	Sites: []gpu.Site{
		{Kind: gpu.SitePrint, File: "tell.gpu", Line: 4, Col: 2, Text: "%d: %g %t %v\n", Args: []string{"int", "float32", "bool", "uint8"}},
		{Kind: gpu.SitePrint, File: "tell.gpu", Line: 5, Col: 2, Text: "."},
		{Kind: gpu.SiteAssert, File: "tell.gpu", Line: 6, Col: 3, Text: "small"},
		{Kind: gpu.SiteBounds, File: "tell.gpu", Line: 7, Col: 4, Param: "x", Dim: 1},
		{Kind: gpu.SiteZeroDivisor, File: "tell.gpu", Line: 8, Col: 5},
		{Kind: gpu.SiteNegativeShift, File: "tell.gpu", Line: 9, Col: 6},
	}}

var tellCode = gpu.Code{PTX: &kernelsPTX, CUDA: &kernelsCUDA, OpenCL: &kernelsCL}

// Tell prints n points, several times each, and reports site fail from point n-1, if it is not 0.
func Tell(s *gpu.Stream, n, times, fail int) error {
	l := tell.Begin(s)
	l.Int(n)
	l.Int(times)
	l.Int(fail)
	return l.Points(gpu.Span{Hi: n})
}

func tellCPU(args *gpu.Args, box *gpu.Box) {
	n, times, fail := gpu.Arg[int](args, 0), gpu.Arg[int](args, 1), gpu.Arg[int](args, 2)
	record := gpu.Record(args, 3)
	for i := box.Lo[0]; i < box.Hi[0]; i++ {
		for j := range times {
			record.At(i).Print(0, gpu.Bits(j), gpu.Bits(float32(i)+0.5), gpu.Bits(i%2 == 0), gpu.Bits(uint8(255)))
		}
		if fail > 0 && i == n-1 {
			record.At(i).Report(fail, -3, 7)
		}
		if fail < 0 {
			panic("boom")
		}
	}
}

var pairs = gpu.Kernel{Name: "Pairs", CPU: func(args *gpu.Args, box *gpu.Box) {
	record := gpu.Record(args, 0)
	for b := box.Lo[0]; b < box.Hi[0]; b++ {
		for t := range 6 {
			record.At(b).Thread(t).Print(1)
			if t == 4 {
				record.At(b).Thread(t).Report(0, 0, 0)
			}
		}
	}
}, Block: [3]uint32{3, 2, 1}, Group: true, Dims: 1, Targets: gpu.TargetCPU, Sites: []gpu.Site{
	{Kind: gpu.SiteAssert, File: "pairs.gpu", Line: 3, Col: 2, Text: "never"},
	{Kind: gpu.SitePrint, File: "pairs.gpu", Line: 4, Col: 2, Text: "."},
}}

// telling opens the CPU, unless the options name another device, with a buffer for what kernels print.
func telling(t *testing.T, opts ...gpu.Option) (*gpu.Stream, *bytes.Buffer) {
	t.Helper()
	out := &bytes.Buffer{}
	dev, err := gpu.Open(append(opts, gpu.CPU(), gpu.PrintTo(out))...)
	if err != nil {
		t.Fatal(err)
	}
	return tellingOn(t, dev), out
}

// tellingOn makes a stream of a device that is closed with the test.
func tellingOn(t *testing.T, dev *gpu.Device) *gpu.Stream {
	t.Helper()
	s, err := dev.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestCUDATells runs what follows on a GPU.
func TestCUDATells(t *testing.T) {
	testTells(t, func(t *testing.T) (*gpu.Stream, *bytes.Buffer) {
		t.Helper()
		_, _ = cuda(t) // skips without one
		return tellingBy(t, gpu.CUDA(0))
	})
}

// TestOpenCLTells runs it on an OpenCL device.
func TestOpenCLTells(t *testing.T) {
	testTells(t, func(t *testing.T) (*gpu.Stream, *bytes.Buffer) {
		t.Helper()
		_, _ = opencl(t) // skips without one
		return tellingBy(t, gpu.OpenCL(0))
	})
}

// tellingBy opens a device with a buffer for what kernels print.
func tellingBy(t *testing.T, which gpu.Option) (*gpu.Stream, *bytes.Buffer) {
	t.Helper()
	out := &bytes.Buffer{}
	dev, err := gpu.Open(which, gpu.PrintTo(out))
	ok(t, err)
	return tellingOn(t, dev), out
}

// TestPreludesAreCurrent: what the kernels by hand have of a prelude is what the compiler prints.
func TestPreludesAreCurrent(t *testing.T) {
	for prelude, own := range map[string]string{"ptx/prelude/cuda.h": kernelsCUDA, "opencl/prelude/opencl.h": kernelsCL} {
		text, err := os.ReadFile("../../codegen/" + prelude)
		ok(t, err)
		_, copied, _ := strings.Cut(own, "/"+prelude[strings.LastIndexByte(prelude, '/')+1:]+".\n\n")
		copied, _, found := strings.Cut(copied, "// Prints n points")
		if !found || !strings.Contains(string(text), strings.TrimSpace(copied)) {
			t.Errorf("the copy of %s is not current", prelude)
		}
	}
}

func testTells(t *testing.T, open opener) {
	t.Run("prints", func(t *testing.T) { testPrints(t, open) })
	t.Run("room", func(t *testing.T) { testRoom(t, open) })
	t.Run("failures", func(t *testing.T) { testFailures(t, open) })
	t.Run("goroutines", func(t *testing.T) { testGoroutines(t, open) })
	t.Run("many threads", func(t *testing.T) {
		s, out := open(t)
		const n = 1 << 20
		ok(t, Tell(s, n, 1, 2))
		var trap *gpu.TrapError
		if err := s.Sync(); !errors.As(err, &trap) || trap.Point[0] != n-1 {
			t.Error(err)
		}
		lines := strings.Count(out.String(), "\n") - 1
		var dropped int
		last := strings.LastIndexByte(strings.TrimSuffix(out.String(), "\n"), '\n') + 1
		if _, err := fmt.Sscanf(out.String()[last:], "gpugen: %d more prints", &dropped); err != nil || lines+dropped != n || lines < 10000 {
			t.Errorf("%d lines, %d dropped: %v", lines, dropped, err)
		}
	})
}

func TestPrints(t *testing.T)                   { testPrints(t, onCPU) }
func TestPrintsWithoutRoom(t *testing.T)        { testRoom(t, onCPU) }
func TestFailures(t *testing.T)                 { testFailures(t, onCPU) }
func TestPrintsFromManyGoroutines(t *testing.T) { testGoroutines(t, onCPU) }

func onCPU(t *testing.T) (*gpu.Stream, *bytes.Buffer) { t.Helper(); return telling(t) }

// opener opens a device and gives a stream of it and what its kernels print.
type opener func(t *testing.T) (*gpu.Stream, *bytes.Buffer)

func testPrints(t *testing.T, open opener) {
	s, out := open(t)
	ok(t, Tell(s, 3, 2, 0))
	ok(t, Tell(s, 1, 1, 0))
	if out.Len() != 0 {
		t.Errorf("printed before a Sync: %q", out)
	}
	ok(t, s.Sync())
	want := "0: 0.5 true 255\n1: 0.5 true 255\n0: 1.5 false 255\n1: 1.5 false 255\n0: 2.5 true 255\n1: 2.5 true 255\n0: 0.5 true 255\n"
	if out.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", out, want)
	}
	out.Reset()
	ok(t, s.Sync())
	if out.Len() != 0 {
		t.Errorf("printed twice: %q", out)
	}
	// A download waits for the stream as well, and so does Close.
	x, err := gpu.Upload(s, []int32{1})
	ok(t, err)
	defer x.Free()
	ok(t, Tell(s, 1, 1, 0))
	ok(t, x.Download(s, []int32{0}))
	if out.String() != "0: 0.5 true 255\n" {
		t.Errorf("printed at a download: %q", out)
	}
}

func testRoom(t *testing.T, open opener) {
	s, out := open(t)
	const points, times = 100, 1000
	for range 2 {
		out.Reset()
		ok(t, Tell(s, points, times, 0))
		ok(t, s.Sync())
		lines := strings.SplitAfter(out.String(), "\n")
		last := lines[len(lines)-2]
		var dropped int
		if _, err := fmt.Sscanf(last, "gpugen: %d more prints had no room", &dropped); err != nil {
			t.Fatalf("the last line is %q", last)
		}
		if kept := len(lines) - 2; kept+dropped != points*times || kept < 10000 {
			t.Errorf("%d lines, %d dropped", kept, dropped)
		}
		ok(t, Tell(s, 1, 1, 0)) // there is room again
		out.Reset()
		ok(t, s.Sync())
		if out.String() != "0: 0.5 true 255\n" {
			t.Errorf("after a full record: %q", out)
		}
	}
}

func testFailures(t *testing.T, open opener) {
	s, out := open(t)
	for fail, want := range map[int]string{
		2: "tell.gpu:6:3: Tell: assertion failed: small, at point [4]",
		3: "tell.gpu:7:4: Tell: index -3 out of range: dimension 1 of x has 7, at point [4]",
		4: "tell.gpu:8:5: Tell: division by zero, at point [4]",
		5: "tell.gpu:9:6: Tell: shift by -3, at point [4]",
	} {
		ok(t, Tell(s, 5, 0, fail))
		ok(t, Tell(s, 5, 0, 2+(fail-1)%4)) // the first counts
		var trap *gpu.TrapError
		err := s.Sync()
		if !errors.As(err, &trap) || err.Error() != want {
			t.Errorf("site %d: %v, want %s", fail, err, want)
			continue
		}
		if trap.Kernel != "Tell" || trap.Pos.File != "tell.gpu" || len(trap.Point) != 1 || trap.Index != -3 || trap.Extent != 7 {
			t.Errorf("%+v", trap)
		}
		ok(t, s.Sync()) // reported once; the device goes on
		out.Reset()
		x := upload[float32](t, s, 1, 2)
		ok(t, Tell(s, 1, 1, 0))
		equal(t, download(t, s, x), 1, 2)
		ok(t, x.Free())
		if out.String() != "0: 0.5 true 255\n" {
			t.Errorf("behind site %d: printed %q", fail, out)
		}
	}
}

// A kernel of blocks tells the block and the thread.
func TestThreads(t *testing.T) {
	s, out := telling(t)
	ok(t, pairs.Begin(s).Points(gpu.Span{Lo: 5, Hi: 6}))
	var trap *gpu.TrapError
	if err := s.Sync(); !errors.As(err, &trap) || err.Error() != "pairs.gpu:3:2: Pairs: assertion failed: never, in block [5], thread [1 1]" {
		t.Error(err)
	}
	if out.String() != "......" {
		t.Errorf("printed %q", out)
	}
}

// A kernel that stops has printed before.
func TestPrintsBeforeAPanic(t *testing.T) {
	s, out := telling(t)
	ok(t, Tell(s, 1, 1, -1))
	var trap *gpu.TrapError
	if err := s.Sync(); !errors.As(err, &trap) || trap.Text != "boom" {
		t.Error(err)
	}
	if out.String() != "0: 0.5 true 255\n" {
		t.Errorf("printed %q", out)
	}
}

// Goroutines launch and wait in one stream and in others; every print comes once.
func testGoroutines(t *testing.T, open opener) {
	s, out := open(t)
	const goroutines, launches = 8, 25
	var group sync.WaitGroup
	for range goroutines {
		group.Go(func() {
			for range launches {
				if err := Tell(s, 4, 1, 0); err != nil {
					t.Error(err)
				}
				if err := s.Sync(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	ok(t, s.Sync())
	if n := strings.Count(out.String(), "\n"); n != goroutines*launches*4 {
		t.Errorf("%d lines, want %d", n, goroutines*launches*4)
	}
}

// The checked variant runs where it is asked for; such a device is one of its own.
func TestCheckedVariant(t *testing.T) {
	k := gpu.Kernel{Name: "Plain", CPU: func(*gpu.Args, *gpu.Box) {}, Block: [3]uint32{1, 1, 1}, Dims: 1, Targets: gpu.TargetCPU,
		Checked: &gpu.Kernel{Name: "Plain", CPU: func(a *gpu.Args, b *gpu.Box) { gpu.Record(a, 0).At(b.Lo[0]).Report(0, 1, 1) },
			Block: [3]uint32{1, 1, 1}, Dims: 1, Targets: gpu.TargetCPU, Sites: []gpu.Site{{Kind: gpu.SiteBounds, File: "plain.gpu", Line: 1, Col: 1}}}}
	launch := func(s *gpu.Stream) error {
		ok(t, k.Begin(s).Points(gpu.Span{Hi: 1}))
		return s.Sync()
	}
	s, _ := telling(t)
	ok(t, launch(s))
	var trap *gpu.TrapError
	checked, _ := telling(t, gpu.Checked())
	if err := launch(checked); !errors.As(err, &trap) {
		t.Errorf("with Checked: %v", err)
	}
	t.Setenv("GPUGEN_CHECKED", "1")
	byEnv, _ := telling(t)
	if err := launch(byEnv); !errors.As(err, &trap) {
		t.Errorf("with GPUGEN_CHECKED=1: %v", err)
	}
	ok(t, launch(s))
	t.Setenv("GPUGEN_CHECKED", "maybe")
	var contract *gpu.ContractError
	if _, err := gpu.Open(gpu.CPU()); !errors.As(err, &contract) {
		t.Errorf("with GPUGEN_CHECKED=maybe: %v", err)
	}
}
