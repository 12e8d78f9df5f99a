package hostrun

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/internal/require"
)

// programs builds a file of testdata under every sanitizer.
func programs(t *testing.T, name string) (string, map[Sanitizer]*Program) {
	t.Helper()
	require.Tool(t, "clang", CanRun(), Remedy)
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	out := map[Sanitizer]*Program{}
	for _, s := range Sanitizers {
		p, err := BuildWith(context.Background(), string(text), s)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { p.Close() })
		out[s] = p
	}
	return string(text), out
}

// pairLaunch is the launch of the kernels in testdata: two threadgroups of 32 threads.
func pairLaunch(o Order) Launch {
	in := make([]int32, 64)
	for i := range in {
		in[i] = int32(i)
	}
	return Launch{
		Grid: [3]int{2, 1, 1}, Block: [3]int{32, 1, 1}, Order: o, Seed: 3,
		Buffers: map[int][]byte{0: int32s(64), 1: int32s(in...), 2: make([]byte, 256)},
	}
}

// expectation is a line above a kernel: "// watch: race: of threadgroup s".
type expectation struct {
	sanitizer Sanitizer
	kind      Kind
	text      string
}

// expectations reads the lines above each kernel.
func expectations(t *testing.T, text string) map[string][]expectation {
	out := map[string][]expectation{}
	var above []expectation
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		if m := kernelHead.FindStringSubmatch(l); m != nil {
			if len(above) == 0 {
				t.Fatalf("nothing is expected of %s", m[1])
			}
			out[m[1]], above = above, nil
			continue
		}
		rest, ok := strings.CutPrefix(l, "// ")
		if !ok {
			above = nil
			continue
		}
		if f := strings.SplitN(rest, ": ", 3); len(f) == 3 {
			above = append(above, expectation{Sanitizer(f[0]), Kind(f[1]), f[2]})
		}
	}
	return out
}

func TestFaultsAreReported(t *testing.T) {
	text, built := programs(t, "faults.metal")
	wanted := expectations(t, text)
	if len(wanted) < 60 || len(wanted) != len(built[Watch].Kernels()) {
		t.Fatalf("%d kernels with an expectation, %d kernels", len(wanted), len(built[Watch].Kernels()))
	}
	for _, k := range built[Watch].Kernels() {
		for _, want := range wanted[k.Name] {
			p := built[want.sanitizer]
			if p == nil {
				t.Fatalf("%s: there is no sanitizer %q", k.Name, want.sanitizer)
			}
			for _, o := range Orders {
				err := p.Run(context.Background(), k.Name, pairLaunch(o))
				f := (*Fault)(nil)
				switch {
				case !errors.As(err, &f):
					t.Errorf("%s, %s, order %d: no fault (%v), want %s: %s", k.Name, want.sanitizer, o, err, want.kind, want.text)
				case f.Kind != want.kind || !strings.Contains(f.Text, want.text):
					t.Errorf("%s, %s, order %d: %v\n\twant %s: %s", k.Name, want.sanitizer, o, err, want.kind, want.text)
				case !strings.Contains(f.Text, mainFile+":"):
					t.Errorf("%s, %s, order %d: no line is named: %v", k.Name, want.sanitizer, o, err)
				}
			}
		}
	}
}

func TestRightKernelsPass(t *testing.T) {
	_, built := programs(t, "runs.metal")
	if n := len(built[Watch].Kernels()); n < 20 {
		t.Fatalf("%d kernels", n)
	}
	for _, k := range built[Watch].Kernels() {
		var first []byte
		for _, s := range Sanitizers {
			for _, o := range Orders {
				l := pairLaunch(o)
				if err := built[s].Run(context.Background(), k.Name, l); err != nil {
					t.Errorf("%s, order %d: %v", s, o, err)
					continue
				}
				if first == nil {
					if first = l.Buffers[2]; bytes.Equal(first, make([]byte, len(first))) {
						t.Errorf("%s writes nothing", k.Name)
					}
				} else if !bytes.Equal(first, l.Buffers[2]) {
					t.Errorf("%s, %s, order %d: another result", k.Name, s, o)
				}
			}
		}
	}
}
