package hostrun

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// node is a line of clang's dump of a syntax tree, with what hangs below it.
type node struct {
	kind     string // "FunctionDecl"
	text     string // the rest of the line
	children []*node
}

// shimEnd is the declaration at the end of the shim; what follows is the text that is checked.
const shimEnd = "shim_end 'int'"

// parseTree reads the dump from the end of the shim on. Two columns of | ` - and blanks are one level.
func parseTree(dump string) *node {
	root := &node{}
	path := []*node{root}
	started := false
	for l := range strings.Lines(dump) {
		l = strings.TrimRight(l, "\n")
		start := strings.IndexFunc(l, func(r rune) bool { return !strings.ContainsRune(" |`-", r) })
		if start < 2 {
			continue
		}
		depth := start / 2
		if depth == 1 && !started {
			started = strings.Contains(l, shimEnd)
			continue
		}
		if !started || depth > len(path) {
			continue // below the shim's last declaration
		}
		kind, text, _ := strings.Cut(l[start:], " ")
		n := &node{kind: strings.TrimSuffix(kind, ":"), text: text}
		parent := path[depth-1]
		parent.children = append(parent.children, n)
		path = append(path[:depth], n)
	}
	return root
}

// walk calls f for n and all below it.
func (n *node) walk(f func(*node)) {
	f(n)
	for _, c := range n.children {
		c.walk(f)
	}
}

// below lists the children of a kind.
func (n *node) below(kind string) []*node {
	var out []*node
	for _, c := range n.children {
		if c.kind == kind {
			out = append(out, c)
		}
	}
	return out
}

var (
	addressText = regexp.MustCompile(`^(0x[0-9a-f]+)`)
	earlier     = regexp.MustCompile(`^0x[0-9a-f]+ prev (0x[0-9a-f]+)`)
	nameAndType = regexp.MustCompile(`(\w+) '([^']*)'`)
	annotation  = regexp.MustCompile(`"msl\.(\w+)"`)
	callee      = regexp.MustCompile(`Function (0x[0-9a-f]+) '`)
	record      = regexp.MustCompile(`struct (\w+) definition`)
	base        = regexp.MustCompile(`^'([^']+)'$`)
)

// declared are the name and the type of a declaration.
func (n *node) declared() (name, typ string) {
	if m := nameAndType.FindStringSubmatch(n.text); m != nil {
		return m[1], m[2]
	}
	if i := strings.IndexByte(n.text, '\''); i >= 0 { // a parameter without a name
		t, _, _ := strings.Cut(n.text[i+1:], "'")
		return "", t
	}
	return "", ""
}

// annotations are the Metal attributes of a declaration and their arguments.
func (n *node) annotations() (out []attribute) {
	for _, a := range n.below("AnnotateAttr") {
		m := annotation.FindStringSubmatch(a.text)
		if m == nil {
			continue
		}
		at := attribute{name: m[1], value: -1}
		a.walk(func(v *node) {
			if v.kind == "value" && at.value < 0 {
				at.value, _ = strconv.Atoi(strings.TrimPrefix(v.text, "Int "))
			}
		})
		out = append(out, at)
	}
	return out
}

type attribute struct {
	name  string
	value int
}

// readTree finds the kernels and what clang let pass that Metal refuses.
func readTree(dump string) ([]Kernel, []string) {
	root := parseTree(dump)
	var problems []string
	bad := func(format string, a ...any) {
		problems = append(problems, mainFile+": error: "+fmt.Sprintf(format, a...))
	}
	calls := map[string][]string{}
	names := map[string]string{}
	first := map[string]string{} // the first declaration of each function, by which it is known here
	records := layouts{fields: map[string][]Field{}, typedefs: map[string]string{}}
	var kernels []Kernel
	entries := map[string]bool{}
	for _, d := range root.children {
		name, _ := d.declared()
		if d.kind == "FunctionDecl" {
			self := addressText.FindString(d.text)
			if m := earlier.FindStringSubmatch(d.text); m != nil {
				first[self] = first[m[1]]
			} else {
				first[self] = self
			}
			self = first[self]
			names[self] = name
			d.walk(func(n *node) {
				if m := callee.FindStringSubmatch(n.text); m != nil && n.kind == "DeclRefExpr" {
					if to, ok := first[m[1]]; ok { // else one of the stand-in's
						calls[self] = append(calls[self], to)
					}
				}
				if n.kind == "VarDecl" && strings.Contains(n.text, "' static") {
					bad("%s: a variable in a function must not be static", name)
				}
			})
			if k, ok := readKernel(d, records, bad); ok {
				kernels = append(kernels, k)
				entries[self] = true
			}
		}
		if m := record.FindStringSubmatch(d.text); d.kind == "CXXRecordDecl" && m != nil {
			for _, f := range d.below("FieldDecl") {
				n, t := f.declared()
				records.fields[m[1]] = append(records.fields[m[1]], Field{n, t})
			}
		}
		if d.kind == "TypedefDecl" {
			n, t := d.declared()
			records.typedefs[n] = t
		}
		d.walk(func(n *node) {
			switch n.kind {
			case "GotoStmt", "LabelStmt", "GCCAsmStmt", "LambdaExpr", "CXXTryStmt", "CXXNewExpr":
				bad("%s is not Metal", n.kind)
			case "CXXRecordDecl":
				if strings.Contains(n.text, " union ") {
					bad("unions are not Metal")
				}
			case "public", "private", "protected", "virtual":
				if base.MatchString(n.text) {
					bad("derived classes are not Metal")
				}
			case "VarDecl", "ParmVarDecl", "FieldDecl":
				n, t := n.declared()
				if strings.Contains(t, "__generic") || strings.Contains(t, "(*") {
					bad("%s of type %s: a pointer or reference must name its address space, and not point to a function", n, t)
				}
			}
		})
	}
	for from, list := range calls {
		for _, to := range list {
			if entries[to] {
				bad("%s calls the kernel %s", names[from], names[to])
			}
		}
	}
	slices.Sort(problems)
	return kernels, append(slices.Compact(problems), recursion(calls, names)...)
}

// recursion finds functions that reach themselves.
func recursion(calls map[string][]string, names map[string]string) []string {
	var out []string
	state := map[string]int{}
	var visit func(f string)
	visit = func(f string) {
		state[f] = 1
		for _, g := range calls[f] {
			switch state[g] {
			case 0:
				visit(g)
			case 1:
				out = append(out, fmt.Sprintf("%s: error: %s calls itself", mainFile, names[g]))
			}
		}
		state[f] = 2
	}
	var all []string
	for f := range calls {
		all = append(all, f)
	}
	slices.Sort(all)
	for _, f := range all {
		if state[f] == 0 {
			visit(f)
		}
	}
	return out
}
