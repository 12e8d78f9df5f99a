package dsl

import (
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// declaration is the root of the grammar.
type declaration struct {
	Attrs  []*Attr     `parser:"( @@ ';'* )*"`
	Kernel *KernelDecl `parser:"( @@"`
	Func   *FuncDecl   `parser:"| @@"`
	Const  *ConstDecl  `parser:"| @@"`
	Type   *TypeDecl   `parser:"| @@ )"`
}

// decl returns the declaration that was parsed, with its attributes.
func (d *declaration) decl() Decl {
	switch {
	case d.Kernel != nil:
		d.Kernel.Attrs = d.Attrs
		return d.Kernel
	case d.Func != nil:
		d.Func.Attrs = d.Attrs
		return d.Func
	case d.Const != nil:
		d.Const.Attrs = d.Attrs
		return d.Const
	case d.Type != nil:
		d.Type.Attrs = d.Attrs
		return d.Type
	}
	panic("dsl: participle returned an empty declaration")
}

// grammar names every production that parseStmt chooses from, so that participle builds it.
type grammar struct {
	Decl     *declaration  `parser:"  @@"`
	Attr     *Attr         `parser:"| @@"`
	If       *IfStmt       `parser:"| @@"`
	ForIn    *ForInStmt    `parser:"| @@"`
	ForRange *ForRangeStmt `parser:"| @@"`
	For      *ForStmt      `parser:"| @@"`
	Switch   *SwitchStmt   `parser:"| @@"`
	Shared   *SharedStmt   `parser:"| @@"`
	Var      *VarStmt      `parser:"| @@"`
	Const    *ConstStmt    `parser:"| @@"`
	Return   *ReturnStmt   `parser:"| @@"`
	Branch   *BranchStmt   `parser:"| @@"`
}

// productions is set by build. It has no initialiser: parseStmt is part of the grammar and reads it.
var (
	buildOnce   sync.Once
	productions struct {
		decl     *participle.Parser[declaration]
		attr     *participle.Parser[Attr]
		ifs      *participle.Parser[IfStmt]
		forIn    *participle.Parser[ForInStmt]
		forRange *participle.Parser[ForRangeStmt]
		fors     *participle.Parser[ForStmt]
		switches *participle.Parser[SwitchStmt]
		shared   *participle.Parser[SharedStmt]
		vars     *participle.Parser[VarStmt]
		consts   *participle.Parser[ConstStmt]
		returns  *participle.Parser[ReturnStmt]
		branch   *participle.Parser[BranchStmt]
	}
)

// build builds the grammar at the first Parse: it costs a millisecond that `gpugen version` need not pay.
//
// A lookahead of 0 makes participle commit to what it began, so that an error stands where the text went wrong; choices
// that need more have a guard, `(?= … )`.
func build() {
	root := participle.MustBuild[grammar](
		participle.Lexer(definition{}),
		participle.UseLookahead(0),
		participle.ParseTypeWith(parseExpr),
		participle.ParseTypeWith(parseType),
		participle.ParseTypeWith(parseOperand),
		participle.ParseTypeWith(parseStmt),
		participle.ParseTypeWith(parseSimple),
		participle.ParseTypeWith(parseInit),
		participle.Union[Domain](&ForDomain{}, &BlocksDomain{}),
		participle.Union[ElseStmt](&IfStmt{}, &Block{}),
	)
	p := &productions
	p.decl = production[declaration](root)
	p.attr = production[Attr](root)
	p.ifs = production[IfStmt](root)
	p.forIn = production[ForInStmt](root)
	p.forRange = production[ForRangeStmt](root)
	p.fors = production[ForStmt](root)
	p.switches = production[SwitchStmt](root)
	p.shared = production[SharedStmt](root)
	p.vars = production[VarStmt](root)
	p.consts = production[ConstStmt](root)
	p.returns = production[ReturnStmt](root)
	p.branch = production[BranchStmt](root)
}

func production[T any](root *participle.Parser[grammar]) *participle.Parser[T] {
	p, err := participle.ParserForProduction[T](root)
	if err != nil {
		panic(err)
	}
	return p
}

// produce parses one production in the middle of another.
func produce[T any, P interface {
	*T
	Stmt
}](p *participle.Parser[T], lex *lexer.PeekingLexer) (Stmt, error) {
	v, err := p.ParseFromLexer(lex, participle.AllowTrailing(true))
	if err != nil {
		return nil, err
	}
	return P(v), nil
}
