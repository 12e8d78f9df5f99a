package codegen

import (
	"slices"
	"strings"
	"testing"
)

// TestGoNamesNeverClash builds the worst folder: names of the user that look like ours, kernels that differ by case or by
// what an instance appends, and files whose bases become one word.
func TestGoNamesNeverClash(t *testing.T) {
	f32 := []string{"float32"}
	files := []GoFile{
		{File: "saxpy.gpu", Kernels: []GoInstance{
			{Name: "Saxpy", Instance: "Saxpy[float32]", Args: f32}, {Name: "SaxpyFloat32", Instance: "SaxpyFloat32"},
			{Name: "saxpy", Instance: "saxpy[float32]", Args: f32}, {Name: "SaxpyCode", Instance: "SaxpyCode"},
			{Name: "SaxpyFloat32CPU", Instance: "SaxpyFloat32CPU"}, {Name: "SaxpySM90", Instance: "SaxpySM90"},
			{Name: "Tile", Instance: "Tile[N=1, M=2]", Args: []string{"1", "2"}, Consts: []GoConst{{"N", "1"}, {"M", "2"}}},
			{Name: "TileN", Instance: "TileN[-1]", Args: []string{"-1"}, Consts: []GoConst{{"N", "-1"}}},
		}, Funcs: []GoInstance{{Name: "code", Instance: "code"}}},
		{File: "dir/my-file.gpu", Funcs: []GoInstance{{Name: "f", Instance: "f[float32]", Args: f32}}},
		{File: "my_file.gpu", Funcs: []GoInstance{{Name: "f", Instance: "f[float32]", Args: f32}}},
		{File: "SAXPY.gpu"}, {File: "---.gpu"},
	}
	n := NewGoNames([]string{"gpuSaxpyPTX", "TileN", "max"}, []string{"gpu", "gen_", "gpuMyFileCode"}, files)
	seen := map[string]string{"gpuSaxpyPTX": "declared", "TileN": "declared", "gpu": "local", "gpuMyFileCode": "local"}
	see := func(what, name string) {
		t.Helper()
		if other, ok := seen[name]; ok {
			t.Errorf("%s and %s are both %s", what, other, name)
		}
		seen[name] = what
	}
	see("import gpu", n.GPU)
	see("import gen", n.Gen)
	for _, f := range files {
		for _, k := range f.Kernels {
			see("kernel "+k.Instance, n.Kernel(k.Instance))
			see("cpu "+k.Instance, n.CPU(k.Instance))
			for _, c := range k.Consts {
				see("type "+k.Name+c.Param, n.ConstType(k.Name, c.Param))
				see("value "+k.Name+c.Param, n.ConstValue(k.Name, c.Param, c.Value))
			}
		}
		for _, fn := range f.Funcs {
			see("func "+f.File+fn.Instance, n.Func(f.File, fn.Instance))
		}
		for _, kind := range []string{"CUDA", "PTX", "Metal", "Metallib"} {
			see(kind+" "+f.File, n.Embed(f.File, kind))
		}
		see("code "+f.File, n.Code(f.File))
		see("sites "+f.File, n.Sites(f.File))
		see("cubin "+f.File, n.Cubin(f.File, "90"))
	}
	if n.CPU("Saxpy[float32]") != "gpuSaxpyFloat32CPU" || n.Code("saxpy.gpu") != "gpuSaxpyCode_" && n.Code("saxpy.gpu") != "gpuSaxpyCode" {
		t.Errorf("plain names are not plain: %s, %s", n.CPU("Saxpy[float32]"), n.Code("saxpy.gpu"))
	}
	if !n.Declares("max") || n.Declares("gpu") {
		t.Error("Declares does not tell declared names from local ones")
	}
	for name := range seen {
		if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" {
			t.Errorf("%q is no identifier", name)
		}
	}
}

func TestDocLines(t *testing.T) {
	got := DocLines([]string{"", "// One.\n//\n//\tcode", "two  ", ""})
	if want := []string{"One.", "", "\tcode", "two"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestGroupImports(t *testing.T) {
	const mixed = "package p\n\nimport (\n\t\"a.b/c\"\n\t_ \"embed\"\n\t\"math\"\n)\n\nvar x = 1\n"
	const want = "package p\n\nimport (\n\t_ \"embed\"\n\t\"math\"\n\n\t\"a.b/c\"\n)\n\nvar x = 1\n"
	for in, want := range map[string]string{mixed: want, want: want, "package p\n": "package p\n"} {
		if got := GroupImports(in); got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	}
}
