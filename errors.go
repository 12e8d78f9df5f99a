package gpugen

import (
	"fmt"
	"path"
	"strings"

	"github.com/gpugen/gpugen/codegen"
	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
)

// InternalError is a bug of gpugen: a stage behind the checker panicked.
type InternalError struct {
	Stage string
	Panic any
	Stack string
}

// Diagnose reports it under the code internal-error.
func (e *InternalError) Diagnose(d *diag.Diagnostic) {
	d.Code = "internal-error"
	d.Message = fmt.Sprintf("gpugen failed in stage `%s`: %v", e.Stage, e.Panic)
	d.Note("this is a bug of gpugen and not of the source; please report it with the source and this trace")
	d.Note("%s", e.Stack)
}

// PackageNameError is a .gpu file of another package than the Go files beside it, or than the other .gpu files.
type PackageNameError struct {
	Clause *dsl.Ident
	Go     string
}

// Diagnose reports it under the code package-name.
func (e *PackageNameError) Diagnose(d *diag.Diagnostic) {
	d.Code = "package-name"
	d.Pos, d.End = e.Clause.Pos(), e.Clause.End()
	d.Message = fmt.Sprintf("package is `%s`, but the Go files in this folder are package `%s`", e.Clause.Name, e.Go)
	d.Fix = "package " + e.Go
}

// bracketDepth is how deep clang, and so Metal's compiler, lets brackets of one kind nest.
const bracketDepth = 256

// NestingError is a kernel whose text nests deeper than a target's compiler reads.
type NestingError struct {
	At     diag.Pos
	Target types.Target
}

// Diagnose reports it under the code target-nesting.
func (e *NestingError) Diagnose(d *diag.Diagnostic) {
	d.Code, d.Pos = "target-nesting", e.At
	d.Message = fmt.Sprintf("statements nest too deeply for %s, whose compiler reads %d levels of brackets", e.Target, bracketDepth)
	d.Note("what stands in conditions that are nested deeply counts too; move a part to its own kernel, or leave the target out with `@targets`")
}

// tooDeep finds the first line of text that nests too deeply.
func tooDeep(t types.Target, text *codegen.Source) diag.Error {
	if text == nil {
		return nil
	}
	var depth [3]int
	line := 0
	for i := range len(text.Text) {
		switch c := text.Text[i]; c {
		case '\n':
			line++
		case '{', '(', '[':
			k := strings.IndexByte("{([", c)
			if depth[k]++; depth[k] <= bracketDepth {
				continue
			}
			for line > 0 && !text.Lines[line].IsValid() {
				line--
			}
			return &NestingError{At: text.Lines[line], Target: t}
		case '}', ')', ']':
			depth[strings.IndexByte("})]", c)]--
		}
	}
	return nil
}

// FileNameError is a .gpu file whose name its outputs could not carry: the go command would not compile such a Go file,
// or would not embed such an artifact.
type FileNameError struct {
	Name string // as in messages
	Why  string
}

// Diagnose reports it under the code file-name.
func (e *FileNameError) Diagnose(d *diag.Diagnostic) {
	d.Code = "file-name"
	d.Pos = diag.Pos{File: e.Name, Line: 1, Col: 1}
	d.Message = fmt.Sprintf("the Go files generated from `%s` could not be built: %s", path.Base(e.Name), e.Why)
	d.Note("rename the file; letters, digits, `_`, `-`, `.` and spaces are fine")
}
