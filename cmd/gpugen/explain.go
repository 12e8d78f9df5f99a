package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/peterbourgon/ff/v3/ffcli"

	"github.com/gpugen/gpugen/docs"
)

func (a *app) explainCommand() *ffcli.Command {
	fs := a.flags("explain")
	return &ffcli.Command{
		Name: "explain", FlagSet: fs, ShortUsage: "gpugen explain [CODE]", ShortHelp: "say what an error code means, with an example",
		LongHelp: "The code stands in brackets behind an error. Without one, all codes are listed.",
		Exec: func(_ context.Context, args []string) error {
			switch len(args) {
			case 0:
				fmt.Fprintln(a.stdout, strings.Join(docs.Codes(), "\n"))
				return nil
			case 1:
			default:
				return fail(exitUsage, "explain takes one code")
			}
			code := strings.Trim(args[0], "[]")
			if text, ok := docs.Explain(code); ok {
				fmt.Fprintf(a.stdout, "%s\n\n%s", code, text)
				return nil
			}
			var near []string
			for _, c := range docs.Codes() {
				if strings.Contains(c, code) || slices.ContainsFunc(strings.Split(code, "-"), func(w string) bool { return slices.Contains(strings.Split(c, "-"), w) }) {
					near = append(near, c)
				}
			}
			if len(near) > 0 {
				return fail(exitUsage, "no error has the code `%s`; there are `%s`", code, strings.Join(near, "`, `"))
			}
			return fail(exitUsage, "no error has the code `%s`; `gpugen explain` lists them", code)
		},
	}
}
