package gowrap

import (
	"slices"
	"strings"

	"github.com/gpugen/gpugen/codegen"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir/abi"
)

// doc is the comment of the wrapper: the user's own, then what the header says, in sentences.
func (w *wrapper) doc() []string {
	lines := codegen.DocLines(w.g.instances[0].Doc)
	if len(lines) == 0 {
		lines = []string{w.g.name + " runs the kernel " + w.g.name + " of " + w.in.File + "."}
	}
	for _, p := range [][]string{
		append(w.shapes(), w.access()...),
		append(w.overlaps(), w.relations()...),
		w.options(),
		w.blocks(),
		append(w.places(), w.errors()...),
	} {
		if len(p) > 0 {
			lines = append(append(lines, ""), wrap(strings.Join(p, " "), 100)...)
		}
	}
	return lines
}

// extentText is a header expression as the comment has it.
func (w *wrapper) extentText(h *types.Header) string {
	s := h.String()
	for _, p := range w.g.consts() {
		s = strings.ReplaceAll(s, genericSym(p.name), p.name)
	}
	return s
}

// shapes say the extents of each view, neighbours of one shape together.
func (w *wrapper) shapes() []string {
	type shape struct {
		dims  []string
		names []string
	}
	var all []shape
	for _, s := range w.g.head.Slots {
		if s.Kind != abi.View {
			continue
		}
		dims := make([]string, len(s.Dims))
		for i, d := range s.Dims {
			dims[i] = w.extentText(d)
			if len(s.Dims) > 1 && strings.Contains(dims[i], " ") && !strings.HasSuffix(dims[i], ")") {
				dims[i] = "(" + dims[i] + ")"
			}
		}
		at := len(all)
		for i := range all {
			if strings.Join(all[i].dims, " × ") == strings.Join(dims, " × ") {
				at = i
			}
		}
		if at == len(all) {
			all = append(all, shape{dims: dims})
		}
		all[at].names = append(all[at].names, s.Name)
	}
	var vectors, others []string
	for _, s := range all {
		many := len(s.names) > 1
		switch {
		case len(s.dims) > 1:
			others = append(others, join(s.names, "and")+choose(many, " are ", " is ")+strings.Join(s.dims, " × "))
		case s.dims[0] == "1":
			vectors = append(vectors, join(s.names, "and")+choose(many, " have", " has")+" one element"+choose(many, " each", ""))
		default:
			vectors = append(vectors, join(s.names, "and")+choose(many, " have ", " has ")+s.dims[0]+" elements"+choose(many, " each", ""))
		}
	}
	said := append(vectors, others...)
	if len(said) == 0 {
		return nil
	}
	return []string{join(said, "and") + "."}
}

// access says what is read and what is written.
func (w *wrapper) access() []string {
	reads, writes := w.views()
	switch {
	case len(reads) == 0 && len(writes) == 0:
		return nil
	case len(reads) == 0:
		return []string{"It writes " + join(writes, "and") + "."}
	case len(writes) == 0:
		return []string{"It reads " + join(reads, "and") + "."}
	}
	return []string{"It reads " + join(reads, "and") + " and writes " + join(writes, "and") + "."}
}

func (w *wrapper) views() (reads, writes []string) {
	for _, s := range w.g.head.Slots {
		switch {
		case s.Kind != abi.View:
		case s.Mut:
			writes = append(writes, s.Name)
		default:
			reads = append(reads, s.Name)
		}
	}
	return reads, writes
}

// overlaps say for each written view which others it may not share memory with.
func (w *wrapper) overlaps() []string {
	var views []abi.Slot
	for _, s := range w.g.head.Slots {
		if s.Kind == abi.View {
			views = append(views, s)
		}
	}
	var out []string
	if _, writes := w.views(); len(writes) > 2 && len(w.g.head.InPlace) == 0 {
		return []string{"A view that it writes may overlap no other view of the call."}
	}
	for i, v := range views {
		if !v.Mut {
			continue
		}
		var exact, never []string
		for j, o := range views {
			if j == i || o.Mut && j < i {
				continue
			}
			if w.inPlace(i, j) {
				exact = append(exact, o.Name)
			} else {
				never = append(never, o.Name)
			}
		}
		if len(exact) > 0 {
			out = append(out, v.Name+" may be exactly "+join(exact, "or")+", but may not overlap "+choose(len(exact) > 1, "them", "it")+" otherwise.")
		}
		if len(never) > 0 {
			out = append(out, v.Name+" may not overlap "+join(never, "or")+".")
		}
	}
	return out
}

// inPlace reports a pair of views that every instance allows to be one.
func (w *wrapper) inPlace(i, j int) bool {
	for _, l := range w.g.instances {
		found := false
		for _, p := range l.InPlace {
			found = found || p == [2]int{i, j} || p == [2]int{j, i}
		}
		if !found {
			return false
		}
	}
	return true
}

func (w *wrapper) relations() []string {
	var list []string
	for _, r := range w.g.head.Requires {
		list = append(list, r.Text)
	}
	if len(list) == 0 {
		return nil
	}
	return []string{"It requires " + join(list, "and") + "."}
}

