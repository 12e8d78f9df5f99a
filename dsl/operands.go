package dsl

import "github.com/gpugen/gpugen/dsl/diag"

// This file parses what stands between brackets: indexes, arguments, comprehensions, the elements of literals.

// indexes parses `i, j]`.
func (p *exprParser) indexes() (args []Expr, end diag.Pos, err error) {
	h := 0
	for !p.is("]") {
		if p.is(":") {
			return nil, end, p.refuseSlice()
		}
		x, err := p.expr()
		if err != nil {
			return nil, end, err
		}
		h = max(h, p.height)
		args = append(args, x)
		if p.is(":") {
			return nil, end, p.refuseSlice()
		}
		if !p.accept(",") {
			break
		}
	}
	if len(args) == 0 {
		return nil, end, p.unexpected("an index")
	}
	p.height = h
	end, err = p.closeList("]")
	return args, end, err
}

func (p *exprParser) refuseSlice() error {
	return p.refuse("slices of views", "index the view itself; the Go side can pass `x.Slice(lo, hi)`")
}

// closeList passes the bracket behind a list.
func (p *exprParser) closeList(bracket string) (diag.Pos, error) {
	t := p.lex.Peek()
	if t.Type == tokNewline {
		return diag.Pos{}, p.fail(&SyntaxError{
			At: position(t.Pos), Want: "`,` or `" + bracket + "`", Found: found(t),
			Note: "a list goes on in the next line only behind `,` or an operator",
		})
	}
	if !isOp(t, bracket) {
		return diag.Pos{}, p.unexpected("`,` or `" + bracket + "`")
	}
	p.lex.Next()
	return endOf(t), nil
}

// arguments parses `a, b)` or `e for j in n)`.
func (p *exprParser) arguments(c *CallExpr) (err error) {
	h := 0
	for !p.is(")") {
		x, err := p.argument()
		if err != nil {
			return err
		}
		h = max(h, p.height)
		if t := p.lex.Peek(); isKeyword(t, "for") {
			if len(c.Args) > 0 {
				return p.fail(&ComprehensionError{At: position(t.Pos), To: endOf(t)})
			}
			if c.Comp, err = p.comprehension(x); err != nil {
				return err
			}
			h = max(h, p.height)
			break
		}
		c.Args = append(c.Args, x)
		if p.is("...") {
			return p.refuse("`...`", "")
		}
		if !p.accept(",") {
			break
		}
	}
	p.height = h
	c.end, err = p.closeList(")")
	return err
}

// argument parses an expression or a string, which stands nowhere else.
func (p *exprParser) argument() (Expr, error) {
	t := p.lex.Peek()
	if t.Type != tokString {
		return p.expr()
	}
	p.lex.Next()
	p.height = 1
	if n := p.lex.Peek(); binaryPrec(n) > 0 {
		return nil, p.refuse("operations on strings", "")
	}
	return &BasicLit{node{t.Pos}, StringLit, t.Value}, nil
}

func (p *exprParser) comprehension(elem Expr) (*Comprehension, error) {
	p.lex.Next()
	c := &Comprehension{Elem: elem}
	for {
		v, err := p.ident("a name")
		if err != nil {
			return nil, err
		}
		c.Vars = append(c.Vars, v)
		if !p.accept(",") {
			break
		}
	}
	if !isWord(p.lex.Peek(), "in") {
		return nil, p.unexpected("`in`")
	}
	p.lex.Next()
	h := 0
	for {
		x, err := p.extent()
		if err != nil {
			return nil, err
		}
		h = max(h, p.height)
		c.Extents = append(c.Extents, x)
		if !p.accept(",") {
			break
		}
	}
	p.height = h
	if len(c.Extents) != len(c.Vars) {
		return nil, p.fail(extentCount(c.Vars, c.Extents))
	}
	return c, nil
}

// extent parses `hi` or `lo:hi`.
func (p *exprParser) extent() (x Extent, err error) {
	if t := p.lex.Peek(); isKeyword(t, "range") {
		return x, p.unexpected("an extent")
	}
	if x.Hi, err = p.expr(); err != nil || !p.is(":") {
		return x, err
	}
	h := p.height
	p.lex.Next()
	x.Lo = x.Hi
	x.Hi, err = p.expr()
	p.height = max(p.height, h)
	return x, err
}

// composite parses `{…}`; typ is nil where the type is elided.
func (p *exprParser) composite(typ Expr) (Expr, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	open := p.lex.Next()
	c := &CompositeLit{node: node{open.Pos}, Type: typ}
	h := 0
	for !p.is("}") {
		v, err := p.element()
		if err != nil {
			return nil, err
		}
		h = max(h, p.height)
		e := &Element{Value: v}
		if p.accept(":") {
			if e.Value, err = p.element(); err != nil {
				return nil, err
			}
			h = max(h, p.height)
			e.Key = v
		}
		c.Elems = append(c.Elems, e)
		if !p.accept(",") {
			break
		}
	}
	p.height = h
	var err error
	c.end, err = p.closeList("}")
	return c, err
}

func (p *exprParser) element() (Expr, error) {
	if !p.is("{") {
		return p.expr()
	}
	x, err := p.composite(nil)
	if err != nil {
		return nil, err
	}
	return x, p.grow(p.height)
}
