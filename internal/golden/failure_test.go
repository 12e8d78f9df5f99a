package golden

import (
	"encoding/binary"
	"testing"

	"github.com/gpugen/gpugen/ir/abi"
)

// TestFailuresAreToldApart: each part that a line names decides.
func TestFailuresAreToldApart(t *testing.T) {
	parse := func(text string) *Failure {
		t.Helper()
		l, err := ParseLine("K() -> trap | checked: " + text)
		if err != nil {
			t.Fatal(err)
		}
		if got := l.Checked.String(); got != text {
			t.Errorf("%q reads back as %q", text, got)
		}
		return l.Checked
	}
	for _, full := range []string{"bounds 9:13 index -3 of 7 at 1 2 thread 4 5", "negative-shift 9:13 index -3 at 1 2 thread 4 5", "zero-divisor 9:13 at 1 2", "assert 9:13 at 1"} {
		got := *parse(full)
		for _, c := range []struct {
			want   string
			admits bool
		}{
			{full, true}, {got.Kind + " 9", true}, {got.Kind + " 9:13", true}, {got.Kind + " 8", false}, {got.Kind + " 9:12", false},
			{got.Kind + " 9 at 2 1", false}, {got.Kind + " 9 at 1 2 3", false}, {got.Kind + " 9 at 1 thread 6 5", false}, {"assert 10", false},
			{got.Kind + " 9 index -2", false}, {got.Kind + " 9 index -3 of 8", false},
			{got.Kind + " 9 index -3", got.Index != nil}, {got.Kind + " 9 index -3 of 7", got.Extent != nil},
		} {
			if parse(c.want).Admits(got) != c.admits {
				t.Errorf("%s admits %s: %v", c.want, full, !c.admits)
			}
		}
	}
}

// TestFailureOfARecord reads what a block of 2 x 3 x 4 threads wrote.
func TestFailureOfARecord(t *testing.T) {
	data := NewRecord()
	put := func(word int, v int64) { binary.LittleEndian.PutUint64(data[4*word:], uint64(v)) }
	binary.LittleEndian.PutUint32(data[4*abi.RecordFailed:], 1)
	binary.LittleEndian.PutUint32(data[4*abi.RecordSite:], 1)
	put(abi.RecordIndex, -1<<40)
	put(abi.RecordExtent, 1<<40)
	put(abi.RecordWhere, 7)
	put(abi.RecordWhere+2, 1<<33)
	put(abi.RecordWhere+6, 1*12+2*4+3)
	l := abi.Layout{
		Sites: []abi.Site{{}, {Kind: "bounds", Line: 3, Col: 4}}, Domain: make([]abi.Span, 2), Group: true, Block: [3]int{4, 3, 2}, Threads: 3,
	}
	read := func() string {
		told, err := ReadRecord(l, data)
		if err != nil {
			t.Fatal(err)
		}
		return told.Failure(l).String()
	}
	if got, want := read(), "bounds 3:4 index -1099511627776 of 1099511627776 at 7 8589934592 thread 1 2 3"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	l.ByBlock, l.Sites[1].Kind = true, "negative-shift"
	if got, want := read(), "negative-shift 3:4 index -1099511627776 at 7 8589934592"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	l.ByBlock, l.Block, l.Threads, l.Sites[1].Kind = false, [3]int{32, 1, 1}, 1, "assert"
	if got, want := read(), "assert 3:4 at 7 8589934592 thread 23"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if told, err := ReadRecord(l, NewRecord()); err != nil || told.Failure(l) != nil {
		t.Error(told, err)
	}
}
