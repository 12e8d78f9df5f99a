package main

import (
	"testing"
)

// TestUnified: the diff is one that patch takes, with names for what appears and goes, and it is silent where both sides
// would look the same.
func TestUnified(t *testing.T) {
	f := &folder{dir: "k"}
	for _, c := range []struct {
		name     string
		old, now []byte
		want     string
	}{
		{"change", []byte("a\nb\n"), []byte("a\nc\n"), "--- k/_gpu/x.cu\n+++ k/_gpu/x.cu\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"},
		{"appears", nil, []byte("a\n"), "--- /dev/null\n+++ k/_gpu/x.cu\n@@ -0,0 +1,1 @@\n+a\n"},
		{"goes", []byte("a\n"), nil, "--- k/_gpu/x.cu\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n"},
		{"line ends", []byte("a\r\nb\r\n"), []byte("a\nb\n"), ""},
		{"last line end", []byte("a"), []byte("a\n"), "--- k/_gpu/x.cu\n+++ k/_gpu/x.cu\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		{"emptied", []byte{}, []byte("a\n"), "--- k/_gpu/x.cu\n+++ k/_gpu/x.cu\n@@ -0,0 +1,1 @@\n+a\n"},
	} {
		if got := f.unified("_gpu/x.cu", c.old, c.now); got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", c.name, got, c.want)
		}
	}
}

func TestSplitPattern(t *testing.T) {
	for _, c := range []struct {
		pattern, root string
		all           bool
	}{
		{".", ".", false}, {"./...", ".", true}, {"...", ".", true}, {"/...", "/", true}, {"a/b/...", "a/b", true}, {"a...", "a...", false}, {"a/k.gpu", "a/k.gpu", false},
	} {
		if root, all := splitPattern(c.pattern); root != c.root || all != c.all {
			t.Errorf("%s: %s, %v", c.pattern, root, all)
		}
	}
}
