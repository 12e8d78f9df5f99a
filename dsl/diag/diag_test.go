package diag_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/dsl/diag"
)

func at(line, col, offset int) diag.Pos {
	return diag.Pos{File: "a.gpu", Offset: offset, Line: line, Col: col}
}

type unknown struct{ pos diag.Pos }

func (e unknown) Diagnose(d *diag.Diagnostic) {
	d.Code, d.Pos, d.End, d.Message = "undefined", e.pos, e.pos.Advance(2), "undefined: `zz`"
	d.Label(at(1, 1, 0), at(1, 4, 3), "the function")
	d.Note("names are looked up in the folder")
	d.Fix = "`z`"
}

var sources = diag.Sources{"a.gpu": []byte("\ufefffunc f()\r\n\tx := 世界 + zz\r\nend")}

func list() diag.List {
	var l diag.List
	l.Report(unknown{at(2, 12, 30)})
	l.Add(&diag.Diagnostic{Code: "unused", Severity: diag.SeverityWarning, Pos: at(2, 2, 13), Message: "`x` is not used"})
	l.Report(unknown{at(2, 12, 30)})
	l.Add(&diag.Diagnostic{Code: "late", Severity: diag.SeverityNote, Pos: at(3, 4, 50), End: at(9, 1, 99), Message: "at the end"})
	l.Add(&diag.Diagnostic{Code: "no-place", Message: "nothing to compile"})
	return l.Dedupe()
}

func TestText(t *testing.T) {
	var b strings.Builder
	if err := diag.Text(&b, list(), sources); err != nil {
		t.Fatal(err)
	}
	want := "error: nothing to compile [no-place]\n" +
		"a.gpu:2:2: warning: `x` is not used [unused]\n 2 | \tx := 世界 + zz\n   | \t^\n" +
		"a.gpu:2:12: error: undefined: `zz` [undefined]\n 2 | \tx := 世界 + zz\n   | \t            ^~\n" +
		"a.gpu:1:1: note: the function\n 1 | func f()\n   | ^~~\n" +
		"note: names are looked up in the folder\nfix: `z`\n" +
		"a.gpu:3:4: note: at the end [late]\n 3 | end\n   |    ^\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestTextWithoutSource(t *testing.T) {
	var b strings.Builder
	l := diag.List{{Code: "c", Pos: at(7, 3, 0), Message: "m"}, {Code: "c", Pos: diag.Pos{File: "b.gpu", Line: 1, Col: 1}, Message: "m"}}
	if err := diag.Text(&b, l, sources); err != nil {
		t.Fatal(err)
	}
	if want := "a.gpu:7:3: error: m [c]\nb.gpu:1:1: error: m [c]\n"; b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
}

func TestJSON(t *testing.T) {
	var b strings.Builder
	if err := diag.JSON(&b, list()); err != nil {
		t.Fatal(err)
	}
	var got []map[string]any
	if err := json.Unmarshal([]byte(b.String()), &got); err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	if len(got) != 4 {
		t.Fatalf("%d diagnostics", len(got))
	}
	line := strings.Split(b.String(), "\n")[3]
	want := "{\"code\":\"undefined\",\"severity\":\"error\",\"file\":\"a.gpu\",\"line\":2,\"column\":12,\"offset\":30,\"endLine\":2,\"endColumn\":14,\"endOffset\":32,\"message\":\"undefined: `zz`\"," +
		"\"labels\":[{\"file\":\"a.gpu\",\"line\":1,\"column\":1,\"offset\":0,\"endLine\":1,\"endColumn\":4,\"endOffset\":3,\"message\":\"the function\"}],\"notes\":[\"names are looked up in the folder\"],\"fix\":\"`z`\"},"
	if line != want {
		t.Errorf("got\n%s\nwant\n%s", line, want)
	}
	b.Reset()
	if err := diag.JSON(&b, nil); err != nil || b.String() != "[]\n" {
		t.Errorf("an empty list is %q, %v", b.String(), err)
	}
}

func TestGitHub(t *testing.T) {
	var b strings.Builder
	l := list()
	l.Add(&diag.Diagnostic{Code: "odd", Pos: diag.Pos{File: "a,b:c%.gpu", Line: 1, Col: 2}, Message: "100%\r\nsure: a, b"})
	if err := diag.GitHub(&b, l); err != nil {
		t.Fatal(err)
	}
	want := "::error title=no-place::nothing to compile\n" +
		"::warning file=a.gpu,line=2,col=2,title=unused::`x` is not used\n" +
		"::error file=a.gpu,line=2,col=12,endLine=2,endColumn=13,title=undefined::undefined: `zz`%0Aa.gpu:1:1: the function%0Anote: names are looked up in the folder%0Afix: `z`\n" +
		"::notice file=a.gpu,line=3,col=4,title=late::at the end\n" +
		"::error file=a%2Cb%3Ac%25.gpu,line=1,col=2,title=odd::100%25%0D%0Asure: a, b\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestList(t *testing.T) {
	l := list()
	if !l.HasErrors() || l[1:2].HasErrors() || diag.List(nil).HasErrors() {
		t.Error("HasErrors")
	}
	if l[1:2].Err() != nil {
		t.Error("a warning is no error")
	}
	var got diag.List
	if err := l.Err(); !errors.As(err, &got) || len(got) != 4 || !strings.HasPrefix(err.Error(), "error: nothing to compile [no-place]\na.gpu:2:2: warning") {
		t.Errorf("%v", l.Err())
	}
	var order []string
	for _, d := range l {
		order = append(order, d.Code)
	}
	if s := strings.Join(order, " "); s != "no-place unused undefined late" {
		t.Errorf("order %s", s)
	}
}

type refusing struct{}

func (refusing) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestWriteErrors(t *testing.T) {
	if diag.Text(refusing{}, list(), nil) == nil || diag.JSON(refusing{}, list()) == nil || diag.GitHub(refusing{}, list()) == nil {
		t.Error("a write error is lost")
	}
}

func TestPos(t *testing.T) {
	for want, p := range map[string]diag.Pos{
		"-": {}, "a": {File: "a"}, "a:1:2": {File: "a", Line: 1, Col: 2}, "3:4": {Line: 3, Col: 4},
	} {
		if p.String() != want || p.IsValid() != strings.Contains(want, ":") {
			t.Errorf("%+v is %s", p, p)
		}
	}
	if (diag.Pos{}).Advance(3) != (diag.Pos{}) || at(1, 2, 3).Advance(4) != at(1, 6, 7) {
		t.Error("Advance")
	}
}
