package main

import (
	"fmt"
	"math"
)

// bound is how far a price may be from that in float64, as a part of spot + strike, between which a price is a weighted
// difference. In units of 2^-24, the error of a rounding: half of erf's error is 8 where erf is worst (16 places, OpenCL), the
// sums and products around it are 3, exp has 3, and the last products and their difference 2. An error of d1 is no more than its
// last rounding, about half a unit of a weight: an error of the logarithm or its quotient shifts d1 and d2 alike, and there the
// price is flat: the density at d1 times spot is that at d2 times the strike of today.
const bound = 17 * 0x1p-24

// compare prices everything in float64.
func (b *book) compare() error {
	worst := 0.0
	for i := range b.spot {
		spot, strike := float64(b.spot[i]), float64(b.strike[i])
		call, put := price(spot, strike, float64(b.years[i]))
		for _, p := range []struct {
			name      string
			got, want float64
		}{{"call", float64(b.call[i]), call}, {"put", float64(b.put[i]), put}} {
			d := math.Abs(p.got-p.want) / (spot + strike)
			if !(d <= bound) {
				return fmt.Errorf("%s %d costs %v, plain Go says %v", p.name, i, p.got, p.want)
			}
			worst = max(worst, d)
		}
	}
	fmt.Printf("prices equal plain Go in float64 to %.2g of spot and strike, %.2g is allowed\n", worst, bound)
	return nil
}

// price is the formula. The kernel gets its market in float32.
func price(spot, strike, years float64) (call, put float64) {
	r, v := float64(float32(rate)), float64(float32(volatility))
	cnd := func(d float64) float64 { return 0.5 * math.Erfc(-d/math.Sqrt2) }
	d1 := (math.Log(spot/strike) + (r+v*v/2)*years) / (v * math.Sqrt(years))
	d2 := d1 - v*math.Sqrt(years)
	today := strike * math.Exp(-r*years)
	return spot*cnd(d1) - today*cnd(d2), today*cnd(-d2) - spot*cnd(-d1)
}
