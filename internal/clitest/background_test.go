package clitest

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// patience is when a test gives up waiting for a program that will never do it. No test depends on how long things take.
const patience = time.Minute

// process is a program that start has started.
type process struct {
	cmd   *exec.Cmd
	ended chan error
}

// processes are those of a script, by name.
type processes map[string]*process

// background is the key of a script's processes.
type background struct{}

// start runs a program whose output can be read while it runs: start NAME program [args...] writes it to NAME.out and
// NAME.err in $WORK.
func start(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: start name program [args...]")
	}
	all := ts.Value(background{}).(processes)
	name := args[0]
	c := exec.Command(args[1], args[2:]...)
	c.Dir = ts.MkAbs(".")
	for _, v := range []string{"PATH", "HOME", "TMPDIR", "WORK", "GPUGEN_NVRTC", "GPUGENFLAGS"} {
		c.Env = append(c.Env, v+"="+ts.Getenv(v))
	}
	out, err := os.Create(ts.Getenv("WORK") + "/" + name + ".out")
	ts.Check(err)
	defer out.Close()
	errs, err := os.Create(ts.Getenv("WORK") + "/" + name + ".err")
	ts.Check(err)
	defer errs.Close()
	c.Stdout, c.Stderr = out, errs
	ts.Check(c.Start())
	p := &process{cmd: c, ended: make(chan error, 1)}
	go func() { p.ended <- c.Wait() }()
	all[name] = p
	ts.Defer(func() {
		_ = c.Process.Kill() // it may have ended
		<-p.ended
	})
}

// until waits until a started program has written as many lines as wanted: until NAME.out COUNT REGEXP. More are a
// failure.
func until(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: until file count regexp")
	}
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	pattern := regexp.MustCompile(args[2])
	name, _, _ := strings.Cut(args[0], ".")
	p := ts.Value(background{}).(processes)[name]
	deadline := time.After(patience)
	for {
		ended := false
		select {
		case err := <-p.ended:
			p.ended <- err
			ended = true
		default:
		}
		b, err := os.ReadFile(ts.Getenv("WORK") + "/" + args[0])
		ts.Check(err)
		got := 0
		for line := range strings.Lines(string(b)) {
			if strings.HasSuffix(line, "\n") && pattern.MatchString(strings.TrimSuffix(line, "\n")) {
				got++
			}
		}
		giveUp := func(why string) {
			errs, _ := os.ReadFile(ts.Getenv("WORK") + "/" + name + ".err")
			ts.Fatalf("%s: %d lines like %s in %s, want %d:\n%s\n%s", why, got, args[2], args[0], want, b, errs)
		}
		switch {
		case got == want:
			return
		case got > want:
			giveUp("too many")
		case ended:
			giveUp(name + " has ended")
		}
		select {
		case <-deadline:
			giveUp("gave up")
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// interrupt does what Ctrl-C does and demands an exit code: interrupt NAME 0.
func interrupt(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: interrupt name code")
	}
	p := ts.Value(background{}).(processes)[args[0]]
	ts.Check(p.cmd.Process.Signal(os.Interrupt))
	select {
	case err := <-p.ended:
		p.ended <- err
	case <-time.After(patience):
		ts.Fatalf("%s does not end", args[0])
	}
	if got := strconv.Itoa(p.cmd.ProcessState.ExitCode()); got != args[1] {
		errs, _ := os.ReadFile(ts.Getenv("WORK") + "/" + args[0] + ".err")
		ts.Fatalf("%s exits with %s, want %s:\n%s", args[0], got, args[1], errs)
	}
}
