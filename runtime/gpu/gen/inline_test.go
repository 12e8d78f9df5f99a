package gen_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// What an inner loop calls must inline, or bounds checks would cost a call each.
func TestInlines(t *testing.T) {
	// Generic functions are compiled where they are used: in the tests.
	out, err := exec.Command("go", "test", "-c", "-o", os.DevNull, "-gcflags=-m", ".").CombinedOutput()
	if err != nil {
		t.Skipf("no go command to ask: %v\n%s", err, out)
	}
	for _, f := range []string{
		"At", "Bool", "Select", "Min", "Max", "Div", "Rem", "Shl", "Shr", "Abs", "Fmin", "Fmax", "Fabs", "Floor", "Ceil", "Trunc",
		"RoundEven", "Sqrt", "Rsqrt", "Copysign", "IsNaN", "IsInf", "Sign", "Lerp", "Popcount", "Clz", "Ctz",
		"Rotl", "ToInt8", "ToInt16", "ToInt32", "ToInt64", "ToUint8", "ToUint16", "ToUint32", "ToUint64", "FMA64",
		"Exp", "Sin", "CeilDiv", "ModInt", "FromFloat16", "ToBFloat16", "FromBFloat16",
	} {
		if !strings.Contains(string(out), "can inline "+f+"\n") && !strings.Contains(string(out), "can inline "+f+"[") {
			t.Errorf("%s does not inline", f)
		}
	}
}
