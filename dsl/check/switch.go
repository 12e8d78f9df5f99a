package check

import "github.com/gpugen/gpugen/dsl"

// switchStmt checks a `switch`. The cases take the type of the tag; without a tag they are conditions.
func (b *body) switchStmt(s *dsl.SwitchStmt) {
	b.open()
	if s.Init != nil {
		b.stmt(s.Init)
	}
	var tag operand
	if s.Tag != nil {
		tag = b.expr(s.Tag)
		if b.setDefault(&tag) && !tag.kind().IsInteger() && !tag.kind().IsBool() {
			b.report(&SwitchTypeError{span: tag.at(), Text: tag.text(), Type: tag.typ})
			tag.mode = bad
		}
	}
	b.targets = append(b.targets, target{stmt: s, kind: switchTarget})
	first := map[string]span{} // of each constant
	for i, c := range s.Cases {
		if c.Default {
			b.once(first, "default", "", opSpan(c.Pos(), "default"))
		}
		for _, e := range c.Values {
			x := b.expr(e)
			switch {
			case s.Tag == nil:
				b.condition(&x) // two that are constant may well be equal
			case tag.mode == bad:
				b.setDefault(&x)
			case b.assign(&x, tag.typ, "a `case`") && x.mode == konst:
				b.once(first, show(x.val), text(e), at(e))
			}
		}
		if f := fallsThrough(c); f != nil {
			b.falls[f] = i < len(s.Cases)-1
		}
		b.open()
		b.stmts(c.Body)
		b.close()
	}
	b.targets = b.targets[:len(b.targets)-1]
	b.close()
}

// once reports what stands twice in a switch.
func (b *body) once(first map[string]span, value, text string, place span) {
	if old, ok := first[value]; ok {
		b.report(&DuplicateCaseError{span: place, Text: text, Value: value, First: old})
		return
	}
	first[value] = place
}

// fallsThrough is the `fallthrough` that ends a clause, or nil.
func fallsThrough(c *dsl.CaseClause) *dsl.BranchStmt {
	if len(c.Body) == 0 {
		return nil
	}
	s := c.Body[len(c.Body)-1]
	for {
		l, ok := s.(*dsl.LabeledStmt)
		if !ok {
			break
		}
		s = l.Stmt
	}
	if f, ok := s.(*dsl.BranchStmt); ok && f.Word == "fallthrough" {
		return f
	}
	return nil
}
