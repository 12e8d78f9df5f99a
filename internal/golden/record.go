package golden

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/gpugen/gpugen/ir/abi"
	"github.com/gpugen/gpugen/ir/interp"
)

// recordWords is the room for entries in the record of a launch without a runtime.
const recordWords = 1 << 12

// NewRecord is a record in which nothing is told yet; see ir/abi. Bare launches hand it to kernels that report or print.
func NewRecord() []byte {
	data := make([]byte, 4*(abi.RecordHeaderWords+recordWords))
	binary.LittleEndian.PutUint32(data[4*abi.RecordCapacity:], recordWords)
	return data
}

// Told is what a kernel has written into a record.
type Told struct {
	Entries []string // of all prints
	Dropped uint32
	Failed  *abi.Site // of the first test that failed, or nil
	Index   int64
	Extent  int64
	Where   [abi.Wheres]int64
}

// ReadRecord reads what a kernel of the layout has told in one launch: prints in the order of points and threads.
func ReadRecord(l abi.Layout, data []byte) (*Told, error) {
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(data[4*i:]) }
	long := func(i int) int64 { return int64(binary.LittleEndian.Uint64(data[4*i:])) }
	where := func(i int) (at [abi.Wheres]int64) {
		for d := range at {
			at[d] = long(i + 2*d)
		}
		return at
	}
	t := &Told{Dropped: word(abi.RecordDropped)}
	if word(abi.RecordFailed) != 0 {
		site := int(word(abi.RecordSite))
		if site >= len(l.Sites) {
			return nil, fmt.Errorf("golden: %s reports from site %d of %d", l.Instance, site, len(l.Sites))
		}
		t.Failed, t.Index, t.Extent, t.Where = &l.Sites[site], long(abi.RecordIndex), long(abi.RecordExtent), where(abi.RecordWhere)
	}
	type entry struct {
		at   [abi.Wheres]int64
		text string
	}
	var list []entry
	end := abi.RecordHeaderWords + int(min(word(abi.RecordUsed), word(abi.RecordCapacity)))
	for at := abi.RecordHeaderWords; at+abi.EntryValues <= end; {
		n := int(word(at + abi.EntryWords))
		if n == 0 {
			break
		}
		site := int(word(at + abi.EntrySite))
		if site >= len(l.Sites) || l.Sites[site].Kind != "print" || n != abi.EntryValues+2*len(l.Sites[site].Args) || at+n > end {
			return nil, fmt.Errorf("golden: %s: an entry of %d words from site %d", l.Instance, n, site)
		}
		var values []any
		for i, k := range l.Sites[site].Args {
			values = append(values, interp.GoValue(k, uint64(long(at+abi.EntryValues+2*i))))
		}
		list = append(list, entry{where(at + abi.EntryWhere), fmt.Sprintf(l.Sites[site].Text, values...)})
		at += n
	}
	slices.SortStableFunc(list, func(a, b entry) int { return slices.Compare(a.at[:], b.at[:]) })
	for _, e := range list {
		t.Entries = append(t.Entries, e.text)
	}
	return t, nil
}
