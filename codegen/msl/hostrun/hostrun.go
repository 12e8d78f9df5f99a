// Package hostrun turns Metal text into a verdict, a binding table and results, without a Mac: clang's "C++ for OpenCL"
// front end and a metal_stdlib of ours (shim/) check the unmodified text more strictly than Metal asks, read the
// bindings back from the syntax tree, and build a program that runs kernels on the CPU. Tests of codegen/msl call it;
// so may any test that wants a third opinion on a kernel.
//
// It says what clang says, not what Apple's compiler says. What Metal refuses and clang takes is found by token rules and
// by walks over the syntax tree; the corpus in testdata holds what must be refused and what must pass.
//
// Each thread of a threadgroup is a fiber, so that barriers are barriers, and tests choose the order of threads. Buffers
// and threadgroup memory, which starts as NaN and -1, are watched: what Metal leaves undefined is a [Fault] with the
// lines of the text. What is left out: atomics, simdgroups, textures, dynamic threadgroup memory, none of which
// codegen/msl prints.
package hostrun

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed shim/metal_stdlib
var shim embed.FS

// Remedy says how to get the tool that this package needs.
const Remedy = "install clang 19 (apt-get install clang-19 libclang-rt-19-dev llvm-19), or run make setup"

// Clang is the path of a clang of version 19 or later, or "".
var Clang = sync.OnceValue(func() string {
	for _, name := range []string{os.Getenv("GPUGEN_CLANG"), "clang-19", "clang-20", "clang-21", "clang"} {
		if name == "" {
			continue
		}
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		out, err := exec.Command(path, "--version").Output()
		m := regexp.MustCompile(`clang version (\d+)`).FindSubmatch(out)
		if err != nil || m == nil {
			continue
		}
		if v, _ := strconv.Atoi(string(m[1])); v >= 19 {
			return path
		}
	}
	return ""
})

// An Error is what a check found, as clang words it, one problem a line: "k.metal:3:2: error: …".
type Error struct{ Problems []string }

func (e *Error) Error() string {
	return "hostrun: not Metal as we know it:\n\t" + strings.Join(e.Problems, "\n\t")
}

// language are the options that make clang's OpenCL front end a Metal one: no OpenCL library, no double, no program
// scope variables, and pointers without an address space left visible as generic ones.
var language = []string{
	"-x", "cl", "-cl-std=clc++2021", "-cl-no-stdinc", "-fno-color-diagnostics", "-ffp-contract=off",
	"-Xclang", "-cl-ext=-cl_khr_fp64,-__opencl_c_fp64,-__opencl_c_program_scope_global_variables,-__opencl_c_device_enqueue",
}

// strict makes every warning an error, except those about what a user may well write: unused values, tests that always
// come out the same.
var strict = []string{
	"-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-Wno-unused-variable", "-Wno-unused-const-variable", "-Wno-unused-function",
	"-Wimplicit-float-conversion", "-Wliteral-conversion", "-Wpre-c++17-compat", "-Wdivision-by-zero", "-Wno-missing-braces", "-Wno-unused-but-set-variable", "-Wno-tautological-compare", "-Wno-self-assign",
	"-Wno-error=uninitialized", "-Wno-error=sometimes-uninitialized", // see unwritten
}

const mainFile = "k.metal"

// Check reads text as Metal and gives its kernels with their bindings. The error is an *Error when the text is refused.
func Check(ctx context.Context, text string) ([]Kernel, error) {
	if problems := lint(text); len(problems) > 0 {
		return nil, &Error{problems}
	}
	dir, err := workspace(text)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	args := append([]string{"-target", "x86_64-linux-gnu", "-fsyntax-only", "-Xclang", "-ast-dump"}, strict...)
	tree, log, err := clang(ctx, dir, append(args, mainFile)...)
	if err != nil {
		return nil, err
	}
	kernels, problems := readTree(tree)
	if problems = append(problems, unwritten(kernels, text, log)...); len(problems) > 0 {
		return nil, &Error{problems}
	}
	findBarriers(kernels, text)
	return kernels, nil
}

var uninitialized = regexp.MustCompile(`^\w+\.metal:(\d+):\d+: warning: (variable '(\w+)' is (?:used )?uninitialized.*)$`)

// unwritten are the warnings of clang about variables without a value. Those about threadgroup variables mean nothing:
// clang takes what another thread wrote for missing.
func unwritten(kernels []Kernel, text, log string) []string {
	var out []string
	at := kernelLines(kernels, text)
	for l := range strings.Lines(log) {
		l = strings.TrimRight(l, "\n")
		m := uninitialized.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		n, _ := strconv.Atoi(m[1])
		if k := at[min(n, len(at))-1]; k < 0 || !slices.ContainsFunc(kernels[k].Threadgroup, func(v Variable) bool { return v.Name == m[3] }) {
			out = append(out, strings.Replace(l, "warning:", "error:", 1))
		}
	}
	return out
}

// workspace makes a folder with the text and the shim.
func workspace(text string) (string, error) {
	dir, err := os.MkdirTemp("", "hostrun")
	if err != nil {
		return "", fmt.Errorf("hostrun: %w", err)
	}
	lib, err := shim.ReadFile("shim/metal_stdlib")
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, "shim"), 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "shim", "metal_stdlib"), lib, 0o644)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, mainFile), []byte(text), 0o644)
	}
	if err != nil {
		os.RemoveAll(dir)
		return "", fmt.Errorf("hostrun: %w", err)
	}
	return dir, nil
}

// clang runs clang on Metal text in dir and gives its output and its log; what it refuses comes back as an *Error.
func clang(ctx context.Context, dir string, args ...string) (output, warnings string, err error) {
	return tool(ctx, dir, append(append([]string{"-isystem", "shim"}, language...), args...)...)
}

func tool(ctx context.Context, dir string, args ...string) (output, warnings string, err error) {
	if Clang() == "" {
		return "", "", errors.New("hostrun: no clang of version 19 or later: " + Remedy)
	}
	var out, log bytes.Buffer
	c := exec.CommandContext(ctx, Clang(), args...)
	c.Dir, c.Stdout, c.Stderr = dir, &out, &log
	c.WaitDelay = time.Second
	err = c.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && ctx.Err() == nil {
		var problems []string
		for _, l := range strings.Split(log.String(), "\n") {
			if strings.Contains(l, "error:") {
				problems = append(problems, l)
			}
		}
		if len(problems) == 0 {
			problems = []string{strings.TrimSpace(log.String()), err.Error()}
		}
		return "", "", &Error{problems}
	}
	if err != nil {
		return "", "", fmt.Errorf("hostrun: clang: %w", err)
	}
	return out.String(), log.String(), nil
}

// LLVM is what LLVM makes of text at -O2: what a compiler of Metal's family may conclude from it shows here.
func LLVM(ctx context.Context, text string) (string, error) {
	dir, err := workspace(text)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	out, _, err := clang(ctx, dir, "-target", "x86_64-linux-gnu", "-w", "-DHOSTRUN_CODEGEN", "-O2", "-S", "-emit-llvm", "-o", "-", mainFile)
	return out, err
}
