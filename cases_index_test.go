package gpugen_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// faults are the faults that users of tools like this one have reported in public, and what proves here that each cannot
// happen. A proof is one of
//
//	golden NAME       an archive of testdata/golden, run on every target
//	script NAME       a script of internal/clitest/testdata, which names the fault
//	DIR TestName      a test, in the folder `.` for the root
//	FILE "text"       a sentence that a document owes to users
var faults = []struct {
	name, what string
	proofs     []string
}{
	{"B01", "signed division and remainder with negative operands", []string{"golden b01_divmod"}},
	{"B02", "the least integer divided by -1, negated, made absolute", []string{"golden b02_min_int"}},
	{"B03", "division by zero, at run time and in a constant", []string{"golden b03_zero_divisor", "golden b03_constant_zero"}},
	{"B04", "index arithmetic in 32 bits", []string{"golden b04_index_width", ". TestB04LargeBuffers", "runtime/gpu TestCUDAWide", "runtime/gpu TestNarrowAndWide"}},
	{"B05", "a literal loses its type", []string{"golden b05_literals", ". TestB05NoDoubles"}},
	{"B06", "NaN and infinities printed as words", []string{"golden b06_non_finite", "golden b06_overflow"}},
	{"B07", "min, max and clamp of NaN", []string{"golden b07_minmax_nan"}},
	{"B08", "subnormals flushed, or different when folded", []string{"golden b08_subnormals", ". TestB08NoFlush", "codegen/ptx/nvrtc TestNoVendorFusing", `docs/semantics.md "**Subnormals** are kept on the CPU and on CUDA. Metal may flush them"`}},
	{"B09", "float to int out of range", []string{"golden b09_float_to_int"}},
	{"B10", "fast mathematics by default", []string{"golden b10_fast_math", "codegen/ptx/nvrtc TestNoVendorFusing"}},
	{"B11", "float16 at the edges", []string{"golden b11_float16"}},
	{"B12", "identifiers that are words of the targets", []string{"golden b12_words"}},
	{"B13", "locals that hide builtins and one another", []string{"golden b13_shadowing"}},
	{"B14", "identifiers and file names with odd characters", []string{"golden b14_identifiers", "script paths", ". TestFileNames"}},
	{"B15", "names in the Go wrapper", []string{"golden b15_go_names", "golden b15_wrapper_names"}},
	{"B16", "structs with vectors of three", []string{"golden b16_struct_layout"}},
	{"B17", "bool in buffers and structs", []string{"golden b17_bool_bytes"}},
	{"B18", "shared memory over a target's limit", []string{". TestB18SharedMemoryOverTheLimit"}},
	{"B19", "continue and break in a switch in a loop", []string{"golden b19_switch", "dsl/check TestBranches"}},
	{"B20", "loops that may not end", []string{"golden b20_endless", ". TestB20GuardsStay", "runtime/gpu TestB20EndlessOnTheCPU", `docs/semantics.md "| a loop that does not end | runs for ever"`}},
	{"B21", "a barrier that leaves buffers out", []string{"golden b21_barrier_buffers", ". TestB21BarrierOrdersBuffers"}},
	{"B22", "grids above 65,535 in y and z", []string{"golden b22_many_rows", "golden b22_many_blocks", "golden b22_by_block", "runtime/gpu TestGrids", "runtime/gpu TestGridsOfBlocks", "runtime/gpu TestCUDAFoldedRows", "runtime/gpu TestOpenCLFoldedRows"}},
	{"B23", "sizes that are no multiple of a block", []string{"golden b23_tails", "runtime/gpu TestGrids", "runtime/gpu TestCUDASaxpy"}},
	{"B24", "blocks larger than a kernel can run", []string{"golden b24_threads", ". TestB24LargeBlocksFit", "runtime/gpu TestCUDAMisuse"}},
	{"B25", "input and output in one memory", []string{"golden b25_in_place"}},
	{"B26", "arguments too large or misaligned", []string{"golden b26_arguments", "golden b26_too_many", "dsl/check TestParamLimit", "runtime/gpu TestSlots", "runtime/gpu TestCUDAMixedArguments"}},
	{"B27", "a goroutine on a thread without the device's context", []string{"runtime/gpu TestCPUCases", "runtime/gpu TestOpenCLCases", "runtime/gpu TestCUDACases", "runtime/gpu TestCUDATwoDevices", "runtime/internal/cuda TestB27ThreadKeepsItsContext", "runtime/gpu TestStandIn"}},
	{"B28", "freed too early, twice, or never; closed in the wrong order", []string{"runtime/gpu TestCPUCases", "runtime/gpu TestOpenCLCases", "runtime/gpu TestCUDACases", "runtime/gpu TestFreeWaitsForUses", "runtime/gpu TestFreedClosedForeign", "runtime/gpu TestCloseDevice", "runtime/gpu TestLeaks"}},
	{"B29", "NVRTC missing, half-installed or without headers", []string{"script missing", "script half_installed", "internal/nvrtc TestB29NothingInstalled", "internal/nvrtc TestB29Unusable", "internal/nvrtc TestB29HalfInstalled", "codegen/ptx/nvrtc TestB29Missing", "runtime/internal/cuda TestB29AtRunTime", "runtime/gpu TestCUDASourceWithoutNVRTC"}},
	{"B30", "an architecture too new for NVRTC, PTX too new for the driver", []string{"script arch", "codegen/ptx/nvrtc TestB30UnknownArch", "runtime/internal/cuda TestB30DeviceNewerThanNVRTC", "runtime/internal/cuda TestB30OldDriver", "runtime/internal/cuda TestLoadOrder", "runtime/gpu TestCUDALoadErrors"}},
	{"B31", "stale and damaged artifacts", []string{"script artifacts", "script diff", "script missing", "runtime/gpu TestCUDADamagedPTX"}},
	{"B32", "folders that are new, nested and moved under a watch", []string{"script watch_folders", "internal/clitest TestB32Burst", "cmd/gpugen TestWriteWhereTheFolderIs", "internal/watch TestMovedAndGone"}},
	{"B33", "outputs rewritten for nothing, and what a deleted source leaves", []string{"script generate", "script leftovers", "script watch", "internal/clitest TestB33SideBySide"}},
	{"B34", "output that differs from run to run", []string{"script stable", ". TestB34SameBytes", "codegen/ptx/nvrtc TestB34Deterministic"}},
	{"B35", "carriage returns", []string{". TestB35CarriageReturns", "internal/clitest TestB35Checkout", "script paths", "script diff", "script diff_crlf", "internal/arch TestRepository"}},
	{"B36", "odd paths, places that cannot be written, other users", []string{"script paths", "script odd_module", "cmd/gpugen TestWriteAllOrNothing", "internal/nvrtc TestB36OddPaths"}},
	{"B37", "no GPU, no C compiler, another system", []string{"script newuser", "internal/arch TestRepository", "runtime/gpu TestOpen", "internal/require TestTool", `Makefile "CROSS      ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64"`, `Makefile "-tags gpuhost ./runtime/..."`, `.ci/run "GPUGEN_REQUIRE=nvrtc,clang,opencl"`}},
	{"B38", "edges of the lexer", []string{"golden b38_lexer"}},
	{"B39", "columns with tabs and wide characters", []string{"golden b39_columns", "dsl/check TestColumn"}},
	{"B40", "associativity and precedence", []string{"golden b40_precedence"}},
}

