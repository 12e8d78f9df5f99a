package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/internal/golden"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/abi"
	"github.com/gpugen/gpugen/ir/interp"
)

// interpreted is a call as one kernel instance ran it.
type interpreted struct {
	Kernel      string          `json:"kernel"`
	Wide        bool            `json:"wide,omitempty"`
	Ran         int64           `json:"ran"`               // how many of them
	Unit        string          `json:"unit"`              // points or threads
	Output      string          `json:"output,omitempty"`  // what it printed
	Dropped     int64           `json:"dropped,omitempty"` // prints that were too many
	Views       []viewText      `json:"views,omitempty"`
	Error       string          `json:"error,omitempty"` // the name of a type
	Message     string          `json:"message,omitempty"`
	Diagnostics json.RawMessage `json:"diagnostics"`

	findings diag.List
}

// viewText is a view that the kernel writes, as calls have it.
type viewText struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// runCall runs a call on every kernel instance of that name, as the stage leaves it.
func (a *app) runCall(folders []*folder, stage, text string) error {
	if stage == "" {
		stage = "ir"
	}
	call, err := golden.ParseCall(text)
	if err != nil {
		return fail(exitUsage, "-run: %w", err)
	}
	_, sources := gather(folders)
	var names []string
	var all []*interpreted
	wrong := false
	for _, f := range folders {
		d, err := stages(f)
		if err != nil {
			return err
		}
		if d.modules[stage] == nil {
			return fail(exitUsage, "there is no IR of stage `%s` to run", stage)
		}
		for _, m := range d.modules[stage] {
			for _, k := range m.Kernels {
				names = append(names, k.Instance)
				if !call.Matches(abi.Of(k)) {
					continue
				}
				r, err := interpret(k, call)
				if err != nil {
					return err
				}
				all = append(all, r)
				wrong = wrong || r.Error != "" || len(r.findings) > 0
			}
		}
	}
	if len(all) == 0 {
		return fail(exitUsage, "-run: no kernel `%s`; there are %s", call.Kernel, strings.Join(names, ", "))
	}
	if err := a.printRuns(all, sources); err != nil {
		return err
	}
	if wrong {
		return &exitError{Code: exitInput}
	}
	return nil
}

// interpret runs a call on one kernel.
func interpret(k *ir.Kernel, call *golden.RunLine) (*interpreted, error) {
	c, err := call.Bind(abi.Of(k))
	if err != nil {
		return nil, fail(exitUsage, "-run: %w", err)
	}
	r := &interpreted{Kernel: k.Instance, Wide: k.Wide, Unit: "points"}
	if len(k.Group) > 0 || k.Sched != nil {
		r.Unit = "threads"
	}
	report, err := interp.Run(k, c.Args, interp.Options{Races: true})
	if err != nil {
		r.Error, r.Message = golden.ErrorName(err), err.Error()
	}
	if report != nil { // not refused as the wrapper would
		r.Ran, r.Output, r.Dropped = report.Points, report.Output(), report.Dropped
		for i, p := range k.Params {
			if p.Mut {
				r.Views = append(r.Views, viewText{p.Name, golden.BufferText(c.Args[i].Buffer)})
			}
		}
		for _, f := range report.Findings {
			r.findings.Report(f.Mistake())
		}
	}
	r.Diagnostics, err = encodeDiagnostics(r.findings)
	return r, err
}

// printRuns writes the runs: as text with what is found below each, as one JSON array, or as GitHub's annotations of the
// findings alone.
func (a *app) printRuns(all []*interpreted, sources diag.Sources) error {
	switch {
	case a.json || a.format == "json":
		e := json.NewEncoder(a.stdout)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(all)
	case a.format == "github":
		for _, r := range all {
			if err := diag.GitHub(a.stdout, r.findings); err != nil {
				return err
			}
		}
		return nil
	case a.format != "text":
		return fail(exitUsage, "-format is text, json or github, not `%s`", a.format)
	}
	for _, r := range all {
		name := r.Kernel
		if r.Wide {
			name += ", wide"
		}
		if r.Views == nil && r.Error != "" {
			fmt.Fprintf(a.stdout, "%s: %s: %s\n", name, r.Error, r.Message)
			continue
		}
		fmt.Fprintf(a.stdout, "%s: %d %s\n", name, r.Ran, r.Unit)
		fmt.Fprint(a.stdout, r.Output)
		if r.Dropped > 0 {
			fmt.Fprintf(a.stdout, "%d more prints are left out\n", r.Dropped)
		}
		for _, v := range r.Views {
			fmt.Fprintf(a.stdout, "%s = %s\n", v.Name, v.Value)
		}
		if err := diag.Text(a.stdout, r.findings, sources); err != nil {
			return err
		}
		if r.Error != "" {
			fmt.Fprintln(a.stdout, r.Message)
		}
	}
	return nil
}
