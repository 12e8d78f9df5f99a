package ir

import (
	"fmt"
	"math"
	"strconv"

	"github.com/gpugen/gpugen/dsl/types"
)

// opNamed maps the names of the text form to operations.
var opNamed = func() map[string]Op {
	m := map[string]Op{}
	for op := OpInvalid + 1; op < NumOps; op++ {
		m[Ops[op].Name] = op
	}
	return m
}()

// block reads `{`, instructions, `}`.
func (p *parser) block() *Block {
	b := &Block{}
	p.blockInto(b)
	return b
}

func (p *parser) blockInto(b *Block) {
	p.expect("{")
	p.end()
	for !p.accept("}") {
		b.Add(p.instr())
		p.end()
	}
}

// instr reads one instruction with its blocks.
func (p *parser) instr() *Instr {
	in := &Instr{}
	number := -1
	if p.tok.text == "%" && p.tok.kind == tokPunct {
		number, in.Name = p.numbered("%")
		p.expect("=")
	}
	name := p.word()
	op, ok := opNamed[name]
	if !ok || op == OpIter {
		p.fail("unknown operation %s", name)
	}
	in.Op = op
	if Ops[op].Value != (number >= 0) {
		p.fail("%s: a value on the left must stand exactly where the operation defines one", name)
	}
	if Ops[op].Value {
		in.Type = p.typ()
	}
	p.operands(in)
	in.NoFuse = p.accept("nofuse")
	in.InBounds = p.accept("inbounds")
	in.NoWrap = p.accept("nowrap")
	if p.accept("unroll") {
		in.Unroll = int(p.int(""))
	}
	if p.accept("spread") {
		in.Spread = int(p.int(""))
	}
	if p.accept("reduce") {
		name, ok := p.word(), false
		if in.Reduce, ok = reductionNamed(name); !ok {
			p.fail("unknown reduction %s", name)
		}
		in.Outs = p.localRefs()
	}
	in.Pos = p.pos()
	if number >= 0 {
		p.define(number, in)
	}
	p.blocks(in)
	return in
}

func (p *parser) define(n int, in *Instr) {
	if p.values[n] != nil {
		p.fail("value %%%d is defined twice", n)
	}
	p.values[n] = in
}

// blocks reads the blocks of an instruction; Range's exists already, with its index.
func (p *parser) blocks(in *Instr) {
	switch in.Op {
	case OpIf:
		in.Blocks = []*Block{p.block(), {}}
		if p.accept("else") {
			in.Blocks[1] = p.block()
		}
	case OpRange:
		p.blockInto(in.Blocks[0])
	case OpLoop:
		in.Blocks = []*Block{p.block(), nil, nil}
		p.expect("do")
		in.Blocks[1] = p.block()
		p.expect("post")
		in.Blocks[2] = p.block()
	default:
		for range Ops[in.Op].Blocks {
			in.Blocks = append(in.Blocks, p.block())
		}
	}
}

// operands reads what stands after the operation and its type.
func (p *parser) operands(in *Instr) {
	switch in.Op {
	case OpConst:
		p.constValue(in)
	case OpParamGet:
		p.access(in)
	case OpExtent:
		in.Sym = p.symbolRef()
	case OpPoint, OpThread, OpBlockIdx, OpThreadIdx, OpGridDim:
		in.Dim = int(p.int(""))
	case OpBreak, OpContinue:
		if p.tok.kind == tokNumber {
			in.Level = int(p.int(""))
		}
	case OpLocalGet:
		in.Local = p.localRef()
	case OpLocalSet:
		in.Local = p.localRef()
		p.expect(",")
		in.Args = p.refs()
	case OpLoad:
		p.access(in)
		in.Args = p.index()
	case OpTableGet:
		in.Table = p.tableRef()
		in.Args = p.index()
	case OpElemGet:
		in.Local = p.localRef()
		in.Args = p.index()
	case OpStore:
		p.access(in)
		in.Args = p.index()
		p.expect(",")
		in.Args = append(in.Args, p.ref())
	case OpElemSet:
		in.Local = p.localRef()
		in.Args = p.index()
		p.expect(",")
		in.Args = append(in.Args, p.ref())
	case OpAtomic:
		p.atomic(in)
	case OpReduce, OpSubReduce:
		name := p.word()
		in.Reduce, _ = reductionNamed(name)
		if in.Reduce == NoReduction {
			p.fail("unknown reduction %s", name)
		}
		in.Args = p.refs()
	case OpRange:
		in.Args = p.refs()
		p.expect("as")
		n, name := p.numbered("%")
		iter := &Instr{Op: OpIter, Name: name, Type: p.typ(), Pos: p.pos()}
		p.define(n, iter)
		in.Blocks = []*Block{{Iter: iter}}
	case OpAssert, OpReport, OpPrint:
		if p.tok.kind == tokString {
			in.Text = p.string()
		} else {
			in.Site = p.siteRef()
		}
		in.Args = p.refs()
	case OpCall:
		p.calls = append(p.calls, call{in, p.tok.text, p.tok.line})
		p.string()
		p.expect("(")
		in.Args = p.refs()
		p.expect(")")
		p.expect("to")
		p.expect("(")
		in.Outs = p.localRefs()
		p.expect(")")
	default:
		in.Args = p.refs()
	}
}