// TestFaultsAreProved: every proof exists, and whatever says that it proves a fault is listed with it.
func TestFaultsAreProved(t *testing.T) {
	said := proofsThatSay(t)
	for i, f := range faults {
		if i > 0 && f.name <= faults[i-1].name || f.what == "" || len(f.proofs) == 0 {
			t.Errorf("%s: out of order, or empty", f.name)
		}
		for _, p := range f.proofs {
			kind, name, _ := strings.Cut(p, " ")
			exists := false
			if sentence, ok := strings.CutPrefix(name, `"`); ok {
				text, err := os.ReadFile(kind)
				exists = err == nil && strings.Contains(string(text), strings.TrimSuffix(sentence, `"`))
			} else if names, ok := said[p]; ok {
				exists = kind != "script" || names[f.name]
				delete(names, f.name)
			}
			if !exists {
				t.Errorf("%s, %s: there is no %s, or it does not name the fault", f.name, f.what, p)
			}
		}
	}
	for _, p := range slices.Sorted(maps.Keys(said)) {
		for _, name := range slices.Sorted(maps.Keys(said[p])) {
			t.Errorf("%s says that it is about %s, and is not listed with it", p, name)
		}
	}
	if len(faults) != 40 {
		t.Errorf("%d faults", len(faults))
	}
}

// faultName is the name of a fault in a name or a comment.
var faultName = regexp.MustCompile(`\b(?:Test)?[Bb]([0-4][0-9])(?:\b|_|[A-Z])`)

// proofsThatSay are all archives, scripts and tests, with the faults that each names.
func proofsThatSay(t *testing.T) map[string]map[string]bool {
	t.Helper()
	said := map[string]map[string]bool{}
	add := func(proof, text string) {
		said[proof] = map[string]bool{}
		for _, m := range faultName.FindAllStringSubmatch(text, -1) {
			said[proof]["B"+m[1]] = true
		}
	}
	for kind, dir := range map[string]string{"golden": "testdata/golden", "script": "internal/clitest/testdata"} {
		files, err := filepath.Glob(dir + "/*.txtar")
		if err != nil || len(files) < 10 {
			t.Fatal(dir, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name := strings.TrimSuffix(filepath.Base(file), ".txtar")
			comments := ""
			for line := range strings.Lines(string(text)) {
				if kind == "script" && strings.HasPrefix(line, "#") {
					comments += line
				}
			}
			add(kind+" "+name, name+"\n"+comments)
		}
	}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && file != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(file, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, decl := range f.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
				add(path.Dir(filepath.ToSlash(file))+" "+f.Name.Name, f.Name.Name+"\n"+f.Doc.Text())
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return said
}

// TestFaultNames: what counts as a name of a fault.
func TestFaultNames(t *testing.T) {
	for text, want := range map[string]string{
		"TestB29Missing": "29", "(B31);": "31", "case B07:": "07", "b40_precedence": "40", "TestB04LargeBuffers": "04",
		"TestB3T3": "", "B100": "", "ab12_words": "", "sm_B12": "", "B50": "", "0xB12": "", "TestB200": "",
	} {
		got := ""
		if m := faultName.FindStringSubmatch(text); m != nil {
			got = m[1]
		}
		if got != want {
			t.Errorf("%q names %q, want %q", text, got, want)
		}
	}
}
