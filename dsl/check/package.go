// Package check turns syntax trees into facts: the types, constants and names of every instance of every kernel and
// function of a package, beside trees that it leaves untouched.
//
// The root package calls [Package] once for the files of a folder; ir/lower reads the facts, codegen/gowrap what they say
// of parameters and constants. The package imports dsl, dsl/diag and dsl/types.
//
// Invariants: Package never panics, whatever the parser made of a file. A mistake is reported once: an invalid type
// is silent where it is used, a mistake that several instances share is reported for the first. If the list has no error
// the facts are complete: every expression that a target evaluates has a typed value.
package check

import (
	"go/constant"
	"go/token"
	"strings"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
)

// Config says what is known of the package beyond its .gpu files.
type Config struct {
	GoNames map[string]diag.Pos // names that the Go files of the package declare, generated files left out
}

// Package checks the files of one folder. The program is complete only if the list has no error; then every kernel
// instance is ready for ir/lower.
func Package(files []*dsl.File, cfg Config) (*Program, diag.List) {
	c := &checker{
		cfg: cfg, files: files, scope: newScope(universe()), prog: &Program{Files: files},
		seen: map[placeCode]*said{}, needed: map[*Func][]need{}, printing: map[*Func]bool{}, calls: map[*Func][]callSite{}, sized: map[*Func]int{},
		meets: map[*Func][]meeting{}, scratch: map[*Func]map[scratch]span{}, atomicIn: map[*Func][]atomicUse{}, atomicAll: map[*Func][]atomicUse{}, reduceAll: map[*Func]map[scratch]span{}, folds: map[*Func]map[scratch]span{}, foldAll: map[*Func]map[scratch]span{},
	}
	c.packageNames()
	c.directives()
	c.goNeeds()
	c.collect()
	for _, p := range c.structs {
		c.resolveType(p)
	}
	for _, p := range c.consts {
		c.resolve(p)
	}
	c.order()
	for _, f := range c.funcs {
		c.declareFunc(f)
	}
	for _, b := range c.bodies {
		b.function()
	}
	acyclic := c.recursion()
	for _, k := range c.kernels {
		c.kernel(k)
	}
	if acyclic {
		c.meetingRules()
		for _, k := range c.kernels {
			c.targetsOf(k)
			c.sizes(k)
		}
		c.finish()
	}
	c.entries()
	return c.prog, c.diags.Dedupe()
}

// checker checks one package.
type checker struct {
	cfg       Config
	files     []*dsl.File
	prog      *Program
	diags     diag.List
	scope     *scope // of the package
	consts    []*pkgConst
	structs   []*pkgType
	reading   []*pkgType // the structs whose fields are being read, each for the one before
	funcs     []*funcDecl
	kernels   []*kernelDecl
	bodies    []*body // of functions
	seen      map[placeCode]*said
	needed    map[*Func][]need
	printing  map[*Func]bool       // of functions: they print, themselves or through others
	calls     map[*Func][]callSite // of functions
	meets     map[*Func][]meeting  // of functions: the first places in them where threads meet, those of functions they call included
	sized     map[*Func]int
	atomicIn  map[*Func][]atomicUse      // of functions
	atomicAll map[*Func][]atomicUse      // and of those that they call
	reduceAll map[*Func]map[scratch]span // the same of scratch
	scratch   map[*Func]map[scratch]span // of functions: what reductions in them take in shared memory
	depth     int                        // of constants in evaluation
	deep      bool                       // that a chain is too deep is reported
	folds     map[*Func]map[scratch]span // of functions: what their comprehensions take, spread over the threads of a block
	foldAll   map[*Func]map[scratch]span // and those of the functions that they call
}

// placeCode is what makes two reports one: several instances share most of their mistakes.
type placeCode struct {
	pos  diag.Pos
	code string
}

// callSite is a call of a function instance.
type callSite struct {
	fn    *Func
	place span
	loop  span // the innermost unordered loop round it, if there is one
}

// kernelDecl is a kernel with the bodies of its instances.
type kernelDecl struct {
	decl   *dsl.KernelDecl
	file   *dsl.File
	bodies []*body
}

