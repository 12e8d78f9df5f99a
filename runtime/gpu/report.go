package gpu

import (
	"math"
	"sync/atomic"
	"unsafe"
)

// What follows is for generated code: how a kernel on the CPU tells the host something while it runs.

// The words of a record, 32 bits each, as the preludes of the devices write them; values of 64 bits are two words, the low
// one first. The failure is that of the thread that made the first word 1. Entries follow the header, one a print.
const (
	wordFailed   = 0
	wordUsed     = 1 // words of the entries, those without room counted
	wordDropped  = 2 // entries without room
	wordCapacity = 3 // words for entries
	wordSite     = 4
	wordLaunch   = 6
	wordIndex    = 8
	wordExtent   = 10
	wordWhere    = 12
	headerWords  = 24

	entryWords  = 0
	entrySite   = 1
	entryLaunch = 2
	entryWhere  = 4
	entryValues = 12

	wheres = 4 // values that say where: three dims of the point or block, then the thread
)

// SiteKind says what a site tells.
type SiteKind uint8

// The kinds of site.
const (
	SiteBounds SiteKind = iota
	SiteZeroDivisor
	SiteNegativeShift
	SiteAssert
	SitePrint
)

// Site is a place of a kernel from which threads tell the host something.
type Site struct {
	Kind      SiteKind
	File      string
	Line, Col int
	Param     string   // SiteBounds: what is indexed
	Dim       int      // SiteBounds
	Text      string   // SiteAssert: the text; SitePrint: the format
	Args      []string // SitePrint: the types of the values, "int32"
}

// Recorder is the record of the stream that a kernel runs in.
type Recorder struct {
	words  []uint32
	launch uint64
}

// Record is the record in slot of a CPU kernel's arguments; what tells the launch is in the slot behind it.
func Record(a *Args, slot int) Recorder {
	base := (*uint32)(a.Elems(slot, headerWords, 4))
	header := unsafe.Slice(base, headerWords)
	return Recorder{unsafe.Slice(base, headerWords+int(header[wordCapacity])), Arg[uint64](a, slot+1)}
}

// At is where a point, or a block, reports from.
func (r Recorder) At(point ...int) Place {
	p := Place{r: r}
	for d, i := range point {
		p.where[d] = uint64(i)
	}
	return p
}

// Place is a thread that has something to tell.
type Place struct {
	r     Recorder
	where [wheres]uint64
}

// Thread is the thread of that number in the block.
func (p Place) Thread(n int) Place {
	p.where[wheres-1] = uint64(n)
	return p
}

// Report keeps a failure, unless there is one.
func (p Place) Report(site, index, extent int) {
	w := p.r.words
	if !atomic.CompareAndSwapUint32(&w[wordFailed], 0, 1) {
		return
	}
	w[wordSite] = uint32(site)
	put(w[wordLaunch:], p.r.launch)
	put(w[wordIndex:], uint64(index))
	put(w[wordExtent:], uint64(extent))
	p.put(w[wordWhere:])
}

// Print appends an entry, or counts it where there is no room.
func (p Place) Print(site int, values ...uint64) {
	w := p.r.words
	n := uint32(entryValues + 2*len(values))
	capacity := w[wordCapacity]
	at := atomic.LoadUint32(&w[wordUsed])
	if at < capacity { // else nothing is added, so that the count cannot wrap
		at = atomic.AddUint32(&w[wordUsed], n) - n
	}
	if at >= capacity || capacity-at < n {
		atomic.AddUint32(&w[wordDropped], 1)
		return
	}
	e := w[headerWords+at:][:n]
	e[entryWords], e[entrySite] = n, uint32(site)
	put(e[entryLaunch:], p.r.launch)
	p.put(e[entryWhere:])
	for i, v := range values {
		put(e[entryValues+2*i:], v)
	}
}

func (p Place) put(w []uint32) {
	for i, v := range p.where {
		put(w[2*i:], v)
	}
}

func put(w []uint32, v uint64) { w[0], w[1] = uint32(v), uint32(v>>32) }

func word64(w []uint32) uint64 { return uint64(w[0]) | uint64(w[1])<<32 }

// Bits is a scalar as an entry has it: integers extended by their sign, floats by their bits.
func Bits[T any](v T) uint64 {
	switch v := any(v).(type) {
	case bool:
		if v {
			return 1
		}
		return 0
	case int8:
		return uint64(v)
	case int16:
		return uint64(v)
	case int32:
		return uint64(v)
	case int64:
		return uint64(v)
	case int:
		return uint64(v)
	case uint8:
		return uint64(v)
	case uint16:
		return uint64(v)
	case uint32:
		return uint64(v)
	case uint64:
		return v
	case float32:
		return uint64(math.Float32bits(v))
	case float64:
		return math.Float64bits(v)
	}
	return 0
}

// value is the scalar of a type by its bits.
func value(typ string, bits uint64) any {
	switch typ {
	case "bool":
		return bits != 0
	case "int8":
		return int8(bits)
	case "int16":
		return int16(bits)
	case "int32":
		return int32(bits)
	case "int64":
		return int64(bits)
	case "int":
		return int(bits)
	case "uint8":
		return uint8(bits)
	case "uint16":
		return uint16(bits)
	case "uint32":
		return uint32(bits)
	case "float32":
		return math.Float32frombits(uint32(bits))
	case "float64":
		return math.Float64frombits(bits)
	}
	return bits
}
