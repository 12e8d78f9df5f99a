package pass

import (
	"slices"

	"github.com/gpugen/gpugen/ir"
)

// A device cannot hold texts and positions: it sends the number of a place, the values, and which thread it is. The
// thread is told by the point of the domain, in a kernel of blocks by the block and the number of the thread in it, so
// that the host says the same whatever the schedule of a target makes of them.
var sites = Pass{
	Name: "sites",
	Doc:  "number the places that tell the host something, and let each say where it stands",
	Run: func(k *ir.Kernel) {
		s := &siter{kernel: k}
		splice(k.Body, s.instr)
	},
}

// siter fills the table of sites of one kernel.
type siter struct{ kernel *ir.Kernel }

// instr gives a Print or a Report its site and what says where.
func (s *siter) instr(in *ir.Instr) []*ir.Instr {
	if in.Op != ir.OpPrint && in.Op != ir.OpReport || in.Site != nil {
		return []*ir.Instr{in}
	}
	site := ir.Site{Kind: ir.SiteAssert, Pos: in.Pos, Text: in.Text}
	if in.Op == ir.OpPrint {
		site.Kind = ir.SitePrint
		for _, a := range in.Args {
			site.Args = append(site.Args, a.Kind())
		}
	}
	w := ir.Builder{Block: &ir.Block{}, Pos: in.Pos}
	in.Site, in.Text = s.site(site), ""
	in.Args = append(slices.Clip(in.Args), s.where(w)...)
	return append(w.Block.Instrs, in)
}

// site is the entry of the table for a place. Copies of one, by inlining or by passes, share it.
func (s *siter) site(want ir.Site) *ir.Site {
	for _, old := range s.kernel.Sites {
		if want.Index = old.Index; old.Kind == want.Kind && old.Pos == want.Pos && old.Name == want.Name && old.Dim == want.Dim && old.Text == want.Text && slices.Equal(old.Args, want.Args) {
			return old
		}
	}
	want.Index = len(s.kernel.Sites)
	s.kernel.Sites = append(s.kernel.Sites, &want)
	return &want
}

// where appends the values that say which thread this is; see ir.Kernel.Where.
func (s *siter) where(w ir.Builder) (out []*ir.Instr) {
	k := s.kernel
	for d := range k.Domain {
		out = append(out, w.Point(d))
	}
	if k.Where() == len(out) {
		return out
	}
	thread := w.Thread(0)
	for d := 1; d < len(k.Group); d++ {
		thread = exact(w.Bin(ir.OpAdd, exact(w.Bin(ir.OpMul, thread, w.Int(k.Group[d].N))), w.Thread(d)))
	}
	return append(out, thread)
}

// report appends a Report at a site.
func (s *siter) report(w ir.Builder, site ir.Site, index, extent *ir.Instr) {
	site.Pos = w.Pos
	at := s.where(w)
	in := w.New(ir.OpReport, nil, append([]*ir.Instr{index, extent}, at...)...)
	in.Site = s.site(site)
}
