package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/peterbourgon/ff/v3/ffcli"

	"github.com/gpugen/gpugen/ir/abi"
)

func (a *app) versionCommand() *ffcli.Command {
	fs := a.flags("version")
	fs.BoolVar(&a.json, "json", false, "report as JSON on standard output")
	return &ffcli.Command{
		Name: "version", FlagSet: fs, ShortUsage: "gpugen version [-json]", ShortHelp: "print the version",
		Exec: func(_ context.Context, args []string) error {
			if err := none("version", args); err != nil {
				return err
			}
			if a.json {
				version, revision := buildVersion()
				b, err := json.Marshal(map[string]any{
					"version": version, "revision": revision, "generation": abi.Generation,
					"go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
				})
				if err != nil {
					return fail(exitInternal, "%w", err)
				}
				fmt.Fprintln(a.stdout, string(b))
				return nil
			}
			fmt.Fprintln(a.stdout, versionText())
			return nil
		},
	}
}

// none refuses arguments of a command that takes none.
func none(command string, args []string) error {
	if len(args) > 0 {
		return fail(exitUsage, "`%s` takes no arguments, and not `%s`", command, args[0])
	}
	return nil
}

// buildVersion is what the Go command recorded about this binary.
func buildVersion() (version, revision string) {
	version = "(devel)"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return version, ""
	}
	if info.Main.Path == "github.com/gpugen/gpugen" && info.Main.Version != "" {
		version = info.Main.Version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			revision = s.Value
		}
	}
	return version, revision
}

func versionText() string {
	version, _ := buildVersion()
	return fmt.Sprintf("gpugen %s, calling convention %d, %s %s/%s", version, abi.Generation, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