// body checks one function or kernel instance, or an expression outside of any.
type body struct {
	*checker
	file      *dsl.File
	facts     *Body
	scope     *scope
	instance  string // for a note; empty for the first instance
	args      []Generic
	fn        *Func   // or nil
	kernel    *Kernel // or nil
	dimExprs  [][]dsl.Expr
	blockAt   span
	iota      constant.Value // in the value of a constant
	targets   []target       // of branches, innermost last
	unordered []span         // the `for … in` and the comprehensions round an expression
	labels    map[string]*label
	falls     map[*dsl.BranchStmt]bool // each `fallthrough` at the end of a case; false: of the last one
	calls     []callSite
	meetings  []meeting
	atomics   []atomicUse
	blocks    bool // of a kernel: it has a `blocks … threads …` domain
	shared    []sharedVar
	reduces   map[scratch]span           // what reductions take in shared memory, and where the first does
	folds     map[scratch]span           // what comprehensions take, spread over the threads of a block
	asked     types.TargetSet            // of a kernel: the targets before any was left out
	unknown   map[string]bool            // names reported as unknown
	pending   map[*dsl.CallExpr]*builtin // calls of builtins whose type is not decided yet
}

func (c *checker) newBody(f *dsl.File, s *scope) *body {
	return &body{
		checker: c, file: f, scope: s, unknown: map[string]bool{}, reduces: map[scratch]span{}, folds: map[scratch]span{}, pending: map[*dsl.CallExpr]*builtin{},
		falls: map[*dsl.BranchStmt]bool{},
		facts: &Body{
			Values: map[dsl.Expr]Value{}, Defs: map[*dsl.Ident]*Var{}, Uses: map[*dsl.Ident]*Var{}, Tables: map[*dsl.Ident]*Table{}, Calls: map[*dsl.CallExpr]Call{},
			Types: map[dsl.Expr]types.Type{}, Iters: map[dsl.Stmt][]*Var{}, Unroll: map[dsl.Stmt]int{},
			Branches: map[*dsl.BranchStmt]dsl.Stmt{},
		},
	}
}

// said is a mistake that is reported, and its fix in the words of the declaration rather than of one instance.
type said struct {
	d   *diag.Diagnostic
	fix string
}

// report adds a mistake, unless this place has one of the same kind.
func (c *checker) report(e diag.Error) { c.reportIn("", nil, e) }

func (b *body) report(e diag.Error) { b.reportIn(b.instance, b.args, e) }

func (c *checker) reportIn(instance string, args []Generic, e diag.Error) {
	d := new(diag.Diagnostic)
	e.Diagnose(d)
	at, fix := placeCode{d.Pos, d.Code}, inGenerics(d.Fix, args)
	if first := c.seen[at]; first != nil {
		if first.d.Fix != d.Fix { // the instances differ: what the fix says, it has to say for all
			first.d.Fix = ""
			if first.fix == fix {
				first.d.Fix = fix
			}
		}
		return
	}
	c.seen[at] = &said{d, fix}
	if instance != "" {
		d.Note("in the instance `%s`", instance)
	}
	c.diags.Add(d)
}

// inGenerics is a fix with conversions to the types of an instance as conversions to its generic parameters, if each of these
// has a type of its own.
func inGenerics(fix string, args []Generic) string {
	whole := fix
	for i, a := range args {
		if a.Type == nil {
			continue
		}
		for _, other := range args[:i] {
			if other.Type == a.Type {
				return whole
			}
		}
		fix = strings.ReplaceAll(fix, "`"+a.Type.String()+"(", "`"+a.Param+"(")
	}
	return fix
}

func exported(name string) bool { return token.IsExported(name) }

// collect declares all names of the package.
func (c *checker) collect() {
	for _, f := range c.files {
		for _, d := range f.Decls {
			c.collectDecl(f, d)
		}
	}
}

