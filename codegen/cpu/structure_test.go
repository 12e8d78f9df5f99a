package cpu

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/interp"
)

// TestProgram compiles, vets and runs kernels in one program and compares what they leave with the interpreter: those of
// the goldens, every operation on every kind, and kernels of random structure.
func TestProgram(t *testing.T) {
	p := newProgram(t)
	goldens(t, p)
	everyOperation(t, p)
	randomKernels(t, p)
	p.run()
}

func goldens(t *testing.T, p *program) {
	for path, a := range archives(t) {
		m := parse(t, a)
		dir := strings.TrimSuffix(filepath.Base(path), ".txtar")
		m.Package = dir
		declared := strings.Fields(string(section(a, "declared")))
		p.add(dir, m, namesOf(m, declared...))
		if own := section(a, "own.go"); own != nil {
			p.write(dir+"/own.go", string(own))
		}
		for _, k := range m.Kernels {
			sizes := []map[string]int64{{}, {"*": 37}, {"*": 1}}
			if strings.Contains(string(section(a, "sizes")), "large") {
				sizes = append(sizes, map[string]int64{"*": 300})
			}
			if len(k.Group) > 0 {
				sizes = append(sizes, map[string]int64{"*": 0}, map[string]int64{"*": 16})
			}
			for seed, size := range sizes {
				p.launch(dir, k, randomArgs(k, size, uint64(seed))...)
			}
		}
	}
}

// randomArgs makes arguments of the extents in size; without an entry an extent is 5, with "*" that.
func randomArgs(k *ir.Kernel, size map[string]int64, seed uint64) []interp.Arg {
	r := rand.New(rand.NewPCG(seed, 7))
	env := map[string]int64{}
	for i, s := range k.Symbols {
		env[s.Name] = 5 + int64(i)
		if n, ok := size["*"]; ok {
			env[s.Name] = n + int64(i)
		}
	}
	var args []interp.Arg
	for _, p := range k.Params {
		if !p.IsView() {
			bits := uint64(r.IntN(20))
			if kind := p.Type.(types.Kind); kind.IsFloat() {
				bits = ir.FloatBits(kind, r.Float64()*4-2)
			} else if kind == types.Int {
				env[p.Name] = int64(bits)
			}
			args = append(args, interp.Scalar(bits))
			continue
		}
		args = append(args, interp.Arg{})
	}
	for i, p := range k.Params {
		if !p.IsView() {
			continue
		}
		dims := make([]int64, len(p.Dims))
		for d, h := range p.Dims {
			dims[d] = eval(h, env)
		}
		b := interp.NewBuffer(p.Elem(), dims...)
		for e := range b.Len() {
			switch kind := types.KindOf(p.Elem()); {
			case kind.IsFloat():
				b.Set(e, ir.FloatBits(kind, r.NormFloat64()))
			case kind == types.Bool:
				b.Set(e, uint64(r.IntN(2)))
			default:
				b.Set(e, ir.IntBits(kind, int64(r.IntN(60)-10)))
			}
		}
		args[i] = interp.View(b)
	}
	return args
}

func eval(h *types.Header, env map[string]int64) int64 {
	switch h.Op {
	case types.HConst:
		return h.Val
	case types.HSym:
		return env[h.Name]
	case types.HAdd:
		return eval(h.X, env) + eval(h.Y, env)
	case types.HSub:
		return eval(h.X, env) - eval(h.Y, env)
	case types.HMul:
		return eval(h.X, env) * eval(h.Y, env)
	case types.HCeilDiv:
		return (eval(h.X, env) + eval(h.Y, env) - 1) / eval(h.Y, env)
	}
	panic("eval: " + h.String())
}
