package dsl

// cut returns the ranges of tokens that hold one declaration each, so that a syntax error in one leaves the others
// alone. A declaration starts at depth 0; where the brackets of the file do not match, also at the left margin, so that
// one missing brace does not swallow the rest.
func cut(toks []token, i int) (out [][2]int) {
	margin := !balanced(toks[i:]) // only then: a valid body may stand at the margin
	depth, start := 0, -1
	fresh := true // at a place where a declaration may start
	for ; !toks[i].EOF(); i++ {
		t := &toks[i]
		if isEnd(t) {
			if depth == 0 || margin && toks[i+1].Pos.Column == 1 {
				fresh = true
			}
			continue
		}
		starts := fresh && (depth <= 0 || margin && t.Pos.Column == 1) && startsDecl(toks, i) ||
			start >= 0 && fresh && depth <= 0 && isEnd(&toks[i-1]) && !continues(toks, start, i)
		if starts && !(start >= 0 && behindAttr(toks, i)) {
			if start >= 0 {
				out = append(out, trim(toks, start, i))
			}
			start, depth = i, 0
		} else if start < 0 {
			start = i
		}
		fresh = false
		if t.Type == tokOp {
			switch t.Value {
			case "{", "(", "[":
				depth++
			case "}", ")", "]":
				depth--
				if depth == 0 && t.Value == "}" {
					fresh = true // `} kernel K` on one line: an error that should not hide the next one
				}
			}
		}
	}
	if start >= 0 {
		out = append(out, trim(toks, start, i))
	}
	return out
}

// continues reports whether the declaration from start may go on at i, at the start of a line: with a clause of a kernel,
// or with a brace, whose place the parser reports.
func continues(toks []token, start, i int) bool {
	t := &toks[i]
	if isOp(t, "{") {
		return true
	}
	if !isWord(&toks[start+behindAttrs(toks[start:])], "kernel") {
		return false
	}
	return isKeyword(t, "for") || isWord(t, "requires") || isWord(t, "blocks") || isWord(t, "threads") || isWord(t, "by")
}

// trim drops the line ends behind a declaration.
func trim(toks []token, from, to int) [2]int {
	for to > from && isEnd(&toks[to-1]) {
		to--
	}
	return [2]int{from, to}
}

func startsDecl(toks []token, i int) bool {
	switch t := &toks[i]; t.Type {
	case tokKeyword:
		switch t.Value {
		case "func", "const", "type", "var", "import":
			return true
		}
	case tokOp:
		return t.Value == "@"
	case tokIdent:
		return t.Value == "kernel" && (toks[i+1].Type == tokIdent || toks[i+1].Type == tokKeyword)
	}
	return false
}

// behindAttr reports whether an attribute ends just before i, so that the declaration has already begun.
func behindAttr(toks []token, i int) bool {
	j := i - 1
	for j >= 0 && isEnd(&toks[j]) {
		j--
	}
	if j >= 0 && isOp(&toks[j], ")") {
		for j >= 0 && !isOp(&toks[j], "(") {
			j--
		}
		j--
	}
	return j >= 1 && toks[j].Type == tokIdent && isOp(&toks[j-1], "@")
}

func balanced(toks []token) bool {
	var open []byte
	for i := range toks {
		t := &toks[i]
		if t.Type != tokOp {
			continue
		}
		want := byte(0)
		switch t.Value {
		case "{", "(", "[":
			open = append(open, t.Value[0])
			continue
		case "}":
			want = '{'
		case ")":
			want = '('
		case "]":
			want = '['
		default:
			continue
		}
		if len(open) == 0 || open[len(open)-1] != want {
			return false
		}
		open = open[:len(open)-1]
	}
	return len(open) == 0
}
