package clrun

import (
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gpugen/gpugen/internal/require"
)

func TestMain(m *testing.M) {
	Main()
	os.Exit(m.Run())
}

const text = "kernel void one(global int *x, ulong at) { x[at + get_global_id(0)] = 7; }"

// launch has each of four threads write a number.
func launch(p *Program) error {
	x := make([]byte, 16)
	if err := p.Run("one", [3]int{2, 1, 1}, [3]int{2, 1, 1}, []Arg{{Data: x, Elem: 4}}); err != nil {
		return err
	}
	for i := range 4 {
		if got := binary.LittleEndian.Uint32(x[4*i:]); got != 7 {
			return errors.New("wrong memory")
		}
	}
	return nil
}

// TestProcessEnds ends the process of a driver in the ways a driver does: the call that meets it says so, its program is
// gone, and the next program is compiled and runs.
func TestProcessEnds(t *testing.T) {
	d, err := New()
	require.Tool(t, "opencl", err == nil, Remedy)
	defer d.Close()
	facts := d.Name + d.Driver + d.On
	for _, c := range []struct {
		name   string
		signal syscall.Signal
		limit  time.Duration
		says   string
	}{
		{"it runs", 0, time.Minute, ""},
		{"an end", syscall.SIGKILL, time.Minute, "clrun: Run: the driver's process ended: "},
		{"no answer", syscall.SIGSTOP, 50 * time.Millisecond, "clrun: Run: the driver's process gave no answer within 50ms"},
		{"it runs again", 0, time.Minute, ""},
	} {
		d.Limit = time.Minute
		p, err := d.Build(text, "")
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if c.signal != 0 {
			if err := d.host.cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
		}
		d.Limit = c.limit
		err = launch(p)
		ended := (*EndedError)(nil)
		switch {
		case c.says == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.says != "" && (!errors.As(err, &ended) || !strings.HasPrefix(err.Error(), c.says) || ended.Slow > 0 != (c.signal == syscall.SIGSTOP)):
			t.Errorf("%s: %v, want %s", c.name, err, c.says)
		case c.says != "" && (launch(p) == nil || d.host != nil):
			t.Errorf("%s: the program runs on", c.name)
		}
		p.Close()
	}
	if d.Name+d.Driver+d.On != facts {
		t.Errorf("the next process is of %s, before %s", d.Name+d.Driver+d.On, facts)
	}
}

// TestErrorsOfTheProcess: what the driver refuses is an error and no end.
func TestErrorsOfTheProcess(t *testing.T) {
	d, err := New()
	require.Tool(t, "opencl", err == nil, Remedy)
	defer d.Close()
	if _, err := d.Build("kernel void one(", ""); err == nil || !strings.HasPrefix(err.Error(), "clrun: clBuildProgram: OpenCL error -11") {
		t.Errorf("half a text gives %v", err)
	}
	p, err := d.Build(text, "")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Run("two", [3]int{1, 1, 1}, [3]int{1, 1, 1}, nil); err == nil || !strings.Contains(err.Error(), "clCreateKernel: OpenCL error -46") {
		t.Errorf("a kernel that is not there gives %v", err)
	}
	if err := launch(p); err != nil {
		t.Error(err)
	}
}

// TestProcessIsHeld: a test binary whose TestMain does not call Main is told so, and does not run its tests twice.
func TestProcessIsHeld(t *testing.T) {
	hooked.Store(false)
	defer hooked.Store(true)
	if _, err := New(); err == nil || !strings.Contains(err.Error(), "does not call clrun.Main") {
		t.Errorf("%v", err)
	}
}

// TestUsed: what counts is the time of processors, not the time that goes by.
func TestUsed(t *testing.T) {
	pid := os.Getpid()
	idle := used(pid)
	time.Sleep(100 * time.Millisecond)
	if spent := used(pid) - idle; spent > 50*time.Millisecond {
		t.Errorf("sleeping took %v", spent)
	}
	busy := used(pid)
	for start := time.Now(); used(pid)-busy < 50*time.Millisecond; {
		if time.Since(start) > time.Minute {
			t.Fatal("a busy minute takes no time")
		}
	}
}
