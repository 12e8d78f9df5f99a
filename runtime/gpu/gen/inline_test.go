package gen_test

import (
	"errors"
	"github.com/gpugen/gpugen/internal/require"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// What an inner loop calls must inline, or bounds checks would cost a call each.
func TestInlines(t *testing.T) {
	// Generic functions are compiled where they are used: in the tests.
	out, err := exec.Command("go", "test", "-c", "-o", os.DevNull, "-gcflags=-m", ".").CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		require.Tool(t, "go", false, "put the go command into PATH: it is asked what inlines")
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
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
