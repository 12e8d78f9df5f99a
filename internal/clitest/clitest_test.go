package clitest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// root is the folder of the main module.
var root, _ = filepath.Abs("../..")

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "gpugen bin") // the space is on purpose
	if err == nil {
		err = build(filepath.Join(dir, "gpugen"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// build makes the command from the main module as it stands.
func build(path string) error {
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	c := exec.Command("go", "build", "-o", path, "./cmd/gpugen")
	c.Dir = root
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("go build ./cmd/gpugen: %v\n%s", err, out)
	}
	return nil
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Values[background{}] = processes{}
			e.Setenv("ROOT", root)
			e.Setenv("GPUGEN_NVRTC", filepath.Join(root, ".nvrtc"))
			for _, name := range []string{"GOMODCACHE", "GOCACHE", "GOPROXY", "GOFLAGS", "GOSUMDB"} {
				v, err := exec.Command("go", "env", name).Output()
				if err != nil {
					return err
				}
				e.Setenv(name, strings.TrimSpace(string(v)))
			}
			return nil
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "nvrtc": // or the script fails where continuous integration demands it
				libs, _ := filepath.Glob(filepath.Join(root, ".nvrtc", "*"))
				demanded := strings.Contains(os.Getenv("GPUGEN_REQUIRE"), "nvrtc")
				return len(libs) > 0 || demanded, nil
			case "bare": // no NVRTC is found unless a variable or a project names it
				c := exec.Command("gpugen", "doctor")
				c.Dir, c.Env = os.TempDir(), []string{"PATH=" + os.Getenv("PATH"), "HOME=."}
				out, err := c.Output()
				return err != nil && strings.Contains(string(out), "missing  NVRTC: "), nil
			case "userns": // limits of inotify can be set for a program alone
				return exec.Command("unshare", "-Ur", "sh", "-c", "echo 128 > /proc/sys/user/max_inotify_instances").Run() == nil, nil
			}
			return false, fmt.Errorf("unknown condition %s", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exit":      exit,
			"user":      user,
			"save":      save,
			"crlf":      crlf,
			"bom":       bom,
			"mtimes":    mtimes,
			"replace":   replace,
			"schema":    schema,
			"start":     start,
			"until":     until,
			"interrupt": interrupt,
		},
	})
}

// exit runs a command and demands its exit code: exit 3 gpugen generate.
func exit(ts *testscript.TestScript, _ bool, args []string) {
	want := args[0]
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if e, ok := err.(*exec.ExitError); ok {
		got = fmt.Sprint(e.ExitCode())
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("%s exits with %s, want %s", strings.Join(args[1:], " "), got, want)
	}
}

// user is exit for somebody who may not write anywhere: the user nobody where the tests are run by root.
func user(ts *testscript.TestScript, neg bool, args []string) {
	if os.Geteuid() != 0 {
		exit(ts, neg, args)
		return
	}
	path, err := exec.LookPath(args[1])
	ts.Check(err)
	for _, dir := range []string{filepath.Dir(path), ts.Getenv("WORK")} { // made for root alone
		for ; dir != filepath.Clean(os.TempDir()) && filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
			if os.Chmod(dir, 0o755) != nil {
				break
			}
		}
	}
	c := exec.Command(path, args[2:]...)
	c.Dir = ts.MkAbs(".")
	c.Env = []string{"PATH=" + ts.Getenv("PATH"), "GPUGEN_NVRTC=" + ts.Getenv("GPUGEN_NVRTC")}
	c.SysProcAttr = asNobody()
	out, _ := c.CombinedOutput()
	ts.Logf("%s", out)
	if got := fmt.Sprint(c.ProcessState.ExitCode()); got != args[0] {
		ts.Fatalf("%s exits with %s for nobody, want %s", strings.Join(args[1:], " "), got, args[0])
	}
}

// crlf copies a file with CRLF line ends.
func crlf(ts *testscript.TestScript, _ bool, args []string) {
	text := strings.ReplaceAll(ts.ReadFile(args[0]), "\n", "\r\n")
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o644))
}

// save copies a file as careful editors do: it writes another one beside it and renames.
func save(ts *testscript.TestScript, _ bool, args []string) {
	text, to := ts.ReadFile(args[0]), ts.MkAbs(args[1])
	tmp := filepath.Join(filepath.Dir(to), "."+filepath.Base(to)+".tmp")
	ts.Check(os.WriteFile(tmp, []byte(text), 0o644))
	ts.Check(os.Rename(tmp, to))
}

// bom copies a file with a byte order mark in front.
func bom(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte("\xef\xbb\xbf"+ts.ReadFile(args[0])), 0o644))
}

// mtimes writes the times of all files and folders below a folder and the sizes of files, so that two listings can be
// compared: a file that comes and goes changes its folder's time.
func mtimes(ts *testscript.TestScript, _ bool, args []string) {
	var b strings.Builder
	ts.Check(filepath.Walk(ts.MkAbs(args[0]), func(path string, info os.FileInfo, err error) error {
		if err == nil {
			size := info.Size()
			if info.IsDir() {
				size = 0
			}
			fmt.Fprintf(&b, "%s %d %d\n", path, info.ModTime().UnixNano(), size)
		}
		return err
	}))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(b.String()), 0o644))
}

// replace changes text in a file: replace FILE OLD NEW.
func replace(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s holds no %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.ReplaceAll(text, args[1], args[2])), 0o644))
}

// schema demands that a manifest follows the published schema.
func schema(ts *testscript.TestScript, neg bool, args []string) {
	s, err := jsonschema.NewCompiler().Compile(filepath.Join(root, "docs", "manifest.schema.json"))
	ts.Check(err)
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(ts.ReadFile(args[0])))
	ts.Check(err)
	err = s.Validate(value)
	if neg != (err != nil) {
		ts.Fatalf("%s: valid %v, want %v: %v", args[0], err == nil, !neg, err)
	}
}
