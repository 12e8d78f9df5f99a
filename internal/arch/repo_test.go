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
	t.Run("line ends", func(t *testing.T) { lineEnds(t, root, files) })
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

// lineEnds demands that git pins the line ends of every file: a checkout with core.autocrlf must have the same bytes,
// which tests compare, manifests hash and go:embed takes as they are.
func lineEnds(t *testing.T, root string, files []string) {
	cmd := exec.Command("git", "-C", root, "check-attr", "-z", "--stdin", "text", "eol")
	cmd.Stdin = strings.NewReader(strings.Join(files, "\x00"))
	out, err := cmd.Output()
	if err != nil || len(files) == 0 {
		t.Skipf("needs git and a checkout, to ask for attributes: %v", err)
	}
	pinned := map[string]bool{}
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	for i := 0; i+2 < len(fields); i += 3 {
		file, attr, value := fields[i], fields[i+1], fields[i+2]
		pinned[file] = pinned[file] || attr == "text" && value == "unset" || attr == "eol" && value == "lf"
	}
	for _, f := range files {
		if !pinned[f] {
			t.Errorf("%s: .gitattributes leaves its line ends to the checkout", f)
		}
	}
}
