package kernelgen

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/check"
	"github.com/gpugen/gpugen/dsl/types"
)

// Displace changes a source so that some of what a checked build tests fails: it moves indexes and shift counts, takes bits
// from divisors, turns assertions round and adds some. What it gives compiles; it is the source as it was if nothing that was
// drawn does.
func Displace(source string, seed uint64) string {
	r := rand.New(rand.NewPCG(seed, 0x646973706c616365))
	for range 8 {
		f, errs := dsl.Parse("displace.gpu", []byte(source))
		if len(errs) > 0 {
			return source
		}
		program, list := check.Package([]*dsl.File{f}, check.Config{})
		if list.HasErrors() {
			return source
		}
		d := &displacer{r: r, values: map[dsl.Expr]types.Kind{}}
		d.learn(program)
		d.file(f)
		if text := repair(f); text != "" {
			return text
		}
	}
	return source
}

// displacer changes a tree.
type displacer struct {
	r      *rand.Rand
	values map[dsl.Expr]types.Kind // expressions that are no constants, of one kind in all instances
}

// learn notes the kinds of what is no constant.
func (d *displacer) learn(program *check.Program) {
	body := func(b *check.Body) {
		for e, v := range b.Values {
			k := types.KindOf(v.Type)
			if old, ok := d.values[e]; v.Const != nil || ok && old != k {
				k = types.Invalid
			}
			d.values[e] = k
		}
	}
	for _, k := range program.Kernels {
		body(k.Body)
	}
	for _, f := range program.Funcs {
		body(f.Body)
	}
}

// integer is the kind of an integer that is no constant, or Invalid.
func (d *displacer) integer(e dsl.Expr) types.Kind {
	if k := d.values[dsl.Unparen(e)]; k.IsInteger() {
		return k
	}
	return types.Invalid
}

// one is true once in n times.
func (d *displacer) one(n int) bool { return d.r.IntN(n) == 0 }

func (d *displacer) file(f *dsl.File) {
	dsl.Walk(f, func(n dsl.Node) bool {
		switch n := n.(type) {
		case *dsl.KernelDecl:
			d.asserts(n)
			dsl.Walk(n.Body, d.node)
			return false
		case *dsl.FuncDecl:
			dsl.Walk(n.Body, d.node)
			return false
		}
		return true
	})
}

// node changes what stands in a node.
func (d *displacer) node(n dsl.Node) bool {
	switch n := n.(type) {
	case *dsl.IndexExpr:
		for i := range n.Args {
			if k := d.integer(n.Args[i]); k != types.Invalid && d.one(24) {
				d.move(&n.Args[i], k, []int64{1, 1, 2, 7, 1 << 33, -1, -7})
			}
		}
	case *dsl.BinaryExpr:
		d.operand(n.Op, &n.Y)
	case *dsl.AssignStmt:
		if n.Op != "" {
			d.operand(strings.TrimSuffix(n.Op, "="), &n.Values[0])
		}
	case *dsl.CallExpr:
		if id, ok := n.Fun.(*dsl.Ident); ok && id.Name == "assert" && len(n.Args) == 2 && d.one(3) {
			n.Args[0] = &dsl.UnaryExpr{Op: "!", X: &dsl.ParenExpr{X: n.Args[0]}}
		}
	}
	return true
}

// operand changes the right side of a division or a shift.
func (d *displacer) operand(op string, y *dsl.Expr) {
	k := d.integer(*y)
	if k == types.Invalid || !d.one(12) {
		return
	}
	switch op {
	case "/", "%":
		d.put(y, "&", []int64{0, 1, 2, 6}[d.r.IntN(4)])
	case "<<", ">>":
		d.move(y, k, []int64{-1, -8, -64, 1, 64})
	}
}

// move adds a number that kind k holds.
func (d *displacer) move(x *dsl.Expr, k types.Kind, by []int64) {
	n := by[d.r.IntN(len(by))]
	if k.Bits() < 64 && n > 1<<32 {
		n = 100
	}
	if n < 0 {
		d.put(x, "-", -n)
		return
	}
	d.put(x, "+", n)
}

func (d *displacer) put(x *dsl.Expr, op string, n int64) {
	*x = &dsl.BinaryExpr{X: &dsl.ParenExpr{X: *x}, Op: op, Y: &dsl.BasicLit{Kind: dsl.IntLit, Value: fmt.Sprint(n)}}
}

// asserts puts an assertion that fails for some points or threads into a kernel's body.
func (d *displacer) asserts(k *dsl.KernelDecl) {
	if !d.one(2) {
		return
	}
	var of *dsl.Ident
	switch dom := k.Domain.(type) {
	case *dsl.ForDomain:
		of = dom.Vars[len(dom.Vars)-1]
	case *dsl.BlocksDomain:
		of = dom.Threads[d.r.IntN(len(dom.Threads))]
	}
	claim := fmt.Sprintf("package p\nfunc f(%s int) {\nassert(%s%%%d != %d, \"not this one\")\n}\n", of.Name, of.Name, 2+d.r.IntN(40), d.r.IntN(3))
	f, errs := dsl.Parse("assert.gpu", []byte(claim))
	if len(errs) > 0 {
		return
	}
	at := d.r.IntN(len(k.Body.Stmts) + 1)
	for i, s := range k.Body.Stmts { // where shared memory is declared stays first, and no end is passed
		if _, ok := s.(*dsl.ReturnStmt); ok {
			at = min(at, i)
		}
	}
	list := append([]dsl.Stmt{}, k.Body.Stmts[:at]...)
	list = append(list, f.Decls[0].(*dsl.FuncDecl).Body.Stmts...)
	k.Body.Stmts = append(list, k.Body.Stmts[at:]...)
}
