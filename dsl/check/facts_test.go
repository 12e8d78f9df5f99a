package check

import (
	"fmt"
	"go/constant"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
)

// valueOf is the fact of the only expression in b whose text is s.
func valueOf(t *testing.T, b *Body, s string) Value {
	t.Helper()
	for e, v := range b.Values {
		if fullText(e) == s {
			return v
		}
	}
	t.Fatalf("no expression %q", s)
	return Value{}
}

func TestUntypedFacts(t *testing.T) {
	p := program(t, `package p
const third = 1.0 / 3
@targets(cuda, cpu)
kernel K[T float32|float64](x mut [n]T, u mut [n]uint64, s int) for i in n {
	x[i] = x[i] * 0.1 + third
	x[i] = sqrt(2) * inf()
	u[i] = 1 << s
	u[i] = uint64(1)<<40 + uint64(14695981039346656037)>>33
	a := select(s > 1, 7, 8)
	x[i] += T(a)
	b := 0.25 + float32(0.5)
	u[i] += uint64(b)
	if 1<<2+3 == 7 && 6&3 == 2 && 5^1+3 == 7 && 6&^3 == 4 && -2*3 == -6 && 10-4-3 == 3 {
		x[i] = 1
	}
}`)
	for i, kind := range []types.Kind{types.Float32, types.Float64} {
		k := p.Kernels[i]
		for _, text := range []string{"0.1", "third", "sqrt(2)", "inf()", "sqrt(2) * inf()"} {
			if v := valueOf(t, k.Body, text); v.Type != kind {
				t.Errorf("%s: %s is %s, want %s", k.Instance, text, v.Type, kind)
			}
		}
		for text, want := range map[string]types.Kind{
			"1 << s": types.Uint64, "select(s > 1, 7, 8)": types.Int, "s > 1": types.Bool, "b": types.Float32, "0.25": types.Float32,
		} {
			if v := valueOf(t, k.Body, text); v.Type != want {
				t.Errorf("%s: %s is %s, want %s", k.Instance, text, v.Type, want)
			}
		}
		if v := valueOf(t, k.Body, "uint64(1) << 40 + uint64(14695981039346656037) >> 33"); v.Const == nil || v.Const.ExactString() != fmt.Sprint(uint64(1)<<40+uint64(14695981039346656037)>>33) {
			t.Errorf("folded sum is %v", v.Const)
		}
		cond := valueOf(t, k.Body, "1 << 2 + 3 == 7 && 6 & 3 == 2 && 5 ^ 1 + 3 == 7 && 6 &^ 3 == 4 && -2 * 3 == -6 && 10 - 4 - 3 == 3")
		if cond.Const == nil || !constant.BoolVal(cond.Const) || cond.Type != types.Bool {
			t.Errorf("the precedences of Go: %v", cond)
		}
	}
	// float32(0.1) is rounded to float32, float64 to float64.
	f32, _ := constant.Float64Val(valueOf(t, p.Kernels[0].Body, "0.1").Const)
	f64, _ := constant.Float64Val(valueOf(t, p.Kernels[1].Body, "0.1").Const)
	if f32 != float64(float32(0.1)) || f64 != 0.1 {
		t.Errorf("0.1 is %v and %v", f32, f64)
	}
	if p.Consts[0].Type != types.UntypedFloat || p.Consts[0].Value.Kind() != constant.Float {
		t.Errorf("third is %v %v", p.Consts[0].Type, p.Consts[0].Value)
	}
}

// TestTypedRounding: each step of typed constant arithmetic is rounded, as in Go.
func TestTypedRounding(t *testing.T) {
	p := program(t, "package p\nconst A = float32(16777216) + 1 - 16777216\nconst B = float32(0.1) * 3\n")
	a, _ := constant.Float64Val(p.Consts[0].Value)
	b, _ := constant.Float64Val(p.Consts[1].Value)
	tenth := float32(0.1)
	if want := float64(tenth * 3); a != 0 || b != want {
		t.Errorf("A = %v, want 0; B = %v, want %v", a, b, want)
	}
}

