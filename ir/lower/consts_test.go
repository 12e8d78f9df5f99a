package lower

import (
	"go/constant"
	"go/token"
	"go/types"
	"testing"
)

// TestExactFloat spells untyped constants as Go: nothing is lost, and what has a short decimal is written as one.
func TestExactFloat(t *testing.T) {
	for in, want := range map[string]string{
		"0.1": "0.1", "2.0": "2.0", "-0.25": "-0.25", "1e-40": "1e-40", "1e400": "1e+400", "-1.5e300 * 1e300": "-1.5e+600",
		"3.14159265358979323846264338327950288": "3.14159265358979323846264338327950288", "314.159265358979323846264338": "314.159265358979323846264338",
		"0.0314159265358979323846264338": "3.14159265358979323846264338e-02",
		"1.0 / 3":                        "1.0 / 3", "-7.0 / 11": "-7.0 / 11", "0x1p-1074": "0x1p-1074", "1.0 / 3e50": "", "1e5000": "1e+5000", "1e-5000": "1e-5000", "0.1 * 0.1": "0.01",
		"0.0": "0.0",
	} {
		v := eval(t, in)
		got := exactFloat(constant.ToFloat(v))
		if want != "" && got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
		if back := eval(t, got); back.Kind() != constant.Float && !constant.Compare(back, token.EQL, v) || !constant.Compare(constant.ToFloat(back), token.EQL, constant.ToFloat(v)) {
			t.Errorf("%s: %s is another number", in, got)
		}
	}
}

// eval is the value of an expression as Go has it.
func eval(t *testing.T, expr string) constant.Value {
	tv, err := types.Eval(token.NewFileSet(), nil, token.NoPos, expr)
	if err != nil {
		t.Fatal(err)
	}
	if tv.Type != types.Typ[types.UntypedFloat] {
		t.Errorf("%s is of type %v", expr, tv.Type)
	}
	return tv.Value
}
