package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/gpugen/gpugen"
	"github.com/gpugen/gpugen/codegen/ptx/nvrtc"
	"github.com/gpugen/gpugen/dsl/diag"
)

// build is one .gpu file on its way to its outputs.
type build struct {
	folder    *folder
	unit      *gpugen.Unit
	compiled  map[string][]byte
	artifacts []gpugen.Artifact
	missing   []string
	wanted    []gpugen.Wanted // what has to be compiled
	refused   bool            // the device compiler takes the text for none of them, or not for all
}

// newBuild keeps every compiled artifact on disk that was made from the same text for the same architecture and whose
// bytes are those of the manifest: it may come from another machine's toolchain, and the text has not changed.
func newBuild(f *folder, u *gpugen.Unit) *build {
	b := &build{folder: f, unit: u, compiled: map[string][]byte{}}
	old := readManifest(f.dir, u.Base+".json")
	for _, w := range u.Wanted() {
		if entry, data, state := b.onDisk(old, w); state == fresh {
			b.keep(*entry, data)
			continue
		}
		b.wanted = append(b.wanted, w)
	}
	return b
}

// A state is how a file on disk stands to what the sources give.
type state string

const (
	fresh      state = "fresh"
	missing    state = "missing"    // it is not there
	stale      state = "stale"      // it was made from other sources
	edited     state = "edited"     // text: it is not what gpugen wrote
	incomplete state = "incomplete" // text: right, but for the artifacts that are missing
	damaged    state = "damaged"    // an artifact: its bytes are not those of the manifest
	leftover   state = "leftover"   // no source gives it any more
)

// onDisk judges a compiled artifact by the manifest, which may be nil. The entry is nil if the manifest has none.
func (b *build) onDisk(m *gpugen.Manifest, w gpugen.Wanted) (*gpugen.Artifact, []byte, state) {
	var entry *gpugen.Artifact
	if m != nil {
		entry = m.Artifact(w.File)
	}
	data, err := os.ReadFile(filepath.Join(b.folder.dir, gpugen.OutputFolder, w.File))
	switch {
	case err != nil:
		return entry, nil, missing
	case entry == nil || entry.From != from(w) || entry.Arch != w.Arch || !b.current(entry, w):
		return entry, data, stale
	case gpugen.HashBytes(data) != entry.SHA256:
		return entry, data, damaged
	}
	return entry, data, fresh
}

// request asks for the compilation of an artifact.
func request(w gpugen.Wanted) nvrtc.Request {
	r := nvrtc.Request{Name: w.Name, Source: w.Source.Text, Arch: w.Arch, Lines: w.Source.Lines}
	if w.Kind == "cubin" {
		r.Kind = nvrtc.Cubin
	}
	return r
}

// current reports whether an artifact was compiled with the options of today.
func (b *build) current(entry *gpugen.Artifact, w gpugen.Wanted) bool {
	var made nvrtc.Meta
	r := request(w)
	return json.Unmarshal(entry.Toolchain, &made) == nil && r.Current(made)
}

// from is the hash of the text that device code is made from.
func from(w gpugen.Wanted) string { return gpugen.HashBytes([]byte(w.Source.Text)) }

func (b *build) keep(entry gpugen.Artifact, data []byte) {
	b.compiled[entry.File] = data
	b.artifacts = append(b.artifacts, entry)
}

// outputs are the files of the build, artifacts in the order of the options whatever was compiled first.
func (b *build) outputs() ([]gpugen.File, error) {
	order := map[string]int{}
	for i, w := range b.unit.Wanted() {
		order[w.File] = i
	}
	slices.SortFunc(b.artifacts, func(x, y gpugen.Artifact) int { return order[x.File] - order[y.File] })
	return b.unit.Outputs(b.folder.pkg.Name, b.compiled, b.artifacts, b.missing)
}

// compile makes the artifacts that builds want: one in this process, unless it lives on, many in parallel
// workers. If text is refused the error is a *refusal, and the artifacts of the other builds are made all the same.
func (a *app) compile(ctx context.Context, builds []*build, allowMissing bool) error {
	type place struct {
		b *build
		w gpugen.Wanted
	}
	var places []place
	var requests []nvrtc.Request
	for _, b := range builds {
		for _, w := range b.wanted {
			places, requests = append(places, place{b, w}), append(requests, request(w))
		}
	}
	if len(requests) == 0 {
		return nil
	}
	step, end := a.progress("compile", len(requests))
	results, err := a.compiler()(ctx, requests, step)
	end()
	err = a.compileErrors(err, allowMissing)
	refused, _ := err.(*refusal)
	if err != nil && refused == nil {
		return err
	}
	for i, r := range results {
		b, w := places[i].b, places[i].w
		if r == nil {
			b.refused = refused != nil
			b.missing = append(b.missing, w.File)
			continue
		}
		toolchain, err := json.Marshal(r.Meta)
		if err != nil {
			return fail(exitInternal, "%w", err)
		}
		resources, err := json.Marshal(r.Resources)
		if err != nil {
			return fail(exitInternal, "%w", err)
		}
		b.keep(gpugen.Artifact{
			File: w.File, Kind: w.Kind, SHA256: gpugen.HashBytes(r.Code), From: from(w), Arch: w.Arch, Toolchain: toolchain, Resources: resources,
		}, r.Code)
	}
	return err
}

// compiler is what makes artifacts of text.
func (a *app) compiler() func(context.Context, []nvrtc.Request, func(int)) ([]*nvrtc.Result, error) {
	switch {
	case a.compileAll != nil:
		return a.compileAll
	case a.livesOn:
		return nvrtc.CompileApart
	}
	return nvrtc.CompileAll
}

// refusal is generated text that the device compiler refused, a diagnostic a text.
type refusal struct{ list diag.List }

func (r *refusal) Error() string { return r.list[0].Error() }

// compileErrors sorts what went wrong: a missing tool is exit 3 and nothing is written, unless it is allowed to be
// missing; refused text is a *refusal.
func (a *app) compileErrors(err error, allowMissing bool) error {
	if err == nil {
		return nil
	}
	var missing error
	var list diag.List
	for _, e := range unjoin(err) {
		var refused *nvrtc.CompileError
		switch {
		case errors.As(e, &refused):
			list.Report(&deviceCompileError{refused})
		case nvrtc.Missing(e):
			missing = e
		default:
			return fail(exitInternal, "%w", e)
		}
	}
	if len(list) > 0 {
		return &refusal{list.Dedupe()}
	}
	if allowMissing {
		a.say("left out: %v", missing)
		return nil
	}
	return fail(exitTool, "%w\nor run `gpugen generate -allow-missing`, which leaves CUDA's artifacts out", missing)
}

// unjoin is the errors of an error of errors.Join.
func unjoin(err error) []error {
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		return j.Unwrap()
	}
	return []error{err}
}

// deviceCompileError is generated text that NVRTC or ptxas refused.
type deviceCompileError struct{ err *nvrtc.CompileError }

// Diagnose reports it under the code device-compiler, at the first .gpu position that is known.
func (e *deviceCompileError) Diagnose(d *diag.Diagnostic) {
	d.Code = "device-compiler"
	d.Message = "the device compiler refused the generated code"
	for _, item := range e.err.Items {
		if item.Pos.IsValid() {
			d.Pos = item.Pos
			break
		}
	}
	d.Note("%s", e.err.Error())
}
