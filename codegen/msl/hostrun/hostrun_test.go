package hostrun

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/gpugen/gpugen/internal/require"
)

// corpus reads an archive of at least so many texts.
func corpus(t *testing.T, name string, least int) []txtar.File {
	t.Helper()
	require.Tool(t, "clang", Clang() != "", Remedy)
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	files := txtar.Parse(data).Files
	if len(files) < least {
		t.Fatalf("%s has %d texts, want at least %d", name, len(files), least)
	}
	return files
}

func TestWrongMetalIsRefused(t *testing.T) {
	for _, f := range corpus(t, "reject.txtar", 70) {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			head, _, _ := strings.Cut(string(f.Data), "\n")
			reason, ok := strings.CutPrefix(head, "// reject: ")
			if !ok {
				t.Fatalf("no reason in %q", head)
			}
			_, err := Check(context.Background(), string(f.Data))
			if e := (*Error)(nil); !errors.As(err, &e) {
				t.Fatalf("accepted (error %v):\n%s", err, f.Data)
			}
			if !strings.Contains(err.Error(), reason) {
				t.Errorf("refused for another reason than %q: %v", reason, err)
			}
		})
	}
}

func TestRightMetalPasses(t *testing.T) {
	for _, f := range corpus(t, "accept.txtar", 5) {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			kernels, err := Check(context.Background(), string(f.Data))
			if err != nil {
				t.Fatalf("%v\n%s", err, f.Data)
			}
			if len(kernels) != 1 || kernels[0].Name != "k" {
				t.Errorf("kernels %+v", kernels)
			}
		})
	}
}
