package check

import (
	"fmt"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/types"
)

// maxLeaves bounds the scalars of a struct: a variable of it becomes as many variables.
const maxLeaves = 1024

// pkgType is a struct of the package, whose fields are read when something needs it.
type pkgType struct {
	file  *dsl.File
	obj   *object
	doc   string
	spec  *dsl.TypeSpec
	state uint8 // 0 untouched, 1 being read, 2 done
}

// resolveType reads the fields of a struct. A struct that holds itself has no size.
func (c *checker) resolveType(p *pkgType) {
	switch p.state {
	case 2:
		return
	case 1:
		if p.obj.kind != objBad {
			from := 0
			for i, q := range c.reading {
				if q == p {
					from = i
				}
			}
			e := &RecursiveTypeError{span: at(p.spec.Name)}
			for _, q := range c.reading[from:] {
				e.Cycle = append(e.Cycle, q.obj.name)
				q.obj.kind = objBad
			}
			e.Cycle = append(e.Cycle, p.obj.name)
			c.report(e)
		}
		return
	}
	if len(c.reading) > maxDepth {
		c.reportOnce(&TooLargeError{span: at(p.spec.Name), Name: p.obj.name, Why: fmt.Sprintf("holds structs that hold structs, more than %d deep", maxDepth)})
		p.obj.kind, p.state = objBad, 2
		return
	}
	p.state = 1
	c.reading = append(c.reading, p)
	t := &types.Struct{Name: p.obj.name}
	ok := c.newBody(p.file, c.scope).fieldsOf(p.spec, t)
	var docs []string
	for _, g := range p.spec.Fields {
		for i := range g.Names {
			docs = append(docs, "")
			if i == 0 {
				docs[len(docs)-1] = g.Doc
			}
		}
	}
	c.reading = c.reading[:len(c.reading)-1]
	p.state = 2
	if !ok || p.obj.kind == objBad {
		p.obj.kind = objBad
		return
	}
	p.obj.typ = t
	if p.obj.name != "_" {
		c.prog.Structs = append(c.prog.Structs, &Struct{Type: t, File: p.file.Name, Doc: p.doc, Fields: docs, Pos: p.spec.Name.Pos()})
	}
}

// fieldsOf reads the fields of a struct into t.
func (b *body) fieldsOf(s *dsl.TypeSpec, t *types.Struct) bool {
	ok := true
	first := map[string]span{}
	for _, g := range s.Fields {
		b.typeFirst(g.Names, g.Type)
		ft := b.typ(g.Type)
		switch {
		case ft == types.Invalid:
			ok = false
		case holds(ft, types.Int):
			b.report(&FieldTypeError{span: at(g.Type), Type: ft})
			ok = false
		}
		for _, id := range g.Names {
			old, twice := first[id.Name]
			switch {
			case id.Name == "_":
				b.report(&StructError{span: at(id), Why: "a field needs a name"})
				ok = false
			case twice:
				b.report(&RedeclaredError{span: at(id), Name: id.Name, First: old})
				ok = false
			}
			first[id.Name] = at(id)
			t.Fields = append(t.Fields, types.Field{Name: id.Name, Type: ft})
		}
	}
	switch {
	case len(s.Fields) == 0:
		b.report(&StructError{span: at(s.Name), Why: "a struct has at least one field"})
		return false
	case !ok:
		return false
	case types.LeafCount(t, maxLeaves) > maxLeaves:
		b.report(&StructError{span: at(s.Name), Why: fmt.Sprintf("`%s` holds more than %d numbers outside of arrays", t.Name, maxLeaves)})
		return false
	case types.Size(t) > maxArrayBytes:
		b.report(&StructError{span: at(s.Name), Why: fmt.Sprintf("`%s` takes %d bytes, and a struct takes at most %d", t.Name, types.Size(t), maxArrayBytes)})
		return false
	}
	return true
}

// holds reports a type that has a kind somewhere in it.
func holds(t types.Type, k types.Kind) bool {
	for _, o := range types.Kinds(t) {
		if o == k {
			return true
		}
	}
	return false
}

// structLit checks the fields of a literal of a struct: each by its name, or all in order.
func (b *body) structLit(e *dsl.CompositeLit, t *types.Struct) bool {
	if len(e.Elems) > 0 && e.Elems[0].Key != nil {
		return b.keyedLit(e, t)
	}
	ok := true
	for i, el := range e.Elems {
		switch {
		case el.Key != nil:
			b.mixed(el)
			ok = false
			continue
		case i >= len(t.Fields):
			b.report(&LiteralError{span: at(el.Value), Why: fmt.Sprintf("`%s` has %s", t, count(len(t.Fields), "field"))})
			for _, rest := range e.Elems[i:] {
				b.use(rest.Value)
			}
			return false
		}
		x := b.expr(el.Value)
		ok = b.assign(&x, t.Fields[i].Type, "field `"+t.Fields[i].Name+"`") && ok
	}
	if n := len(e.Elems); ok && n > 0 && n < len(t.Fields) {
		b.report(&LiteralError{span: at(e), Why: fmt.Sprintf("`%s` has %s, and the literal gives %d; without names all of them stand", t, count(len(t.Fields), "field"), n)})
		return false
	}
	return ok
}

func (b *body) mixed(el *dsl.Element) {
	b.report(&LiteralError{span: at(el), Why: "a literal names all its fields or none"})
	b.use(el.Value)
}

func (b *body) keyedLit(e *dsl.CompositeLit, t *types.Struct) bool {
	ok := true
	seen := map[string]bool{}
	for _, el := range e.Elems {
		if el.Key == nil {
			b.mixed(el)
			ok = false
			continue
		}
		id, isName := el.Key.(*dsl.Ident)
		i := -1
		if isName {
			i = t.Index(id.Name)
		}
		switch {
		case i < 0:
			b.report(&NoFieldError{span: at(el.Key), Text: t.Name, Name: text(el.Key), Near: nearest(text(el.Key), fieldNames(t))})
			b.use(el.Value)
			ok = false
			continue
		case seen[id.Name]:
			b.report(&LiteralError{span: at(el), Why: "field `" + id.Name + "` stands twice"})
			ok = false
		}
		seen[id.Name] = true
		x := b.expr(el.Value)
		ok = b.assign(&x, t.Fields[i].Type, "field `"+id.Name+"`") && ok
	}
	return ok
}

func fieldNames(t *types.Struct) (out []string) {
	for _, f := range t.Fields {
		out = append(out, f.Name)
	}
	return out
}
