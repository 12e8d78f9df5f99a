package dsl

import (
	"strings"
	"testing"
)

// typical returns a file of about 100 lines.
func typical(t testing.TB) string {
	var b strings.Builder
	for _, src := range corpus(t) {
		if strings.HasPrefix(src, "package blas") {
			for range 3 {
				b.WriteString(strings.TrimPrefix(src, "package blas"))
			}
		}
	}
	if b.Len() == 0 {
		t.Fatal("no package blas in testdata")
	}
	return "package blas\n" + b.String()
}

func BenchmarkParse(b *testing.B) {
	src := []byte(typical(b))
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	b.ReportMetric(float64(strings.Count(string(src), "\n")), "lines")
	for b.Loop() {
		if _, errs := Parse("k.gpu", src); len(errs) > 0 {
			b.Fatal(errs)
		}
	}
}

func BenchmarkScan(b *testing.B) {
	src := typical(b)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		scan("k.gpu", src)
	}
}

func BenchmarkBuild(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		build()
	}
}
