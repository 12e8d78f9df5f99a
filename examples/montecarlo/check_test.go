package main

import "testing"

// TestPhilox holds the plain Go that the kernel is checked with against the answers that the authors of Philox publish.
func TestPhilox(t *testing.T) {
	for _, c := range []struct {
		counter [4]uint32
		key     [2]uint32
		want    [4]uint32
	}{
		{want: [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{
			counter: [4]uint32{1<<32 - 1, 1<<32 - 1, 1<<32 - 1, 1<<32 - 1}, key: [2]uint32{1<<32 - 1, 1<<32 - 1},
			want: [4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
		},
		{
			counter: [4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, key: [2]uint32{0xa4093822, 0x299f31d0},
			want: [4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1},
		},
	} {
		if got := philox(c.counter, c.key); got != c.want {
			t.Errorf("philox(%#x, %#x) = %#x, want %#x", c.counter, c.key, got, c.want)
		}
	}
}