func TestUnification(t *testing.T) {
	p := program(t, `package p
const C = 3
kernel K(a [n+1]float32, x [n]float32, y mut [n, m]float32, k int, z [k, C]float32) requires n%4 == 0, m < n for i, j in n, 1:m-1 {
	y[i, j] = x[i] + a[i] + z[0, 1]
}`)
	k := p.Kernels[0]
	var got []string
	for _, s := range k.Symbols {
		got = append(got, fmt.Sprintf("%s=%d.%d", s.Name, s.Param, s.Dim))
	}
	for _, e := range k.Equal {
		got = append(got, fmt.Sprintf("%d.%d==%s", e.Param, e.Dim, e.Want))
	}
	for _, r := range k.Requires {
		got = append(got, r.Text+"|"+r.Cond.String())
	}
	for _, d := range k.Domain {
		got = append(got, fmt.Sprintf("%s %s:%s", d.Name, d.Lo, d.Hi))
	}
	for _, q := range k.Params {
		got = append(got, fmt.Sprint(q.Dims))
	}
	want := []string{
		"n=1.0", "m=2.1", "0.0==n + 1", "2.0==n", "4.0==k", "4.1==3", "n % 4 == 0|n % 4 == 0", "m < n|m < n", "i 0:n", "j 1:m - 1",
		"[n + 1]", "[n]", "[n m]", "[]", "[k 3]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if k.Targets != defaultTargets || k.Symbols[1].Var.Index != 1 || k.Symbols[1].Var.Kind != ExtentVar {
		t.Errorf("targets %v, symbol %+v", k.Targets, k.Symbols[1].Var)
	}
}

func TestGenericInstances(t *testing.T) {
	p := program(t, `package p
func unused[T float32|int8](x T) T { return x }
func Exported[T float32|int8](x T) T { return helper(x) }
func helper[T float32|int8|bool](x T) T { return x }
func swap[T, U float32|int32](a T, b U) (U, T) { return b, a }
kernel K[T float32|float64, N = 4|-8](x mut [n]T, y mut [n]int32) for i in n {
	a, b := swap(2.5, y[i])
	y[i] = a + int32(b) + int32(swapped(3))
	x[i] = x[i] * N2
}
func swapped(x int32) int32 { return x }
const N2 = 2
`)
	var names, entries, funcs []string
	for _, k := range p.Kernels {
		names, entries = append(names, k.Instance), append(entries, k.Entry)
	}
	for _, f := range p.Funcs {
		funcs = append(funcs, f.Instance)
	}
	if want := []string{"K[float32, 4]", "K[float32, -8]", "K[float64, 4]", "K[float64, -8]"}; !slices.Equal(names, want) {
		t.Errorf("instances %q", names)
	}
	if want := []string{"K_float32_4", "K_float32_m8", "K_float64_4", "K_float64_m8"}; !slices.Equal(entries, want) {
		t.Errorf("entries %q", entries)
	}
	if want := []string{"Exported[float32]", "Exported[int8]", "helper[float32]", "helper[int8]", "swap[float32, int32]", "swapped"}; !slices.Equal(funcs, want) {
		t.Errorf("functions %q", funcs)
	}
	if p.Kernels[0].Targets != defaultTargets || p.Kernels[2].Targets != types.TargetsOf(types.CUDA, types.OpenCL, types.CPU) {
		t.Errorf("targets %s and %s", p.Kernels[0].Targets, p.Kernels[2].Targets)
	}
}

