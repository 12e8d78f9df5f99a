package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/dsl"
	"github.com/gpugen/gpugen/dsl/types"
)

func TestGroup(t *testing.T) {
	p := program(t, `package p
const W = 8
kernel K[N = 2|4](x mut [n]float32) blocks by, bx in 1:n, ceildiv(n, N) threads tz, ty, tx in W, N, 3 {
	shared s, r [W, N]float32
	shared flag bool
	s[0, 0], r[0, 0] = 1, 2
	flag = tx == tz
	if flag { x[by+bx] = s[0, 0] + r[ty, 0] }
}`)
	for i, n := range []int64{2, 4} {
		k := p.Kernels[i]
		var got []string
		for d, x := range k.Domain {
			got = append(got, fmt.Sprintf("%s %s:%s", x.Name, x.Lo, x.Hi))
			if x.Var.Kind != PointVar || x.Var.Index != d || x.Var.Type != types.Int {
				t.Errorf("block index %+v", x.Var)
			}
		}
		for d, x := range k.Group {
			got = append(got, fmt.Sprintf("%s %d", x.Name, x.N))
			if x.Var.Kind != ThreadVar || x.Var.Index != d || x.Var.Type != types.Int || x.Pos.Line != 3 {
				t.Errorf("thread index %+v", x.Var)
			}
		}
		if want := []string{"by 1:n", fmt.Sprintf("bx 0:ceildiv(n, %d)", n), "tz 8", fmt.Sprintf("ty %d", n), "tx 3"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		if k.Threads != 0 {
			t.Errorf("%d threads by attribute", k.Threads)
		}
		for id, v := range k.Body.Defs {
			shared := map[string]string{"s": fmt.Sprintf("[8, %d]float32", n), "r": fmt.Sprintf("[8, %d]float32", n), "flag": "bool"}[id.Name]
			if (v.Kind == SharedVar) != (shared != "") {
				t.Errorf("%s has kind %d", id.Name, v.Kind)
			}
			if shared != "" && (v.Type.String() != shared || !v.Assigned) {
				t.Errorf("%s is %s, assigned: %v", id.Name, v.Type, v.Assigned)
			}
		}
		for id, v := range k.Body.Uses {
			if id.Name == "ty" && v != k.Group[1].Var || id.Name == "bx" && v != k.Domain[1].Var {
				t.Errorf("%s is %+v", id.Name, v)
			}
		}
	}
}

// TestBranches: every branch has its target, in case B19 and through labels.
func TestBranches(t *testing.T) {
	p := program(t, `package p
kernel B19(o mut [n]int32) for g in n {
	s := int32(0)
	for i := int32(0); i < 6; i++ {
		switch i % 3 {
		case 0:
			continue
		case 1:
			if i >= 0 {
				break
			}
			s += 100
			fallthrough
		default:
			s += 10
		}
		s += 1
	}
outer:
	for range 3 {
		for range 2 {
			if s > 1 {
				continue outer
			}
			break
		}
	pick:
		switch {
		default:
			for {
				break pick
			}
		}
	blk:
		{
			for j in n {
				for o[j] > 0 {
					continue
				}
			}
			if s > 2 {
				break blk
			}
			break outer
		}
	}
	o[g] = s
}`)
	var got []string
	for s, target := range p.Kernels[0].Body.Branches {
		line := 0
		if target != nil {
			line = target.Pos().Line
		}
		got = append(got, fmt.Sprintf("%02d %s %T %d", s.Pos().Line, s.Word, target, line))
	}
	slices.Sort(got)
	want := []string{
		"07 continue *dsl.ForStmt 4", "10 break *dsl.SwitchStmt 5", "13 fallthrough <nil> 0",
		"23 continue *dsl.ForRangeStmt 20", "25 break *dsl.ForRangeStmt 21", "31 break *dsl.SwitchStmt 28",
		"38 continue *dsl.ForStmt 37", "42 break *dsl.Block 35", "44 break *dsl.ForRangeStmt 20",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestSwitchFacts: cases have the type of the tag.
func TestSwitchFacts(t *testing.T) {
	p := program(t, `package p
const Limit = 200
kernel K(x mut [n]uint8, s int) for i in n {
	switch x[i] {
	case Limit, 7 - 4:
		x[i] = 1
	case 1 << s:
	}
	switch i < 3 {
	case s > 2, 1 == 2:
	}
}`)
	b := p.Kernels[0].Body
	for s, want := range map[string]types.Kind{
		"Limit": types.Uint8, "7 - 4": types.Uint8, "1 << s": types.Uint8, "i < 3": types.Bool, "s > 2": types.Bool, "1 == 2": types.Bool,
	} {
		if v := valueOf(t, b, s); v.Type != want {
			t.Errorf("%s is %s, want %s", s, v.Type, want)
		}
	}
	if v := valueOf(t, b, "7 - 4"); v.Const == nil || v.Const.ExactString() != "3" {
		t.Errorf("the case is %v", v.Const)
	}
}

// TestComprehensionFacts: types of comprehensions and their elements, untyped ones included, and their indexes.
func TestComprehensionFacts(t *testing.T) {
	p := program(t, `package p
kernel K(x [n]float32, y mut [n]float32, z mut [n]int64, u mut [n]uint8, b mut [n]bool) for i in n {
	y[i] = sum(x[j] for j in n)
	y[i] = max(2 for q in 3)
	z[i] = sum(select(x[j] > 0, 1, 0) for j in n) + z[0]
	u[i] = u[0] * prod(1 << j for j in n)
	b[i] = any(isnan(x[j]) for j in n) || all(true for j in 1:n)
	z[i] += int64(argmin(x[j] for j in n)) + int64(argmax(7.5 for j in n))
	a := sum(3 for j in n)
	c := sum(sum(0.5 for e in d) for d in 4)
	y[i] += float32(a) + c
}`)
	b := p.Kernels[0].Body
	for s, want := range map[string]types.Kind{
		"sum(x[j] for j in n)": types.Float32, "max(2 for q in 3)": types.Float32, "2": types.Float32,
		"sum(select(x[j] > 0, 1, 0) for j in n)": types.Int64, "select(x[j] > 0, 1, 0)": types.Int64,
		"prod(1 << j for j in n)": types.Uint8, "1 << j": types.Uint8,
		"any(isnan(x[j]) for j in n)": types.Bool, "all(true for j in 1:n)": types.Bool, "true": types.Bool,
		"argmin(x[j] for j in n)": types.Int, "argmax(7.5 for j in n)": types.Int, "7.5": types.Float32,
		"sum(3 for j in n)": types.Int, "a": types.Int, "c": types.Float32, "sum(0.5 for e in d)": types.Float32, "0.5": types.Float32, "d": types.Int,
	} {
		if v := valueOf(t, b, s); v.Type != want {
			t.Errorf("%s is %s, want %s", s, v.Type, want)
		}
	}
	calls := 0
	for e, c := range b.Calls {
		if e.Comp == nil {
			continue
		}
		calls++
		if c.Kind != BuiltinCall || c.Builtin != text(e.Fun) || b.Values[e].Const != nil {
			t.Errorf("%s calls %+v", text(e), c)
		}
		for _, id := range e.Comp.Vars {
			if v := b.Defs[id]; v == nil || v.Kind != IterVar || v.Type != types.Int {
				t.Errorf("index %s of %s is %+v", id.Name, text(e), v)
			}
		}
	}
	if calls != 11 {
		t.Errorf("%d comprehensions", calls)
	}
}

// TestUses: each name that a body's expressions refer to is in Uses, has a constant value, or names what is called.
func TestUses(t *testing.T) {
	p := program(t, readFile(t, "testdata/good.gpu"))
	for _, k := range p.Kernels {
		labels := map[*dsl.Ident]bool{}
		dsl.Walk(k.Decl.Body, func(n dsl.Node) bool {
			switch n := n.(type) {
			case *dsl.LabeledStmt:
				labels[n.Label] = true
			case *dsl.BranchStmt:
				if _, ok := k.Body.Branches[n]; !ok {
					t.Errorf("%s: branch at %s has no target", k.Instance, n.Pos())
				}
				if n.Label != nil {
					labels[n.Label] = true
				}
			case *dsl.CallExpr:
				if id, ok := n.Fun.(*dsl.Ident); ok {
					labels[id] = true
				}
				return k.Body.Values[n].Const == nil
			case *dsl.SelectorExpr, *dsl.ArrayType, *dsl.SharedStmt, *dsl.VarStmt:
				return false
			case *dsl.IndexExpr:
				if id, ok := n.X.(*dsl.Ident); ok && k.Body.Uses[id] == nil {
					labels[id] = true // an instance of a function
				}
			case *dsl.BinaryExpr:
				return k.Body.Values[n].Const == nil
			case *dsl.Ident:
				if k.Body.Uses[n] == nil && k.Body.Defs[n] == nil && k.Body.Values[n].Const == nil && !labels[n] && k.Body.Types[n] == nil {
					t.Errorf("%s: nothing is known of `%s` at %s", k.Instance, n.Name, n.Pos())
				}
			}
			return true
		})
	}
}

// TestBlockCarets: the place of an error is the token that is meant, and its labels are where the text says.
func TestBlockCarets(t *testing.T) {
	const head = "package p\nfunc meet() { barrier() }\nkernel K(x mut [n]int32) "
	for _, c := range []struct{ body, code, marked, labelled string }{
		{"blocks b in n threads t in 2048 { x[b] = 0 }", "threads", "2048", ""},
		{"blocks b in n threads t, u, v in 2, 32, 32 { x[b] = 0 }", "threads", "2, 32, 32", ""},
		{"blocks b in n threads t in 0:32 { x[b] = 0 }", "threads", "0:32", ""},
		{"blocks b in n threads t in n+1 { x[b] = 0 }", "not-constant", "n+1", ""},
		{"blocks b in n threads t in 8 { shared q [9000]int32; q[t] = 1; x[b] = q[t] }", "shared-limit", "q", ""},
		{"blocks b in n threads t in 8 { shared q [9]int; q[t] = 1 }", "shared-type", "int", ""},
		{"for i in n { x[i] = 0; barrier() }", "barrier", "barrier()", ""},
		{"for i in n { x[i] = 0; meet() }", "barrier", "meet", "barrier()"},
		{"for i in n { switch x[i] { case 1, 2: x[0] = 1; case 0x2: x[0] = 2 } }", "duplicate-case", "0x2", "2"},
		{"for i in n { switch x[i] { default: x[0] = 1; default: x[1] = 1 } }", "duplicate-case", "default", "default"},
		{"for i in n { a: for range 2 { break a }; for range 2 { x[i]++; break a } }", "label", "a", "a"},
		{"for i in n { a: for range 2 { x[i]++ } }", "unused-label", "a", ""},
		{"for i in n { a: for range 2 { break b; break a } }", "unknown-label", "b", ""},
		{"for i in n { x[i] = argmax(x[j] for j in n) }", "wrong-type", "argmax(x[j] for j in n)", ""},
		{"for i in n { x[i] = abs(x[j] for j in n) }", "comprehension", "abs", ""},
		{"for i in n { x[i] = sum(x[i]) }", "comprehension", "sum(x[i])", ""},
		{"for i in n { a: for range 3 { for j in n { x[j] = 0; continue a } } }", "unordered-loop", "continue", "for"},
	} {
		src := head + c.body + "\n"
		list := diagnose(t, src)
		if len(list) != 1 || list[0].Code != c.code {
			t.Errorf("%s: %v", c.body, list)
			continue
		}
		if got := src[list[0].Pos.Offset:list[0].End.Offset]; got != c.marked {
			t.Errorf("%s: %q is marked, want %q", c.body, got, c.marked)
		}
		label := ""
		if len(list[0].Labels) > 0 {
			label = src[list[0].Labels[0].Pos.Offset:list[0].Labels[0].End.Offset]
		}
		if label != c.labelled {
			t.Errorf("%s: the label stands at %q, want %q", c.body, label, c.labelled)
		}
	}
}

// TestSharedTargets: an instance that is too large for a target is left out there; the error proposes the targets that
// have room.
func TestSharedTargets(t *testing.T) {
	src := func(n int) string {
		return fmt.Sprintf("package p\nkernel K[N = 64|%d](x mut [n]float32) blocks b in n threads t in 32 {\n\tshared s [N]float32\n\ts[t] = 1\n\tx[b] = s[t]\n}\n", n)
	}
	p := program(t, src(10000))
	if p.Kernels[0].Targets != defaultTargets || p.Kernels[1].Targets != types.TargetsOf(types.CUDA, types.CPU) {
		t.Errorf("targets %s and %s", p.Kernels[0].Targets, p.Kernels[1].Targets)
	}
	list := diagnose(t, strings.ReplaceAll(src(10000), "64|", ""))
	if len(list) != 1 || !strings.Contains(list[0].Fix, "@targets(cuda, cpu)") || !strings.Contains(list[0].Message, "takes 40000 bytes of shared memory: metal has 32768") {
		t.Errorf("%v fix %q", list, list[0].Fix)
	}
}
