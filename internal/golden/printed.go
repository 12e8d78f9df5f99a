package golden

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gpugen/gpugen/ir/abi"
	"github.com/gpugen/gpugen/ir/interp"
)

// Printed is what a launch prints, as far as the language says in which order: one point or thread after the other, and each
// of them its stretches in their order.
type Printed struct {
	By    [][]Stretch `json:"by"`    // of those that print
	Least int         `json:"least"` // words of the smallest entry in a record
	Most  int         `json:"most"`  // and of the largest
}

// Stretch is what the iterations of one loop of a `by block` kernel print, each in its order, which have none among each
// other; or what is printed outside of such loops, as one iteration. Behind the spreading of loops it is what the threads of
// a block print between two barriers, each in its order.
type Stretch [][]string

// PrintedBy is what an interpreter has printed; nil: nothing.
func PrintedBy(list []interp.Print) *Printed {
	if len(list) == 0 {
		return nil
	}
	p := &Printed{Least: math.MaxInt}
	var turns map[int64]int // of the stretch in work, by their numbers
	for i, e := range list {
		words := abi.EntryValues + 2*e.Values
		p.Least, p.Most = min(p.Least, words), max(p.Most, words)
		other := i == 0 || !slices.Equal(list[i-1].At, e.At)
		if other {
			p.By = append(p.By, nil)
		}
		of := &p.By[len(p.By)-1]
		if other || list[i-1].Loop != e.Loop {
			*of, turns = append(*of, nil), map[int64]int{}
		}
		s := &(*of)[len(*of)-1]
		n, ok := turns[e.Turn]
		if !ok {
			n = len(*s)
			turns[e.Turn] = n
			*s = append(*s, nil)
		}
		(*s)[n] = append((*s)[n], e.Text)
	}
	return p
}

// Text is all that is printed, in the order of the source.
func (p *Printed) Text() string { return strings.Join(p.texts(), "") }

// texts are all prints, in the order of the source.
func (p *Printed) texts() (out []string) {
	if p == nil {
		return nil
	}
	for _, of := range p.By {
		for _, s := range of {
			out = append(out, slices.Concat(s...)...)
		}
	}
	return out
}

// lines reports that each print is one line, so that the text of all is one of each.
func (p *Printed) lines() bool {
	return !slices.ContainsFunc(p.texts(), func(s string) bool { return strings.IndexByte(s, '\n') != len(s)-1 || s == "" })
}

// Admits says what is wrong with what a device has printed, in an order that p allows, into a record with room for so many
// words of entries. Where they did not suffice, which prints are dropped is open, but not how many.
func (p *Printed) Admits(got []string, dropped, room int) error {
	want := p.texts()
	if len(got)+dropped != len(want) {
		return fmt.Errorf("%d prints and %d dropped, want %d: %s", len(got), dropped, len(want), difference(got, want))
	}
	if len(want) == 0 {
		return nil
	}
	if len(got) > room/p.Least || dropped > 0 && len(got) < room/p.Most {
		return fmt.Errorf("%d prints and %d dropped of entries of %d to %d words in a record of %d", len(got), dropped, p.Least, p.Most, room)
	}
	if dropped > 0 {
		return p.admitsPart(got)
	}
	for _, of := range p.By {
		for _, s := range of {
			n := 0
			for _, turn := range s {
				n += len(turn)
			}
			if err := s.admits(got[:n]); err != nil {
				return err
			}
			got = got[n:]
		}
	}
	return nil
}

// admits compares what a stretch prints.
func (s Stretch) admits(got []string) error {
	want := slices.Concat(s...)
	if slices.Equal(got, want) {
		return nil
	}
	if len(s) == 1 || !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
		return fmt.Errorf("the kernel prints %s", difference(got, want))
	}
	for _, turn := range s {
		if missing(got, turn) < len(turn) {
			return fmt.Errorf("the kernel prints %q, in which %q of one iteration or thread have another order", got, turn)
		}
	}
	return nil
}

// admitsPart compares what had room: it is in order, as far as there is one.
func (p *Printed) admitsPart(got []string) error {
	ordered := true
	for _, of := range p.By {
		for _, s := range of {
			ordered = ordered && len(s) == 1
		}
	}
	want := p.texts()
	if !ordered {
		got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	}
	if n := missing(want, got); n < len(got) {
		return fmt.Errorf("the kernel prints %q, which it should not there", got[n])
	}
	return nil
}

// missing is the first of a list that is not found behind the others before it in all; the length of the list if there is
// none.
func missing(all, list []string) int {
	n := 0
	for _, s := range all {
		if n < len(list) && s == list[n] {
			n++
		}
	}
	return n
}

// difference says where two lists differ.
func difference(got, want []string) string {
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			return fmt.Sprintf("%q is missing behind %q", want[i], got[max(0, i-1):i])
		case i >= len(want):
			return fmt.Sprintf("%q is too much behind %q", got[i], want[max(0, i-1):i])
		case got[i] != want[i]:
			return fmt.Sprintf("%q where %q is due, as number %d", got[i], want[i], i+1)
		}
	}
	return "nothing wrong"
}

// streamWords is the room for entries in the record of a stream, which has 1 MiB.
const streamWords = 1<<20/4 - abi.RecordHeaderWords

// tooMany is how a stream says what had no room.
var tooMany = regexp.MustCompile(`gpugen: (\d+) more prints had no room in the buffer of the stream\n$`)

// CheckOutput compares what a program has printed, which ran the case through its wrapper.
func (c *Case) CheckOutput(text string) error {
	if c.Printed == nil {
		if text != c.Prints {
			return fmt.Errorf("the kernel prints %q, want %q", text, c.Prints)
		}
		return nil
	}
	dropped := 0
	if m := tooMany.FindStringSubmatchIndex(text); m != nil {
		n, err := strconv.Atoi(text[m[2]:m[3]])
		if err != nil {
			return err
		}
		text, dropped = text[:m[0]], n
	}
	var got []string
	for line := range strings.Lines(text) {
		got = append(got, line)
	}
	return c.Printed.Admits(got, dropped, streamWords)
}

// CheckTold compares what a kernel of the layout has told in a record with what the case says.
func (c *Case) CheckTold(l abi.Layout, record []byte) error {
	told, err := ReadRecord(l, record)
	if err != nil {
		return err
	}
	switch {
	case c.Printed != nil:
		if err := c.Printed.Admits(told.Entries, int(told.Dropped), recordWords); err != nil {
			return err
		}
	case told.Dropped > 0:
		return fmt.Errorf("%d prints had no room", told.Dropped)
	case strings.Join(told.Entries, "") != c.Prints:
		return fmt.Errorf("the kernel prints %q, want %q", told.Entries, c.Prints)
	}
	switch {
	case c.Finds:
		return c.CheckFirst(told.Failure(l))
	case told.Failed != nil && (c.Fails == nil || !c.Fails.Admits(*told.Failure(l))):
		return fmt.Errorf("the kernel reports %s, want %v", told.Failure(l), c.Fails)
	case told.Failed == nil && c.Fails != nil:
		return fmt.Errorf("the kernel reports nothing, want %v", *c.Fails)
	}
	return nil
}
