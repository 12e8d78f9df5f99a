package gen

import (
	"math"
	"testing"
)

func TestChoose(t *testing.T) {
	if Select(true, 1, 2) != 1 || Select(false, 1, 2) != 2 {
		t.Error("Select")
	}
	nan, nz := math.NaN(), math.Copysign(0, -1)
	for _, c := range [][4]float64{{nan, 1, nan, nan}, {1, nan, nan, nan}, {nz, 0, nz, 0}, {0, nz, nz, 0}, {-3, 2, -3, 2}} {
		if !same(Min(c[0], c[1]), c[2]) || !same(Max(c[0], c[1]), c[3]) {
			t.Errorf("%v: %v %v", c, Min(c[0], c[1]), Max(c[0], c[1]))
		}
	}
	if Min(uint64(1), math.MaxUint64) != 1 || Max(int8(-128), 127) != 127 {
		t.Error("integers")
	}
}