func (c *checker) collectDecl(f *dsl.File, d dsl.Decl) {
	b := c.newBody(f, c.scope)
	switch d := d.(type) {
	case *dsl.ConstDecl:
		b.attrsOf(d.Attrs, "constant")
		b.extraValues(d)
		for _, s := range specs(d) {
			o := &object{kind: objConst, name: s.id.Name, place: at(s.id)}
			o.pkg = &pkgConst{file: f, obj: o, doc: s.doc, id: s.id, typ: s.typ, value: s.value, iota: s.iota}
			c.consts = append(c.consts, o.pkg)
			c.insert(o, exported(o.name))
		}
	case *dsl.TypeDecl:
		b.attrsOf(d.Attrs, "type")
		for _, s := range d.Specs {
			o := &object{kind: objType, name: s.Name.Name, place: at(s.Name)}
			doc := s.Doc
			if doc == "" && len(d.Specs) == 1 {
				doc = d.Doc
			}
			o.decl = &pkgType{file: f, obj: o, doc: doc, spec: s}
			c.structs = append(c.structs, o.decl)
			c.goName(s.Name, "a type")
			c.insert(o, true)
		}
	case *dsl.FuncDecl:
		fn := &funcDecl{decl: d, file: f}
		c.funcs = append(c.funcs, fn)
		c.insert(&object{kind: objFunc, name: d.Name.Name, place: at(d.Name), fn: fn}, exported(d.Name.Name))
	case *dsl.KernelDecl:
		c.kernels = append(c.kernels, &kernelDecl{decl: d, file: f})
		c.goName(d.Name, "a kernel")
		c.insert(&object{kind: objKernel, name: d.Name.Name, place: at(d.Name)}, true)
	case *dsl.BadDecl:
		if d.Name != nil {
			c.insert(&object{kind: objBad, name: d.Name.Name, place: at(d.Name)}, false)
		}
	}
}

// insert declares a name of the package; inGo says that the generated Go declares it too.
func (c *checker) insert(o *object, inGo bool) {
	if o.name == "_" {
		return
	}
	if old := c.scope.insert(o); old != nil {
		if old.kind != objBad && o.kind != objBad {
			c.report(&RedeclaredError{span: o.place, Name: o.name, First: old.place})
		}
		return
	}
	if pos, taken := c.cfg.GoNames[o.name]; inGo && taken {
		c.report(&GoTakenError{span: o.place, Name: o.name, First: pos})
	}
}

// goNeeds reports what a Go file of the folder declares at package level though generated Go means the predeclared name.
func (c *checker) goNeeds() {
	for _, name := range []string{
		"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "int", "float32", "float64",
		"error", "true", "false", "panic",
	} {
		if pos, ok := c.cfg.GoNames[name]; ok {
			c.report(&GoNameError{span: span{pos, pos.Advance(len(name))}, Name: name, Why: "generated Go needs the predeclared `" + name + "`"})
		}
	}
}

// goName reports the name of a kernel or struct that Go cannot declare beside the code that gpugen generates.
func (c *checker) goName(id *dsl.Ident, what string) {
	why := ""
	switch name := id.Name; {
	case name == "main" || name == "init":
		why = "Go gives `" + name + "` a meaning of its own"
	case name == "_":
		why = what + " needs a name"
	case name == "gpu" || name == "gen":
		why = "generated Go imports a package `" + name + "`"
	case goPredeclared[name]:
		why = "it would hide Go's own `" + name + "` in the whole package"
	default:
		return
	}
	c.report(&GoNameError{span: at(id), Name: id.Name, Why: why})
}

// goOnly are the predeclared names of Go that the language leaves out, with what stands for them.
var goOnly = map[string]string{
	"byte": "write `uint8`", "rune": "write `int32`", "uint": "write `uint32` or `uint64`", "uintptr": "write `uint64`",
	"string": "text stands only as an argument, in `assert` and `print`", "error": "give a number or a bool back", "nil": "", "comparable": "list the types themselves",
	"complex64": "a `float32x2` has two parts", "complex128": "a `float64x2` has two parts", "complex": "a `float32x2` has two parts",
	"real": "a `float32x2` has `.x`", "imag": "a `float32x2` has `.y`",
	"append": "what a kernel writes has its size before the launch", "cap": "write `len`", "clear": "assign to every element", "copy": "assign every element",
	"make": "a variable's size is constant: `var v [4]float32`", "new": "a variable is a value: `var v float32`", "close": "", "delete": "",
	"panic": "`assert(cond, \"text\")` reports in a checked build what does not hold", "recover": "", "println": "write `print(\"format\", …)`",
}

// goPredeclared are Go's predeclared names; a function of such a name breaks other code of its package.
var goPredeclared = func() map[string]bool {
	m := map[string]bool{}
	for _, n := range []string{
		"any", "bool", "byte", "comparable", "complex64", "complex128", "error", "float32", "float64", "int", "int8", "int16", "int32", "int64",
		"rune", "string", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr", "true", "false", "iota", "nil", "append", "cap", "clear", "close",
		"complex", "copy", "delete", "imag", "len", "make", "max", "min", "new", "panic", "print", "println", "real", "recover",
	} {
		m[n] = true
	}
	return m
}()
