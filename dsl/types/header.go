package types

import (
	"strconv"
	"strings"
)

// HeaderOp is an operator of a header expression.
type HeaderOp uint8

// The operators. Arithmetic is int arithmetic whose overflow, or a zero divisor, is an error of the launch.
const (
	HConst HeaderOp = iota
	HSym            // an extent symbol or an int parameter, by name
	HNeg
	HAdd
	HSub
	HMul
	HDiv // truncated
	HRem // truncated
	HCeilDiv
	HMin
	HMax
	HEq // from here on the result is bool; only `requires` has them
	HNe
	HLt
	HLe
	HGt
	HGe
	HNot
	HAnd
	HOr
	NumHeaderOps
)

// Header is an expression of a kernel's header: an extent, one end of a domain, a `requires` relation. The host
// evaluates it before a launch and a device kernel may evaluate it again; both see the same values. It is immutable
// and shared.
type Header struct {
	Op   HeaderOp
	Val  int64  // HConst
	Name string // HSym
	X, Y *Header
}

// Const is a constant header expression.
func Const(v int64) *Header { return &Header{Op: HConst, Val: v} }

// Sym names an extent symbol or an int parameter.
func Sym(name string) *Header { return &Header{Op: HSym, Name: name} }

// IsConst reports whether h is the constant v.
func (h *Header) IsConst(v int64) bool { return h.Op == HConst && h.Val == v }

var headerText = [NumHeaderOps]struct {
	text string
	prec int
}{
	HConst: {"", 9}, HSym: {"", 9}, HNeg: {"-", 8}, HAdd: {"+", 4}, HSub: {"-", 4}, HMul: {"*", 5}, HDiv: {"/", 5}, HRem: {"%", 5},
	HCeilDiv: {"ceildiv", 9}, HMin: {"min", 9}, HMax: {"max", 9},
	HEq: {"==", 3}, HNe: {"!=", 3}, HLt: {"<", 3}, HLe: {"<=", 3}, HGt: {">", 3}, HGe: {">=", 3},
	HNot: {"!", 8}, HAnd: {"&&", 2}, HOr: {"||", 1},
}

// String is the expression in the language's own syntax, with the fewest parentheses.
func (h *Header) String() string {
	var b strings.Builder
	h.print(&b, 0)
	return b.String()
}

func (h *Header) print(b *strings.Builder, min int) {
	info := headerText[h.Op]
	if info.prec < min {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	switch h.Op {
	case HConst:
		b.WriteString(strconv.FormatInt(h.Val, 10))
	case HSym:
		b.WriteString(h.Name)
	case HNeg, HNot:
		b.WriteString(info.text)
		h.X.print(b, info.prec)
	case HCeilDiv, HMin, HMax:
		b.WriteString(info.text + "(")
		h.X.print(b, 0)
		b.WriteString(", ")
		h.Y.print(b, 0)
		b.WriteByte(')')
	default:
		h.X.print(b, info.prec)
		b.WriteString(" " + info.text + " ")
		h.Y.print(b, info.prec+1)
	}
}

// Walk calls f for h and every expression below it, parents first.
func (h *Header) Walk(f func(*Header)) {
	if h == nil {
		return
	}
	f(h)
	h.X.Walk(f)
	h.Y.Walk(f)
}

// IsBool reports whether h is a relation rather than a number.
func (h *Header) IsBool() bool { return h.Op >= HEq }
