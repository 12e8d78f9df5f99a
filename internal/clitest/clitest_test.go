package clitest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

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
			"damage":    damage,
			"part":      part,
			"touched":   touched,
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

// user is exit for somebody who may not write anywhere: the user nobody, without a home, where the tests are run by root.
// What the program says is in $WORK/user.out as well.
func user(ts *testscript.TestScript, neg bool, args []string) {
	if os.Geteuid() != 0 {
		exit(ts, neg, args)
		ts.Check(os.WriteFile(filepath.Join(ts.Getenv("WORK"), "user.out"), []byte(ts.ReadFile("stdout")+ts.ReadFile("stderr")), 0o644))
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
	c.Env = []string{"PATH=" + ts.Getenv("PATH"), "GPUGEN_NVRTC=" + ts.Getenv("GPUGEN_NVRTC"), "HOME=/nonexistent", "XDG_CACHE_HOME=/nonexistent", "TMPDIR=/nonexistent"}
	c.SysProcAttr = asNobody()
	out, _ := c.CombinedOutput()
	ts.Logf("%s", out)
	ts.Check(os.WriteFile(filepath.Join(ts.Getenv("WORK"), "user.out"), out, 0o644))
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

// touched gives files another time.
func touched(ts *testscript.TestScript, _ bool, args []string) {
	at := time.Date(2030, time.January, 2, 3, 4, 5, 0, time.UTC)
	for _, name := range args {
		ts.Check(os.Chtimes(ts.MkAbs(name), at, at))
	}
}

// damage does to an artifact of the folder here what disks, checkouts and people do. Each time diff sees it, generate asks
// for NVRTC where there is none and writes nothing, and makes the very bytes again where there is one.
func damage(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(filepath.Join("_gpu", args[0]))
	good, err := os.ReadFile(path)
	ts.Check(err)
	if len(good) < 500 {
		ts.Fatalf("%s has only %d bytes", args[0], len(good))
	}
	flipped := func(at int) []byte {
		b := bytes.Clone(good)
		b[at] ^= 1
		return b
	}
	for what, bad := range map[string][]byte{
		"cut": good[:100], "cut by one": good[:len(good)-1], "empty": {}, "NULs in front": append(make([]byte, 4), good...), "a byte behind": append(bytes.Clone(good), '\n'),
		"first bit": flipped(0), "a bit": flipped(len(good) / 2), "last bit": flipped(len(good) - 1),
	} {
		ts.Check(os.WriteFile(path, bad, 0o644))
		nvrtc := ts.Getenv("GPUGEN_NVRTC")
		exit(ts, false, []string{"1", "gpugen", "diff"})
		if out := ts.ReadFile("stdout"); out != "_gpu/"+args[0]+": damaged: its bytes are not those whose hash the manifest holds\n" {
			ts.Fatalf("%s, %s: %s", args[0], what, out)
		}
		ts.Setenv("GPUGEN_NVRTC", "/nowhere")
		exit(ts, false, []string{"3", "gpugen", "generate"})
		ts.Setenv("GPUGEN_NVRTC", nvrtc)
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, bad) {
			ts.Fatalf("%s, %s: written without NVRTC", args[0], what)
		}
		exit(ts, false, []string{"0", "gpugen", "generate"})
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, good) {
			ts.Fatalf("%s, %s: generate makes other bytes", args[0], what)
		}
		exit(ts, false, []string{"0", "gpugen", "diff"})
	}
}

// part changes one part of what the manifest says a.ptx was made from: the artifact does not count any more. ../good.json
// is the manifest as it was.
func part(ts *testscript.TestScript, _ bool, args []string) {
	good := ts.ReadFile("../good.json")
	entry := strings.Index(good, `"file": "a.ptx"`)
	if at := strings.Index(good[max(entry, 0):], args[0]); entry < 0 || at < 0 {
		ts.Fatalf("%q is not in the entry of a.ptx", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs("_gpu/a.json"), []byte(good[:entry]+strings.Replace(good[entry:], args[0], args[1], 1)), 0o644))
	exit(ts, false, []string{"1", "gpugen", "diff"})
	if out := ts.ReadFile("stdout"); !strings.Contains(out, "_gpu/a.ptx: stale: ") {
		ts.Fatalf("%s: %s", args[1], out)
	}
	exit(ts, false, []string{"3", "gpugen", "generate"})
	ts.Check(os.WriteFile(ts.MkAbs("_gpu/a.json"), []byte(good), 0o644))
	exit(ts, false, []string{"0", "gpugen", "diff"})
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
