package clitest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestB35Checkout clones this repository as git does on Windows: no file that git holds with LF comes out with CRLF, so that
// whatever compares bytes there passes as it does here.
func TestB35Checkout(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not here: install it")
	}
	if err := exec.Command("git", "-C", root, "rev-parse", "HEAD").Run(); err != nil {
		t.Skip("the sources are no clone of the repository")
	}
	dir := filepath.Join(t.TempDir(), "work")
	git(t, "-c", "core.autocrlf=true", "-c", "core.eol=crlf", "-c", "advice.detachedHead=false", "clone", "-q", "--shared", root, dir)
	files := 0
	for line := range strings.Lines(git(t, "-C", dir, "ls-files", "--eol")) {
		f := strings.Fields(line)
		files++
		if in, out := strings.TrimPrefix(f[0], "i/"), strings.TrimPrefix(f[1], "w/"); in != out {
			t.Errorf("git holds %s with %s and writes it with %s", f[len(f)-1], in, out)
		}
	}
	if files < 500 {
		t.Errorf("only %d files", files)
	}
	// Without the attributes of the repository the same clone does turn them, or this shows nothing.
	if err := os.Remove(filepath.Join(dir, ".gitattributes")); err != nil {
		t.Fatal(err)
	}
	git(t, "-C", dir, "rm", "-q", "--cached", ".gitattributes")
	git(t, "-C", dir, "config", "core.autocrlf", "true")
	if err := os.Remove(filepath.Join(dir, "go.mod")); err != nil {
		t.Fatal(err)
	}
	git(t, "-C", dir, "checkout", "-q", "--", "go.mod")
	if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err != nil || !strings.Contains(string(text), "\r\n") {
		t.Errorf("git turns nothing here: %v", err)
	}
}

func git(t *testing.T, args ...string) string {
	t.Helper()
	c := exec.Command("git", args...)
	c.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
	var said strings.Builder
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, &said)
	}
	return string(out)
}
