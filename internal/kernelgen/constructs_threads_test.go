package kernelgen

import (
	"fmt"
	"strings"

	"github.com/gpugen/gpugen/dsl"
)

// ofThreads names what the threads of a kernel do together.
func ofThreads(k *dsl.KernelDecl, found func(string)) {
	byBlock := false
	switch d := k.Domain.(type) {
	case *dsl.ForDomain:
		byBlock = d.By != nil
		if byBlock {
			found("by block")
			found(fmt.Sprintf("%d dims by block", len(d.Vars)))
		}
	case *dsl.BlocksDomain:
		n := 1
		for _, x := range d.ThreadExtents {
			size, ok := x.Hi.(*dsl.BasicLit)
			if !ok {
				n = 1
				break
			}
			c := 0
			fmt.Sscan(size.Value, &c)
			n *= c
		}
		if n%subgroupSize == 0 {
			found("blocks of whole subgroups")
		} else {
			found("blocks of no whole subgroups")
		}
	}
	for _, a := range k.Attrs {
		found("@" + a.Name.Name)
	}
	shared := map[string]bool{}
	votes := func(e dsl.Expr) {
		if e == nil {
			return
		}
		dsl.Walk(e, func(n dsl.Node) bool {
			if space, _ := spaced(n); space == "block" || space == "subgroup" {
				found("a " + space + "'s vote in a condition")
			}
			return true
		})
	}
	dsl.Walk(k.Body, func(n dsl.Node) bool {
		switch n := n.(type) {
		case *dsl.SharedStmt:
			for _, id := range n.Names {
				shared[id.Name] = true
			}
			if byBlock {
				found("shared memory by block")
			}
		case *dsl.ForInStmt:
			if byBlock {
				found("spread loops")
				if len(n.Vars) > 1 {
					found("spread loops of two indexes")
				}
			}
		case *dsl.IfStmt:
			votes(n.Cond)
		case *dsl.ForStmt:
			votes(n.Cond)
		case *dsl.CallExpr:
			space, name := spaced(n)
			id, plain := n.Fun.(*dsl.Ident)
			switch {
			case space != "":
				found(space + "." + name)
			case plain && id.Name == "assert":
				found("assert")
			case plain && byBlock && n.Comp != nil:
				found(id.Name + " by block")
			case plain && byBlock && strings.HasPrefix(id.Name, "f") && strings.Contains(id.Name, "_"):
				found("functions by block")
			}
			if space != "atomic" {
				break
			}
			if byBlock {
				found("atomics by block")
			}
			root := n.Args[0].(*dsl.UnaryExpr).X
			if x, ok := root.(*dsl.IndexExpr); ok {
				root = x.X
			}
			if shared[root.(*dsl.Ident).Name] {
				found("atomics on shared memory")
			} else {
				found("atomics on views")
			}
		}
		return true
	})
}

// spaced takes the name of a builtin such as `block.Sum` apart, if n is a call of one.
func spaced(n dsl.Node) (space, name string) {
	c, ok := n.(*dsl.CallExpr)
	if !ok {
		return "", ""
	}
	s, ok := c.Fun.(*dsl.SelectorExpr)
	if !ok {
		return "", ""
	}
	id, ok := s.X.(*dsl.Ident)
	if !ok {
		return "", ""
	}
	return id.Name, s.Sel.Name
}
