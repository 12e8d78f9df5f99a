package hostrun

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

var (
	kernelHead  = regexp.MustCompile(`\bkernel\s+void\s+(\w+)\s*\(`)
	barrierCall = regexp.MustCompile(`\bthreadgroup_barrier\s*\(`)
	waitCall    = regexp.MustCompile(`\b(threadgroup_barrier|simd_shuffle|simd_ballot)\s*\(`) // where threads wait for others
)

// blank gives text without its comments, line by line.
func blank(text string) string {
	return comments.ReplaceAllStringFunc(text, func(c string) string { return strings.Repeat("\n", strings.Count(c, "\n")) })
}

// kernelLines gives for each line of text the kernel that it belongs to, -1 in front of the first: what stands in a
// helper function counts to the kernel above it.
func kernelLines(kernels []Kernel, text string) []int {
	at := -1
	var out []int
	for l := range strings.SplitSeq(blank(text), "\n") {
		if m := kernelHead.FindStringSubmatch(l); m != nil {
			at = slices.IndexFunc(kernels, func(k Kernel) bool { return k.Name == m[1] })
		}
		out = append(out, at)
	}
	return out
}

// findBarriers notes on each kernel its lines with a barrier.
func findBarriers(kernels []Kernel, text string) {
	at := kernelLines(kernels, text)
	for n, l := range strings.Split(blank(text), "\n") {
		if k := at[n]; k >= 0 && barrierCall.MatchString(l) {
			kernels[k].Barriers = append(kernels[k].Barriers, n+1)
		}
	}
}

// Orders are the orders of threads in which tests run a kernel.
var Orders = []Order{Forward, Reverse, Random}

// Needless gives the lines of the barriers of a kernel that none of the launches needs: with the calls of that line
// left out, no order of threads shows a race. A barrier that no launch comes to is among them. The launches' buffers
// stay as they are.
func (p *Program) Needless(ctx context.Context, kernel string, launches ...Launch) ([]int, error) {
	k := p.kernel(kernel)
	if k < 0 {
		return nil, fmt.Errorf("hostrun: there is no kernel %s", kernel)
	}
	var lines []int
	for _, line := range p.kernels[k].Barriers {
		missed, err := p.misses(ctx, kernel, line, launches)
		if err != nil {
			return nil, err
		}
		if !missed {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

// misses reports whether a launch without the barriers of a line is a race.
func (p *Program) misses(ctx context.Context, kernel string, line int, launches []Launch) (bool, error) {
	for _, l := range launches {
		for _, l.Order = range Orders {
			l.drop = line
			run := l
			run.Buffers = maps.Clone(l.Buffers)
			for i, b := range run.Buffers {
				run.Buffers[i] = slices.Clone(b)
			}
			err := p.Run(ctx, kernel, run)
			fault := (*Fault)(nil)
			switch {
			case errors.As(err, &fault) && fault.Kind == Race:
				return true, nil
			case err != nil && fault == nil:
				return false, err
			}
		}
	}
	return false, nil
}
