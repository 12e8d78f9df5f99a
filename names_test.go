package gpugen

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/gpugen/gpugen/dsl/diag"
)

// TestFileNames has the go command build what goes by each name, and expects a fault exactly where it refuses.
func TestFileNames(t *testing.T) {
	for _, name := range []string{
		"saxpy", "a b", "my-kernels.v2", "ü", "日本", "1", "a+b,c~d", "a=b@c", "a(1)", "a{1}", "a#!%&", "a^b", "a.", "a ", "a$b", "linux", "a_test", "a_gpu", "GPU", "com", "com10", "lpt0",
		"a[1]", "a]", "a;b", "a*b", "a?b", "a'b", "a\"b", "a`b", "a<b", "a|b", "a:b", "a\\b", "a\tb", "aπ²", "a√b", "-x", "$HOME", "+a", " a", "~a", "con", "NUL.x", "com1", "lpt9",
	} {
		dir := t.TempDir()
		write := func(name, text string) {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Skipf("this file system has no such names: %v", err)
			}
		}
		p, diags := Compile(Input{Sources: []Source{{Name: name + ".gpu", Text: []byte("package p\n\nkernel A(x mut [n]float32) for i in n { x[i] = 1 }\n")}}})
		fault := fileNameFault(name + ".gpu")
		if (p == nil) != (fault != "") || fault != "" && (len(diags) != 1 || diags[0].Code != "file-name") {
			t.Errorf("%s: fault %q, diagnostics %v", name, fault, diag.List(diags))
		}
		// The go command's own verdict on a file of that name which embeds another.
		pattern := "_gpu/" + name + ".cu"
		write("go.mod", "module p\n\ngo 1.26\n")
		write(pattern, "text")
		write(name+"_gpu.go", "package p\n\nimport _ \"embed\"\n\n//go:embed "+strconv.Quote(pattern)+"\nvar S string\n")
		cmd := exec.Command("go", "list", ".")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if (err != nil) != (fault != "") {
			t.Errorf("%s: fault %q, but the go command says: %v %s", name, fault, err, out)
		}
	}
}
