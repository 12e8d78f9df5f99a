package kernelgen

import "fmt"

// shape is a scalar or, with dims, a local array.
type shape struct {
	kind   *kind
	dims   []int64
	nested bool // an array of arrays, [2][3]T rather than [2, 3]T
	open   bool // the constant parameter N is the first dim, which is its least value here
}

func (s shape) array() bool { return len(s.dims) > 0 }

func (s shape) String() string {
	if !s.array() {
		return s.kind.name
	}
	out := "["
	for i, d := range s.dims {
		if i > 0 {
			out += s.between()
		}
		if i == 0 && s.open {
			out += "N"
			continue
		}
		out += fmt.Sprint(d)
	}
	return out + "]" + s.kind.name
}

// between separates dims and indexes.
func (s shape) between() string {
	if s.nested {
		return "]["
	}
	return ", "
}

// row is the shape of s behind its first index.
func (s shape) row() shape { return shape{kind: s.kind, dims: s.dims[1:]} }

func (s shape) equal(o shape) bool { return s.String() == o.String() }

// variable is what a name in scope stands for.
type variable struct {
	shape
	name   string
	fixed  bool // may not be assigned
	konst  bool
	used   bool
	silent bool // nobody asks whether it is used
	even   bool // the same for all threads of a block
	hidden bool // nobody may touch it now
	depth  int  // unordered loops round its declaration
	below  int64
}

type scope struct{ vars []*variable }

func (g *generator) open() { g.scopes = append(g.scopes, &scope{}) }

// close leaves a scope: what nothing read is read, so that the checker is content.
func (g *generator) close() {
	top := g.scopes[len(g.scopes)-1]
	for _, v := range top.vars {
		if !v.used && !v.silent {
			g.line("_ = %s", v.name)
		}
	}
	g.scopes = g.scopes[:len(g.scopes)-1]
}

func (g *generator) declare(v *variable) *variable {
	if g.apart != nil {
		v.depth = 1
	}
	top := g.scopes[len(g.scopes)-1]
	top.vars = append(top.vars, v)
	return v
}

// visible lists the variables that names reach here, the innermost first.
func (g *generator) visible() []*variable {
	var out []*variable
	seen := map[string]bool{}
	for i := len(g.scopes) - 1; i >= 0; i-- {
		for _, v := range g.scopes[i].vars {
			if !seen[v.name] && !v.hidden && (v.even || !g.even) {
				out = append(out, v)
			}
		}
		for _, v := range g.scopes[i].vars {
			seen[v.name] = true
		}
	}
	return out
}

// find picks a visible variable that fits, one that nothing read yet if it can.
func (g *generator) find(fits func(*variable) bool) *variable {
	var all, fresh []*variable
	for _, v := range g.visible() {
		if fits(v) {
			all = append(all, v)
			if !v.used {
				fresh = append(fresh, v)
			}
		}
	}
	switch {
	case len(all) == 0:
		return nil
	case len(fresh) > 0 && !g.one(3):
		return pick(g, fresh)
	}
	return pick(g, all)
}

// assignable picks a variable of that kind that may be written.
func (g *generator) assignable(fits func(*variable) bool) *variable {
	return g.find(func(v *variable) bool { return !v.fixed && !v.konst && (g.apart == nil || v.depth > 0) && fits(v) })
}

// The names. Many of them mean something to Go, C, Metal or to the language elsewhere.
var (
	localNames = []string{
		"x", "y", "t", "v", "acc", "tmp", "half", "device", "register", "threadgroup", "constant", "float", "uint", "s", "r", "p", "gpu", "err", "box", "args", "launch",
		"main", "NAN", "INFINITY", "thread", "static", "auto", "double", "long", "union", "this", "template", "blockIdx", "gid", "string", "error", "tile", "by", "threads", "first", "value",
		"char", "short", "signed", "unsigned", "out", "a0", "b0", "x1", "y1", "end", "lo0", "limit", "new", "make", "append", "restrict", "inline",
	}
	loopNames  = []string{"q", "u", "j0", "step", "iter", "c", "_n", "tid", "e0", "last", "l", "cap"}
	pointNames = [][]string{{"i", "gid0", "row", "z", "idx"}, {"j", "col", "y0", "idy"}, {"k", "lane0", "w0"}}
	symbols    = []string{"n", "m", "h", "w", "size", "rows", "cols", "depth0"}
	paramNames = []string{"alpha", "beta", "gain", "bias", "ctx", "stream", "scale", "seed", "shift", "flag", "mode"}
	viewNames  = []string{"src", "dst", "a", "b", "image", "data", "mask", "table", "buf", "z0", "inout", "result", "samples", "weights"}
)

// fresh is a name for a local: new in its block, but free to hide an outer local.
func (g *generator) fresh(pool []string) string {
	top := g.scopes[len(g.scopes)-1]
	for range 8 {
		name := pick(g, pool)
		if !g.taken[name] && !top.has(name) && (len(g.scopes) > 2 || !g.known(name)) {
			return name
		}
	}
	for i := 2; ; i++ {
		name := fmt.Sprintf("%s%d", pick(g, pool), i)
		if !g.taken[name] && !g.known(name) {
			return name
		}
	}
}

func (s *scope) has(name string) bool {
	for _, v := range s.vars {
		if v.name == name {
			return true
		}
	}
	return false
}

func (g *generator) known(name string) bool {
	for _, s := range g.scopes {
		if s.has(name) {
			return true
		}
	}
	return false
}

// unseen is a name that hides nothing.
func (g *generator) unseen(pool []string) string {
	for i := 0; ; i++ {
		name := fmt.Sprintf("%s%d", pick(g, pool), i)
		if !g.taken[name] && !g.known(name) {
			return name
		}
	}
}

// reserve is a name that no local hides.
func (g *generator) reserve(pool []string) string {
	for i := 0; ; i++ {
		name := pick(g, pool)
		if i > 8 {
			name = fmt.Sprintf("%s%d", name, i)
		}
		if !g.taken[name] {
			g.taken[name] = true
			return name
		}
	}
}
