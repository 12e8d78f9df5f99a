package kernelgen

import (
	"strings"
	"testing"
)

// TestShrink shrinks towards a call of mulhi that is stored: the least source has one statement, two parameters fewer
// and no function.
func TestShrink(t *testing.T) {
	const source = `package p

func helper(x int32) (int32, bool) {
	if x > 3 {
		return x, true
	}
	return -x, false
}

kernel K(unused float32, a [n]int32, o mut [n]int32, k int32) for i in n {
	x, ok := helper(a[i])
	s := int32(0)
	for q := 0; q < 3; q++ {
		if ok && q > 1 {
			s += int32(q)
		} else {
			o[i] = mulhi(a[i]*k, x+s) + int32(i)
		}
	}
	_ = s
}
`
	tests := 0
	got, run := Shrink(source, "K(1.5, [1 2], fill(2, 0), 7) -> oracle", func(source, run string) bool {
		tests++
		return strings.Contains(source, "o[i] = ") && strings.Contains(source, "mulhi(") && strings.Contains(source, "a[i]")
	})
	const want = `package p

kernel K(a [n]int32, o mut [n]int32)
	for i in n {
	o[i] = mulhi(a[i], 0)
}
`
	if got != want || run != "K([1 2], fill(2, 0)) -> oracle" {
		t.Errorf("after %d tests:\n%s%s", tests, got, run)
	}
}

func TestDropArg(t *testing.T) {
	for n, want := range []string{"K[int32]([1, 2], rand(1, [2,3], 0, 1)) -> oracle", "K[int32](5, rand(1, [2,3], 0, 1)) -> oracle", "K[int32](5, [1, 2]) -> oracle", "K[int32](5, [1, 2], rand(1, [2,3], 0, 1)) -> oracle"} {
		if got := dropArg("K[int32](5, [1, 2], rand(1, [2,3], 0, 1)) -> oracle", n); got != want {
			t.Errorf("without argument %d: %s, want %s", n, got, want)
		}
	}
	if got := dropArg("K(5) -> oracle", 0); got != "K() -> oracle" {
		t.Error(got)
	}
}

// TestShrinkBlocks shrinks towards a barrier between a write and a read of shared memory in a case of a switch: what is
// round it goes, and what does not belong to it.
func TestShrinkBlocks(t *testing.T) {
	const source = `package p

kernel K(a [g, 4]int32, o mut [g, 4]int32, rounds int)
	blocks b, c in g, 1
	threads t, u in 4, 1 {
	shared s, idle [4]int32
	shared top int32
outer:
	for r := range rounds {
		switch v := a[b, 0]; {
		case v > 3, v < -3:
			s[t] = sum(a[b, j] for j, k in 4, 1:2)
			barrier()
			o[b, t] = s[3-t]
			barrier()
			if r == 2 {
				continue outer
			}
			fallthrough
		default:
			idle[t] = int32(c + u)
		}
	}
}
`
	got, run := Shrink(source, "K([[1 2 3 4]], fill([1,4], 0), 2) -> oracle", func(source, run string) bool {
		at := strings.Index(source, "barrier()")
		return at > 0 && strings.Contains(source[:at], "s[t] = sum(") && strings.Contains(source[at:], "= s[3 - t]")
	})
	const want = `package p

kernel K(o mut [g, 4]int32)
	blocks b in g
	threads t in 4 {
	shared s, _ [4]int32
	s[t] = sum(1 for j in 4)
	barrier()
	o[b, t] = s[3 - t]
}
`
	if got != want || run != "K(fill([1,4], 0)) -> oracle" {
		t.Errorf("%s%s", got, run)
	}
}

// TestShrinkRandom shrinks random kernels to those that hold one construct, and asks that the results still compile.
func TestShrinkRandom(t *testing.T) {
	seed := uint64(0)
	for _, word := range []string{"lerp(", "select(", "break", "<<", "return", "for range", "switch ", "fallthrough", "outer:", "sum(", "argmin(", "shared ", "barrier()", "threads ", "block.Min(", "subgroup.Shuffle", "atomic.Add(", "atomic.CompareExchange(", " by block", "rand.Philox(", "assert("} {
		var k *Kernel
		source := ""
		for !strings.Contains(source, word) {
			seed++
			k = New(seed, Options{Blocks: seed%3 == 0, Rows: seed%3 == 1})
			source = File("p", k)
		}
		got, _ := Shrink(source, k.Runs[0], func(source, run string) bool { return strings.Contains(source, word) })
		if !strings.Contains(got, word) || strings.Count(got, "\n") > 16 {
			t.Errorf("seed %d for %q:\n%s", seed, word, got)
		}
	}
}

// TestShrinkValues shrinks towards a read of a field behind a call by reference: fields, parameters and elements of tables
// that have nothing to do with it go, and with them what calls and literals give for them.
func TestShrinkValues(t *testing.T) {
	const source = `package p

type Inner struct {
	a, b int32
	c    float32x3
}

type Outer struct {
	in   Inner
	more [2]int32
	x    int32
}

const table = [3]int32{1, 2, 3}

func set(o mut [n]int32, i int, unused float32, v int32, p Outer) {
	o[i] = v + table[1] + p.in.b
}

func first(v int32x2, w int32x2) int32 { return v.x + w.yx.x }

kernel K(o mut [n]int32, p Outer) for i in n {
	q := Outer{in: Inner{1, o[i], float32x3(2)}, x: p.x}
	q.more[q.x&1] = first(int32x2(1, q.x), int32x2(3))
	r := Inner{b: q.in.b, a: 4}
	q.in = r
	set(o, i, q.in.c.zyx.y, q.more[0], q)
}
`
	got, _ := Shrink(source, "K(fill(2, 0), {{1 2 {3 4 5}} {6 7} 8}) -> oracle", func(source, run string) bool {
		return strings.Contains(source, "q.in = r") && strings.Contains(source, "set(o, i,") && strings.Contains(source, "o[i] = v") && strings.Contains(source, "table[")
	})
	const want = `package p

type Inner struct {
	c float32x3
}

type Outer struct {
	in Inner
}

const table = [3]int32{}

func set(o mut [n]int32, i int, v int32) {
	o[i] = v + table[1]
}

kernel K(o mut [n]int32)
	for i in n {
	q := Outer{}
	r := Inner{}
	q.in = r
	set(o, i, 0)
}
`
	if got != want {
		t.Error(got)
	}
}
