package types

import (
	"slices"
	"testing"
)

// TestCapabilities: no cell has two answers, no operation is without a row, and what other code relies on holds.
func TestCapabilities(t *testing.T) {
	for o := range NumOperations {
		if o.String() == "" || !slices.ContainsFunc(capabilities, func(c capability) bool { return c.op == o }) {
			t.Errorf("operation %d, %q, has no name or no row", o, o)
		}
		for k := Bool; k < NumKinds; k++ {
			n := 0
			for _, c := range capabilities {
				if c.op == o && slices.Contains(c.kinds, k) {
					n++
				}
			}
			if n > 1 || n == 1 && k.IsUntyped() {
				t.Errorf("%s of %s has %d rows", o, k, n)
			}
			if n == 0 {
				continue
			}
			for _, target := range AllTargets.List() {
				got, value := Has(target, o, k), Has(target, Arithmetic, k)
				if (value == Impossible || value == Optional) && got != value {
					t.Errorf("%s of %s on %s is %s, and its values are %s", o, k, target, got, value)
				}
			}
		}
	}
	for k := Bool; k <= Float64; k++ {
		if !InLanguage(Arithmetic, k) {
			t.Errorf("no target has %s", k)
		}
		// The checker asks for one atomic operation of a kind.
		for name, o := range Atomics {
			for _, target := range AllTargets.List() {
				if InLanguage(o, k) && (Has(target, o, k) == Impossible) != (Has(target, AtomicLoad, k) == Impossible) {
					t.Errorf("atomic %s of %s on %s is not like the others", name, k, target)
				}
			}
		}
	}
	if got := Where(Arithmetic, Float64, Native); got != TargetsOf(CUDA, CPU) {
		t.Errorf("float64 is native on %s", got)
	}
}
