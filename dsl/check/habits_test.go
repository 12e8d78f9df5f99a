package check

import (
	"strings"
	"testing"
)

// TestHabits: what is written out of the habit of Go or C is one error, and that says how it is written here.
func TestHabits(t *testing.T) {
	for _, c := range []struct{ params, body, code, says string }{
		{"x [h, w]float32", "y[i] = x[i][0]", "index-count", "write `x[i, 0]`"},
		{"x [h, w]float32", "y[i] = x[i+1][i%2]", "index-count", "write `x[i + 1, i % 2]`"},
		{"x [b, h, w]float32", "y[i] = x[i][0][1]", "index-count", "write `x[i, 0, 1]`"},
		{"x [b, h, w]float32", "y[i] = x[i, 0][1]", "index-count", "write `x[i, 0, 1]`"},
		{"x [h][2]float32", "y[i] = x[i][0]", "", ""},
		{"x [h][2, 3]float32", "y[i] = x[i][0]", "index-count", ""},
		{"x [h]float32", "v := [2, 2]float32{{x[0], 1}, {2, 3}}; y[i] = v[1][i%2]", "index-count", "write `v[1, i % 2]`"},
		{"x [h]float32", "y[i] = x[i][0]", "not-indexable", ""},
		{"x [h]float32", "math := x[i]; y[i] = math", "", ""},
		{"x [h]uint8", "y[i] = select(x[i] == 'a', float32(1), 0)", "not-in-language", "write `97`"},
		{"x [h]uint8", `y[i] = select(x[i] == '\n', float32(1), 0)`, "not-in-language", "write `10`"},
		{"x [h]uint8", `y[i] = select(x[i] == '\'', float32(1), 0)`, "not-in-language", "write `39`"},
	} {
		list := diagnose(t, "package p\nkernel K("+c.params+", y mut [n]float32) for i in n { "+c.body+" }\n")
		if c.code == "" {
			if len(list) > 0 {
				t.Errorf("%s: %v", c.body, list)
			}
			continue
		}
		if len(list) != 1 || list[0].Code != c.code || !strings.Contains(list[0].Fix+"\n"+strings.Join(list[0].Notes, "\n"), c.says) {
			t.Errorf("%s: want one %s that says %q, got %v, %+v", c.body, c.code, c.says, list, list)
		}
	}
}
