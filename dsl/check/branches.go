package check

import "github.com/gpugen/gpugen/dsl"

// targetKind says what branches may aim at a statement.
type targetKind uint8

const (
	loopTarget   targetKind = iota // `break` and `continue`
	switchTarget                   // `break`
	blockTarget                    // `break` with its label
)

// target is a statement round the one that is checked, at which a branch may aim.
type target struct {
	stmt      dsl.Stmt
	kind      targetKind
	unordered bool
	place     span // of an unordered loop
}

// label is a label of the body.
type label struct {
	id   *dsl.Ident
	stmt dsl.Stmt // what it stands before
	used bool
}

// statements checks the statements of a kernel or function. Labels belong to the whole of it, as in Go.
func (b *body) statements(s *dsl.Block) {
	var order []*label
	b.labels = map[string]*label{}
	dsl.Walk(s, func(n dsl.Node) bool {
		if s, ok := n.(*dsl.LabeledStmt); ok && s.Label.Name != "_" {
			l := &label{id: s.Label, stmt: s.Stmt}
			if first := b.labels[s.Label.Name]; first != nil {
				b.report(&RedeclaredError{span: at(l.id), Name: l.id.Name, First: at(first.id)})
				return true
			}
			b.labels[s.Label.Name] = l
			order = append(order, l)
		}
		_, isExpr := n.(dsl.Expr)
		return !isExpr
	})
	b.stmts(s.Stmts)
	for _, l := range order {
		if !l.used {
			b.report(&UnusedLabelError{span: at(l.id), Name: l.id.Name})
		}
	}
}

// labeled checks a statement behind a label. A block is a target only by its label.
func (b *body) labeled(s *dsl.LabeledStmt) {
	block, ok := s.Stmt.(*dsl.Block)
	if !ok {
		b.stmt(s.Stmt)
		return
	}
	b.targets = append(b.targets, target{stmt: block, kind: blockTarget})
	b.block(block)
	b.targets = b.targets[:len(b.targets)-1]
}

func (b *body) branch(s *dsl.BranchStmt) {
	b.facts.Branches[s] = nil
	if s.Word == "fallthrough" {
		b.fallthroughs(s)
		return
	}
	i, ok := b.innermost(s)
	if s.Label != nil {
		i, ok = b.labelled(s)
	}
	if !ok {
		return
	}
	place := opSpan(s.Pos(), s.Word)
	for j := len(b.targets) - 1; j >= i; j-- {
		// A `continue` repeats its target and leaves what is inside of that.
		if t := b.targets[j]; t.unordered && (j > i || s.Word == "break") {
			b.report(&UnorderedLoopError{span: place, What: "`" + s.Word + "`", Loop: t.place})
			return
		}
	}
	b.facts.Branches[s] = b.targets[i].stmt
}

// innermost finds the target of a branch without a label. It reports nothing for one with a label.
func (b *body) innermost(s *dsl.BranchStmt) (int, bool) {
	most, where := loopTarget, "is not inside a loop"
	if s.Word == "break" {
		most, where = switchTarget, "is not inside a loop or a `switch`"
	}
	for i := len(b.targets) - 1; i >= 0; i-- {
		if b.targets[i].kind <= most {
			return i, true
		}
	}
	if s.Label == nil {
		fix := ""
		if b.kernel != nil {
			fix = "`return` ends the point"
			if b.blocks {
				fix = "`return` ends the thread"
			}
		}
		b.report(&MisplacedError{span: opSpan(s.Pos(), s.Word), Word: s.Word, Where: where, Fix: fix})
	}
	return 0, false
}

// labelled finds the target of a branch with a label.
func (b *body) labelled(s *dsl.BranchStmt) (int, bool) {
	name := s.Label.Name
	l := b.labels[name]
	if l == nil {
		names := []string{}
		for n := range b.labels {
			names = append(names, n)
		}
		near := nearest(name, names)
		if l := b.labels[near]; l != nil {
			l.used = true
		}
		b.report(&UnknownLabelError{span: at(s.Label), Name: name, Near: near})
		return 0, false
	}
	l.used = true
	for i, t := range b.targets {
		if t.stmt == l.stmt && (s.Word == "break" || t.kind == loopTarget) {
			return i, true
		}
	}
	b.report(&LabelError{span: at(s.Label), Word: s.Word, Name: name, Decl: at(l.id)})
	return 0, false
}

func (b *body) fallthroughs(s *dsl.BranchStmt) {
	place := opSpan(s.Pos(), s.Word)
	next, ends := b.falls[s]
	switch {
	case s.Label != nil:
		b.report(&MisplacedError{span: at(s.Label), Word: s.Label.Name, Where: "stands behind `fallthrough`, which takes no label"})
	case !ends:
		b.report(&MisplacedError{span: place, Word: s.Word, Where: "is not the last statement of a `case`"})
	case !next:
		b.report(&MisplacedError{span: place, Word: s.Word, Where: "ends the last `case`, which nothing follows"})
	}
}

// terminates reports whether the end of a list of statements cannot be reached, by Go's rules, once all branches in it are
// known.
func (b *body) terminates(list []dsl.Stmt) bool {
	left := map[dsl.Stmt]bool{}
	for s, target := range b.facts.Branches {
		if s.Word == "break" {
			left[target] = true
		}
	}
	return terminates(list, left)
}

// terminates knows the statements that a `break` leaves.
func terminates(list []dsl.Stmt, left map[dsl.Stmt]bool) bool {
	if len(list) == 0 {
		return false
	}
	s := list[len(list)-1]
	if left[s] {
		return false
	}
	switch s := s.(type) {
	case *dsl.ReturnStmt:
		return true
	case *dsl.LabeledStmt:
		return terminates([]dsl.Stmt{s.Stmt}, left)
	case *dsl.Block:
		return terminates(s.Stmts, left)
	case *dsl.IfStmt:
		return s.Else != nil && terminates(s.Then.Stmts, left) && terminates([]dsl.Stmt{s.Else}, left)
	case *dsl.ForStmt:
		return s.Cond == nil
	case *dsl.SwitchStmt:
		all := false // without a default a value may match nothing
		for _, c := range s.Cases {
			all = all || c.Default
			if fallsThrough(c) == nil && !terminates(c.Body, left) {
				return false
			}
		}
		return all
	}
	return false
}
