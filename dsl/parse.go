package dsl

import (
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/gpugen/gpugen/dsl/diag"
)

const eof = lexer.EOF

// Parse parses one file. The tree is never nil and holds what could be read; the list is sorted and says what could
// not. One error is reported for each declaration that fails, besides the errors of its tokens.
func Parse(name string, src []byte) (*File, diag.List) {
	buildOnce.Do(build)
	s := scan(name, string(src))
	p := &parser{scanner: s, file: &File{Name: name}}
	i := p.packageClause()
	for n, r := range cut(s.tokens, i) {
		if t := &s.tokens[r[0]]; n > 0 && !isEnd(&s.tokens[r[0]-1]) {
			p.report(r[0], r[0], &SyntaxError{At: position(t.Pos), To: endOf(t), Want: "end of line behind the declaration", Found: found(t)})
		}
		p.declaration(r[0], r[1])
	}
	p.documents(i)
	return p.file, s.errs.Dedupe()
}

// parser puts a file together.
type parser struct {
	*scanner
	file       *File
	unfinished bool // the last declaration broke at its end, so that what follows may belong to it
	broke      bool // the last declaration could not be read
}

// packageClause parses the clause and returns the index of the token behind it.
func (p *parser) packageClause() int {
	i := 0
	for isEnd(&p.tokens[i]) {
		i++
	}
	t := &p.tokens[i]
	switch {
	case !isKeyword(t, "package"):
		p.report(i, i, &SyntaxError{At: position(t.Pos), To: endOf(t), Want: "`package` and a name", Found: found(t)})
		return i
	case p.tokens[i+1].Type != tokIdent:
		p.report(i, i+1, unexpected(&p.tokens[i+1], "a name behind `package`"))
		for !isEnd(&p.tokens[i]) && !p.tokens[i].EOF() {
			i++
		}
		return i
	}
	p.file.Package = &Ident{node{p.tokens[i+1].Pos}, p.tokens[i+1].Value}
	i += 2
	if t := &p.tokens[i]; !isEnd(t) && !t.EOF() {
		p.report(i-2, i, &SyntaxError{At: position(t.Pos), To: endOf(t), Want: "end of line behind the package clause", Found: found(t)})
		for !isEnd(&p.tokens[i]) && !p.tokens[i].EOF() {
			i++
		}
	}
	return i
}

// report adds an error found at token at of the declaration that starts at token from, unless an error of the scanner
// between them has said enough.
func (p *parser) report(from, at int, e diag.Error) {
	lo, hi := p.tokens[from].Pos.Offset, p.tokens[at].Pos.Offset
	if from > 0 { // a stray character may stand before the first token
		lo = p.tokens[from-1].Pos.Offset + 1
	}
	for _, m := range p.misleading {
		if lo <= m && m <= hi {
			return
		}
	}
	p.errs.Report(e)
}

// declaration parses the tokens of one declaration.
func (p *parser) declaration(from, to int) {
	if (p.unfinished || p.broke && isOp(&p.tokens[from], "}")) && !startsDecl(p.tokens, from) {
		return // more of a declaration that is reported
	}
	toks := make([]token, 0, to-from+1)
	toks = append(toks, p.tokens[from:to]...)
	end := token{Type: eof, Pos: p.tokens[to].Pos}
	if next := p.tokens[to:]; !next[0].EOF() && (!isEnd(&next[0]) || !next[1].EOF()) {
		end.Value = "…" // more follows
	}
	if !p.tokens[to].EOF() {
		end.Pos = lexerPosition(endOf(&p.tokens[to-1]))
	}
	toks = append(toks, end)
	d, errs := parseDecl(toks)
	broken := -1 // where the last mistake is, as a token behind from
	for _, e := range errs {
		d := new(diag.Diagnostic)
		e.Diagnose(d)
		broken = min(indexOf(toks, d.Pos.Offset), to-from)
		p.report(from, from+broken, e)
	}
	p.unfinished = d == nil && broken == to-from
	p.broke = d == nil
	if d != nil {
		p.file.Decls = append(p.file.Decls, d)
		return
	}
	kind, names := declName(toks)
	bad := BadDecl{node: node{toks[0].Pos}, Kind: kind, end: position(end.Pos)}
	if len(names) == 0 {
		p.file.Decls = append(p.file.Decls, &bad)
	}
	for _, t := range names {
		b := bad
		b.Name = &Ident{node{t.Pos}, t.Value}
		p.file.Decls = append(p.file.Decls, &b)
	}
}

func lexerPosition(p diag.Pos) lexer.Position {
	return lexer.Position{Filename: p.File, Offset: p.Offset, Line: p.Line, Column: p.Col}
}