// access reads a parameter and, of a composite one, the number of a leaf with its path.
func (p *parser) access(in *Instr) {
	in.Param = p.paramRef()
	if !p.accept("leaf") {
		return
	}
	in.Leaf = int(p.int(""))
	path := p.string()
	if all := types.Leaves(in.Param.Elem()); in.Leaf >= len(all) || all[in.Leaf].Path != path {
		p.fail("%s has no leaf %d called %q", in.Param.Name, in.Leaf, path)
	}
}

// index reads `[%1, %2]`.
func (p *parser) index() []*Instr {
	p.expect("[")
	args := p.refs()
	p.expect("]")
	return args
}

// refs reads zero or more values.
func (p *parser) refs() []*Instr {
	var args []*Instr
	for p.tok.kind == tokPunct && p.tok.text == "%" {
		args = append(args, p.ref())
		if !p.accept(",") {
			break
		}
	}
	return args
}

func (p *parser) ref() *Instr {
	n, _ := p.numbered("%")
	in := p.values[n]
	if in == nil {
		p.fail("value %%%d is not defined", n)
	}
	return in
}

func (p *parser) localRef() *Local {
	n, _ := p.numbered("$")
	l := p.locals[n]
	if l == nil {
		p.fail("local $%d is not declared", n)
	}
	return l
}

// localRefs reads zero or more locals.
func (p *parser) localRefs() (out []*Local) {
	for p.tok.text == "$" {
		out = append(out, p.localRef())
		if !p.accept(",") {
			break
		}
	}
	return out
}

func (p *parser) symbolRef() *Symbol {
	name := p.word()
	if p.kernel != nil {
		for _, s := range p.kernel.Symbols {
			if s.Name == name {
				return s
			}
		}
	}
	p.fail("unknown symbol %s", name)
	return nil
}

// siteRef reads the number of a site.
func (p *parser) siteRef() *Site {
	n := int(p.int(""))
	if p.kernel == nil || n >= len(p.kernel.Sites) {
		p.fail("site %d is not declared", n)
	}
	return p.kernel.Sites[n]
}

// constValue reads a constant of in's type.
func (p *parser) constValue(in *Instr) {
	k := in.Kind()
	switch {
	case k == types.Invalid:
		p.expect("zero")
	case k == types.Bool:
		in.Bits = BoolBits(p.accept("true"))
		if in.Bits == 0 {
			p.expect("false")
		}
	case k == types.Uint64:
		s := p.take(tokNumber, "a number")
		v, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			p.fail("bad number %s", s)
		}
		in.Bits = v
	case k.IsInteger():
		v := p.signed()
		in.Bits = IntBits(k, v)
		if int64(in.Bits) != v {
			p.fail("%d does not fit in %s", v, k)
		}
	default:
		p.floatValue(in, k)
	}
}

// floatValue reads digits, inf or nan, which may carry its bits.
func (p *parser) floatValue(in *Instr, k types.Kind) {
	sign := ""
	if p.accept("-") {
		sign = "-"
	}
	switch {
	case p.accept("nan"):
		in.Bits = FloatBits(k, math.NaN())
		if p.tok.kind == tokNumber {
			s := p.take(tokNumber, "bits")
			bits, err := strconv.ParseUint(s, 0, k.Bits())
			if err != nil {
				p.fail("bad bits %s", s)
			}
			in.Bits = bits
		}
	case p.accept("inf"):
		v, _ := strconv.ParseFloat(sign+"inf", 64)
		in.Bits = FloatBits(k, v)
	default:
		s := sign + p.take(tokNumber, "a number")
		bits := 32
		if k == types.Float64 {
			bits = 64
		}
		v, err := strconv.ParseFloat(s, bits)
		if err != nil {
			p.fail("%s", fmt.Sprintf("bad %s %s", k, s))
		}
		in.Bits = FloatBits(k, v)
	}
}
