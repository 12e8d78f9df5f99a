package check

import (
	"strings"
	"testing"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/diag"
)

// TestFixes: what people write who know another language, or have slipped, is one error each, at the word that is wrong, which
// says what to write. Every source is the body of a kernel or, with `package`, a file.
func TestFixes(t *testing.T) {
	for _, c := range []struct{ name, source, at, says string }{
		{"C types", "y[i] = float(i)", "float", "write `float32`"},
		{"C vectors", "v := make_float3(1, 2, 3)\n\ty[i] = v.x", "make_float3", "write `float32x3`"},
		{"too long a vector", "v := float32x5(0)\n\ty[i] = v.x", "float32x5", "2 to 4 components"},
		{"stdint", "y[i] = float32(uint8_t(i))", "uint8_t", "write `uint8`"},
		{"Rust types", "y[i] = f32(i)", "f32", "write `float32`"},
		{"GLSL vectors", "v := ivec2(0)\n\ty[i] = float32(v.x)", "ivec2", "write `int32x2`"},
		{"CUDA indexes", "y[blockIdx.x*blockDim.x+threadIdx.x] = 0", "blockIdx", "the domain names the indexes"},
		{"OpenCL indexes", "y[get_global_id(0)] = 0", "get_global_id", "the domain names the indexes"},
		{"CUDA atomics", "atomicAdd(&y[0], 1)", "atomicAdd", "`atomic.Add(&x[i], v)`"},
		{"Go atomics", "atomic.AddInt32(&k[0], 1)", "AddInt32", "`Add`"},
		{"Go's compare and swap", "atomic.CompareAndSwapInt32(&k[0], 1, 2)", "CompareAndSwapInt32", "`CompareExchange`"},
		{"Go's math", "y[i] = math.Sqrt(y[i])", "math.Sqrt", "write `sqrt`"},
		{"Go's limits", "y[i] = math.MaxFloat32", "math.MaxFloat32", "write the number"},
		{"Go's bits", "k[i] = bits.TrailingZeros32(k[i])", "TrailingZeros32", "write `ctz(x)`"},
		{"Go's output", "fmt.Println(y[i])", "fmt.Println", "write `print("},
		{"Triton", "y[i] = tl.load(y)", "tl.load", "`x[i]`"},
		{"C constants", "y[i] = M_PI", "M_PI", "write `pi`"},
		{"infinity", "y[i] = -INFINITY", "INFINITY", "write `inf()`"},
		{"Python's bools", "if True { y[i] = 0 }", "True", "write `true`"},
		{"iota", "y[i] = iota", "iota", "in the lists of `const` alone"},
		{"the nearest name of the innermost scope", "totl := y[i]\n\ty[i] = toll", "toll", "`totl`"},
		{"assignment to nothing", "accumulator = 0", "accumulator", "`accumulator := …` declares it"},
		{"misspelled assignment", "value := y[i]\n\tvalua = 0", "valua", "`value`"},
		{"sum of the wrong type", "acc := 0\n\tfor j := range 3 {\n\t\tacc += y[j]\n\t}\n\ty[i] = acc", "y[j]", "`acc := float32(0)`"},
		{"value of the wrong type", "acc := 1.5\n\tacc = d[i]\n\td[i] = acc", "d[i]", "`acc := float64(1.5)`"},
		{"indexes in brackets of their own", "m[i][i] = 0", "[i]", "`m[i, i]`"},
		{"a row", "y[i] = float32(len(m[i]))", "[i]", "`m[i, j]`"},
		{"conditions of numbers", "if y[i] > 0 && k[i] { y[i] = 0 }", "&&", "`k[i] != 0`"},
		{"and of numbers", "if k[i] && true { y[i] = 0 }", "&&", "`k[i] != 0`"},
		{"not of a number", "if !k[i] { y[i] = 0 }", "!", "`k[i] == 0`"},
		{"bits of bools", "b := i > 2\n\tif b & true { y[i] = 0 }", "&", "write `&&`"},
		{"power", "y[i] = y[i] ^ 2", "^", "`pow(x, y)`"},
		{"a bool as a number", "k[i] = y[i] > 0", "y[i] > 0", "`select(y[i] > 0, 1, 0)`"},
		{"a bool in a sum", "b := y[i] > 0\n\tk[i] = b + 1", "+", "`select(b, 1, 0)`"},
		{"a number as a bool", "b := true\n\tb = 0\n\tif b { y[i] = 0 }", "0", "write `false`"},
		{"leaving a point", "if y[i] > 0 { break }\n\ty[i] = 0", "break", "`return` ends the point"},
		{"an index that nothing uses", "for j := range 3 { y[i] += 1 }", "j", "`for range 3`"},
		{"a barrier without its call", "package p\nkernel K(x mut [n]float32) blocks b in n threads t in 32 {\n\tbarrier\n\tx[b] = 0\n}", "barrier", "write `barrier()`"},
		{"a constant parameter", "package p\nkernel K[N int](x mut [n]int64) for i in n { x[i] = int64(N) }", "N)", "`[N = 16|32]`"},
		{"components", "v := float32x2(0)\n\ty[i] = v.r", "r", "`x y`"},
		{"a struct as a call", "package p\ntype P struct { x, y float32 }\nkernel K(x mut [n]P) for i in n { x[i] = P(1, 2) }", "P(1", "`P{…}`"},
		{"what a builtin takes", "y[i] = clamp(y[i], 1)", "clamp(", "`clamp(x, lo, hi)`"},
		{"a label", "outer:\n\tfor range 3 { break outr }", "outr", "`outer`"},
		{"a result", "return y[i]", "y[i]", "a kernel gives nothing back"},
		{"fields", "package p\ntype P struct { mass, size float32 }\nkernel K(x mut [n]P) for i in n { x[i].weight = 0 }", "weight", "`mass size`"},
		{"methods", "package p\ntype P struct { x float32 }\nfunc get(p P) float32 { return p.x }\nkernel K(x mut [n]P) for i in n { x[i].x = x[i].get() }", "get()", "`get(x[i])`"},
		{"parameters of C", "package p\nkernel K(float32 a, x mut [n]float32) for i in n { x[i] = a }", "a,", "`a float32`"},
		{"fields of C", "package p\ntype P struct { float x }\nkernel K(x mut [n]P) for i in n { x[i].x = 0 }", "x }", "`x float32`"},
		{"parameters of functions in C", "package p\nfunc f(float a) float32 { return a }", "a)", "`a float32`"},
		{"no result", "package p\nfunc f(a float32) { return a }", "a }", "`f` is declared without a result"},
		{"the last value", "package p\nfunc f(a float32) float32 {\n\ta + 1\n}", "a + 1", "`return a + 1`"},
		{"behind a return", "package p\nfunc f(a float32) float32 {\n\treturn a\n\ta = 2\n}", "}", "nothing behind this is reached"},
		{"two calls of itself", "package p\nfunc fib(k int32) int32 { return fib(k-1) + fib(k-2) }", "fib(k-1)", ""},
		{"the text first", "assert(\"positive\", y[i] > 0)\n\ty[i] = 0", "y[i] > 0", ""},
		{"void", "package p\nfunc f(x float32) void { }", "void", "ends its head with `)`"},
		{"any", "package p\nfunc f[T any](x T) T { return x }", "any", "`[T float32|float64]`"},
		{"a function in a constant", "package p\nconst M = f(2)\nfunc f(x float32) float32 { return x }", "f(2)", ""},
		{"an attribute", "package p\n@launch_bounds(256)\nkernel K(x mut [n]float32) for i in n { x[i] = 0 }", "launch_bounds", "`@fastmath`"},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := c.source
			if !strings.HasPrefix(src, "package") {
				src = "package p\n\nkernel K(y mut [n]float32, k mut [n]int32, d mut [n]float64, m mut [n, n]float32) for i in n {\n\t" + src + "\n}\n"
			}
			list := dropTarget(diagnose(t, src))
			if len(list) != 1 {
				t.Fatalf("%d errors: %v", len(list), list)
			}
			d := list[0]
			says := d.Fix + "\n" + strings.Join(d.Notes, "\n")
			for _, l := range d.Labels {
				says += "\n" + l.Message
			}
			if !strings.Contains(says, c.says) {
				t.Errorf("says %q, want %q: %v", says, c.says, d)
			}
			if !strings.HasPrefix(src[d.Pos.Offset:], c.at) {
				t.Errorf("stands at %q, want %q", src[d.Pos.Offset:], c.at)
			}
		})
	}
}

