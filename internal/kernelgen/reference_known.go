package kernelgen

import (
	"fmt"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/check"
	"github.com/gpugen/gpugen/dsl/types"
)

// known panics with a fault if a body, or a function that it calls, has values of types that the walk does not know:
// others than scalars and arrays of them, or 16-bit floats.
func known(n dsl.Node, b *check.Body, done map[*check.Body]bool) {
	if done[b] {
		return
	}
	done[b] = true
	refuse := func(what string) { panic(fault{&BeyondError{n.Pos(), what}}) }
	for e, v := range b.Values {
		if c, ok := e.(*dsl.CallExpr); ok && b.Calls[c].Builtin == "rand.Philox" {
			continue // what takes it apart knows it
		}
		if !simple(v.Type) {
			refuse(fmt.Sprintf("values of type %s", v.Type))
		}
	}
	for _, vars := range []map[*dsl.Ident]*check.Var{b.Defs, b.Uses} {
		for _, v := range vars {
			if v == nil {
				continue
			}
			t := v.Type
			if view, ok := t.(*types.View); ok {
				t = view.Elem
			}
			if !simple(t) {
				refuse(fmt.Sprintf("variables of type %s", v.Type))
			}
		}
	}
	for _, c := range b.Calls {
		if c.Func == nil {
			continue
		}
		if c.Func.ByReference() {
			refuse("arguments by reference")
		}
		known(c.Func.Decl, c.Func.Body, done)
	}
}

func simple(t types.Type) bool {
	for {
		a, ok := t.(*types.Array)
		if !ok {
			break
		}
		t = a.Elem
	}
	k, ok := t.(types.Kind)
	return ok && k != types.Float16 && k != types.BFloat16
}
