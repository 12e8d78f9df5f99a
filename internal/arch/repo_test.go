package arch

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRepository applies every rule to this repository.
func TestRepository(t *testing.T) {
	root := filepath.Join("..", "..")
	var files []string
	// What git ignores (bin, .nvrtc) is not ours. Files that are new and not ignored count: they are about to be.
	out, err := exec.Command("git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err == nil {
		for _, f := range strings.Split(string(out), "\x00") {
			if f == "" {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, f)); err == nil {
				files = append(files, f)
			}
		}
	} else {
		t.Logf("git cannot list the files (%v): taking all of them", err)
	}
	tree, err := load(os.DirFS(root), files)
	if err != nil {
		t.Fatal(err)
	}
	if len(tree.packages) < 10 {
		t.Fatalf("only %d packages found: the rules would pass on nothing", len(tree.packages))
	}
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			for _, bad := range r.check(tree) {
				t.Error(bad)
			}
		})
	}
}