// dropTarget leaves out that Metal has no float64.
func dropTarget(list diag.List) (out diag.List) {
	for _, d := range list {
		if d.Code != "target-type" {
			out = append(out, d)
		}
	}
	return out
}

// TestForeignNames: a name of another language is free, and means what the source declares.
func TestForeignNames(t *testing.T) {
	program(t, "package p\n\nfunc math(float float32) float32 { return float }\n\nkernel K(threadIdx mut [n]float32) for get_global_id in n { threadIdx[get_global_id] = math(1) }\n")
}

// TestImports: an import is one error; its name is silent unless the language has what is wanted of it.
func TestImports(t *testing.T) {
	file, syntax := dsl.Parse("p.gpu", []byte("package p\nimport (\n\t\"math\"\n\t\"example.com/vec\"\n)\nkernel K(x mut [n]float32) for i in n { x[i] = vec.Len(x[i]) + math.Exp(x[i]) }\n"))
	if len(syntax) != 1 || syntax[0].Code != "not-in-language" {
		t.Fatalf("syntax: %v", syntax)
	}
	_, list := Package([]*dsl.File{file}, Config{})
	if len(list) != 1 || list[0].Fix != "write `exp`" {
		t.Errorf("%v", list)
	}
}

// TestHabits: the same for indexes in brackets of their own and for characters, beside what looks like them and is right.
func TestHabits(t *testing.T) {
	for _, c := range []struct{ params, body, code, says string }{
		{"x [h, w]float32", "y[i] = x[i][0]", "index-count", "write `x[i, 0]`"},
		{"x [h, w]float32", "y[i] = x[i+1][i%2]", "index-count", "write `x[i + 1, i % 2]`"},
		{"x [b, h, w]float32", "y[i] = x[i][0][1]", "index-count", "write `x[i, 0, 1]`"},
		{"x [b, h, w]float32", "y[i] = x[i, 0][1]", "index-count", "write `x[i, 0, 1]`"},
		{"x [h][2]float32", "y[i] = x[i][0]", "", ""},
		{"x [h][2, 3]float32", "y[i] = x[i][0]", "index-count", ""},
		{"x [h]float32", "v := [2, 2]float32{{x[0], 1}, {2, 3}}; y[i] = v[1][i%2]", "index-count", "write `v[1, i % 2]`"},
		{"x [h]float32", "y[i] = x[i][0]", "not-indexable", ""},
		{"x [h]float32", "math := x[i]; y[i] = math", "", ""},
		{"x [h]uint8", "y[i] = select(x[i] == 'a', float32(1), 0)", "not-in-language", "write `97`"},
		{"x [h]uint8", `y[i] = select(x[i] == '\n', float32(1), 0)`, "not-in-language", "write `10`"},
		{"x [h]uint8", `y[i] = select(x[i] == '\'', float32(1), 0)`, "not-in-language", "write `39`"},
	} {
		list := diagnose(t, "package p\nkernel K("+c.params+", y mut [n]float32) for i in n { "+c.body+" }\n")
		if c.code == "" {
			if len(list) > 0 {
				t.Errorf("%s: %v", c.body, list)
			}
			continue
		}
		if len(list) != 1 || list[0].Code != c.code || !strings.Contains(list[0].Fix+"\n"+strings.Join(list[0].Notes, "\n"), c.says) {
			t.Errorf("%s: want one %s that says %q, got %v, %+v", c.body, c.code, c.says, list, list)
		}
	}
}
