package golden

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/abi"
	"github.com/gpugen/gpugen/ir/interp"
)

// Format is the version of the case file.
const Format = 1

// Cases is a file of launches for a machine that has a device and no compiler: every launch is spelled out down to the
// bytes of its arguments, beside the bytes that the interpreter left under the target's own rules of fusing.
type Cases struct {
	Format int    `json:"format"`
	Target string `json:"target"`
	Cases  []Case `json:"cases"`
}

// Case is one launch.
type Case struct {
	Archive  string    `json:"archive"`
	Line     int       `json:"line"`
	Text     string    `json:"text"`
	Module   string    `json:"module"` // stem of the artifact: "saxpy" for saxpy.ptx
	Instance string    `json:"instance"`
	Entry    string    `json:"entry"`
	Wide     bool      `json:"wide,omitempty"`
	Grid     [3]uint32 `json:"grid"` // all 0: an empty domain, nothing is launched
	Block    [3]uint32 `json:"block"`
	Error    string    `json:"error,omitempty"`   // the wrapper refuses the call with this type of error
	Trap     bool      `json:"trap,omitempty"`    // an index is out of range: for the CPU alone
	Finding  string    `json:"finding,omitempty"` // what the interpreter finds in the kernel: for no target
	Prints   string    `json:"prints,omitempty"`  // what the kernel prints
	Printed  *Printed  `json:"printed,omitempty"` // the same of a line that does not say it; each print is a line
	Fails    *Failure  `json:"fails,omitempty"`   // a test of this kernel fails, which is of a checked build
	Checked  *Failure  `json:"checked,omitempty"` // a test of the kernel in a checked build fails
	Finds    bool      `json:"finds,omitempty"`   // one of Firsts is reported, if there are some; of a checked build
	Firsts   []Failure `json:"firsts,omitempty"`  // of each point or thread that fails
	Consts   int       `json:"consts,omitempty"`  // bytes of Metal's constant block
	Slots    []Slot    `json:"slots"`
}

// Slot is one argument, in the order of abi.Layout.
type Slot struct {
	Kind   string  `json:"kind"` // view, scalar, extent, record, launch
	Name   string  `json:"name"`
	Elem   string  `json:"elem"`            // of the elements, of the scalar; int for an extent
	Size   int64   `json:"size,omitempty"`  // bytes of a composite element
	Parts  []Part  `json:"parts,omitempty"` // its scalars
	Dims   []int64 `json:"dims,omitempty"`
	Mut    bool    `json:"mut,omitempty"`
	Data   []byte  `json:"data"`            // memory before the launch, or the value, little-endian
	After  []byte  `json:"after,omitempty"` // memory after it; absent when it must not change
	ULP    int     `json:"ulp,omitempty"`
	Share  *Share  `json:"share,omitempty"`
	Offset int     `json:"offset,omitempty"` // in Metal's constant block
	Buffer int     `json:"buffer,omitempty"` // Metal's buffer index
}

// Part is a scalar of a composite element.
type Part struct {
	Kind   string `json:"kind"`
	Offset int64  `json:"offset"`
	Text   string `json:"text"` // ".pos.x"
}

// Share says that a view is a part of the memory of another slot.
type Share struct {
	Slot   int   `json:"slot"`
	Offset int64 `json:"offset"` // in bytes
}

var slotKinds = [...]string{abi.View: "view", abi.Scalar: "scalar", abi.Extent: "extent", abi.Record: "record", abi.Launch: "launch"}

// Key names the case in its file.
func (c *Case) Key() string { return fmt.Sprintf("%s:%d:%s", c.Archive, c.Line, c.Instance) }

// Launches reports that a launcher of bare entries can run the case: no error is expected, and a grid is known.
func (c *Case) Launches() bool { return c.Error == "" && !c.Trap && c.Finding == "" && c.Block[0] > 0 }

