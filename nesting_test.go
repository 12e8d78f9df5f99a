package gpugen_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/gpugen/gpugen"
	"github.com/gpugen/gpugen/codegen/msl/hostrun"
	"github.com/gpugen/gpugen/codegen/ptx/nvrtc"
	"github.com/gpugen/gpugen/internal/require"
)

// TestNesting has every form of the language nest close to the limit of the parser, and the compilers of the targets
// take what comes out.
func TestNesting(t *testing.T) {
	const n = 900
	kernels := map[string]string{
		"Parens":   "x[i] = " + strings.Repeat("(", n) + "x[i]" + strings.Repeat(")", n),
		"Right":    "x[i] = " + strings.Repeat("x[i] + (", n/2) + "x[i]" + strings.Repeat(")", n/2),
		"Left":     "x[i] = x[i]" + strings.Repeat(" * x[i]", n),
		"Negative": "x[i] = " + strings.Repeat("-(", n/2) + "x[i]" + strings.Repeat(")", n/2),
		"Calls":    "x[i] = " + strings.Repeat("abs(", n) + "x[i]" + strings.Repeat(")", n),
		"Selects":  "x[i] = " + strings.Repeat("select(x[i] > 0, 1, ", n) + "x[i]" + strings.Repeat(")", n),
		"Indexes":  "k[i] = " + strings.Repeat("k[", n/3) + "i" + strings.Repeat("]", n/3),
		"Both":     "if " + strings.Repeat("x[i] > 0 && (x[i] < 9 || ", 100) + "x[i] == 3" + strings.Repeat(")", 100) + " { x[i] = 1 }",
		"Ifs":      strings.Repeat("if x[i] > 0 {\n", 200) + "x[i] = 1\n" + strings.Repeat("}\n", 200),
		"Chain":    strings.Repeat("if x[i] > 2 { x[i] = 1 } else ", n) + "{ x[i] = 2 }",
		"Blocks":   strings.Repeat("{\n", n) + "x[i] = 1\n" + strings.Repeat("}\n", n),
		"Loops":    strings.Repeat("for range k[i] {\n", 40) + "x[i] += 1\n" + strings.Repeat("}\n", 40), // more take NVRTC minutes
	}
	for name, body := range kernels {
		t.Run(name, func(t *testing.T) {
			u := compileText(t, fmt.Sprintf("package p\n\nkernel %s(x mut [n]float32, k mut [n]int32) for i in n {\n%s\n}\n", name, body))
			t.Run("metal", func(t *testing.T) {
				require.Tool(t, "clang", hostrun.Clang() != "", hostrun.Remedy)
				if _, err := hostrun.Check(context.Background(), u.Metal.Text); err != nil {
					t.Errorf("%.2000v", err)
				}
			})
			t.Run("cuda", func(t *testing.T) {
				_, err := nvrtc.Toolchains()
				require.Tool(t, "nvrtc", err == nil, "run make setup")
				if _, err := nvrtc.Compile(context.Background(), nvrtc.Request{Name: "k.cu", Source: u.CUDA.Text, Arch: "sm_75"}); err != nil {
					t.Errorf("%.2000v", err)
				}
			})
		})
	}
}

// TestNestingBeyondMetal has statements nest deeper than Metal's compiler reads: an error at the line, for that target.
func TestNestingBeyondMetal(t *testing.T) {
	source := func(attr string) gpugen.Input {
		body := strings.Repeat("if x[i] > 0 {\n", 300) + "x[i] = 1\n" + strings.Repeat("}\n", 300)
		return gpugen.Input{Sources: []gpugen.Source{{Name: "k.gpu", Text: []byte("package p\n\n" + attr + "kernel K(x mut [n]float32) for i in n {\n" + body + "}\n")}}}
	}
	p, diags := gpugen.Compile(source(""))
	if p != nil || len(diags) != 1 || diags[0].Code != "target-nesting" || diags[0].Pos.Line < 200 || !strings.Contains(diags[0].Message, "metal") {
		t.Errorf("%v", diags)
	}
	if _, diags := gpugen.Compile(source("@targets(cuda, cpu)\n")); len(diags) > 0 {
		t.Errorf("without metal: %v", diags)
	}
}

// TestNestedStructs has structs hold structs as deep as the checker lets them. Layouts that are worked out anew at each level
// would take hours.
func TestNestedStructs(t *testing.T) {
	const n = 900
	var b strings.Builder
	b.WriteString("package p\n\ntype S0 struct{ a int8; b int32 }\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "type S%d struct{ a S%d }\n", i, i-1)
	}
	fmt.Fprintf(&b, "\nkernel K(x mut [n]S%d) for i in n { x[n-1-i] = x[i] }\n", n-1)
	u := compileText(t, b.String())
	if !regexp.MustCompile(`sizeof\(S899_?\) == 8,`).MatchString(u.Metal.Text) {
		t.Error("S899 has another size")
	}
}
