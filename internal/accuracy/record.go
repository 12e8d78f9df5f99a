package accuracy

import (
	"embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// files has what was measured on each target; a target without a file was not.
//
//go:embed measured
var files embed.FS

// Record is what was measured on a target, in the order of the operations.
type Record struct {
	On    string // the device and its software
	Worst []Line
}

// Line is the worst error of a function.
type Line struct {
	Op   ir.Op
	ULP  string // with two decimals
	Text string // the whole line
}

// Path is the file of a target, from the root of the repository.
func Path(t types.Target) string { return "internal/accuracy/measured/" + t.String() + ".txt" }

// Text is the file of a target: what it was measured on, then a line a function.
func Text(on string, worst []Worst) string {
	var b strings.Builder
	fmt.Fprintf(&b, "on %s\n", on)
	for _, w := range worst {
		fmt.Fprintln(&b, w)
	}
	return b.String()
}

// String is the line of a function: "sin 0.50 at 0x1.8p+01: 0x1.2p-03, exactly 0x1.21p-03 (1091234 samples)".
func (w Worst) String() string {
	var x []string
	for _, v := range w.X {
		x = append(x, hex(v))
	}
	return fmt.Sprintf("%s %.2f at %s: %s, exactly %s (%d samples)", w.Op, w.ULP, strings.Join(x, ", "), hex(w.Got), hex(w.Want), w.N)
}

func hex(v float64) string { return strconv.FormatFloat(v, 'x', -1, 64) }

// Measured is what was measured on a target; nil if nothing was.
func Measured(t types.Target) (*Record, error) {
	text, err := files.ReadFile("measured/" + t.String() + ".txt")
	if err != nil {
		return nil, nil
	}
	return parse(t.String(), string(text))
}

func parse(name, text string) (*Record, error) {
	r := &Record{}
	functions := ir.TableFunctions()
	for n, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		first, rest, _ := strings.Cut(line, " ")
		if n == 0 {
			if r.On = rest; first != "on" || rest == "" {
				return nil, fmt.Errorf("%s.txt begins with %q, and not with what it was measured on", name, line)
			}
			continue
		}
		ulp, _, _ := strings.Cut(rest, " ")
		if _, err := strconv.ParseFloat(ulp, 64); err != nil || n > len(functions) || functions[n-1].String() != first {
			return nil, fmt.Errorf("%s.txt:%d: %q is not the line of a table function in its order", name, n+1, line)
		}
		r.Worst = append(r.Worst, Line{functions[n-1], ulp, line})
	}
	if len(r.Worst) != len(functions) {
		return nil, fmt.Errorf("%s.txt has %d functions of %d", name, len(r.Worst), len(functions))
	}
	return r, nil
}
