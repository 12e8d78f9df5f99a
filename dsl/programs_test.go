package dsl

import (
	"strings"
	"testing"

	"github.com/gpugen/gpugen/dsl/diag"
)

type program struct {
	name, src string
	want      []string // parts of the dump
}

var programs = []program{
	{"01 names of the language as ordinary names", `package p
kernel kernel(shared [n]float32, mut mut [n]float32) for in in n {
	by, block, tile := shared[in], float32(2), float32(3)
	blocks := by * block; threads := blocks
	requires := threads + tile
	mut[in] = requires
	shared := 1; shared++; shared = 3
	for in := range 4 { shared += in }
	for shared { break }
	for in { break }
	kernel(shared)
	if in < by { return }
}
kernel K2(by [block]float32, y mut [block]float32) for by in block by block { y[by] = 1 }
kernel K3(in [tile]float32, y mut [tile]float32) for block, tile in tile, tile by tile { y[block] = 1 }
`, []string{
		"kernel kernel(shared [n]float32, mut mut [n]float32) for in in n {",
		"(:= by block tile | (index shared in) (float32 2) (float32 3))",
		"(:= shared | 1); (++ shared); (= shared | 3); (range in 4 {(+= shared | in)}); (for shared {(break )}); (for in {(break )}); (kernel shared)",
		"kernel K2(by [block]float32, y mut [block]float32) for by in block by block {",
		"for block tile in tile tile by tile {",
	}},
	{"02 composite literal versus block", `package p
type P struct { x, y float32 }
kernel K(y mut [n]float32) for i in n {
	for j in n { y[j] = 0 }
	if x { y[i] = 1 }
	if x == (P{1, 2}) { y[i] = 2 }
	p := P{1, 2}
	if f(P{x: 1, y: 2}) { y[i] = 3 }
	switch x { case P{1, 2}: y[i] = 1 }
	for x { break }
	for x < n { break }
	a := [2]P{{1, 2}, {3, 4}}
	for q := range [3]int32{1, 2, 3} { y[q] = 1 }
	if y[P{1,2}.x] > 0 {}
}
`, []string{
		"(forin j in n {(= (index y j) | 0)}); (if x {(= (index y i) | 1)}); (if (== x (lit P 1 2)) {",
		"(if (f (lit P x:1 y:2)) {", "(switch x case (lit P 1 2){", "(for x {(break )}); (for (< x n) {(break )})",
		"(:= a | (lit [2]P (lit _ 1 2) (lit _ 3 4)))", "(range q (lit [3]int32 1 2 3) {", "(if (> (index y (lit P 1 2).x) 0) {})",
	}},
	{"03 generic brackets versus index", `package p
func add[T int32|float32](a, b T) T { return a + b }
func pick[N = 4|8](x [N]float32) float32 { return x[N-1] }
kernel K[T float32|float64, Tile = 16|32, U, V int8|uint8](x [n]T, y mut [n]T) for i in n {
	y[i] = add[T](x[i], x[i+1])
	y[i] = add[float32](1, 2)
	z := x[add](3)
	w := pick[8](t)
	q := [Tile]T{}
	r := [4][4]float32{{1}}
	v := a[i][j](k)[l, m].x
}
`, []string{
		"func add[T int32 float32](a b T) -> T {", "kernel K[T float32 float64, Tile=16 32, U, V int8 uint8]",
		"((index add T) (index x i) (index x (+ i 1)))", "(:= z | ((index x add) 3))", "(lit [Tile]T)", "(lit [4][4]float32 (lit _ 1))",
		"(index ((index (index a i) j) k) l m).x",
	}},
	{"04 clauses on own lines", `package p
kernel A(
	x [n]float32,
	y mut [n]float32,
)
	requires n % 4 == 0,
		n > 0
	for i in n {
	y[i] = x[i]
}
kernel B(x [n]float32)
	requires n > 4
	blocks b in ceildiv(n, 256)
	threads t in 256 {
}
kernel C(x [n]float32) requires n == 1 blocks b in n threads t in 32 { }
kernel E(x mut [1]float32) { x[0] = 1 }
`, []string{
		"requires (== (% n 4) 0) (> n 0) for i in n {", "requires (> n 4) blocks b in (ceildiv n 256) threads t in 256 {}",
		"requires (== n 1) blocks b in n threads t in 32 {}", "kernel E(x mut [1]float32) {(= (index x 0) | 1)}",
	}},
	{"05 comprehensions", `package p
kernel K(x [m, n]float32, y mut [m]float32) for r in m by block {
	hi := max(x[r, j] for j in n)
	s := sum(exp(x[r, j] - hi) for j in n) / float32(n)
	t := foo(1, sum(x[r, j] for j in n), max(a, sum(sum(x[p, q] for p in m) for q in n)))
	u := sum(x[p, q] for p, q in m, n)
	ok := all(x[r, j] > 0 && any(x[r, k] == 1 for k in j) for j in n - 1)
	v := sum(
		x[r, j] * x[r, j]
		for j in n
	)
	if any(isnan(x[r, j]) for j in n) { y[r] = 0 }
	for j in sum(q for q in n) { }
}
`, []string{
		"(:= hi | (max/ (index x r j) [j in n]))", "(/ (sum/ (exp (- (index x r j) hi)) [j in n]) (float32 n))",
		"(foo 1 (sum/ (index x r j) [j in n]) (max a (sum/ (sum/ (index x p q) [p in m]) [q in n])))",
		"(sum/ (index x p q) [p q in m n])", "(all/ (&& (> (index x r j) 0) (any/ (== (index x r k) 1) [k in j])) [j in (- n 1)])",
		"(sum/ (* (index x r j) (index x r j)) [j in n])", "(if (any/ (isnan (index x r j)) [j in n]) {", "(forin j in (sum/ q [q in n]) {})",
	}},
	{"06 atomics and unary ampersand", `package p
kernel H(x [n]uint8, h mut [256]uint32) blocks b in ceildiv(n, 1024) threads t in 256 {
	shared s [256]uint32
	s[t] = 0
	barrier()
	atomic.Add(&s[x[b*1024+t]], 1)
	old := atomic.CompareExchange(&h[t], 0, a & b &^ c)
	k := a & -b
	_ = a && !b
	atomic.Max(&q.r[i].z, 2)
	barrier()
}
`, []string{
		"(shared s [256]uint32)", "(atomic.Add (& (index s (index x (+ (* b 1024) t)))) 1)", "(&^ (& a b) c)", "(& a (- b))", "(&& a (! b))",
		"(atomic.Max (& (index q.r i).z) 2)",
	}},
	{"07 for forms", `package p
kernel K(y mut [n]float32) for i in n {
	for { break }
	for i := 0; i < n; i++ { continue }
	for ; i < n; { }
	for ;; { }
	for i := range n { }
	for range 4 { }
	for i = range n { }
	for a, b in n, m { }
	for x := f(1); x != nil; x, y = y, x { }
	for i < n && (P{1}).ok { }
	for in := 0; in < 3; in++ { }
	for in in in { }
outer:
	for j in n { for { continue outer } ; break outer }
	@unroll(4)
	for q := range 16 { }
	@unroll(2) for q := range 16 { }
}
`, []string{
		"(for _ {(break )}); (for (:= i | 0); (< i n); (++ i) {(continue )}); (for _; (< i n); _ {}); (for _; _; _ {}); (range i n {}); (range  4 {}); (range i n {}); (forin a b in n m {})",
		"(for (:= x | (f 1)); (!= x nil); (= x y | y x) {})", "(forin in in in {})", "(label outer (forin j in n {(for _ {(continue outer)}); (break outer)}))",
		"(@unroll 4 (range q 16 {})); (@unroll 2 (range q 16 {}))",
	}},
	{"08 x [n]float32 versus instantiation", `package p
func f(x [n]float32, a [4]float32, b [2, 2]float32x3) (float32, int32) { return x[0], 1 }
kernel K(x [n]float32, y, z mut [n, m + 1, ceildiv(n, 256)]float16x4) for i in n {
	var t [16, 17]float32
	shared as, bs [16, 16]float32
	var u, v float32 = 1, 2
	var w = x[n]
	a, b := f(x, t, t)
	t[i, k] = x[n]
}
`, []string{
		"func f(x [n]float32, a [4]float32, b [2 2]float32x3) -> float32 int32 {", "y z mut [n (+ m 1) (ceildiv n 256)]float16x4",
		"(var t [16 17]float32 = )", "(shared as bs [16 16]float32)", "(var u v float32 = 1 2)", "(var w _ = (index x n))", "(:= a b | (f x t t))", "(= (index t i k) | (index x n))",
	}},
	{"09 assignment targets", `package p
kernel K(y mut [n]P) for i in n {
	a.b.c[i].x = 1
	a.b.c[i, j].xyz += float32x3(1, 2, 3)
	a[i], b[j] = b[j], a[i]
	a[i]++
	f(x).y = 2
	x &^= 3; x <<= 2; x ^= x
	_ = 3
	_, q := g()
}
`, []string{
		"(= (index a.b.c i).x | 1)", "(+= (index a.b.c i j).xyz | (float32x3 1 2 3))", "(= (index a i) (index b j) | (index b j) (index a i))", "(++ (index a i))",
		"(&^= x | 3); (<<= x | 2); (^= x | x)", "(:= _ q | (g))",
	}},
	{"10 const, iota, types, attributes", `package p // trailing

const A = iota
const ( X = iota; Y; Z )
const (
	B, C float32 = 1, 2.5e-3
	D = 1 << 40
	E = 0x1p-10
)
type ( P struct { pos, vel float32x3; mass float32 }
	Q struct {
		p [4]P
		b bool
	}
)
type Empty struct{}
@fastmath
@block(256)
@targets(cuda, cpu)
kernel K(p [n]P) for i in n { }
@exact kernel L(p [n]P) for i in n { }
@fastmath
func f(x float32) float32 { return x }
`, []string{
		"const X _ = iota; Y _ = ; Z _ = ;", "const B C float32 = 1 2.5e-3; D _ = (<< 1 40); E _ = 0x1p-10;",
		"type P { pos vel float32x3; mass float32; }", "type Q { p [4]P; b bool; }", "type Empty { }",
		"@fastmath() @block(256) @targets(cuda cpu) kernel K", "@exact() kernel L", "@fastmath() func f",
	}},
	{"11 switch", `package p
func f(x int32) int32 {
	switch {
	case x < 0: return 1
	case x > 3, x == 7:
		return 2
	default:
	}
	switch y := x * 2; y { case 1: fallthrough; case 2: return 1; default: return 3 }
	switch y := x * 2; { case y > 1: }
	switch x {}
	switch a[P] { case b{1}: }
loop:
	for { switch x { case 1: break loop; case 2: continue } }
	return 0
}
`, []string{
		"(switch _ case (< x 0){(return 1)} case (> x 3) (== x 7){(return 2)} default{})",
		"(switch (:= y | (* x 2)); y case 1{(fallthrough )} case 2{(return 1)} default{(return 3)})",
		"(switch (:= y | (* x 2)); _ case (> y 1){})", "(switch x)", "(label loop (for _ {(switch x case 1{(break loop)} case 2{(continue )})}))",
	}},
	{"12 precedence", `package p
func f() int32 {
	a = 10-4-3; b = 100/10/5; c = 1<<2+3; d = 6&3==2; e = 5^1+3; f = 6&^3; g = -2*3; h = !a && b || c
	i = a < b == c; j = ^x & -y; k = -a.b[c](d); l = - - -x; m = a | b ^ c & d
}
`, []string{
		"(= a | (- (- 10 4) 3)); (= b | (/ (/ 100 10) 5)); (= c | (+ (<< 1 2) 3)); (= d | (== (& 6 3) 2)); (= e | (+ (^ 5 1) 3)); (= f | (&^ 6 3)); (= g | (* (- 2) 3)); (= h | (|| (&& (! a) b) c))",
		"(= i | (== (< a b) c)); (= j | (& (^ x) (- y))); (= k | (- ((index a.b c) d))); (= l | (- (- (- x)))); (= m | (^ (| a b) (& c d)))",
	}},
	{"13 if chains and init", `package p
func f(x int32) int32 {
	if x := g(x); x > 0 { return 1 } else if y := x; y < 0 { return 2 } else { return 3 }
	if a { } else { }
	if f(x) { }
	if a[i] { }
	if a.b { }
	if (a) { }
	if T(x) == y { }
	if !a { }
	{ x := 1; _ = x }
	{}
	;;
}
`, []string{
		"(if (:= x | (g x)); (> x 0) {(return 1)} else (if (:= y | x); (< y 0) {(return 2)} else {(return 3)}))", "(if (index a i) {}); (if a.b {}); (if a {})", "{(:= x | 1); (= _ | x)}; {}",
	}},
	{"14 CRLF, BOM, comments, no final newline", "\xef\xbb\xbfpackage p\r\n\r\n/* a\r\nb */ kernel K(x [n]float32 /* c */, // d\r\n\ty mut [n]float32)\r\n\tfor i in n { // e\r\n\ty[i] = x[i] /* f\r\n */ y[i] = 2\r\n}\r\n// last", []string{
		"for i in n {(= (index y i) | (index x i)); (= (index y i) | 2)}",
	}},
	{"15 target words as names", `package p
kernel device(half [n]float32, register mut [n]float32, __global__x float32, main int) for metal in n {
	constant, template, thread := half[metal], __global__x, float32(main)
	register[metal] = constant + template * thread
	max := max(constant, template)
	sum := sum(half[j] for j in n)
	atomic := block.Sum(max)
	for subgroup in n { register[subgroup] = atomic }
}
`, []string{"(:= sum | (sum/ (index half j) [j in n]))", "(:= atomic | (block.Sum max))", "(forin subgroup in n {"}},
	{"16 by tile and vectors", `package p
kernel MatMul(a [m, k]float16, b [k, n]float16, c mut [m, n]float32) for i, j in m, n by tile {
	c[i, j] = sum(float32(a[i, q]) * float32(b[q, j]) for q in k)
}
kernel V(p [n]Body, o mut [n]float32x3) for i in n {
	d := p[i].pos.xyz - p[0].pos.zyx
	o[i] = float32x3(d.x, d.yz) * float32x3(0)
	o[i].x = dot(d, d)
	print("i=%d x=%g\n", i, d.x)
	assert(i < n, "index")
	u := bits.uint32(d.x); w := int32x2(1, 2).yx
}
`, []string{"for i j in m n by tile {(= (index c i j) | (sum/ (* (float32 (index a i q)) (float32 (index b q j))) [q in k]))}",
		"(- (index p i).pos.xyz (index p 0).pos.zyx)", "(int32x2 1 2).yx"}},
	{"17 array literals, keyed, nested", `package p
func f(i int) float32 {
	w := [3]float32{0.25, 0.5, 0.25,}
	k := [2, 2]float32{1, 2, 3, 4}
	m := [3, 3]int32{{1, 0, -1}, {2, 0, -2}, {1, 0, -1}}
	s := Q{p: [2]P{{x: 1}, P{y: 2}}, ok: true}
	z := [2]P{}
	e := [4]int32{2: 7}
	return w[i] + k[0, 1] + [2]float32{1, 2}[i] + [4]float32{}[0]
}
`, []string{"(lit [3]float32 0.25 0.5 0.25)", "(lit [3 3]int32 (lit _ 1 0 (- 1)) (lit _ 2 0 (- 2)) (lit _ 1 0 (- 1)))", "(lit Q p:(lit [2]P (lit _ x:1) (lit P y:2)) ok:true)",
		"(lit [4]int32 2:7)", "(index (lit [2]float32 1 2) i)"}},
	{"18 statements after labels, several on a line, local const", `package p
func g() (int32, float32) { const k = 3; var a, b [2]float32; a[0], b[0] = 1, 2; return k, a[0] }
kernel K(x mut [n]int32) for i in n {
a:
b:
	for i < 3 { break a; break b }
	x[i] = 1; if x[i] > 0 { return }; x[i] = 2 ; ; x[i]--
}
`, []string{"-> int32 float32 {(const); (var a b [2]float32 = )", "(label a (label b (for (< i 3)", "(if (> (index x i) 0) {(return )}); (= (index x i) | 2); (-- (index x i))"}},
	{"19 newline sensitive", `package p
kernel K(y mut [n]float32) for i in n {
	a := b +
		c
	d := f(
		a,
		b,
	)
	e := x.
		y
	for j in n,
		m {
	}
	if a &&
		b {
	}
	return
}
`, []string{"(:= a | (+ b c)); (:= d | (f a b)); (:= e | x.y); (forin j in n m {}); (if (&& a b) {}); (return )"}},
	{"20 contextual words glued", `package p
kernel K(y mut [n]float32) blocks blocks, threads in threads, 4 threads block, by in 8, 8 { }
kernel L(requires [for_]float32) requires requires > 0, blocks == 1 blocks requires in 1 threads threads in 32 { }
kernel M(y mut [by]float32) for block in by by block { for by in by { } }
`, []string{"blocks blocks threads in threads 4 threads block by in 8 8 {}", "requires (> requires 0) (== blocks 1) blocks requires in 1 threads threads in 32 {}",
		"for block in by by block {(forin by in by {})}"}},
	{"21 body at the margin", `package p
kernel K(x mut [n]float32) for i in n {
const k = 3
var a, b float32
@unroll(4)
for q := range 16 { x[i] += 1 }
kernel(a)
}
@fastmath
@exact
func f() int32 {
var a int32
return a
}
const ( A = iota
B
)
`, []string{"kernel K(x mut [n]float32) for i in n {(const); (var a b float32 = ); (@unroll 4 (range q 16 {(+= (index x i) | 1)})); (kernel a)}", "@fastmath() @exact() func f", "const A _ = iota; B _ = ;"}},
}

func mustParse(t *testing.T, name, src string) *File {
	t.Helper()
	f, errs := Parse(name, []byte(src))
	for _, e := range errs {
		t.Errorf("%v", e)
	}
	return f
}

func TestPrograms(t *testing.T) {
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) {
			dump := Dump(mustParse(t, "k.gpu", p.src))
			for _, w := range p.want {
				if !strings.Contains(dump, w) {
					t.Errorf("missing\n  %s\nin\n%s", w, dump)
				}
			}
		})
	}
}

var _ diag.List
