package gen

import (
	"fmt"
	"unsafe"
)

// Site is a place in a .gpu file where a view or an array is indexed.
type Site struct {
	File      string
	Line, Col int
	Param     string // what is indexed
	Dim       int    // which of its dimensions
}

// Trap is what a CPU kernel panics with when an index is out of range.
type Trap struct {
	Site          *Site
	Index, Extent int
}

func (t *Trap) Error() string {
	if t.Site == nil {
		return fmt.Sprintf("index %d out of range of %d", t.Index, t.Extent)
	}
	return fmt.Sprintf("%s:%d:%d: index %d out of range: dimension %d of %s has %d",
		t.Site.File, t.Site.Line, t.Site.Col, t.Index, t.Site.Dim, t.Site.Param, t.Extent)
}

// At is i, checked to lie in an extent of n. The panic stands here, so that the compiler knows i < n behind it and drops
// its own check of a slice of n.
func At(i, n int, site *Site) int {
	if uint(i) >= uint(n) {
		panic(trap(i, n, site))
	}
	return i
}

//go:noinline
func trap(i, n int, site *Site) *Trap { return &Trap{site, i, n} }

// Bool reads a bool that a device may have written: any byte but 0 is true, which Go's own load does not promise.
func Bool(p *bool) bool { return *(*byte)(unsafe.Pointer(p)) != 0 }