func (w *wrapper) options() []string {
	var out []string
	for _, p := range w.g.consts() {
		name := "The parameter " + p.name
		if len(w.g.consts()) == 1 {
			name = w.option
		}
		out = append(out, name+" is "+w.in.Names.ConstValue(w.g.name, p.name, decimal(p.values[0]))+" unless given.")
	}
	return out
}

// blocks say how many blocks of how many threads a kernel of blocks launches, and what shared memory each has at most:
// targets differ in that. Where the threads of instances differ, all numbers are said.
func (w *wrapper) blocks() []string {
	head := w.g.instances[0]
	if !head.Group {
		return nil
	}
	var counts, threads []string
	shared := 0
	for _, d := range w.g.head.Domain {
		n := w.extentText(d.Hi)
		if !d.Lo.IsConst(0) {
			n += " - " + operand(w.extentText(d.Lo))
		}
		if len(w.g.head.Domain) > 1 {
			n = operand(n)
		}
		counts = append(counts, n)
	}
	for _, l := range w.g.instances {
		var dims []string
		for _, n := range []int{l.Block[2], l.Block[1], l.Block[0]} {
			if n > 1 {
				dims = append(dims, decimal(int64(n)))
			}
		}
		if len(dims) == 0 {
			dims = []string{"1"}
		}
		threads = appendNew(threads, strings.Join(dims, " × "))
		shared = max(shared, l.Shared)
	}
	many := choose(len(threads) == 1 && threads[0] == "1", " thread", " threads")
	blocks := choose(len(counts) == 1 && counts[0] == "1", " block", " blocks")
	text := "It launches " + strings.Join(counts, " × ") + blocks + " of " + join(threads, "or") + many
	if shared > 0 {
		text += ", each with at most " + decimal(int64(shared)) + " bytes of shared memory"
	}
	return []string{text + "."}
}

// operand is the text of an expression in brackets unless it is a name, a number or a call.
func operand(s string) string {
	if strings.Contains(s, " ") && !strings.HasSuffix(s, ")") {
		return "(" + s + ")"
	}
	return s
}

// appendNew appends s unless the list holds it.
func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

var targetProse = map[types.Target]string{types.CUDA: "CUDA", types.Metal: "Metal", types.OpenCL: "OpenCL", types.CPU: "the CPU"}

// places say where the kernel runs, and which instances run in fewer places than the others.
func (w *wrapper) places() []string {
	list := func(s types.TargetSet) string {
		var n []string
		for _, t := range s.List() {
			n = append(n, targetProse[t])
		}
		return join(n, "and")
	}
	var all types.TargetSet
	for _, l := range w.g.instances {
		all |= l.Targets & w.in.Targets
	}
	if all == 0 {
		return nil
	}
	out := "It runs on " + list(all)
	var less []string
	for _, l := range w.g.instances {
		if t := l.Targets & w.in.Targets; t != all {
			less = append(less, l.Instance+" only on "+list(t))
		}
	}
	if len(less) > 0 {
		out += ", " + join(less, "and")
	}
	return []string{out + "."}
}

// errors name the errors of a call that breaks the contract.
func (w *wrapper) errors() []string {
	var list []string
	if len(w.g.head.Equal) > 0 {
		list = append(list, "a *gpu.ShapeError for extents that do not fit")
	}
	if len(w.overlaps()) > 0 {
		list = append(list, "a *gpu.AliasError for views that overlap")
	}
	if len(w.g.head.Requires) > 0 || len(w.g.consts()) > 0 || w.arithmetic() {
		what := "arithmetic of the extents that overflows"
		switch {
		case len(w.g.head.Requires) > 0:
			what = "a requirement that does not hold"
		case len(w.g.consts()) > 0:
			what = "another constant"
		}
		list = append(list, "a *gpu.ContractError for "+what)
	}
	list = append(list, "a *gpu.UnsupportedError on any other device")
	return []string{"Before anything is launched it returns " + join(list, "and") + "; faults of the device come from Sync."}
}

// arithmetic reports whether the header computes anything.
func (w *wrapper) arithmetic() bool {
	found := false
	see := func(h *types.Header) {
		h.Walk(func(x *types.Header) { found = found || checked[x.Op] != "" })
	}
	for _, e := range w.g.head.Equal {
		see(e.Want)
	}
	for _, d := range w.g.head.Domain {
		see(d.Lo)
		see(d.Hi)
	}
	return found
}

func choose(c bool, a, b string) string {
	if c {
		return a
	}
	return b
}

// join lists words as English does: a, b and c.
func join(list []string, last string) string {
	switch len(list) {
	case 0:
		return ""
	case 1:
		return list[0]
	}
	n := len(list) - 1
	return strings.Join(list[:n], ", ") + " " + last + " " + list[n]
}

// wrap breaks text into lines of at most width columns.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// lower makes the first letter small.
func lower(s string) string { return strings.ToLower(s[:1]) + s[1:] }
