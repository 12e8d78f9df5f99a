package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/codegen/ptx/nvrtc"
	"github.com/gpugen/gpugen/internal/watch"
)

const cudaText = "//gpugen:targets cuda cpu\npackage p\n\nkernel A(x mut [n]float32) for i in n { x[i] += 1 }\n"

// refuse is a device compiler that takes every text but those with a word in it.
func refuse(word string) func(context.Context, []nvrtc.Request, func(int)) ([]*nvrtc.Result, error) {
	return func(_ context.Context, requests []nvrtc.Request, _ func(int)) ([]*nvrtc.Result, error) {
		results := make([]*nvrtc.Result, len(requests))
		var errs []error
		for i, r := range requests {
			if !strings.Contains(r.Source, word) {
				results[i] = &nvrtc.Result{Code: []byte("// PTX\n")}
				continue
			}
			line := 0
			for n, text := range strings.Split(r.Source, "\n") {
				if strings.Contains(text, "x[") {
					line = n + 1
				}
			}
			errs = append(errs, &nvrtc.CompileError{Name: r.Name, Arch: r.Arch, NVRTC: "11.8", Source: r.Source,
				Items: []nvrtc.Item{{GenLine: line, Pos: nvrtc.Locate(r.Lines, line), Msg: "out of space"}}})
		}
		return results, errors.Join(errs...)
	}
}

// TestRefusal: text that NVRTC refuses is a diagnostic at its .gpu line in every form; with JSON, all diagnostics of a run
// are one array.
func TestRefusal(t *testing.T) {
	const bad = "package q\n\nkernel B(x mut [n]float32) for i in n { x[j] += 1 }\n"
	dir := write(t, map[string]string{"a/k.gpu": cudaText, "b/k.gpu": bad})
	for format, check := range map[string]func(out, errs string) bool{
		"json": func(out, errs string) bool {
			var list []struct {
				Code, Severity, File, Message string
				Line                          int
				Notes                         []string
			}
			if err := json.Unmarshal([]byte(out), &list); err != nil || errs != "" || len(list) != 2 {
				return false
			}
			first, last := list[0], list[1]
			return first.Code == "unknown-name" && last.Code == "device-compiler" && last.Severity == "error" &&
				last.File == filepath.Join(dir, "a", "k.gpu") && last.Line == 4 && len(last.Notes) == 1 && strings.Contains(last.Notes[0], "out of space")
		},
		"github": func(out, errs string) bool {
			return errs == "" && strings.Count(out, "::error ") == 2 && strings.Contains(out, "the device compiler refused")
		},
		"text": func(out, errs string) bool {
			return out == "" && strings.Contains(errs, "k.gpu:4:") && strings.Contains(errs, "[device-compiler]\n 4 | kernel A(") && strings.Contains(errs, "[unknown-name]")
		},
	} {
		var out, errs bytes.Buffer
		a := &app{stdout: &out, stderr: &errs, format: format, compileAll: refuse("A(")}
		err := a.generate(context.Background(), generateOptions{}, []string{dir + "/..."})
		var e *exitError
		if !errors.As(err, &e) || e.Code != exitInternal || e.Err != nil {
			t.Errorf("%s: %v", format, err)
		}
		if !check(out.String(), errs.String()) {
			t.Errorf("%s:\n%s\n%s", format, &out, &errs)
		}
		if files, _ := filepath.Glob(filepath.Join(dir, "a", "*")); len(files) != 1 {
			t.Errorf("%s: %v", format, files)
		}
	}
}

// TestWatchRefusal: a folder whose text is refused holds back no other, and is in the event with its diagnostic.
func TestWatchRefusal(t *testing.T) {
	dir := write(t, map[string]string{"a/k.gpu": cudaText, "b/k.gpu": strings.ReplaceAll(cudaText, "kernel A", "kernel B")})
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	s, out, errs := newSession()
	s.json, s.compileAll = true, refuse("A(")
	if err := s.change(context.Background(), watch.Change{Dirs: []string{a, b}}); err != nil || errs.Len() > 0 {
		t.Fatal(err, errs)
	}
	var r struct {
		Built, Failed []string
		Diagnostics   []struct{ Code, File string }
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Built) != 1 || r.Built[0] != b || len(r.Failed) != 1 || r.Failed[0] != a || len(r.Diagnostics) != 1 ||
		r.Diagnostics[0].Code != "device-compiler" || r.Diagnostics[0].File != filepath.Join(a, "k.gpu") {
		t.Errorf("%+v", r)
	}
	s.compileAll = refuse("nothing at all")
	out.Reset()
	if err := s.change(context.Background(), watch.Change{Dirs: []string{b}}); err != nil || !strings.Contains(out.String(), `"built":["`+a) {
		t.Errorf("%v: %s", err, out)
	}
}
