package interp

import (
	little "encoding/binary"

	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
)

var le = little.LittleEndian

// loader reads element i of kind k as register bits; any bool but 0 is true.
func loader(k types.Kind) func(data []byte, i int64) uint64 {
	switch k {
	case types.Bool:
		return func(d []byte, i int64) uint64 { return b2u(d[i] != 0) }
	case types.Int8:
		return func(d []byte, i int64) uint64 { return uint64(int8(d[i])) }
	case types.Uint8:
		return func(d []byte, i int64) uint64 { return uint64(d[i]) }
	case types.Int16:
		return func(d []byte, i int64) uint64 { return uint64(int16(le.Uint16(d[2*i:]))) }
	case types.Uint16, types.Float16, types.BFloat16:
		return func(d []byte, i int64) uint64 { return uint64(le.Uint16(d[2*i:])) }
	case types.Int32:
		return func(d []byte, i int64) uint64 { return uint64(int32(le.Uint32(d[4*i:]))) }
	case types.Uint32, types.Float32:
		return func(d []byte, i int64) uint64 { return uint64(le.Uint32(d[4*i:])) }
	}
	return func(d []byte, i int64) uint64 { return le.Uint64(d[8*i:]) }
}

func storer(k types.Kind) func(data []byte, i int64, v uint64) {
	switch k.Size() {
	case 1:
		if k == types.Bool {
			return func(d []byte, i int64, v uint64) { d[i] = byte(b2u(v != 0)) }
		}
		return func(d []byte, i int64, v uint64) { d[i] = byte(v) }
	case 2:
		return func(d []byte, i int64, v uint64) { le.PutUint16(d[2*i:], uint16(v)) }
	case 4:
		return func(d []byte, i int64, v uint64) { le.PutUint32(d[4*i:], uint32(v)) }
	}
	return func(d []byte, i int64, v uint64) { le.PutUint64(d[8*i:], v) }
}

// dimsOf are the dims that an access of a parameter indexes: those of the view, then those of the leaf.
func (m *machine) dimsOf(in *ir.Instr) []int64 {
	dims := m.args[in.Param.Index].Buffer.Dims
	return append(dims[:len(dims):len(dims)], in.Param.Leaf(in.Leaf).Dims...)
}

// placeOf gives the byte at which a leaf lies, by the number of its place: elements of size bytes, and in each the leaf's
// own dims, in row-major order.
func placeOf(leaf *types.Leaf, size int64) func(i int64) int64 {
	offset := leaf.Offset
	if len(leaf.Dims) == 0 {
		return func(i int64) int64 { return offset + i*size }
	}
	dims, strides := leaf.Dims, leaf.Strides
	return func(i int64) int64 {
		at := offset
		for d := len(dims) - 1; d >= 0; d-- {
			at += i % dims[d] * strides[d]
			i /= dims[d]
		}
		return at + i*size
	}
}

// declared is where the view, local or table is declared that in is about.
func declared(in *ir.Instr) diag.Pos {
	switch {
	case in.Param != nil:
		return in.Param.Pos
	case in.Local != nil:
		return in.Local.Pos
	}
	return in.Table.Pos
}

// index computes the place of an element from index registers; it notes an index out of range and then reports false.
func (m *machine) index(in *ir.Instr, name string, dims []int64, regs []int) func(r []uint64) (int64, bool) {
	note := func(d int, i int64) (int64, bool) {
		if in.InBounds {
			m.broken(in)
		}
		at := d
		if in.Param != nil {
			name, at = in.Indexed(d)
		}
		m.note(in, Finding{Kind: Bounds, Name: name, Dim: at, Index: i, Extent: dims[d], Other: declared(in)})
		return 0, false
	}
	switch len(regs) {
	case 0:
		return func([]uint64) (int64, bool) { return 0, true }
	case 1:
		reg, n := regs[0], dims[0]
		return func(r []uint64) (int64, bool) {
			if i := r[reg]; i < uint64(n) {
				return int64(i), true
			}
			return note(0, int64(r[reg]))
		}
	}
	return func(r []uint64) (int64, bool) {
		at := int64(0)
		for d, reg := range regs {
			i := r[reg]
			if i >= uint64(dims[d]) {
				return note(d, int64(i))
			}
			at = at*dims[d] + int64(i)
		}
		return at, true
	}
}
