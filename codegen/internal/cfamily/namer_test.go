package cfamily

import "testing"

func TestNames(t *testing.T) {
	d := &Dialect{Table: NewTable(), Reserved: Words("half device")}
	d.Table.Calls(0, nil)
	n := newNamer(d)
	for _, c := range []struct{ want, got string }{
		{"x", "x"}, {"x", "x_2"}, {"x", "x_3"}, {"half", "half_"}, {"half", "half__2"}, {"and", "and_"}, {"NAN", "NAN_"},
		{"__global__x", "global__x"}, {"_", "v"}, {"_1", "v1"}, {"__half", "half__3"}, {"gg_div_i32", "gg_div_i32_"}, {"half_", "half__4"},
	} {
		if got := n.declare(c.want); got != c.got {
			t.Errorf("%s becomes %s, want %s", c.want, got, c.got)
		}
	}
	n.push()
	if got := n.declare("x"); got != "x_4" {
		t.Errorf("the inner x is %s: an outer one is visible", got)
	}
	inner := n.declare("y")
	n.pop()
	if got := n.declare("y"); got != inner {
		t.Errorf("the y of a closed scope is still taken: %s", got)
	}
	if got := n.temp(); got != "t1" {
		t.Errorf("temporary %s", got)
	}
}

func TestNamesAreDistinctAndAllowed(t *testing.T) {
	d := &Dialect{Table: NewTable(), Reserved: Words("half")}
	n := newNamer(d)
	seen := map[string]bool{}
	for w := range keywords {
		for _, want := range []string{w, "_" + w, w + "_", w + "_2"} {
			got := n.declare(want)
			if seen[got] || n.reserved[got] || got[0] == '_' {
				t.Errorf("%s becomes %s", want, got)
			}
			seen[got] = true
		}
	}
}

func TestPrelude(t *testing.T) {
	p := ParsePrelude("// The file's comment: gg_nothing().\n\n// One.\nint gg_one() { return 1; }\n\nint gg_two() { return gg_one(); }\r\n\r\nint gg_three() { return 3; }\n")
	if got := p.Select(map[string]bool{"gg_two": true}); len(got) != 2 || got[0] != "// One.\nint gg_one() { return 1; }" || got[1] != "int gg_two() { return gg_one(); }" {
		t.Errorf("%q", got)
	}
	if got := p.Select(map[string]bool{"gg_three": true}); len(got) != 1 {
		t.Errorf("%q", got)
	}
	if p.Has("gg_nothing") || !p.Has("gg_three") {
		t.Error(p.Names())
	}
	for _, bad := range []string{"int gg_a() { return gg_b(); }\n\nint gg_b() { return 1; }", "int gg_a();\n\nint gg_a();"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("accepted: %q", bad)
				}
			}()
			ParsePrelude(bad)
		}()
	}
}

func TestCommentsEndWithTheirLine(t *testing.T) {
	for in, want := range map[string]string{"plain": "plain", `ends in \`: `ends in \.`, "ends in \\ \t": `ends in \.`, "??/": "??/.", "a\nb\rc": "a b c"} {
		if got := comment(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}