// parseDecl parses tokens that end in an end of file. It returns nil if the declaration is not usable.
func parseDecl(toks []token) (Decl, []diag.Error) {
	if e := refuseDecl(toks); e != nil {
		return nil, []diag.Error{e}
	}
	errs, ok := shape(toks)
	if !ok {
		return nil, errs
	}
	lex, err := lexer.Upgrade(&stream{tokens: toks})
	if err != nil {
		panic(err) // stream never fails
	}
	parsed, err := productions.decl.ParseFromLexer(lex)
	if err != nil {
		return nil, append(errs, reword(err, toks))
	}
	d := parsed.decl()
	switch d := d.(type) {
	case *KernelDecl:
		if e := checkDomain(d.Domain); e != nil {
			errs = append(errs, e)
		}
	case *ConstDecl:
		number(d)
	}
	Walk(d, func(n Node) bool {
		if s, ok := n.(*ConstStmt); ok {
			number(s.Decl)
		}
		_, isExpr := n.(Expr)
		return !isExpr
	})
	return d, errs
}

// number gives the specs of a declaration their iota.
func number(d *ConstDecl) {
	for i, s := range d.Specs {
		s.Iota = i
	}
}

func checkDomain(d Domain) diag.Error {
	switch d := d.(type) {
	case *ForDomain:
		if len(d.Vars) != len(d.Extents) {
			return extentCount(d.Vars, d.Extents)
		}
	case *BlocksDomain:
		if len(d.Blocks) != len(d.BlockExtents) {
			return extentCount(d.Blocks, d.BlockExtents)
		}
		if len(d.Threads) != len(d.ThreadExtents) {
			return extentCount(d.Threads, d.ThreadExtents)
		}
	}
	return nil
}

// refuseDecl recognises the declarations of Go that the language does not have.
func refuseDecl(toks []token) diag.Error {
	i := behindAttrs(toks)
	t := &toks[i]
	refuse := func(t *token, what, instead string) diag.Error {
		return &NotInLanguageError{At: position(t.Pos), To: endOf(t), What: what, Instead: instead}
	}
	switch {
	case isKeyword(t, "import"):
		return refuse(t, "imports", "all `.gpu` files of a folder are one package; builtins need no import")
	case isKeyword(t, "var"):
		return refuse(t, "package variables", "`const` declares constants, fixed arrays too; data comes in through parameters")
	case isKeyword(t, "func") && isOp(&toks[i+1], "("):
		return refuse(&toks[i+1], "methods", "declare a `func` that takes the value as a parameter")
	case isKeyword(t, "type") && toks[i+1].Type == tokIdent && !isKeyword(&toks[i+2], "struct"):
		switch u := &toks[i+2]; {
		case isOp(u, "="):
			return refuse(u, "type aliases", "")
		case isKeyword(u, "interface"):
			return refuse(u, "interfaces", "a generic parameter lists its types: `[T float32|float64]`")
		case isOp(u, "[") && len(toks) > i+5 && toks[i+3].Type == tokIdent && (toks[i+4].Type == tokIdent || isOp(&toks[i+4], ",")):
			return refuse(u, "generic types", "")
		case u.Type == tokIdent, isOp(u, "["), isOp(u, "*"), u.Type == tokKeyword:
			return refuse(u, "types other than structs", "`type` declares structs only")
		}
	}
	return nil
}

// behindAttrs returns the index of the first token behind the attributes.
func behindAttrs(toks []token) int {
	i := 0
	for i < len(toks)-1 && (isOp(&toks[i], "@") || isEnd(&toks[i])) {
		if i++; isEnd(&toks[i-1]) {
			continue
		}
		if toks[i].Type == tokIdent {
			i++
		}
		if !isOp(&toks[i], "(") {
			continue
		}
		for depth := 0; i < len(toks)-1; i++ {
			if isOp(&toks[i], "(") {
				depth++
			} else if isOp(&toks[i], ")") {
				if depth--; depth == 0 {
					i++
					break
				}
			}
		}
	}
	return i
}

