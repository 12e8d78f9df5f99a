package check

import (
	"go/constant"
	"sync"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/types"
)

// objKind says what a name stands for.
type objKind uint8

const (
	objVar objKind = iota
	objConst
	objType
	objFunc
	objKernel
	objBuiltin
	objSpace // `bits`
	objIota
	objBad // declared, but not readable: uses are silent
)

// what says the kind in words.
func (k objKind) what() string {
	switch k {
	case objVar:
		return "a variable"
	case objConst, objIota:
		return "a constant"
	case objType:
		return "a type"
	case objFunc:
		return "a function"
	case objKernel:
		return "a kernel"
	case objBuiltin:
		return "a builtin function"
	case objSpace:
		return "a family of builtin functions"
	}
	return "not declared right"
}

// object is what a name stands for.
type object struct {
	kind  objKind
	name  string
	place span

	v       *Var       // objVar
	used    bool       // objVar: read somewhere
	checked bool       // objVar: an error if it is not read
	fixed   bool       // objVar: index of a `for … in`
	depth   int        // objVar: how many unordered loops stand round its declaration
	counts  string     // objVar: what the `for … range` counts to that declares it
	literal string     // objVar: the untyped constant that gave it its type
	typ     types.Type // objType, objConst
	val     constant.Value
	table   *Table    // objConst that is an array
	pkg     *pkgConst // objConst of the package, evaluated at its first use
	fn      *funcDecl
	builtin *builtin
	decl    *pkgType // objType of the package, read at its first use
}

// scope is one block's names.
type scope struct {
	parent *scope
	names  map[string]*object
	order  []*object
}

func newScope(parent *scope) *scope { return &scope{parent: parent, names: map[string]*object{}} }

// insert declares o, unless the scope has its name: then it returns what has it.
func (s *scope) insert(o *object) *object {
	if old := s.names[o.name]; old != nil {
		return old
	}
	s.names[o.name] = o
	s.order = append(s.order, o)
	return nil
}

// lookup finds a name in s or around it.
func (s *scope) lookup(name string) *object {
	for ; s != nil; s = s.parent {
		if o := s.names[name]; o != nil {
			return o
		}
	}
	return vectorType(name)
}

// near is the declared name most like name, or nothing. Of names that are equally like it the innermost is taken.
func (s *scope) near(name string) string {
	best, distance := "", 1+len(name)/3
	for ; s != nil; s = s.parent {
		inner := best
		for n := range s.names {
			if d := dsl.Distance(name, n); d < distance || d == distance && best != inner && n < best {
				best, distance = n, d
			}
		}
	}
	return best
}

// nearest is the candidate most like name, or nothing.
func nearest(name string, candidates []string) string {
	s := newScope(nil)
	for _, c := range candidates {
		s.names[c] = &object{}
	}
	return s.near(name)
}

// vectorType knows the names of vectors, `float32x3`.
func vectorType(name string) *object {
	t, ok := types.VectorNamed(name)
	if !ok {
		return nil
	}
	return &object{kind: objType, name: name, typ: t}
}

var basics = sync.OnceValue(types.Basics)

// universe is the outermost scope. It is shared and never changes.
var universe = sync.OnceValue(func() *scope {
	s := newScope(nil)
	add := func(o *object) { s.insert(o) }
	for name, k := range basics() {
		add(&object{kind: objType, name: name, typ: k})
	}
	for name, v := range map[string]bool{"true": true, "false": false} {
		add(&object{kind: objConst, name: name, typ: types.UntypedBool, val: constant.MakeBool(v)})
	}
	add(&object{kind: objConst, name: "pi", typ: types.UntypedFloat, val: piValue})
	add(&object{kind: objIota, name: "iota"})
	for _, name := range spaces() {
		add(&object{kind: objSpace, name: name})
	}
	for i := range builtins {
		if b := &builtins[i]; !b.spaced() {
			add(&object{kind: objBuiltin, name: b.name, builtin: b})
		}
	}
	return s
})

// declare puts an object into the innermost scope and reports a name that is there already.
func (b *body) declare(o *object) bool {
	old := b.scope.insert(o)
	if old == nil {
		return true
	}
	if old.kind != objBad {
		b.report(&RedeclaredError{span: o.place, Name: o.name, First: old.place, Bound: old.v != nil && old.v.Kind == ExtentVar})
	}
	return false
}

// newVar declares a variable by its name. The blank name gets a variable too, and declares nothing.
func (b *body) newVar(id *dsl.Ident, kind VarKind, t types.Type) (*Var, *object) {
	v := &Var{Kind: kind, Name: id.Name, Type: t, Pos: id.Pos()}
	o := &object{kind: objVar, name: id.Name, place: at(id), v: v, depth: len(b.unordered)}
	if id.Name == "_" {
		return v, o
	}
	b.facts.Defs[id] = v
	b.declare(o)
	return v, o
}

// newLocal declares a local variable, which must be used.
func (b *body) newLocal(id *dsl.Ident, t types.Type) {
	if id.Name == "_" {
		return
	}
	_, o := b.newVar(id, LocalVar, t)
	o.checked = t != types.Invalid
}

func (b *body) open() { b.scope = newScope(b.scope) }

// close leaves a block and reports the variables that nothing read.
func (b *body) close() {
	for _, o := range b.scope.order {
		if o.kind == objVar && o.checked && !o.used {
			b.report(&UnusedVariableError{span: o.place, Name: o.name, Counts: o.counts})
		}
	}
	b.scope = b.scope.parent
}

// use marks what stands in a node that is not checked, so that nothing in it is reported as unused.
func (b *body) use(nodes ...dsl.Node) {
	for _, n := range nodes {
		dsl.Walk(n, func(n dsl.Node) bool {
			if id, ok := n.(*dsl.Ident); ok {
				if o := b.scope.lookup(id.Name); o != nil && o.kind == objVar {
					o.used = true
				}
			}
			return true
		})
	}
}

func (b *body) useAll(list []dsl.Expr) {
	for _, e := range list {
		b.use(e)
	}
}