// TestEntries: entry names stay apart, those of wide variants included.
func TestEntries(t *testing.T) {
	p := program(t, `package p
kernel A[T float32](x mut [n]T) for i in n { x[i] = 0 }
kernel A_float32(x mut [n]float32) for i in n { x[i] = 0 }
kernel A_float32_wide(x mut [n]float32) for i in n { x[i] = 0 }
`)
	seen := map[string]bool{}
	for _, k := range p.Kernels {
		for _, e := range []string{k.Entry, k.Entry + "_wide"} {
			if seen[e] {
				t.Errorf("entry %s twice", e)
			}
			seen[e] = true
		}
	}
	if p.Kernels[0].Entry != "A_float32" {
		t.Errorf("entry %s", p.Kernels[0].Entry)
	}
}

func TestAssigned(t *testing.T) {
	p := program(t, `package p
func f(par, fixed float32) float32 {
	par += fixed
	return par
}
kernel K(x mut [n]float32) for i in n {
	never := x[i]
	op := never
	op += 1
	inc := 1
	inc++
	var arr, constArr [2]float32
	arr[0] = 1
	for up := range 3 {
		up *= 2
		x[up] = 0
	}
	for still := range 3 {
		x[still] = 0
	}
	for c := 0; c < 3; c++ {
		x[c] = f(op, arr[0] + constArr[1] + float32(inc))
	}
	again, first := 1, 2
	again, second := 3, 4
	var rng int
	for rng = range 4 {
	}
	x[0] = float32(again + first + second + rng)
}`)
	want := map[string]bool{
		"par": true, "fixed": false, "never": false, "op": true, "inc": true, "arr": true, "constArr": false, "up": true, "still": false,
		"c": true, "again": true, "first": false, "second": false, "rng": true, "x": false, "i": false, "n": false,
	}
	got := map[string]bool{}
	for _, b := range []*Body{p.Kernels[0].Body, p.Funcs[0].Body} {
		for id, v := range b.Defs {
			got[id.Name] = v.Assigned
		}
	}
	for name, assigned := range want {
		if a, ok := got[name]; !ok || a != assigned {
			t.Errorf("%s: assigned %v, want %v (declared: %v)", name, a, assigned, ok)
		}
	}
}

// TestComplete: without errors every name is in Uses or a constant, and every value is typed unless it is below a constant.
func TestComplete(t *testing.T) {
	files := parse(t, map[string]string{"good.gpu": readFile(t, "testdata/good.gpu")})
	p, list := Package(files, Config{})
	if len(list) > 0 {
		t.Fatal(list)
	}
	for _, k := range p.Kernels {
		complete(t, k.Instance, k.Body, k.Decl.Body)
	}
	for _, f := range p.Funcs {
		complete(t, f.Instance, f.Body, f.Decl.Body)
	}
}

func complete(t *testing.T, name string, b *Body, tree dsl.Node) {
	dsl.Walk(tree, func(n dsl.Node) bool {
		if _, ok := n.(*dsl.ConstStmt); ok {
			return false
		}
		e, ok := n.(dsl.Expr)
		if !ok {
			return true
		}
		if v, ok := b.Values[e]; ok {
			if types.KindOf(v.Type).IsUntyped() {
				t.Errorf("%s: %s: %s is untyped", name, e.Pos(), text(e))
			}
			if c, ok := e.(*dsl.CallExpr); ok && v.Const == nil && b.Calls[c].Builtin == "" && b.Calls[c].Kind == BuiltinCall {
				t.Errorf("%s: %s: %s calls nothing", name, e.Pos(), text(e))
			}
			return v.Const == nil
		}
		return true
	})
}

