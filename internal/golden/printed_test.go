package golden

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/ir/interp"
)

// TestPrintedBy gathers prints by point, stretch and iteration.
func TestPrintedBy(t *testing.T) {
	e := func(text string, values int, at, loop, turn int64) interp.Print {
		return interp.Print{Text: text, Values: values, At: []int64{at}, Loop: loop, Turn: turn}
	}
	p := PrintedBy([]interp.Print{
		e("a", 1, 0, 0, 0), e("b", 0, 0, 0, 0), e("c", 3, 0, 1, 1), e("d", 1, 0, 1, 2), e("e", 1, 0, 1, 1), e("f", 1, 0, 2, 1), e("g", 1, 0, 0, 0), e("h", 1, 4, 0, 0),
	})
	if got, want := fmt.Sprint(p.By), "[[[[a b]] [[c e] [d]] [[f]] [[g]]] [[[h]]]]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if p.Least != 12 || p.Most != 18 {
		t.Errorf("entries of %d to %d words", p.Least, p.Most)
	}
	if PrintedBy(nil) != nil || PrintedBy(nil).Text() != "" {
		t.Error("nothing is printed, and something stands there")
	}
}

// TestAdmits holds what devices may print against what they may not.
func TestAdmits(t *testing.T) {
	ordered := &Printed{By: [][]Stretch{{{{"a", "b"}}}, {{{"c"}}}}, Least: 12, Most: 14}
	looped := &Printed{By: [][]Stretch{{{{"("}}, {{"1", "1"}, {"2", "two"}}, {{")"}}}, {{{"("}}}}, Least: 12, Most: 12}
	for _, c := range []struct {
		p       *Printed
		got     string
		dropped int
		room    int
		want    string // of the error; empty: it is admitted
	}{
		{nil, "", 0, 100, ""},
		{nil, "a", 0, 100, "1 prints and 0 dropped, want 0"},
		{nil, "", 1, 100, "0 prints and 1 dropped, want 0"},
		{ordered, "a b c", 0, math.MaxInt, ""},
		{ordered, "a b c", 0, 36, ""},
		{ordered, "b a c", 0, 100, `"b" where "a" is due, as number 1`},
		{ordered, "a b", 0, 100, `"c" is missing behind ["b"]`},
		{ordered, "a b c d", 0, 100, `"d" is too much`},
		{ordered, "a c b", 0, 100, `where "b" is due`},
		{ordered, "a b c", 0, 35, "of entries of 12 to 14 words in a record of 35"},
		{ordered, "a b", 1, 29, ""},
		{ordered, "a c", 1, 29, ""},
		{ordered, "c a", 1, 29, `"a", which it should not there`},
		{ordered, "a", 2, 29, "in a record of 29"}, // there was room for two
		{ordered, "a x", 1, 29, `"x", which it should not there`},
		{looped, "( 1 1 2 two ) (", 0, 100, ""},
		{looped, "( 2 1 two 1 ) (", 0, 100, ""},
		{looped, "( two 1 2 1 ) (", 0, 100, `["2" "two"] of one iteration`},
		{looped, "( 1 2 2 two ) (", 0, 100, `"2" where "1" is due`},
		{looped, "1 ( 1 2 two ) (", 0, 100, `"1" where "(" is due`},
		{looped, "( 1 1 2 ) two (", 0, 100, `")" where "two" is due`},
		{looped, "( 2 two 1", 3, 48, ""},
		{looped, "( 3 two 1", 3, 48, "which it should not there"},
		{looped, "1 1 1 (", 3, 48, "which it should not there"},
	} {
		err := c.p.Admits(strings.Fields(c.got), c.dropped, c.room)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q with %d dropped of room for %d gives %v, want %q", c.got, c.dropped, c.room, err, c.want)
		}
	}
}

// TestCheckOutput reads what a program prints.
func TestCheckOutput(t *testing.T) {
	p := &Printed{By: [][]Stretch{{{{"a\n", "b\n"}}}}, Least: 12, Most: 12}
	many := &Printed{By: [][]Stretch{{make(Stretch, 1)}}, Least: 14, Most: 14}
	for range 20000 {
		many.By[0][0][0] = append(many.By[0][0][0], "x\n")
	}
	full := strings.Repeat("x\n", streamWords/14)
	lost := fmt.Sprintf("gpugen: %d more prints had no room in the buffer of the stream\n", 20000-streamWords/14)
	for _, c := range []struct {
		c    Case
		text string
		ok   bool
	}{
		{Case{}, "", true},
		{Case{}, "a\n", false},
		{Case{Prints: "a b"}, "a b", true},
		{Case{Prints: "a b"}, "a c", false},
		{Case{Printed: p}, "a\nb\n", true},
		{Case{Printed: p}, "a\n", false},
		{Case{Printed: p}, "a\nb", false},
		{Case{Printed: p}, "a\ngpugen: 1 more prints had no room in the buffer of the stream\n", false}, // there was room
		{Case{Printed: many}, full + lost, true},
		{Case{Printed: many}, full, false},
		{Case{Printed: many}, full + "x\n" + lost, false},
	} {
		if err := c.c.CheckOutput(c.text); (err == nil) != c.ok {
			t.Errorf("%.40q: %v", c.text, err)
		}
	}
	for _, text := range []string{"a", "", "a\nb", "a\nb\n", "\na"} {
		if (&Printed{By: [][]Stretch{{{{"x\n", text}}}}}).lines() {
			t.Errorf("%q is a line", text)
		}
	}
	if !p.lines() {
		t.Error("lines are none")
	}
}
