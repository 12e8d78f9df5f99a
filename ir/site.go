package ir

import (
	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
)

// SiteKind says what a site tells the host.
type SiteKind uint8

// The kinds of site.
const (
	SiteBounds SiteKind = iota // an index out of range; index and extent count
	SiteZeroDivisor
	SiteNegativeShift // index is the count
	SiteAssert
	SitePrint
	NumSiteKinds
)

var siteNames = [NumSiteKinds]string{
	SiteBounds: "bounds", SiteZeroDivisor: "zero-divisor", SiteNegativeShift: "negative-shift", SiteAssert: "assert", SitePrint: "print",
}

// String is the name in the text form.
func (k SiteKind) String() string { return siteNames[k] }

// Site is a place of a kernel from which threads tell the host something: a test that failed, or what a `print` prints.
// A device sends the number of the site; the host has the rest.
type Site struct {
	Index int // among the kernel's sites
	Kind  SiteKind
	Pos   diag.Pos
	Name  string       // Bounds: what is indexed
	Dim   int          // Bounds
	Text  string       // Assert: the text; Print: the format
	Args  []types.Kind // Print: of the values
}

// Where is the number of operands that say which thread reports: the point, or the block, a dim each, and in a kernel of
// blocks the number of the thread in its block, the last dim of Group the fastest. A `by block` kernel is one of points.
func (k *Kernel) Where() int {
	if len(k.Group) > 0 && !k.ByBlock {
		return len(k.Domain) + 1
	}
	return len(k.Domain)
}
