package require

import (
	"fmt"
	"strings"
	"testing"
)

// recorder is a TB that notes how the test would have ended.
type recorder struct{ verdict string }

func (r *recorder) Helper()                        {}
func (r *recorder) Skipf(format string, a ...any)  { r.verdict = "skip: " + fmt.Sprintf(format, a...) }
func (r *recorder) Fatalf(format string, a ...any) { r.verdict = "fail: " + fmt.Sprintf(format, a...) }

func TestTool(t *testing.T) {
	for _, c := range []struct {
		env     string
		present bool
		want    string
	}{
		{"", true, ""},
		{"nvrtc", true, ""},
		{"", false, "skip: nvrtc"},
		{"clang", false, "skip: nvrtc"},
		{"nvrtcx,clang", false, "skip: nvrtc"},
		{"nvrtc", false, "fail: nvrtc"},
		{"clang, nvrtc", false, "fail: nvrtc"},
	} {
		t.Setenv(Env, c.env)
		r := &recorder{}
		Tool(r, "nvrtc", c.present, "run make setup")
		if (c.want == "") != (r.verdict == "") || !strings.HasPrefix(r.verdict, c.want) {
			t.Errorf("%s=%q present=%v: %q, want %q…", Env, c.env, c.present, r.verdict, c.want)
		}
		if r.verdict != "" && !strings.HasSuffix(r.verdict, "run make setup") {
			t.Errorf("%q does not end with the remedy", r.verdict)
		}
	}
}
