package check

import (
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/dsl/types"
)

// TestBuiltins: every scalar builtin of the reference is there and takes every type that it may.
func TestBuiltins(t *testing.T) {
	for _, name := range strings.Fields(`abs min max fmin fmax clamp floor ceil trunc round roundeven sqrt rsqrt exp exp2 log log2 log10
		sin cos tan asin acos atan atan2 sinh cosh tanh pow fma mod hypot erf copysign isnan isinf inf nan pi sign lerp popcount clz ctz
		reverse rotl mulhi ceildiv len select`) {
		if o := universe().lookup(name); o == nil || o.kind != objBuiltin && o.kind != objConst {
			t.Errorf("there is no builtin %s", name)
		}
	}
	for k, as := range map[types.Kind][]types.Kind{
		types.Float16: {types.Uint16, types.Int16}, types.BFloat16: {types.Uint16, types.Int16},
		types.Float32: {types.Uint32, types.Int32}, types.Float64: {types.Uint64, types.Int64},
	} {
		for _, u := range as {
			to, from := spaced("bits", k.String()), spaced("bits", u.String())
			if to == nil || from == nil || to.to != k || from.to != u || !slices.Contains(to.from, u) || !slices.Contains(from.from, k) {
				t.Errorf("bits.%s and bits.%s do not undo each other", k, u)
			}
		}
	}
	ints := []types.Kind{types.Int8, types.Int16, types.Int32, types.Int64, types.Int, types.Uint8, types.Uint16, types.Uint32, types.Uint64}
	floats := []types.Kind{types.Float16, types.BFloat16, types.Float32, types.Float64}
	for i := range builtins {
		bi := &builtins[i]
		if bi.arg == nil {
			continue
		}
		for _, k := range append(append([]types.Kind{types.Bool}, ints...), floats...) {
			want := map[*argKind]bool{
				numArg: k.IsNumeric(), floatArg: k.IsFloat(), fmaArg: k == types.Float32 || k == types.Float64, intArg: k.IsInteger(),
				boolArg: k == types.Bool, anyArg: true,
			}
			if has, listed := want[bi.arg]; listed && bi.arg.has(k) != has {
				t.Errorf("%s of %s: %v", bi.name, k, bi.arg.has(k))
			}
		}
	}
}
