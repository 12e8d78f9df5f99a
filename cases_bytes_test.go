package gpugen_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gpugen/gpugen"
	"github.com/gpugen/gpugen/dsl/diag"
	"github.com/gpugen/gpugen/ir"
)

// everything is all that the compiler makes of sources, by name: the files, the text of the module, and what it says.
func everything(t *testing.T, sources []gpugen.Source) map[string]string {
	t.Helper()
	p, diags := gpugen.Compile(gpugen.Input{Sources: sources})
	quoted := diag.Sources{}
	for _, s := range sources {
		quoted[s.Name] = s.Text
	}
	var said bytes.Buffer
	if err := diag.Text(&said, diags, quoted); err != nil {
		t.Fatal(err)
	}
	all := map[string]string{"messages": said.String()}
	if p == nil {
		return all
	}
	for _, u := range p.Units {
		all[u.Base+".ir"] = ir.Print(u.Module)
		files, err := u.Outputs(p.Name, nil, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			all[f.Name] = string(f.Data)
		}
	}
	return all
}

// sourcesOf are the sources of an archive.
func sourcesOf(c *compiled) []gpugen.Source {
	var out []gpugen.Source
	for _, s := range c.Sources() {
		out = append(out, gpugen.Source{Name: s.Name, Text: s.Data})
	}
	return out
}

// differs names the first outputs that are not the same.
func differs(t *testing.T, what string, got, want map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			t.Errorf("%s: another %s:\n%s\nwant\n%s", what, name, got[name], want[name])
			return
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s: %d outputs, want %d", what, len(got), len(want))
	}
}

// TestB34SameBytes: the same sources give the same bytes, 50 times over, on one processor and on many, beside others and
// alone, in whatever order the files are given.
func TestB34SameBytes(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var all [][]gpugen.Source
	var want []map[string]string
	size := 0
	for _, c := range withExamples(t) {
		all = append(all, sourcesOf(c))
		want = append(want, everything(t, all[len(all)-1]))
		size += len(all[len(all)-1])
	}
	if len(all) < 100 || size <= len(all) {
		t.Fatalf("%d archives, %d files", len(all), size)
	}
	runtime.GOMAXPROCS(16)
	var group sync.WaitGroup
	slots := make(chan struct{}, 8)
	for i, sources := range all {
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			backwards := slices.Clone(sources)
			slices.Reverse(backwards)
			differs(t, sources[0].Name+" beside others", everything(t, backwards), want[i])
		})
	}
	group.Wait()
	// One folder with a bit of everything that keeps tables: constants, structs, generics, helpers, several files.
	many := []gpugen.Source{{Name: "a.gpu", Text: []byte(manyA)}, {Name: "b.gpu", Text: []byte(manyB)}, {Name: "c.gpu", Text: []byte("package many\n\nconst last = 7\n")}}
	first := everything(t, many)
	if first["messages"] != "" || len(first) < 20 {
		t.Fatalf("%d outputs; %s", len(first), first["messages"])
	}
	sums := map[[32]byte]int{}
	for run := range 50 {
		runtime.GOMAXPROCS([]int{1, 2, 16}[run%3])
		many = append(many[1:], many[0])
		got := everything(t, many)
		differs(t, fmt.Sprintf("run %d", run), got, first)
		sums[sha256.Sum256(fmt.Appendf(nil, "%q", got))]++ // maps are printed in order
	}
	if len(sums) != 1 {
		t.Errorf("%d checksums in 50 runs", len(sums))
	}
}

const manyA = `//gpugen:checked
package many

const A, B, C = 1, 2.5, last
const Table = [4]float32{1, 2, 3, 4}
const small = [2, 2]int32{{1, 2}, {3, 4}}

type P struct {
	v    float32x3
	flag bool
}

type Q struct {
	p [2]P
	n uint16
}

func F1(x float32) float32 { return exp(x) + F2(x) }
func F2(x float32) float32 { return log(x) / sqrt(x) + F3(x, 1) }
func F3[T float32|int32](x, y T) T { return min(x, y) / max(x, y) }

kernel K1[T float32|int32|uint8|int16, N = 1|2|3](a, b, c mut [n]T) for i in n { a[i] += T(N); b[i] /= a[i]; c[i] = clamp(c[i], 1, 3) }
kernel K2(x mut [n]float32) for i in n { x[i] = F1(x[i]) + F2(x[i]) + F3(x[i], 2) + Table[i%4] }
kernel K3(x mut [h, w]int32) for y, z in h, w { x[y, z] = F3(x[y, z], 2) % 7 << 3 + small[y%2, z%2] }
kernel K4(q mut [n]Q, p [n]P) for i in n { q[i].p[i%2] = p[i]; q[i].n = uint16(i) }
`

const manyB = `package many

kernel K5(x mut [n]float32, k [n]int64, b [n]bool) for i in n { if b[i] { x[i] = pow(x[i], float32(k[i] / 3)) } else { x[i] = last * 2 } }
kernel K6(x mut [n]uint64) for i in n { x[i] = popcount(x[i]) + clz(x[i]) + reverse(x[i]) }
kernel K7(x [n]float32, y mut [n]float32) blocks b in ceildiv(n, 64) threads t in 64 {
	shared s [64]float32
	i := b*64 + t
	s[t] = 0
	if i < n {
		s[t] = x[i]
	}
	barrier()
	if i < n {
		y[i] = s[63-t]
	}
	assert(t < 64, "a thread of the block")
}
kernel K8(x [h, w]float32, o mut [h]float32) for r in h by block { o[r] = sum(x[r, j] for j in w) }
`

// TestB35CarriageReturns: a checkout with CRLF, and one with a byte order mark, is the same source. Every output and every
// message is the same, columns and quoted lines included.
func TestB35CarriageReturns(t *testing.T) {
	wrong := 0
	for _, c := range withExamples(t) {
		sources := sourcesOf(c)
		want := everything(t, sources)
		crlf, bom := slices.Clone(sources), slices.Clone(sources)
		raw := false // a test of line ends itself
		for i, s := range sources {
			raw = raw || bytes.ContainsAny(s.Text, "\r") || bytes.HasPrefix(s.Text, []byte("\ufeff"))
			crlf[i].Text = bytes.ReplaceAll(s.Text, []byte("\n"), []byte("\r\n"))
			bom[i].Text = append([]byte("\ufeff"), s.Text...)
		}
		if raw {
			continue
		}
		got := everything(t, crlf)
		differs(t, c.Name+" with CRLF", got, want)
		if want["messages"] != "" || c.Name == "structs" || c.Name == "files" {
			differs(t, c.Name+" with a byte order mark", everything(t, bom), want)
			wrong++
		}
		for name, text := range got {
			if strings.Contains(text, "\r") {
				t.Errorf("%s: %s holds a carriage return", c.Name, name)
			}
		}
	}
	if wrong < 10 {
		t.Errorf("only %d archives have messages", wrong)
	}
}
