package cfamily

import (
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/abi"
)

// What threads tell the host goes through three functions that every prelude has; ir/abi says what they write.
//
//	gg_report(record, launch, site, index, extent, a, b, c, t)
//	gg_print(record, launch, site, values, a, b, c, t): the place of the values, 0 where there is no room
//	gg_put(record, at, value)
const (
	reportHelper = "gg_report"
	printHelper  = "gg_print"
	putHelper    = "gg_put"
)

// report prints a test that failed.
func (p *Printer) report(in *ir.Instr) {
	args := []Expr{Atom(p.Record), Atom(p.Launch), p.d.Literal(types.Uint32, uint64(in.Site.Index)), p.whole(in.Args[0]), p.whole(in.Args[1])}
	p.w.statement(in.Pos, Call(p.need(reportHelper), append(args, p.wheres(in.Args[2:])...)...).Text+";")
}

// print prints an entry of the record: room for it, then its values.
func (p *Printer) print(in *ir.Instr) {
	n := len(in.Site.Args)
	args := []Expr{Atom(p.Record), Atom(p.Launch), p.d.Literal(types.Uint32, uint64(in.Site.Index)), p.d.Literal(types.Uint32, uint64(n))}
	room := Call(p.need(printHelper), append(args, p.wheres(in.Args[n:])...)...)
	if n == 0 {
		p.w.statement(in.Pos, room.Text+";")
		return
	}
	values := make([]Expr, n)
	for i, a := range in.Args[:n] {
		values[i] = p.word64(a)
	}
	p.w.statement(in.Pos, "{")
	p.w.indent++
	p.names.push()
	at := p.names.declare("at")
	p.w.statement(in.Pos, "const "+p.Type(types.Uint32)+" "+at+" = "+room.Text+";")
	p.w.statement(in.Pos, "if ("+at+" != "+p.d.Literal(types.Uint32, 0).Text+") {")
	p.w.indent++
	for i, v := range values {
		place := Atom(at)
		if i > 0 {
			place = Infix(place, "+", p.d.Literal(types.Uint32, uint64(2*i)))
		}
		p.w.statement(in.Pos, Call(p.need(putHelper), Atom(p.Record), place, v).Text+";")
	}
	p.w.indent--
	p.close()
	p.names.pop()
	p.w.indent--
	p.close()
}

// wheres are the operands that say where: the dims of the point or block, then the thread.
func (p *Printer) wheres(where []*ir.Instr) []Expr {
	out := make([]Expr, abi.Wheres)
	for i := range out {
		out[i] = p.d.Literal(types.Int32, 0)
	}
	for d, a := range where {
		if d == len(p.Kernel.Domain) {
			d = abi.Wheres - 1
		}
		out[d] = p.whole(a)
	}
	return out
}

// whole is an index or an extent; C converts it to the 64 bits of a parameter.
func (p *Printer) whole(a *ir.Instr) Expr { return p.small(a, p.expr(a)) }

// word64 is a value as the 64 bits of an entry: integers extended by their sign, floats by their bits.
func (p *Printer) word64(a *ir.Instr) Expr {
	k, x := a.Kind(), p.expr(a)
	switch {
	case k == types.Bool:
		return Cond(x, p.d.Literal(types.Uint64, 1), p.d.Literal(types.Uint64, 0))
	case k == types.Uint64:
		return x
	case k.IsFloat():
		u := UnsignedOf(k)
		x = p.d.Reinterpret(u, k, x)
		if u == types.Uint64 {
			return x
		}
	case k.IsSigned() && k.Bits() < 64:
		x = Cast(p.Type(types.Int64), x)
	}
	return Cast(p.Type(types.Uint64), x)
}
