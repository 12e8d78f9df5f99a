package nvrtc

import (
	"reflect"
	"testing"

	"github.com/gpugen/gpugen/dsl/diag"
)

// Reports as the two versions write them, functions that were not inlined among them.
const report118 = `ptxas warning : Stack size for entry function 'Rec' cannot be statically determined
ptxas info    : 0 bytes gmem, 400 bytes cmem[3]
ptxas info    : Compiling entry function 'Rec' for 'sm_75'
ptxas info    : Function properties for Rec
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 24 registers, 256 bytes smem, 360 bytes cmem[0], 8 bytes cmem[2]
ptxas info    : Function properties for _Z3reci
ptxas         .     24 bytes stack frame, 20 bytes spill stores, 20 bytes spill loads
ptxas info    : Compiling entry function 'Spill' for 'sm_75'
ptxas info    : Function properties for Spill
ptxas         .     816 bytes stack frame, 16 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 64 registers, 360 bytes cmem[0]
`

const report130 = `ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'Spill' for 'sm_100'
ptxas info    : Function properties for Spill
ptxas         .     816 bytes stack frame, 16 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 64 registers, used 1 barriers, 816 bytes cumulative stack size, 32 bytes smem
ptxas info    : Compile time = 118.204 ms
`

func TestParseResources(t *testing.T) {
	want := map[string]Resources{
		"Rec":   {Registers: 24, SharedBytes: 256, ConstBytes: 368},
		"Spill": {Registers: 64, ConstBytes: 360, StackBytes: 816, SpillStoreBytes: 16, SpillLoadBytes: 12},
	}
	if got := parseResources(report118); !reflect.DeepEqual(got, want) {
		t.Errorf("11.8: %+v", got)
	}
	want = map[string]Resources{"Spill": {Registers: 64, SharedBytes: 32, StackBytes: 816, SpillStoreBytes: 16, SpillLoadBytes: 12}}
	if got := parseResources(report130); !reflect.DeepEqual(got, want) {
		t.Errorf("13.0: %+v", got)
	}
	if got := parseResources("nothing of the kind"); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestParseItems(t *testing.T) {
	for _, c := range []struct {
		log      string
		severity string
		want     []Item
	}{
		{"k.cu(5): error: identifier \"foo\" is undefined\n\n1 error detected in the compilation of \"k.cu\".\n", "error",
			[]Item{{GenLine: 5, Msg: `identifier "foo" is undefined`}}},
		{"a (b)/k.cu(5): error #20: x\n  \tcode(5): error\n  \t^\n", "error", []Item{{GenLine: 5, Msg: "x"}, {GenLine: 5, Msg: "error"}}[:1]},
		{"k.cu(3): error: no instance matches\n            argument types are: (float)\n  \tf(x);\n\nk.cu(4): warning #177-D: v\n", "error",
			[]Item{{GenLine: 3, Msg: "no instance matches; argument types are: (float)"}}},
		{"k.cu(3): catastrophic error: deep\n", "error", []Item{{GenLine: 3, Msg: "deep"}}},
		{"k.cu(4): warning #177-D: v\n", "warning", []Item{{GenLine: 4, Msg: "v"}}},
		{"nvrtc: error: invalid value for --gpu-architecture (-arch)\r\n", "error", []Item{{Msg: "invalid value for --gpu-architecture (-arch)"}}},
		{"ptxas application ptx input, line 8; error   : bad 'x'\nptxas fatal   : " + aborted + "\n", "error", []Item{{Msg: "bad 'x'"}}},
		{"ptxas fatal   : " + aborted + "\n", "error", []Item{{Msg: aborted}}},
		{report118, "error", nil},
		{report118, "warning", []Item{{Msg: "Stack size for entry function 'Rec' cannot be statically determined"}}},
	} {
		if got := parseItems(c.log, c.severity); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q as %s: %+v, want %+v", c.log, c.severity, got, c.want)
		}
	}
}

func TestLocate(t *testing.T) {
	at := func(line int) diag.Pos { return diag.Pos{File: "a.gpu", Line: line, Col: 1} }
	lines := []diag.Pos{{}, at(3), {}, at(9)}
	for line, want := range map[int]diag.Pos{0: {}, -1: {}, 1: {}, 2: at(3), 3: at(3), 4: at(9), 99: at(9)} {
		if got := Locate(lines, line); got != want {
			t.Errorf("line %d: %v, want %v", line, got, want)
		}
	}
	if got := Locate(nil, 3); got.IsValid() {
		t.Errorf("%v from no map", got)
	}
}

// FuzzParse: whatever a compiler writes, reading it neither panics nor invents lines.
func FuzzParse(f *testing.F) {
	f.Add(report118)
	f.Add(report130)
	f.Add("k.cu(99999999999999999999): error: x")
	f.Fuzz(func(t *testing.T, log string) {
		for _, item := range append(parseItems(log, "error"), parseItems(log, "warning")...) {
			if item.GenLine < 0 {
				t.Errorf("line %d", item.GenLine)
			}
		}
		parseResources(log)
	})
}
