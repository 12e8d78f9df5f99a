// Package nvrtc turns CUDA C text into PTX and cubins, with the resources each kernel uses and the driver it needs.
//
// The command calls Compile for one text and CompileAll for many; the CUDA C comes from codegen/ptx, which is pure, while
// this package loads libraries and starts processes. It may import internal/nvrtc (the binding) and dsl/diag
// (positions), nothing else of the compiler.
//
// Invariants: floating point means what the language says (no contraction, no flushing, exact division and square root
// are options that no caller can forget); an artifact is made by the oldest NVRTC that knows its architecture, so that
// it loads on the oldest drivers; equal requests with the same NVRTC give equal bytes, in process or in a worker; a
// failed compilation names the text, the line of the .gpu file behind it and the versions involved.
package nvrtc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/internal/nvrtc"
)

// Kind is what a compilation makes.
type Kind int

const (
	PTX   Kind = iota // assembly text; the driver compiles it for its device when it is loaded
	Cubin             // machine code for one architecture
)

func (k Kind) String() string {
	switch k {
	case PTX:
		return "PTX"
	case Cubin:
		return "cubin"
	}
	panic(fmt.Sprintf("nvrtc: kind %d", int(k)))
}

// A Request is one text to compile.
type Request struct {
	Name   string // of the text in messages, "saxpy.cu"
	Source string // CUDA C that includes nothing
	// Arch is sm_75, sm_90a; compute_75 is taken for PTX. PTX too is compiled for a real architecture: only that makes
	// ptxas judge it and report resources.
	Arch string
	Kind Kind
	// Options go behind the ones that are always set.
	Options []string
	// NVRTC demands one version, "11.8"; empty takes the oldest that knows Arch.
	NVRTC string
	// Lines maps the text back: Lines[i] is the .gpu position behind line i+1, zero if there is none. It may be nil.
	Lines []diag.Pos `json:"-"`
}

// A Result is what came of a Request.
type Result struct {
	Code      []byte
	Resources map[string]Resources // by entry
	Warnings  []Item
	Meta      Meta
}

// Meta is what the manifest records about the making of an artifact.
type Meta struct {
	NVRTC      string   `json:"nvrtc"`                // version of the library, "11.8"
	Options    []string `json:"options"`              // all of them, as passed
	PTXVersion string   `json:"ptxVersion,omitempty"` // PTX only: its .version
	Target     string   `json:"target"`               // sm_75
	CUDA       string   `json:"cuda"`                 // the oldest CUDA version whose driver loads the artifact
	MinDriver  Driver   `json:"minDriver"`
}

// fixed are the options of every compilation. Contraction is off because fusing is a pass of ours; the rest are the
// defaults of NVRTC today, spelt out because results depend on them.
var fixed = []string{"--std=c++17", "--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true"}

// options are the options for a request, without a second guess about the architecture.
func (r *Request) options(a arch) []string {
	o := append([]string(nil), fixed...)
	o = append(o, "-arch="+a.String(), "--ptxas-options=-v")
	return append(o, r.Options...)
}

// Current reports whether an artifact made as m says would be made with the same options today. The version of NVRTC
// does not count: an artifact that another machine's made stays.
func (r *Request) Current(m Meta) bool {
	a, err := parseArch(r.Arch, r.Kind)
	return err == nil && slices.Equal(m.Options, r.options(a))
}

// Compile compiles one text in this process: no other process is started. NVRTC cannot be interrupted, so a cancelled
// context returns at once and leaves the compilation to finish unheard.
//
// Errors: those of internal/nvrtc when there is no usable library (Missing tells), *ArchError, *CompileError.
func Compile(ctx context.Context, r Request) (*Result, error) {
	j, err := plan(r)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("nvrtc: compile %s for %s: %w", r.Name, r.Arch, err)
	}
	type outcome struct {
		result *Result
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		result, err := j.run()
		done <- outcome{result, err}
	}()
	select {
	case o := <-done:
		return o.result, r.locate(o.err)
	case <-ctx.Done():
		return nil, fmt.Errorf("nvrtc: compile %s for %s: %w", r.Name, r.Arch, ctx.Err())
	}
}

// A job is a request whose library has been chosen. It crosses process boundaries as JSON.
type job struct {
	Request Request
	Library string // path
	Arch    arch
}

// plan finds the library for a request.
func plan(r Request) (job, error) {
	a, err := parseArch(r.Arch, r.Kind)
	if err != nil {
		return job{}, err
	}
	t, err := choose(a, r.NVRTC)
	if err != nil {
		return job{}, err
	}
	return job{Request: r, Library: t.Path, Arch: a}, nil
}

// run compiles in this process.
func (j *job) run() (*Result, error) {
	lib, err := nvrtc.Open(j.Library)
	if err != nil {
		return nil, err
	}
	r := &j.Request
	p, err := lib.NewProgram(r.Name, r.Source)
	if err != nil {
		return nil, err
	}
	defer p.Destroy()
	options := r.options(j.Arch)
	compileErr := p.Compile(options)
	log, err := p.Log()
	if err != nil {
		return nil, err
	}
	if compileErr != nil {
		return nil, newCompileError(r, j.Arch, lib.Version().String(), log, compileErr)
	}
	result := &Result{
		Resources: parseResources(log),
		Warnings:  parseItems(log, "warning"),
		Meta:      Meta{NVRTC: lib.Version().String(), Options: options, Target: j.Arch.String()},
	}
	cuda := lib.Version().String()
	if r.Kind == Cubin {
		result.Code, err = p.Cubin()
	} else {
		result.Code, err = p.PTX()
		result.Meta.PTXVersion = directive(result.Code, ".version")
		if v, ok := cudaOf(result.Meta.PTXVersion); ok {
			cuda = v
		}
	}
	if err != nil {
		return nil, err
	}
	if len(result.Code) == 0 {
		return nil, fmt.Errorf("nvrtc: compile %s for %s with NVRTC %s: no %s came out", r.Name, j.Arch, lib.Version(), r.Kind)
	}
	result.Meta.CUDA = cuda
	result.Meta.MinDriver = driverOf(cuda)
	return result, nil
}

// locate adds positions to a compile error; it happens on the caller's side, since the map does not go to workers.
func (r *Request) locate(err error) error {
	var e *CompileError
	if errors.As(err, &e) {
		e.locate(r.Lines)
	}
	return err
}

// directive reads a directive of one word from the head of a PTX text.
func directive(ptx []byte, name string) string {
	for line := range strings.Lines(string(ptx[:min(len(ptx), 4096)])) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == name {
			return f[1]
		}
	}
	return ""
}
