package golden

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir/interp"
)

func TestLinesReadBack(t *testing.T) {
	for text, want := range map[string]string{
		"Saxpy[float32](2, [1 2], [3 4]) -> y=[5 8]":     "",
		"Saxpy [ float32 ] ( 2,[1,2] , [3  4])->y=[5 8]": "Saxpy[float32](2, [1 2], [3 4]) -> y=[5 8]",
		"K() -> oracle":                        "",
		"K[16, float64](-1.5e-3) -> oracle ~4": "",
		"K([[1 2] [3 4]], [2,2]{1 2 3 4}) -> a~2=[[1 -0] [inf -inf]], b=[nan bits(0x7fc00000)]":            "",
		"K(iota(1000), iota([2,3], 1, -2), fill(4, 0), rand(7, [10,10], -1, 1), randbits(3, 5)) -> oracle": "",
		"K([], &x, &x[1:3]) -> error AliasError":                                                           "",
		"K([1]) -> trap":                                                                                   "",
		"F([1e-40]) -> o=[1] | fused: o=[1e+10]":                                                           "",
		"E([]) -> error=[1], oracle=[2]":                                                                   "",
		"P([1]) -> oracle   prints":                                                                        "P([1]) -> oracle prints",
		`P([1]) -> y=[2] prints "a\n" | fused: y=[3] prints | checked: assert 7`:                           "",
		"C([1]) -> trap | checked: oracle":                                                                 "",
		"R([1]) -> race":                                                                                   "",
		"R([1]) ->uninitialised   12 9":                                                                    "R([1]) -> uninitialised 12 9",
		"R([1]) -> divergent 3 | fused: race 1 2":                                                          "",
		"R([1]) -> race=[1], divergent~3=[2]":                                                              "",
		"R([1]) -> race~3=[1]":                                                                             "",
		"X(0x1p-3, 1E-3, 0xE) -> oracle":                                                                   "",
	} {
		l, err := ParseLine(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if want == "" {
			want = text
		}
		if got := l.String(); got != want {
			t.Errorf("%s\nprints as %s", text, got)
		}
	}
}

func TestBadLines(t *testing.T) {
	for text, want := range map[string]string{
		"K":                          `expected "("`,
		"K(1":                        `expected ","`,
		"K(1) y=[1]":                 `expected "->"`,
		"K(1) -> y":                  `expected "="`,
		"K(1) -> y~0=[1]":            "tolerance",
		"K(&x[2:1]) -> oracle":       "range 2:1",
		"K(noise(3)) -> oracle":      "no generator",
		"K(rand(1, 3, 4)) -> oracle": "arguments",
		"K([a]{1}) -> oracle":        "no extent",
		"K(1) -> oracle extra":       "unexpected",
		"K(1) -> oracle prints a":    "expected a string",
		"K(1) -> race 1 2 3":         "unexpected",
		"K(1) -> overrun":            `expected "="`,
		"K(fill(-1, 0)) -> oracle":   "extent",
	} {
		if _, err := ParseLine(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

func TestCalls(t *testing.T) {
	l, err := ParseCall("Saxpy[float32](2, [1 2], &x)")
	if err != nil || l.Kernel != "Saxpy" || len(l.Args) != 3 || l.String() != "Saxpy[float32](2, [1 2], &x) -> oracle" {
		t.Errorf("%v %v", l, err)
	}
	for _, text := range []string{"Saxpy", "Saxpy(1", "Saxpy(1) -> oracle"} {
		if _, err := ParseCall(text); err == nil {
			t.Errorf("%s is a call", text)
		}
	}
}

func value(t *testing.T, text string) Value {
	t.Helper()
	var v Value
	s := &scanner{text: text}
	if err := s.parse(func() { v = s.value() }); err != nil || s.rest() != "" {
		t.Fatalf("%s: %v %q", text, err, s.rest())
	}
	return v
}

func TestBuffers(t *testing.T) {
	for _, c := range []struct {
		text string
		kind types.Kind
		dims []int64
		want string // "" is an error
	}{
		{"[1 -2 3]", types.Int8, []int64{3}, "[1 -2 3]"},
		{"[255]", types.Int8, []int64{1}, ""},
		{"[0xff bits(0x80)]", types.Uint8, []int64{2}, "[255 128]"},
		{"[bits(0xff)]", types.Int8, []int64{1}, "[-1]"},
		{"[true false bits(2)]", types.Bool, []int64{3}, "[true false bits(2)]"},
		{"[1.5 nan -inf -0 0.1]", types.Float32, []int64{5}, "[1.5 nan -inf -0 0.1]"},
		{"[bits(0x80000000)]", types.Float32, []int64{1}, "[-0]"},
		{"[1e39]", types.Float32, []int64{1}, ""},
		{"[1.5]", types.Int32, []int64{1}, ""},
		{"[0x10 1_000]", types.Float64, []int64{2}, "[16 1000]"},
		{"[[1 2] [3 4]]", types.Int32, []int64{2, 2}, "[[1 2] [3 4]]"},
		{"[[1 2] [3]]", types.Int32, []int64{2, 2}, ""},
		{"[2,3]{1 2 3 4 5 6}", types.Int32, []int64{2, 3}, "[[1 2 3] [4 5 6]]"},
		{"[2,3]{1 2 3}", types.Int32, []int64{2, 3}, ""},
		{"[2]{1 2 3}", types.Int32, []int64{2}, ""},
		{"[]", types.Int32, []int64{0}, "[]"},
		{"[]", types.Int32, []int64{0, 0}, "[]"},
		{"[2,0]{}", types.Int32, []int64{2, 0}, "[[] []]"},
		{"[1 2]", types.Int32, []int64{1, 2}, ""},
		{"iota(4)", types.Uint8, []int64{4}, "[0 1 2 3]"},
		{"iota([2,2], 5, -2)", types.Float32, []int64{2, 2}, "[[5 3] [1 -1]]"},
		{"fill(3, -0)", types.Float64, []int64{3}, "[-0 -0 -0]"},
		{"rand(1, 3, 5, 6)", types.Int32, []int64{3}, "[5 5 5]"},
		{"rand(1, 3, 5, 5)", types.Int32, []int64{3}, ""},
	} {
		b, err := value(t, c.text).Buffer(c.kind, len(c.dims))
		switch {
		case (err != nil) != (c.want == ""):
			t.Errorf("%s as %s: error %v", c.text, c.kind, err)
		case err == nil && (BufferText(b) != c.want || shapeText(b.Dims) != shapeText(c.dims)):
			t.Errorf("%s as %s is %s %s, want %s", c.text, c.kind, shapeText(b.Dims), BufferText(b), c.want)
		}
	}
}

// TestRandom pins the generators: the literals of the archives depend on them.
func TestRandom(t *testing.T) {
	b, err := value(t, "rand(1, 3)").Buffer(types.Float32, 1)
	if err != nil || BufferText(b) != "[0.5665616 0.7457818 0.97100276]" {
		t.Errorf("%v %v", BufferText(b), err)
	}
	for _, k := range []types.Kind{types.Float32, types.Float64, types.Int8, types.Uint64, types.Bool} {
		b, err := value(t, "rand(3, 2000)").Buffer(k, 1)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[uint64]bool{}
		for i := range b.Len() {
			x := b.At(i)
			seen[x] = true
			if f := interp.FloatValue(types.Float64, x); k == types.Float64 && (f < 0 || f >= 1) || k.IsInteger() && x > 99 {
				t.Fatalf("%s: %#x is out of range", k, x)
			}
		}
		if len(seen) < 2 {
			t.Errorf("%s: one value only", k)
		}
	}
}

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		kind      types.Kind
		got, want string
		ulp       int
		same      bool
	}{
		{types.Float32, "[nan]", "[bits(0x7fc00001)]", 0, true},
		{types.Float32, "[nan]", "[1]", 9, false},
		{types.Float32, "[1]", "[1.0000001]", 0, false},
		{types.Float32, "[1]", "[1.0000001]", 1, true},
		{types.Float32, "[1]", "[1.0000004]", 2, false},
		{types.Float32, "[0]", "[-0]", 0, false},
		{types.Float32, "[1e-45]", "[-1e-45]", 2, true},
		{types.Float32, "[1e-45]", "[-1e-45]", 1, false},
		{types.Float32, "[inf]", "[3.4028235e38]", 4, false},
		{types.Float64, "[1]", "[1.0000000000000002]", 1, true},
		{types.Int32, "[1]", "[2]", 5, false},
		{types.Bool, "[bits(2)]", "[true]", 0, false},
	} {
		g, _ := value(t, c.got).Buffer(c.kind, 1)
		w, _ := value(t, c.want).Buffer(c.kind, 1)
		if err := Compare(g, w, c.ulp); (err == nil) != c.same {
			t.Errorf("%s and %s within %d: %v", c.got, c.want, c.ulp, err)
		}
	}
	g, _ := value(t, "iota([10,10])").Buffer(types.Int32, 2)
	w, _ := value(t, "fill([10,10], 12)").Buffer(types.Int32, 2)
	if err := Compare(g, w, 0); err == nil || !strings.HasPrefix(err.Error(), "[0, 0] is 0, want 12;") || !strings.HasSuffix(err.Error(), "and 95 more") {
		t.Error(err)
	}
}

const archiveText = "A comment.\n-- x.gpu --\npackage x\n-- run --\n# why\n\nK([1]) -> o=[2]\n-- x.ir --\nold\n-- x.cu --\nsame\n"

func TestArchives(t *testing.T) {
	load := func() *Archive {
		a, err := Parse("a", []byte(archiveText))
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	a := load()
	runs, err := a.Runs()
	if err != nil || len(runs) != 1 || runs[0].Number != 3 {
		t.Errorf("runs %v, %v", runs, err)
	}
	a.Set("x.ir", []byte("old\n"))
	a.Set("x.cu", []byte("same\n"))
	if err := a.Finish(false); err != nil {
		t.Error(err)
	}
	for want, outputs := range map[string][][2]string{
		"section x.ir differs":         {{"x.ir", "new\n"}, {"x.cu", "same\n"}},
		"section x.cu is stale":        {{"x.ir", "old\n"}},
		"section x.metal is missing":   {{"x.ir", "old\n"}, {"x.cu", "same\n"}, {"x.metal", "m\n"}},
		"another order":                {{"x.cu", "same\n"}, {"x.ir", "old\n"}},
		"x.ir is set twice":            {{"x.ir", "old\n"}, {"x.ir", "old\n"}},
		"run is an input":              {{"run", "old\n"}},
		"x.ir does not end with":       {{"x.ir", "old"}},
		"x.ir holds a line that txtar": {{"x.ir", "-- y --\n"}},
	} {
		a := load()
		for _, o := range outputs {
			a.Set(o[0], []byte(o[1]))
		}
		if err := a.Finish(false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	for text, want := range map[string]string{
		"-- run --\nK() -> oracle\n": "no .gpu section",
		"-- x.gpu --\n-- x.gpu --\n": "twice",
		"-- x.gpu --\nno newline":    "newline",
	} {
		if _, err := Parse("a", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestUpdate rewrites an archive; a second run leaves no difference.
func TestUpdate(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/a.txtar", archiveText)
	for i := range 2 {
		as, err := Load(dir)
		if err != nil || len(as) != 1 {
			t.Fatal(as, err)
		}
		as[0].Set("x.cu", []byte("new\n"))
		if err := as[0].Finish(i == 0); err != nil {
			t.Error(err)
		}
		if want := []byte("A comment.\n-- x.gpu --\npackage x\n-- run --\n# why\n\nK([1]) -> o=[2]\n-- x.cu --\nnew\n"); !bytes.Equal(as[0].source, want) && i == 0 {
			t.Errorf("the archive is\n%s", as[0].source)
		}
	}
	write(t, dir+"/readme.md", "")
	if _, err := Load(dir); err == nil {
		t.Error("a file that is no archive is accepted")
	}
}

func TestErrorMarks(t *testing.T) {
	a, err := Parse("a", []byte("-- x.gpu --\npackage x\nbad // ERROR\n"))
	if err != nil {
		t.Fatal(err)
	}
	if err := a.CheckErrors([]Mark{{"x.gpu", 2}}); err != nil {
		t.Error(err)
	}
	if err := a.CheckErrors([]Mark{{"x.gpu", 1}}); err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("%v", err)
	}
}
