package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/peterbourgon/ff/v3/ffcli"

	"github.com/gpugen/gpugen/codegen/ptx/nvrtc"
)

// Exit codes of the command.
const (
	exitOK       = 0
	exitInput    = 1 // errors in the input, or differences
	exitUsage    = 2
	exitTool     = 3 // a tool or device is missing
	exitInternal = 4 // I/O, or a bug of gpugen
)

// exitError carries an exit code to run. A nil Err has been reported already.
type exitError struct {
	Code int
	Err  error
}

func (e *exitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit %d", e.Code)
	}
	return e.Err.Error()
}

func (e *exitError) Unwrap() error { return e.Err }

func fail(code int, format string, args ...any) error {
	return &exitError{code, fmt.Errorf(format, args...)}
}

// app is one run of the command.
type app struct {
	stdout, stderr io.Writer
	json           bool
	format         string
	verbose        bool
	dryRun         bool
	livesOn        bool // after a compilation, so it must not run in this process

	// compileAll takes the place of NVRTC in tests: no text that gpugen makes is known to be refused.
	compileAll func(context.Context, []nvrtc.Request, func(int)) ([]*nvrtc.Result, error)
}

// run runs the command and gives its exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	a := &app{stdout: stdout, stderr: stderr}
	err := a.main(ctx, args)
	var e *exitError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &e):
		if e.Err != nil {
			fmt.Fprintf(stderr, "gpugen: %v\n", e.Err)
		}
		return e.Code
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	default: // the flag package has said what is wrong
		return exitUsage
	}
}

// main finds the verb. `gpugen ./...` is `gpugen generate ./...`, and bare `gpugen` prints help.
func (a *app) main(ctx context.Context, args []string) error {
	if len(args) >= 1 && (args[0] == "-C" || strings.HasPrefix(args[0], "-C=")) {
		dir, rest := strings.TrimPrefix(args[0], "-C="), args[1:]
		if args[0] == "-C" {
			if len(rest) == 0 {
				return fail(exitUsage, "-C needs a folder")
			}
			dir, rest = rest[0], rest[1:]
		}
		if err := os.Chdir(dir); err != nil {
			return fail(exitInternal, "%w", err)
		}
		args = rest
	}
	root := a.root()
	if len(args) == 0 {
		fmt.Fprintln(a.stdout, root.UsageFunc(root))
		return nil
	}
	switch first := args[0]; {
	case first == "help" || first == "-h" || first == "-help" || first == "--help":
		if len(args) > 1 {
			for _, c := range root.Subcommands {
				if c.Name == args[1] {
					fmt.Fprintln(a.stdout, ffcli.DefaultUsageFunc(c))
					return nil
				}
			}
			return fail(exitUsage, "unknown command `%s`; `gpugen help` lists them", args[1])
		}
		fmt.Fprintln(a.stdout, root.UsageFunc(root))
		return nil
	case strings.HasPrefix(first, ".") || strings.ContainsAny(first, `/\`) || strings.HasSuffix(first, ".gpu"):
		args = append([]string{"generate"}, args...)
	}
	for _, c := range root.Subcommands {
		if c.Name == args[0] {
			if err := applyEnvFlags(root.Subcommands, c.FlagSet, os.Getenv("GPUGENFLAGS")); err != nil {
				return err
			}
			return root.ParseAndRun(ctx, args)
		}
	}
	return fail(exitUsage, "unknown command `%s`; `gpugen help` lists them", args[0])
}

// root is the table of commands.
func (a *app) root() *ffcli.Command {
	fs := a.flags("gpugen")
	return &ffcli.Command{
		Name:       "gpugen",
		ShortUsage: "gpugen [-C DIR] <command> [flags] [packages]",
		ShortHelp:  "Compile GPU kernels written in a Go-like language, ahead of time, for Go programs.",
		LongHelp: "Packages are folders with .gpu files; `./...` takes every folder below. Without one, the command works here.\n" +
			"Flags that stand in GPUGENFLAGS, separated by spaces, come before those of the command line.\n" +
			"Exit codes: 0 fine; 1 errors in the input, or differences; 2 usage; 3 a tool or device is missing; 4 I/O or an internal error.",
		FlagSet: fs,
		Subcommands: []*ffcli.Command{
			a.generateCommand(), a.watchCommand(), a.diffCommand(), a.checkCommand("check"), a.checkCommand("vet"), a.explainCommand(), a.dumpCommand(), a.doctorCommand(), a.versionCommand(),
		},
		UsageFunc: ffcli.DefaultUsageFunc,
		Exec:      func(context.Context, []string) error { return flag.ErrHelp },
	}
}

// flags makes a flag set whose errors come back as errors.
func (a *app) flags(name string) *flag.FlagSet {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(a.stderr)
	return fs
}

// outputFlags adds the flags of commands that report diagnostics.
func (a *app) outputFlags(fs *flag.FlagSet) {
	fs.BoolVar(&a.json, "json", false, "report as JSON on standard output")
	fs.StringVar(&a.format, "format", "text", "form of diagnostics: text, json or github")
	fs.BoolVar(&a.verbose, "v", false, "say what is done")
}

// applyEnvFlags sets the flags of GPUGENFLAGS that the command has. The others are for other commands; one that no
// command has is a mistake.
func applyEnvFlags(commands []*ffcli.Command, fs *flag.FlagSet, env string) error {
	for _, f := range strings.Fields(env) {
		name, value, has := strings.Cut(strings.TrimLeft(f, "-"), "=")
		if !strings.HasPrefix(f, "-") || name == "" {
			return fail(exitUsage, "GPUGENFLAGS: `%s` is not a flag", f)
		}
		if !slices.ContainsFunc(commands, func(c *ffcli.Command) bool { return c.FlagSet.Lookup(name) != nil }) {
			return fail(exitUsage, "GPUGENFLAGS: no command has a flag `-%s`", name)
		}
		if fs.Lookup(name) == nil {
			continue
		}
		if !has {
			value = "true"
		}
		if err := fs.Set(name, value); err != nil {
			return fail(exitUsage, "GPUGENFLAGS: %s: %w", f, err)
		}
	}
	return nil
}
