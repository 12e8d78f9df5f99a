package opencl

import (
	"slices"
	"testing"
)

func TestMapped(t *testing.T) {
	source := "#pragma\n\nvoid A() { // a.gpu:4\n\tx = y; // a.gpu:5\n\tz = y;\n}\n"
	for log, want := range map[string]string{
		"error: /tmp/8:1/tempfile_O8.cl:4:9: no y\nDevice failed": "a.gpu:5: error: /tmp/8:1/tempfile_O8.cl:4:9: no y\nDevice failed",
		"<stdin>:5:9: error: no y":                                "a.gpu:5: <stdin>:5:9: error: no y",
		"3:4:9: error: no y":                                      "a.gpu:5: 3:4:9: error: no y",
		"3:4:9: fatal error: no y":                                "a.gpu:5: 3:4:9: fatal error: no y",
		"3:9: error: no y":                                        "a.gpu:4: 3:9: error: no y",
		"kernel.cl(4): error: no y":                               "a.gpu:5: kernel.cl(4): error: no y",
		"<stdin>:4:9: warning: no y":                              "<stdin>:4:9: warning: no y",
		"<stdin>:1:9: error: nothing above":                       "<stdin>:1:9: error: nothing above",
		"<stdin>:99:9: error: beyond the end":                     "<stdin>:99:9: error: beyond the end",
		"error: out of luck":                                      "error: out of luck",
		"":                                                        "",
	} {
		if got := mapped(log, source); got != want {
			t.Errorf("%q gives %q, want %q", log, got, want)
		}
	}
}

func TestConditions(t *testing.T) {
	source := "#ifdef cl_khr_fp64\n#endif\nvoid A(int x) {\n#ifdef cl_khr_fp16\n#endif\n}\n#ifdef cl_khr_fp64\n" +
		"#if defined(cl_khr_b) && defined(cl_khr_a)\n// C(\nvoid B(int x) {}\n#endif\n#endif\n"
	for entry, want := range map[string][]string{"A": nil, "B": {"cl_khr_a", "cl_khr_b", "cl_khr_fp64"}, "D": nil} {
		if got := conditions(source, entry); !slices.Equal(got, want) {
			t.Errorf("%s: %q", entry, got)
		}
	}
}