// declName returns the kind of a declaration and the tokens of the names that it declares, by its looks alone.
func declName(toks []token) (kind string, names []*token) {
	i := behindAttrs(toks)
	switch t := &toks[i]; {
	case isWord(t, "kernel"), isKeyword(t, "func"), isKeyword(t, "const"), isKeyword(t, "type"), isKeyword(t, "var"):
		kind = t.Value
	case isKeyword(t, "import"):
		return "import", imported(toks[i:])
	default:
		return "", foreignName(toks[i:])
	}
	i++
	if toks[i].Type == tokIdent {
		return kind, []*token{&toks[i]}
	}
	if kind == "func" && isOp(&toks[i], "(") { // the name of a method stands behind its receiver
		for i < len(toks)-1 && !isOp(&toks[i], ")") {
			i++
		}
		if i+1 < len(toks) && toks[i+1].Type == tokIdent {
			return kind, []*token{&toks[i+1]}
		}
		return kind, nil
	}
	if !isOp(&toks[i], "(") || kind == "func" || kind == "kernel" {
		return kind, nil
	}
	depth := 0
	for ; i < len(toks); i++ {
		switch t := &toks[i]; {
		case isOp(t, "("), isOp(t, "["), isOp(t, "{"):
			depth++
		case isOp(t, ")"), isOp(t, "]"), isOp(t, "}"):
			depth--
		case depth == 1 && t.Type == tokIdent && (isEnd(&toks[i-1]) || isOp(&toks[i-1], "(")):
			names = append(names, t)
		}
	}
	return kind, names
}

// foreignName returns the token that is the name in what may be a declaration of another language: the last word before the
// first bracket, or before the end of a line.
func foreignName(toks []token) (name []*token) {
	for i := 1; i < len(toks) && toks[i].Type == tokIdent; i++ {
		name = []*token{&toks[i]}
	}
	return name
}

// imported returns names for the packages of an import, so that their uses are silent.
func imported(toks []token) (names []*token) {
	for _, t := range toks {
		if t.Type == tokString {
			path := strings.Trim(t.Value, "\"`")
			t.Type, t.Value = tokIdent, path[strings.LastIndexByte(path, '/')+1:]
			names = append(names, &t)
		}
	}
	return names
}

// documents gives declarations their comments, and the file its directives; the package clause ends at token i.
func (p *parser) documents(i int) {
	clause := p.tokens[i].Pos.Offset
	line := 0
	if p.file.Package != nil {
		clause = p.file.Package.node.Pos.Offset
		line = p.file.Package.node.Pos.Line
	}
	docs := map[int]string{} // by the line behind the comment
	text, end := "", -1
	for _, c := range p.comments {
		if verb, ok := strings.CutPrefix(c.text, "//gpugen:"); ok && c.pos.Column == 1 {
			p.directive(c, verb, c.pos.Offset < clause)
			continue
		}
		if !c.alone {
			continue
		}
		if c.pos.Line != end {
			text = ""
		}
		text += clean(c.text)
		end = c.endLine + 1
		docs[end] = text
	}
	if len(docs) == 0 {
		return
	}
	doc := func(n Node) string { return strings.Trim(docs[n.Pos().Line], "\n") }
	p.file.Doc = strings.Trim(docs[line], "\n")
	for _, d := range p.file.Decls {
		switch d := d.(type) {
		case *KernelDecl:
			d.Doc = declDoc(doc, d, d.Attrs)
		case *FuncDecl:
			d.Doc = declDoc(doc, d, d.Attrs)
		case *ConstDecl:
			d.Doc = declDoc(doc, d, d.Attrs)
			for _, s := range d.Specs {
				s.Doc = doc(s)
			}
		case *TypeDecl:
			d.Doc = declDoc(doc, d, d.Attrs)
			for _, s := range d.Specs {
				s.Doc = doc(s)
				for _, f := range s.Fields {
					f.Doc = doc(f)
				}
			}
		}
	}
}

// declDoc returns the comment above a declaration's attributes, or between them and it.
func declDoc(doc func(Node) string, d Decl, attrs []*Attr) string {
	for _, a := range attrs {
		if s := doc(a); s != "" {
			return s
		}
	}
	return doc(d)
}

func (p *parser) directive(c comment, rest string, above bool) {
	fields := strings.Fields(rest)
	d := &Directive{Pos: position(c.pos)}
	if len(fields) > 0 && !strings.HasPrefix(rest, " ") && !strings.HasPrefix(rest, "\t") {
		d.Verb, d.Args = fields[0], fields[1:]
	} else {
		d.Args = fields
	}
	if !above {
		p.errs.Report(&DirectiveError{At: d.Pos, Verb: d.Verb})
		return
	}
	p.file.Directives = append(p.file.Directives, d)
}

// clean returns the text of a comment without its markers, ending in a line end.
func clean(c string) string {
	if s, ok := strings.CutPrefix(c, "//"); ok {
		return strings.TrimRight(strings.TrimPrefix(s, " "), " \t") + "\n"
	}
	s := strings.TrimSuffix(strings.TrimPrefix(c, "/*"), "*/")
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(strings.TrimPrefix(l, " "), " \t")
	}
	return strings.Join(lines, "\n") + "\n"
}