// NewCase spells out the launch of a line. The expected memory comes from oracle, the kernel as pass.Oracle leaves it
// for the target. device is the scheduled kernel of the entry to launch; nil for cases that are only replayed through
// wrappers. It does not look for races and other orders, as Run does.
func NewCase(target types.Target, archive, module string, l *RunLine, oracle, device *ir.Kernel) (*Case, error) {
	fused := target != types.CPU
	before, err := l.Bind(abi.Of(oracle))
	if err != nil {
		return nil, err
	}
	after, err := runOnce(oracle, l, fused)
	if err != nil {
		return nil, err
	}
	o, lay := l.Expect(fused), before.Layout
	c := &Case{Archive: archive, Line: l.Number, Text: l.Text, Module: module, Instance: lay.Instance, Entry: oracle.Entry, Consts: lay.Consts, Error: o.Error, Trap: o.Trap, Finding: o.Finding, Prints: o.Prints, Fails: o.Fails, Checked: l.Checked}
	c.Finds, c.Firsts = o.Finds, after.Firsts
	if o.Tells {
		if c.Printed = after.Printed; !c.Printed.lines() {
			return nil, fmt.Errorf("golden: %s: a print that is no line, so that the line must say what is printed", l.Text)
		}
	}
	extents := make([]int64, len(oracle.Symbols))
	if o.Error == "" {
		launch, err := interp.Bind(oracle, before.Args)
		if err != nil {
			return nil, err
		}
		extents = launch.Extents
		if err := c.geometry(device, before.Args); err != nil {
			return nil, err
		}
	}
	for _, s := range lay.Slots {
		out := Slot{Kind: slotKinds[s.Kind], Name: s.Name, Mut: s.Mut, Offset: s.Offset, Buffer: s.Buffer}
		switch s.Kind {
		case abi.Extent:
			out.Elem, out.Data = types.Int.String(), scalarBytes(types.Int, uint64(extents[0]))
			extents = extents[1:]
		case abi.Record:
			out.Elem, out.Data = types.Uint32.String(), NewRecord()
		case abi.Launch:
			out.Elem, out.Data = types.Uint64.String(), scalarBytes(types.Uint64, 1)
		case abi.Scalar:
			out.Elem = s.Type.String()
			if b := before.Args[s.Param].Buffer; b != nil {
				out.Data = b.Data
			} else {
				out.Data = scalarBytes(s.Type.(types.Kind), before.Args[s.Param].Bits)
			}
		case abi.View:
			b := before.Args[s.Param].Buffer
			out.Elem, out.Dims, out.ULP, out.Data = b.Elem.String(), b.Dims, o.Tolerance(s.Name), b.Data
			out.compose(b.Elem)
			out.Share = sharing(c.Slots, l.Args[s.Param], b)
			if left := after.Args[s.Param].Buffer.Data; s.Mut || !bytes.Equal(left, b.Data) { // a read view may share memory with a mut one
				out.After = left
			}
		}
		c.Slots = append(c.Slots, out)
	}
	return c, nil
}

func (c *Case) geometry(device *ir.Kernel, args []interp.Arg) error {
	if device == nil {
		return nil
	}
	grid, err := interp.Grid(device, args)
	if err != nil {
		return err
	}
	c.Entry, c.Wide = device.Entry, device.Wide
	for d := range 3 {
		if grid[d] > 1<<31-1 {
			return fmt.Errorf("golden: %s: a grid of %v", c.Text, grid)
		}
		c.Grid[d], c.Block[d] = uint32(grid[d]), uint32(device.Sched.Block[d])
	}
	return nil
}

// sharing finds the earlier slot whose memory an argument `&x` uses.
func sharing(earlier []Slot, a Argument, b *interp.Buffer) *Share {
	i := slices.IndexFunc(earlier, func(s Slot) bool { return a.Same != "" && s.Name == a.Same && s.Kind == "view" })
	if i < 0 {
		return nil
	}
	row := types.Size(b.Elem)
	for _, d := range b.Dims[1:] {
		row *= d
	}
	return &Share{Slot: i, Offset: a.Lo * row}
}

func scalarBytes(k types.Kind, bits uint64) []byte {
	b := &interp.Buffer{Elem: k, Dims: []int64{1}, Data: make([]byte, k.Size())}
	b.Set(0, bits)
	return b.Data
}

// Check compares the memory of a view after a launch with what it must hold.
func (s Slot) Check(got []byte) error {
	want := s.After
	if want == nil {
		want = s.Data
	}
	parts, size := s.Parts, s.Size
	if parts == nil {
		k := types.Basics()[s.Elem]
		parts, size = []Part{{Kind: s.Elem}}, int64(k.Size())
	}
	if len(got) != len(want) {
		return fmt.Errorf("%s: %d bytes, want %d", s.Name, len(got), len(want))
	}
	c := comparison{dims: s.Dims, n: int64(len(want)) / max(size, 1), ulp: s.ULP}
	for _, p := range parts {
		k, ok := types.Basics()[p.Kind]
		if !ok {
			return fmt.Errorf("golden: elements of type %q", p.Kind)
		}
		at := func(d []byte) func(int64) []byte {
			return func(i int64) []byte { return d[i*size+p.Offset:][:k.Size()] }
		}
		c.scalars = append(c.scalars, compared{k, p.Text, at(got), at(want)})
	}
	if err := c.run(); err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	return nil
}

// compose notes the layout of composite elements.
func (s *Slot) compose(elem types.Type) {
	if types.KindOf(elem) != types.Invalid {
		return
	}
	s.Size = types.Size(elem)
	for _, p := range types.Scalars(elem) {
		s.Parts = append(s.Parts, Part{p.Kind.String(), p.Offset, p.Text})
	}
}

// Write writes the file; the same cases give the same bytes.
func (c *Cases) Write(w io.Writer) error {
	c.Format = Format
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if err := e.Encode(c); err != nil {
		return fmt.Errorf("golden: write cases: %w", err)
	}
	return nil
}

// ReadCases reads what Write wrote.
func ReadCases(r io.Reader) (*Cases, error) {
	var c Cases
	if err := json.NewDecoder(r).Decode(&c); err != nil {
		return nil, fmt.Errorf("golden: read cases: %w", err)
	}
	if c.Format != Format {
		return nil, fmt.Errorf("golden: case file of format %d, want %d", c.Format, Format)
	}
	return &c, nil
}
