package abi_test

import (
	"reflect"
	"testing"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/abi"
)

// kernel reads a kernel without a body.
func kernel(t *testing.T, header string) *ir.Kernel {
	t.Helper()
	m, err := ir.Parse("module p \"p.gpu\"\nkernel K \"K[float32]\" K_float32 {\n" + header + "\nbody {\n}\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	return m.Kernels[0]
}

const mixed = `
	doc "K works."
	generic T float32
	generic Tile = 16
	param flag bool
	param x [n]float32
	param a float64
	param small int8
	param y mut [n, m + 1]float32
	param half uint16
	param count int
	param z mut [m]uint8
	symbol n x 0
	symbol m z 0
	equal y 0 = n
	equal y 1 = m + 1
	requires n % 4 == 0 "n % 4 == 0"
	domain i in 1 : n
	domain j in 0 : m
	inplace x y
	inplace y z
	targets cuda, cpu
`

// TestSlots checks the order, the kinds, the offsets and the buffers of a kernel with everything in it.
func TestSlots(t *testing.T) {
	l := abi.Of(kernel(t, mixed))
	type row struct {
		kind   abi.SlotKind
		name   string
		param  int
		mut    bool
		offset int
		buffer int
	}
	want := []row{
		{abi.Scalar, "flag", 0, false, 0, 0},
		{abi.View, "x", 1, false, 0, 1},
		{abi.Scalar, "a", 2, false, 8, 0},
		{abi.Scalar, "small", 3, false, 16, 0},
		{abi.View, "y", 4, true, 0, 2},
		{abi.Scalar, "half", 5, false, 18, 0},
		{abi.Scalar, "count", 6, false, 24, 0},
		{abi.View, "z", 7, true, 0, 3},
		{abi.Extent, "n", -1, false, 32, 0},
		{abi.Extent, "m", -1, false, 40, 0},
	}
	var got []row
	for _, s := range l.Slots {
		got = append(got, row{s.Kind, s.Name, s.Param, s.Mut, s.Offset, s.Buffer})
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("slots\n%v\nwant\n%v", got, want)
	}
	if l.Consts != 48 {
		t.Errorf("the constant block is %d bytes, want 48", l.Consts)
	}
	if want := [][2]int{{0, 1}, {1, 2}}; !reflect.DeepEqual(l.InPlace, want) {
		t.Errorf("in-place views %v, want %v", l.InPlace, want)
	}
	if want := []abi.Symbol{{Name: "n", Param: 1}, {Name: "m", Param: 7}}; !reflect.DeepEqual(l.Symbols, want) {
		t.Errorf("symbols %v, want %v", l.Symbols, want)
	}
	if l.Name != "K" || l.Instance != "K[float32]" || l.Entry != "K_float32" || len(l.Doc) != 1 || len(l.Generics) != 2 || l.Generics[1].Value != 16 {
		t.Errorf("names %+v", l)
	}
	if l.Targets != types.TargetsOf(types.CUDA, types.CPU) {
		t.Errorf("targets %v", l.Targets)
	}
	if len(l.Equal) != 2 || l.Equal[1].Param != 4 || l.Equal[1].Dim != 1 || l.Equal[1].Want.String() != "m + 1" {
		t.Errorf("equalities %v", l.Equal)
	}
	if len(l.Requires) != 1 || l.Requires[0].Text != "n % 4 == 0" {
		t.Errorf("relations %v", l.Requires)
	}
	if len(l.Domain) != 2 || l.Domain[0].Name != "i" || l.Domain[0].Lo.String() != "1" || l.Domain[1].Hi.String() != "m" {
		t.Errorf("domain %v", l.Domain)
	}
	if l.Block != [3]int{} || l.Per != 0 {
		t.Errorf("a kernel without a schedule has block %v, per %d", l.Block, l.Per)
	}
}

// TestInvariants holds for any order of parameters: natural alignment without overlap, buffers counted from 1, one slot
// a parameter in order.
func TestInvariants(t *testing.T) {
	kinds := []string{"int8", "float64", "bool", "uint16", "int", "float32", "int8"}
	for turn := range kinds {
		header := "param v [n]float32\nparam w [n]int8\nsymbol n v 0\nequal w 0 = n\ndomain i in 0 : n\n"
		params := ""
		for i := range kinds {
			params += "param p" + string(rune('a'+i)) + " " + kinds[(i*3+turn)%len(kinds)] + "\n"
		}
		k := kernel(t, params+header)
		l := abi.Of(k)
		used := map[int]string{}
		buffers := 0
		for i, s := range l.Slots {
			if i < len(k.Params) && (s.Name != k.Params[i].Name || s.Param != i) {
				t.Errorf("slot %d is %s, parameter is %s", i, s.Name, k.Params[i].Name)
			}
			if s.Kind == abi.View {
				if buffers++; s.Buffer != buffers {
					t.Errorf("view %s has buffer %d, want %d", s.Name, s.Buffer, buffers)
				}
				continue
			}
			size := int(types.Size(s.Type))
			if s.Offset%size != 0 {
				t.Errorf("%s of %d bytes at %d", s.Name, size, s.Offset)
			}
			for b := s.Offset; b < s.Offset+size; b++ {
				if used[b] != "" {
					t.Errorf("byte %d belongs to %s and %s", b, used[b], s.Name)
				}
				used[b] = s.Name
				if b >= l.Consts {
					t.Errorf("%s ends after the block of %d bytes", s.Name, l.Consts)
				}
			}
		}
		if l.Consts%8 != 0 || l.Consts > len(used)+7*len(l.Slots) {
			t.Errorf("the block has %d bytes for %d", l.Consts, len(used))
		}
	}
}

// TestViewsAlone has no constant block; a schedule shows.
func TestViewsAlone(t *testing.T) {
	k := kernel(t, "param x [4]float32\ndomain i in 0 : 4\nsched 256 1 1 per 4")
	l := abi.Of(k)
	if l.Consts != 0 {
		t.Errorf("a constant block of %d bytes", l.Consts)
	}
	if l.Block != [3]int{256, 1, 1} || l.Per != 4 {
		t.Errorf("block %v, per %d", l.Block, l.Per)
	}
}

// TestGroup checks what the host must know of a kernel of blocks: exactly its threads, the last dim first, and the bytes
// of its shared locals, each rounded up to what targets align to.
func TestGroup(t *testing.T) {
	const header = `
	param x [n]float32
	symbol n x 0
	domain b in 0 : ceildiv(n, 64)
	group ty in 4
	group tx in 16
	local $0.own [100]float32
	local $1.tile [3, 3]float32 shared
	local $2.flag bool shared
	local $3.wide [2]float64 shared
`
	l := abi.Of(kernel(t, header))
	if !l.Group || l.Block != [3]int{16, 4, 1} || l.Per != 1 {
		t.Errorf("group %v of %v, %d points a thread", l.Group, l.Block, l.Per)
	}
	if l.Shared != 48+16+16 {
		t.Errorf("%d bytes of shared memory, want 80", l.Shared)
	}
	if len(l.Domain) != 1 || l.Domain[0].Hi.String() != "ceildiv(n, 64)" {
		t.Errorf("domain %v", l.Domain)
	}
	if l := abi.Of(kernel(t, mixed)); l.Group || l.Shared != 0 || l.Block != [3]int{} || l.Per != 0 {
		t.Errorf("a kernel of points has group %v, %d bytes shared, block %v, %d points", l.Group, l.Shared, l.Block, l.Per)
	}
	if l := abi.Of(kernel(t, header+"\tsched 16 4 1 per 1\n")); !l.Group || l.Block != [3]int{16, 4, 1} || l.Per != 1 {
		t.Errorf("behind schedule: group %v of %v, %d points a thread", l.Group, l.Block, l.Per)
	}
}
