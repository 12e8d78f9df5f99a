package dsl

import (
	"sort"

	"github.com/gpugen/gpugen/dsl/diag"
)

// maxNesting bounds the height of every tree, operator chains included. The language promises 1,000; all later stages
// may recurse over a tree because it is no higher.
const maxNesting = 1024

// frame is one open bracket.
type frame struct {
	open   int  // index of its token
	stmts  bool // it holds statements
	header bool // a header has begun in it, whose block has not opened
	strict bool // that header is of a statement: its block is followed by nothing but `else`
	chain  int  // what an `else if` chain or a row of labels adds to the height
}

// shape prepares the tokens of one declaration without recursion:
//
//   - it counts nesting, since a stack overflow in a parser could not be recovered from;
//   - it tells the brace that opens a block from the brace of a composite literal, by Go's rule: in a header, outside
//     brackets, `T{` opens the block. So expressions are parsed alike everywhere, and the grammar needs no mode;
//   - it drops line ends before `for ) ]` inside brackets, and the last comma of a list of parameters, for which the
//     grammar would need a guard at each comma.
//
// It returns what is wrong, and whether the declaration may be parsed.
func shape(toks []token) (errs []diag.Error, ok bool) {
	stack := append(make([]frame, 0, 16), frame{open: -1})
	height := 0
	kind, _ := declName(toks)
	signature := kind == "kernel" || kind == "func"
	for i := range toks {
		t := &toks[i]
		top := &stack[len(stack)-1]
		switch t.Type {
		case tokIdent:
			if len(stack) == 1 && t.Value == "kernel" && (i == 0 || toks[i-1].Type != tokKeyword) {
				top.header = true
			}
			if top.stmts && isOp(&toks[i+1], ":") && startsStmt(toks, i) {
				height++
				top.chain++
			}
		case tokKeyword:
			switch t.Value {
			case "if", "for", "switch":
				if top.stmts {
					top.header, top.strict = true, true
				}
				if t.Value == "if" && i > 0 && isKeyword(&toks[i-1], "else") {
					height++
					top.chain++
				}
			}
		case tokSemi, tokNewline:
			if len(stack) > 1 && !top.stmts && t.Type == tokNewline && closesOrFor(toks, i) {
				t.Type = tokElided
				continue
			}
			if !top.header {
				height -= top.chain
				top.chain = 0
			}
		case tokOp:
			switch t.Value {
			case ",":
				if signature && len(stack) == 2 && endsList(toks, i) {
					t.Type = tokElided
				}
			case "{", "(", "[":
				f := frame{open: i}
				if t.Value == "{" {
					f.stmts = opensStmts(toks, i, top, len(stack) == 1)
					if top.header && f.stmts {
						t.Type = tokBlock
						top.header = false
					}
				}
				stack = append(stack, f)
				height++
			case "}", ")", "]":
				if len(stack) == 1 {
					continue // unbalanced: the parser will say so
				}
				height -= 1 + top.chain
				at := top.open
				stack = stack[:len(stack)-1]
				top = &stack[len(stack)-1]
				if toks[at].Type == tokBlock && top.strict && toks[at-1].Type == tokIdent && literalInHeader(toks, i) {
					// `if x == P{1, 2} {`: read on as it was meant.
					toks[at].Type = tokOp
					top.header = true
					errs = append(errs, &CompositeInHeaderError{At: position(toks[at-1].Pos), To: endOf(t), Type: toks[at-1].Value})
				}
			}
		}
		if height > maxNesting {
			return append(errs, &NestingError{At: position(t.Pos)}), false
		}
	}
	return errs, true
}

// closesOrFor reports whether the line end at i stands before `for`, `)` or `]`, where no statement can end.
func closesOrFor(toks []token, i int) bool {
	t := &toks[i+1]
	return isKeyword(t, "for") || isOp(t, ")") || isOp(t, "]")
}

// endsList reports whether the comma at i is the last of a list that holds something.
func endsList(toks []token, i int) bool {
	if next := &toks[i+1]; !isOp(next, ")") && !isOp(next, "]") {
		return false
	}
	last := &toks[i-1]
	return !isOp(last, "(") && !isOp(last, "[") && !isOp(last, ",")
}

// startsStmt reports whether a statement may start at i.
func startsStmt(toks []token, i int) bool {
	if i == 0 {
		return false
	}
	t := &toks[i-1]
	return isEnd(t) || isOp(t, "{") || isOp(t, "}") || isOp(t, ":")
}

// opensStmts reports whether the brace at i opens a block or the cases of a switch, rather than a literal or a struct.
func opensStmts(toks []token, i int, in *frame, root bool) bool {
	if in.header {
		// `range [3]int32{1, 2, 3} {`: a name behind `]` can only be the element of an array type.
		return !(i >= 2 && toks[i-1].Type == tokIdent && isOp(&toks[i-2], "]"))
	}
	if i > 0 && isKeyword(&toks[i-1], "struct") {
		return false
	}
	if root {
		return true
	}
	return in.stmts && (startsStmt(toks, i) || isKeyword(&toks[i-1], "else"))
}

// literalInHeader reports whether what follows the closing brace at i shows that it ended a literal, not a block.
func literalInHeader(toks []token, i int) bool {
	t := &toks[i+1]
	if t.Type != tokOp {
		return false
	}
	return t.Value == "{" || t.Value == "." || binaryPrec(t) > 0
}

// indexOf finds the token of toks at an offset, or the first behind it.
func indexOf(toks []token, offset int) int {
	return sort.Search(len(toks), func(i int) bool { return toks[i].Pos.Offset >= offset })
}
