package cfamily

import (
	"fmt"
	"strings"

	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

// block prints the statements of b in the current scope.
func (p *Printer) block(b *ir.Block) {
	for _, in := range b.Instrs {
		p.stmt(in)
	}
}

// nested prints the statements of b, indented, in a scope of their own; the braces are the caller's.
func (p *Printer) nested(b *ir.Block) {
	p.names.push()
	p.w.indent++
	p.block(b)
	p.w.indent--
	p.names.pop()
}

// close ends a brace.
func (p *Printer) close() { p.w.line(diag.Pos{}, "}") }

func (p *Printer) stmt(in *ir.Instr) {
	for _, l := range p.decls.before[in] {
		p.declareLocal(l, in.Pos)
	}
	if ir.Ops[in.Op].Value {
		p.define(in)
		return
	}
	switch in.Op {
	case ir.OpStore:
		p.assign(in.Pos, p.element(in).Text, in.Args[len(in.Args)-1])
	case ir.OpElemSet:
		last := len(in.Args) - 1
		p.assign(in.Pos, p.localElement(in.Local, in.Args[:last]).Text, in.Args[last])
	case ir.OpLocalSet:
		p.set(in)
	case ir.OpIf:
		p.ifStmt(in)
	case ir.OpRange:
		p.rangeStmt(in)
	case ir.OpLoop:
		p.loopStmt(in)
	case ir.OpScope:
		p.w.statement(in.Pos, "{")
		p.nested(in.Blocks[0])
		p.close()
	case ir.OpBreak:
		p.w.statement(in.Pos, "break;")
	case ir.OpContinue:
		p.w.statement(in.Pos, "continue;")
	case ir.OpReturn:
		p.w.statement(in.Pos, "return;")
	case ir.OpBarrier:
		p.w.statement(in.Pos, p.d.Barrier)
	case ir.OpReport:
		p.report(in)
	case ir.OpPrint:
		p.print(in)
	case ir.OpYield: // the owner of the block prints the value
	default:
		panic(fmt.Sprintf("cfamily: %s as a statement in kernel %s", in.Op, p.Kernel.Instance))
	}
}

// define declares a value that is not printed in place; one without a name and without a use has no effect to print.
func (p *Printer) define(in *ir.Instr) {
	if in.Op == ir.OpAtomic && p.uses[in] == 0 {
		p.w.statement(in.Pos, p.expr(in).Text+";")
		return
	}
	cond := in.Op == ir.OpCondAnd || in.Op == ir.OpCondOr
	unused := in.Name == "" && p.uses[in] == 0
	if p.placed[in] || unused && !cond {
		return
	}
	if cond && (unused || !p.simple(in.Blocks[0])) { // nobody may ask for its value, but its block does something: else it would be gone
		p.condStmt(in)
		return
	}
	text := p.expr(in).Text
	name := p.nameValue(in)
	p.w.statement(in.Pos, p.Type(in.Kind())+" "+name+" = "+text+";")
}

func (p *Printer) nameValue(in *ir.Instr) string {
	name := ""
	if in.Name != "" {
		name = p.names.declare(in.Name)
	} else {
		name = p.names.temp()
	}
	p.value[in] = name
	return name
}

// simple reports whether a block that yields is an expression: it holds nothing to print before the value.
func (p *Printer) simple(b *ir.Block) bool {
	for _, in := range b.Instrs {
		if in.Op != ir.OpYield && !p.placed[in] || len(p.decls.before[in]) > 0 {
			return false
		}
	}
	return true
}

// yielded is the value that a block yields.
func (p *Printer) yielded(b *ir.Block) Expr {
	return p.expr(b.Instrs[len(b.Instrs)-1].Args[0])
}

// condStmt prints && or || whose right operand needs statements.
func (p *Printer) condStmt(in *ir.Instr) {
	x := p.expr(in.Args[0])
	name := p.nameValue(in)
	p.w.statement(in.Pos, p.Type(types.Bool)+" "+name+" = "+x.Text+";")
	test := name
	if in.Op == ir.OpCondOr {
		test = "!" + name
	}
	p.w.statement(in.Pos, "if ("+test+") {")
	p.names.push()
	p.w.indent++
	p.block(in.Blocks[0])
	p.w.statement(in.Pos, name+" = "+p.yielded(in.Blocks[0]).Text+";")
	p.w.indent--
	p.names.pop()
	p.close()
}

func (p *Printer) assign(pos diag.Pos, to string, v *ir.Instr) {
	p.w.statement(pos, to+" = "+p.expr(v).Text+";")
}

// declarator is a declaration of name with type t, an array's dims behind it.
func (p *Printer) declarator(t types.Type, name string) string {
	dims := ""
	for {
		a, ok := t.(*types.Array)
		if !ok {
			return p.Type(t.(types.Kind)) + " " + name + dims
		}
		for _, d := range a.Dims {
			dims += fmt.Sprintf("[%d]", d)
		}
		t = a.Elem
	}
}

// declareLocal declares a local with its zero value.
func (p *Printer) declareLocal(l *ir.Local, pos diag.Pos) {
	zero := p.d.Zero
	if k := types.KindOf(l.Type); k != types.Invalid {
		zero = p.d.Literal(k, 0).Text
	}
	p.local[l] = p.names.declare(l.Name)
	p.w.statement(pos, p.declarator(l.Type, p.local[l])+" = "+zero+";")
}

// set assigns a local, or declares it.
func (p *Printer) set(in *ir.Instr) {
	_, declares := p.decls.at[in]
	v := in.Args[0]
	if _, array := in.Local.Type.(*types.Array); array {
		p.setArray(in, declares)
		return
	}
	text := p.expr(v).Text // before the name is declared: it may read another local of that name
	if declares {
		p.local[in.Local] = p.names.declare(in.Local.Name)
		text = p.declarator(in.Local.Type, p.local[in.Local]) + " = " + text
	} else {
		text = p.local[in.Local] + " = " + text
	}
	p.w.statement(in.Pos, text+";")
}

// setArray assigns a whole array, element by element: C arrays are no values.
func (p *Printer) setArray(in *ir.Instr, declares bool) {
	v := in.Args[0]
	if declares && v.Op == ir.OpConst {
		p.declareLocal(in.Local, in.Pos)
		return
	}
	if declares {
		p.local[in.Local] = p.names.declare(in.Local.Name)
		p.w.statement(in.Pos, p.declarator(in.Local.Type, p.local[in.Local])+";")
	}
	var dims []int64
	t := in.Local.Type
	for {
		a, ok := t.(*types.Array)
		if !ok {
			break
		}
		dims = append(dims, a.Dims...)
		t = a.Elem
	}
	from := ""
	switch v.Op {
	case ir.OpLocalGet:
		from = p.local[v.Local]
	case ir.OpConst:
	default:
		panic(fmt.Sprintf("cfamily: array assigned from %s in kernel %s", v.Op, p.Kernel.Instance))
	}
	p.names.push()
	index := ""
	for _, d := range dims {
		i := p.names.declare("e")
		index += "[" + i + "]"
		p.w.statement(in.Pos, fmt.Sprintf("for (int %s = 0; %s < %d; %s++)", i, i, d, i))
		p.w.indent++
	}
	if from == "" {
		from = p.d.Literal(t.(types.Kind), 0).Text
	} else {
		from += index
	}
	p.w.statement(in.Pos, p.local[in.Local]+index+" = "+from+";")
	p.w.indent -= len(dims)
	p.names.pop()
}

// ifStmt prints If; an else that holds just another If continues the chain.
func (p *Printer) ifStmt(in *ir.Instr) {
	cond := p.expr(in.Args[0])
	for lead := ""; ; lead = "} else " {
		then, other := in.Blocks[0], in.Blocks[1]
		if len(then.Instrs) == 0 && len(other.Instrs) > 0 {
			cond = Prefix("!", cond)
			then, other = other, then
		}
		p.w.statement(in.Pos, lead+"if ("+cond.Text+") {")
		p.nested(then)
		if len(other.Instrs) == 0 {
			break
		}
		next := p.chained(other)
		if next == nil {
			p.w.line(diag.Pos{}, "} else {")
			p.nested(other)
			break
		}
		in, cond = next, p.expr(next.Args[0])
	}
	p.close()
}

// chained is the only statement of a block, if that is an If.
func (p *Printer) chained(b *ir.Block) *ir.Instr {
	last := b.Instrs[len(b.Instrs)-1]
	if last.Op != ir.OpIf || !p.leadsTo(b) {
		return nil
	}
	return last
}

// leadsTo reports whether nothing is printed before the last instruction of b.
func (p *Printer) leadsTo(b *ir.Block) bool {
	last := len(b.Instrs) - 1
	for i, in := range b.Instrs {
		if i < last && !p.placed[in] || len(p.decls.before[in]) > 0 {
			return false
		}
	}
	return true
}

// rangeStmt prints a counted loop. What stands for hi and step reads nothing that changes (ir.Placed), so that C may
// evaluate it again in each iteration.
func (p *Printer) rangeStmt(in *ir.Instr) {
	body := in.Blocks[0]
	lo, hi, step := p.small(in.Args[0], p.expr(in.Args[0])), p.small(in.Args[1], p.expr(in.Args[1])), p.small(in.Args[2], p.expr(in.Args[2]))
	p.names.push()
	want := body.Iter.Name
	if want == "" {
		want = "i"
	}
	i := p.names.declare(want)
	p.value[body.Iter] = i
	next := i + " += " + step.Text
	if in.Args[2].IsInt(1) {
		next = i + "++"
	}
	p.unroll(in)
	p.w.statement(in.Pos, fmt.Sprintf("for (%s %s = %s; %s; %s) {", p.Type(body.Iter.Kind()), i, lo.Text, Infix(Atom(i), "<", hi).Text, next))
	p.nested(body)
	p.close()
	p.names.pop()
}

// unroll prints the pragma of `@unroll` on a line of its own, where the loop follows.
func (p *Printer) unroll(in *ir.Instr) {
	if in.Unroll > 0 {
		p.w.line(in.Pos, fmt.Sprintf(p.d.Unroll, in.Unroll))
	}
}

// loopStmt prints a loop. `continue` must run post: C's for does that for a post that is one expression; a longer one
// moves to the front of the next iteration, behind a flag.
func (p *Printer) loopStmt(in *ir.Instr) {
	cond, body, post := in.Blocks[0], in.Blocks[1], in.Blocks[2]
	bound := ""
	if p.d.LoopBound[0] != "" {
		turns := p.names.declare("turns")
		p.w.statement(in.Pos, strings.ReplaceAll(p.d.LoopBound[0], "%s", turns))
		bound = strings.ReplaceAll(p.d.LoopBound[1], "%s", turns)
	}
	p.names.push()
	defer p.names.pop()
	endless := len(cond.Instrs) == 0
	simple := endless || p.simple(cond)
	test := ""
	if simple && !endless {
		test = p.yielded(cond).Text
	}
	inline, isInline := p.inlinePost(post)
	flag := ""
	head := ""
	switch {
	case len(post.Instrs) > 0 && isInline:
		head = "for (; " + test + "; " + inline + ")"
		if test == "" {
			head = "for (;; " + inline + ")"
		}
	case len(post.Instrs) > 0 && continues(body):
		flag = p.names.declare("again")
		head = fmt.Sprintf("for (%s %s = false;; %s = true)", p.Type(types.Bool), flag, flag)
		simple = endless
	case test == "":
		head = "for (;;)"
	default:
		head = "while (" + test + ")"
	}
	p.unroll(in)
	p.w.statement(in.Pos, head+" {")
	p.names.push()
	p.w.indent++
	if bound != "" {
		p.w.line(in.Pos, "if ("+bound+") {")
		p.w.line(in.Pos, "\treturn;")
		p.close()
	}
	if flag != "" {
		p.w.line(in.Pos, "if ("+flag+") {")
		p.nested(post)
		p.close()
	}
	if !simple {
		p.block(cond)
		p.w.statement(in.Pos, "if ("+Prefix("!", p.yielded(cond)).Text+") {")
		p.w.line(in.Pos, "\tbreak;")
		p.close()
	}
	p.block(body)
	if flag == "" && !isInline {
		p.block(post)
	}
	p.w.indent--
	p.names.pop()
	p.close()
}

// inlinePost is a post block that is one assignment, as an expression.
func (p *Printer) inlinePost(post *ir.Block) (string, bool) {
	if len(post.Instrs) == 0 {
		return "", true
	}
	last := post.Instrs[len(post.Instrs)-1]
	if last.Op != ir.OpLocalSet || types.KindOf(last.Local.Type) == types.Invalid || !p.leadsTo(post) {
		return "", false
	}
	if _, declares := p.decls.at[last]; declares {
		return "", false
	}
	return p.local[last.Local] + " = " + p.expr(last.Args[0]).Text, true
}

// continues reports a continue that belongs to the loop with this body.
func continues(b *ir.Block) bool {
	for _, in := range b.Instrs {
		switch in.Op {
		case ir.OpContinue:
			return true
		case ir.OpRange, ir.OpLoop:
			continue
		}
		for _, c := range in.Blocks {
			if continues(c) {
				return true
			}
		}
	}
	return false
}