func TestGoNames(t *testing.T) {
	at := diag.Pos{File: "x.go", Line: 3, Col: 6}
	src := map[string]string{
		"a.gpu": "package a\nkernel scale(x mut [n]float32) for i in n { x[i] = 0 }\nconst Limit = 3\nconst limit = 3\nfunc Exp(x float32) float32 { return x }\n",
		"b.gpu": "package b\nkernel other(x mut [n]float32) for i in n { x[i] = 0 }\n",
	}
	_, list := Package(parse(t, src), Config{GoNames: map[string]diag.Pos{"scale": at, "Limit": at, "limit": at, "Exp": at}})
	var got []string
	for _, d := range list {
		got = append(got, fmt.Sprintf("%s:%d %s %v", d.Pos.File, d.Pos.Line, d.Code, len(d.Labels)))
	}
	want := []string{"a.gpu:2 go-name-taken 1", "a.gpu:3 go-name-taken 1", "a.gpu:5 go-name-taken 1", "b.gpu:1 package-name 1"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// What generated Go needs of Go's own names, no Go file of the folder may declare: the mistake is there, not in a .gpu file.
func TestGoNamesNeeded(t *testing.T) {
	at := diag.Pos{File: "x.go", Line: 3, Col: 6}
	_, list := Package(parse(t, map[string]string{"a.gpu": "package a\n"}), Config{GoNames: map[string]diag.Pos{"panic": at, "string": at}})
	if len(list) != 1 || list[0].Code != "go-name" || list[0].Pos != at {
		t.Errorf("%v", list)
	}
}

func TestDirectives(t *testing.T) {
	p, list := Package(parse(t, map[string]string{
		"a.gpu": "//gpugen:targets cpu, cuda\n//gpugen:arch sm_90 compute_75\npackage p\n", "b.gpu": "//gpugen:targets cuda cpu\npackage p\n",
	}), Config{})
	if len(list) > 0 || p.Options.Targets != types.TargetsOf(types.CUDA, types.CPU) || !slices.Equal(p.Options.Archs, []string{"compute_75", "sm_90"}) {
		t.Errorf("%v %+v", list, p.Options)
	}
	_, list = Package(parse(t, map[string]string{"a.gpu": "//gpugen:targets cpu\npackage p\n", "b.gpu": "//gpugen:targets cuda\npackage p\n"}), Config{})
	if len(list) != 1 || list[0].Code != "directive-conflict" || list[0].Pos.File != "b.gpu" || list[0].Labels[0].Pos.File != "a.gpu" {
		t.Errorf("conflict: %v", list)
	}
	for src, want := range map[string]bool{"//gpugen:checked\npackage p\n": true, "//gpugen:checked\n//gpugen:checked\npackage p\n": true, "package p\n": false} {
		if p, list := Package(parse(t, map[string]string{"a.gpu": src}), Config{}); len(list) > 0 || p.Options.Checked != want {
			t.Errorf("%q: %v %+v", src, list, p.Options)
		}
	}
	for _, src := range []string{"//gpugen:checked yes\npackage p\n", "//gpugen:targets\npackage p\n", "//gpugen:targets gpu\npackage p\n", "//gpugen:arch 90\npackage p\n", "//gpugen:arch\npackage p\n",
		"//gpugen:arch sm_90 sm_90a sm_90\npackage p\n", "//gpugen:arch compute_75 sm_75 compute_80\npackage p\n"} {
		if list := diagnose(t, src); len(list) != 1 || list[0].Code != "directive" {
			t.Errorf("%q: %v", src, list)
		}
	}
	for _, src := range []string{"//gpugen:metallib\npackage p\n"} {
		if list := diagnose(t, src); len(list) != 1 || list[0].Code != "not-yet" {
			t.Errorf("%q: %v", src, list)
		}
	}
}

// TestParamLimit is case B26: the error names the parameter and the bytes, alignment included.
func TestParamLimit(t *testing.T) {
	params := func(n int) string {
		var s []string
		for i := range n {
			s = append(s, fmt.Sprintf("p%d int64", i))
		}
		return strings.Join(s, ", ")
	}
	// A byte, 7 of padding, 510 parameters, a view: 4,096 bytes with n, whose extent follows.
	src := func(n int) string {
		return "package p\n@targets(cuda)\nkernel K(b int8, " + params(n) + ", x mut [4]float32) for i in 4 { x[i] = 0 }"
	}
	program(t, src(510))
	list := diagnose(t, src(511))
	if len(list) != 1 || list[0].Code != "target-limit" || !strings.Contains(list[0].Message, "`x` ends at byte 4104") || !strings.Contains(list[0].Message, "cuda allows 4096 bytes") {
		t.Errorf("%v", list)
	}
	var views []string
	for i := range 31 {
		views = append(views, fmt.Sprintf("v%d [n]float32", i))
	}
	list = diagnose(t, "package p\nkernel K("+strings.Join(views, ", ")+", y mut [n]float32) for i in n { y[i] = 0 }")
	if len(list) != 1 || !strings.Contains(list[0].Message, "`v30` is view number 31; metal allows 30 views") {
		t.Errorf("%v", list)
	}
}

// TestTooLarge: calls that multiply, and constants that need each other without end, are errors and not a crash.
func TestTooLarge(t *testing.T) {
	var b strings.Builder
	b.WriteString("package p\nfunc f0(x float32) float32 { return x * 2 }\n")
	for i := 1; i <= 40; i++ {
		fmt.Fprintf(&b, "func f%d(x float32) float32 { return f%d(x) + f%d(x) }\n", i, i-1, i-1)
	}
	b.WriteString("kernel K(x mut [n]float32) for i in n { x[i] = f40(x[i]) }\n")
	if list := diagnose(t, b.String()); len(list) != 1 || list[0].Code != "too-large" {
		t.Errorf("%v", list)
	}
	b.Reset()
	b.WriteString("package p\n")
	for i := range 3 * maxDepth {
		fmt.Fprintf(&b, "const c%d = c%d\n", i, i+1)
	}
	fmt.Fprintf(&b, "const c%d = 1\n", 3*maxDepth)
	if list := diagnose(t, b.String()); len(list) != 1 || list[0].Code != "too-large" {
		t.Errorf("%d diagnostics", len(list))
	}
	b.Reset()
	b.WriteString("package p\n")
	for i := range 2 * maxDepth {
		fmt.Fprintf(&b, "func f%d() { f%d() }\n", i, i+1)
	}
	fmt.Fprintf(&b, "func f%d() {}\n", 2*maxDepth)
	if list := diagnose(t, b.String()); len(list) != 1 || list[0].Code != "too-large" {
		t.Errorf("%v", list)
	}
	if list := diagnose(t, "package p\nfunc f() { var a ["+strings.Repeat("1, ", maxDepth)+"1]int32; _ = a }\n"); len(list) != 1 || list[0].Code != "array-size" {
		t.Errorf("%v", list)
	}
}

// TestChain: 1,000 operators, constant and not, and as many untyped ones that settle late.
func TestChain(t *testing.T) {
	chain := func(x string) string { return strings.TrimSuffix(strings.Repeat(x+" + ", 990), " + ") }
	p := program(t, "package p\nkernel K(x mut [n]float32, s int) for i in n {\n"+
		"x[i] = "+chain("x[i]")+"\nx[i] = "+chain("0.5")+"\nx[i] = "+chain("inf()")+"\n}")
	n := 0
	for e, v := range p.Kernels[0].Body.Values {
		if c, ok := e.(*dsl.CallExpr); ok && text(c) == "inf()" {
			n++
			if v.Type != types.Float32 {
				t.Fatalf("inf() is %s", v.Type)
			}
		}
	}
	if n != 990 {
		t.Errorf("%d calls", n)
	}
}

// TestInstanceNote: a mistake of a later instance names it.
func TestInstanceNote(t *testing.T) {
	list := diagnose(t, "package p\n@targets(cpu)\nkernel K[T float32|int32](x mut [n]T) for i in n { x[i] = sqrt(x[i]) + 1.5 }")
	if len(list) != 1 || len(list[0].Notes) != 1 || !strings.Contains(list[0].Notes[0], "`K[int32]`") {
		t.Errorf("%v", list)
	}
}

// TestSuggestion: the fix names the nearest name, and of two equally near the first by the alphabet.
func TestSuggestion(t *testing.T) {
	list := diagnose(t, "package p\nkernel K(value, valve [n]float32, y mut [n]float32) for i in n { y[i] = valce[i] + sqtr(2) }")
	if len(list) != 2 || !strings.Contains(list[0].Fix, "`value`") && !strings.Contains(list[0].Fix, "`valve`") || !strings.Contains(list[1].Fix, "`sqrt`") {
		for _, d := range list {
			t.Errorf("%v fix %q", d, d.Fix)
		}
	}
}

// TestAssignedKeepsItsType has the right side converted, whichever type is wider.
func TestAssignedKeepsItsType(t *testing.T) {
	list := diagnose(t, "package p\nkernel K(x [n]int32, y mut [n]int32) for i in n { y[i] += len(x) }")
	if len(list) != 1 || list[0].Fix != "write `int32(len(x))`" || !strings.Contains(list[0].Message, "`+=`") || list[0].End.Col-list[0].Pos.Col != 2 {
		t.Errorf("%v, fix %q", list, list[0].Fix)
	}
}

// TestContradiction points at the later of two attributes that exclude each other, whatever else stands there.
func TestContradiction(t *testing.T) {
	list := diagnose(t, "package p\n@fastmath @exact @block(64)\nkernel K(x mut [n]int32) for i in n { x[i] = 1 }")
	if len(list) != 1 || list[0].Pos.Col != 11 || !strings.Contains(list[0].Message, "`@exact` contradicts") {
		t.Errorf("%v", list)
	}
}

// TestHiddenParameters: kernels that report or print have room for a view less on Metal.
func TestHiddenParameters(t *testing.T) {
	views := func(n int, head, body string) string {
		src := head + "//gpugen:targets metal\npackage p\n\nfunc say(i int) { print(\"%d\", i) }\n\nkernel K(x mut [n]int32"
		for i := 1; i < n; i++ {
			src += fmt.Sprintf(", v%d [n]int32", i)
		}
		return src + ") for i in n {\n\tx[i] = 1\n" + body + "}\n"
	}
	for _, c := range []struct {
		n          int
		head, body string
		want       string
	}{
		{30, "", "", ""},
		{31, "", "", "`v30` is view number 31; metal allows 30 views"},
		{29, "//gpugen:checked\n", "", ""},
		{30, "//gpugen:checked\n", "", "`v29` is view number 30; metal allows 29 views a kernel that prints or has a checked build"},
		{30, "", "\tprint(\"a\")\n", "29 views a kernel that prints"},
		{30, "", "\tsay(i)\n", "29 views a kernel that prints"},
	} {
		list := diagnose(t, views(c.n, c.head, c.body))
		got := ""
		if len(list) > 0 {
			got = list[0].Message
		}
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%d views %q %q: %q, want %q", c.n, c.head, c.body, got, c.want)
		}
	}
}

// TestGenericFix: what an error of several instances proposes is right for all of them.
func TestGenericFix(t *testing.T) {
	for src, want := range map[string]string{
		"kernel K[T float32|int32](a [n]int64, y mut [n]T) for i in n { y[i] = a[i] }":                "write `T(a[i])`",
		"kernel K[T float32](a [n]int64, y mut [n]T) for i in n { y[i] = a[i] }":                      "write `float32(a[i])`",
		"kernel K[T, U float32|int32](a [n]T, y mut [n]U, z mut [n]int64) for i in n { z[i] = a[i] }": "write `int64(a[i])`",
		"kernel K[T, U float32|int32](a [n]int64, y mut [n]U, z mut [n]T) for i in n { y[i] = a[i] }": "",
	} {
		list := diagnose(t, "package p\n"+src+"\n")
		if len(list) != 1 || list[0].Fix != want {
			t.Errorf("%s: %v", src, list)
		}
	}
}
