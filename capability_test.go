package gpugen_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/gpugen/gpugen"
	"github.com/gpugen/gpugen/dsl/types"
)

// forms are the statements that an operation of the capability table stands for, of T values a and b, an element of y, and
// z, an int32 of its own. Each is compiled by itself.
var forms = [types.NumOperations][]string{
	types.Arithmetic:     {"y[i] = M(a + b)", "y[i] = M(a * b)"},
	types.Division:       {"y[i] = M(a / b)", "y[i] = M(a % b)"},
	types.Shift:          {"y[i] = M(a << b)", "y[i] = M(a >> b)"},
	types.Quotient:       {"y[i] = a / b", "y[i] = sqrt(a)"},
	types.Saturation:     {"z[i] = int32(a)"},
	types.Extremes:       {"y[i] = min(a, b)", "y[i] = max(a, b)"},
	types.Fusion:         {"y[i] = fma(a, b, a)"},
	types.Exchange:       {"y[i] = M(subgroup.Shuffle(a, 3))", "y[i] = M(subgroup.Broadcast(a, 3))"},
	types.AtomicLoad:     {"y[i] = atomic.Load(&y[0])", "atomic.Store(&y[0], a)"},
	types.AtomicExchange: {"y[i] = atomic.Exchange(&y[0], a)"},
	types.AtomicCAS:      {"y[i] = atomic.CompareExchange(&y[0], a, b)"},
	types.AtomicAdd:      {"atomic.Add(&y[0], a)"},
	types.AtomicExtremes: {"atomic.Min(&y[0], a)", "atomic.Max(&y[0], a)"},
	types.AtomicAnd:      {"atomic.And(&y[0], a)", "atomic.Or(&y[0], a)"},
	types.AtomicXor:      {"atomic.Xor(&y[0], a)"},
}

// kernelOf is a kernel of one statement.
func kernelOf(o types.Operation, k types.Kind, target types.Target, statement string) string {
	memory := k
	if k == types.Int {
		memory = types.Int64
	}
	if k == types.Bool && o == types.Arithmetic {
		statement = strings.NewReplacer("+", "&&", "*", "||").Replace(statement)
	}
	if k == memory {
		statement = regexp.MustCompile(`M\((.*)\)$`).ReplaceAllString(statement, "$1")
	}
	statement = strings.ReplaceAll(statement, "M(", memory.String()+"(")
	load := func(x string) string {
		if k == memory {
			return x
		}
		return k.String() + "(" + x + ")"
	}
	domain := "for i in n"
	if o == types.Exchange {
		domain = "blocks i in n threads t in 32"
	}
	return fmt.Sprintf("package p\n\n@targets(%s)\nkernel K(u, v [n]%s, y mut [n]%[2]s, z mut [n]int32) %s {\n\ta, b := %s, %s\n\tz[i] = 1\n\t%s\n\t_, _ = a, b\n}\n",
		target, memory, domain, load("u[i]"), load("v[i]"), statement)
}

// helper finds in a text what makes an operation right: functions of the prelude, on the CPU those of runtime/gpu/gen that
// do more than their names say in Go, and the loops over the lanes of a subgroup. casts are around functions of Metal.
var (
	helper    = regexp.MustCompile(`\bgg_\w+`)
	helperCPU = regexp.MustCompile(`gen\.(Div|Rem|Shl|Shr|FMA32|To\w+|Atomic(Min|Max|Xor|F\w+)|\w*[Ff]loat16\w*)\b|lanes`)
	casts     = strings.NewReplacer("gg_shuffle_u32", "", "gg_ballot", "")
)

// made is how the compiler does a form on a target.
func made(t *testing.T, target types.Target, src string) (types.Support, string) {
	t.Helper()
	p, list := gpugen.Compile(gpugen.Input{Sources: []gpugen.Source{{Name: "k.gpu", Text: []byte(src)}}})
	if list.HasErrors() {
		if text := list.Error(); !strings.Contains(text, "[target-") || !strings.Contains(text, target.String()+" has no") {
			t.Errorf("an error that is not the target's: %s\n%s", text, src)
		}
		return types.Impossible, ""
	}
	text := textOf(p.Units[0], target)
	if head, _, kernel := strings.Cut(text, "__kernel"); kernel && strings.Count(head, "#if") > strings.Count(head, "#endif") {
		return types.Optional, text
	}
	if target == types.CPU && helperCPU.MatchString(text) || target != types.CPU && helper.MatchString(casts.Replace(text)) {
		return types.Emulated, text
	}
	return types.Native, text
}

// textOf is the release build's text for a target.
func textOf(u *gpugen.Unit, target types.Target) string {
	switch target {
	case types.CUDA:
		return u.CUDA.Text
	case types.Metal:
		return u.Metal.Text
	case types.OpenCL:
		return u.OpenCL.Text
	}
	return string(u.CPU)
}

// TestCapabilitiesDecide: products are fused where fma is native, and blocks combine values through subgroups where those
// exchange values natively.
func TestCapabilitiesDecide(t *testing.T) {
	u := compileText(t, `package p

kernel Fused(x [n]float32, y mut [n]float32) for i in n { y[i] = x[i]*x[i] + 1 }
`)
	blocks := compileText(t, `package p

kernel Sum(x [n]int32, y mut [n]int32) blocks i in n threads t in 64 {
	s := block.Sum(x[i])
	if t == 0 {
		y[i] = s
	}
}
`)
	for _, target := range types.AllTargets.List() {
		text := textOf(u, target)
		if got, want := strings.Contains(text, "fma"), types.Has(target, types.Fusion, types.Float32) == types.Native; got != want {
			t.Errorf("%s fuses: %v, and the table says %v\n%s", target, got, want, text)
		}
		text = textOf(blocks, target)
		if got, want := strings.Contains(text, "shfl") || strings.Contains(text, "shuffle"), types.Has(target, types.Exchange, types.Int32) == types.Native; got != want {
			t.Errorf("%s exchanges: %v, and the table says %v\n%s", target, got, want, text)
		}
	}
}

// TestCapabilities compiles a kernel for every cell of the capability table and looks at what came of it.
func TestCapabilities(t *testing.T) {
	cells := 0
	for o := range types.NumOperations {
		for k := types.Bool; k <= types.Float64; k++ {
			if !types.InLanguage(o, k) {
				continue
			}
			for _, target := range types.AllTargets.List() {
				cells++
				for _, statement := range forms[o] {
					src := kernelOf(o, k, target, statement)
					if got, text := made(t, target, src); got != types.Has(target, o, k) {
						t.Errorf("%s of %s on %s is %s, and the table says %s:\n%s\n%s", o, k, target, got, types.Has(target, o, k), src, text)
					}
				}
			}
		}
	}
	t.Logf("%d cells", cells)
}
