package clrun

import (
	"errors"
	"fmt"
	"io"
	"net/rpc"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"time"
)

// processEnv marks a process that holds a driver.
const processEnv = "GPUGEN_CLRUN_PROCESS"

// hooked is set once Main has run: only then may this executable be started again and be expected to hold a driver.
var hooked atomic.Bool

// Main makes this process the holder of a driver if it was started as one, and does not return then. TestMain calls it
// first in every test binary that opens a device.
func Main() {
	if os.Getenv(processEnv) == "" {
		hooked.Store(true)
		return
	}
	server := rpc.NewServer()
	if err := server.RegisterName("driver", &service{programs: map[int]*program{}}); err != nil {
		panic(err)
	}
	server.ServeConn(&pipes{os.NewFile(3, "calls"), os.NewFile(4, "answers")})
	os.Exit(0)
}

// pipes are the two ends that one process has. They are not its standard input and output: drivers and kernels print there.
type pipes struct{ in, out *os.File }

func (p *pipes) Read(b []byte) (int, error) {
	n, err := p.in.Read(b)
	if err == io.EOF && os.Getenv(processEnv) != "" {
		os.Exit(0) // whoever started it is gone, and a call may never come back
	}
	return n, err
}
func (p *pipes) Write(b []byte) (int, error) { return p.out.Write(b) }
func (p *pipes) Close() error                { return errors.Join(p.in.Close(), p.out.Close()) }

// EndedError is a call that the driver's process did not survive.
type EndedError struct {
	Method string
	Slow   time.Duration // it took that much time of processors and was ended; 0: it ended by itself
	State  string        // how it ended
	Said   string        // the beginning of what it wrote
}

func (e *EndedError) Error() string {
	how := fmt.Sprintf("ended: %s", e.State)
	if e.Slow > 0 {
		how = fmt.Sprintf("gave no answer within %v", e.Slow)
	}
	return fmt.Sprintf("clrun: %s: the driver's process %s\n%s", e.Method, how, e.Said)
}

// process is a process with a driver, seen from the test.
type process struct {
	cmd    *exec.Cmd
	client *rpc.Client
	said   *report
	ended  atomic.Bool
}

func start() (*process, error) {
	if !hooked.Load() {
		return nil, errors.New("clrun: TestMain does not call clrun.Main")
	}
	path, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("clrun: %w", err)
	}
	calls, callsEnd, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("clrun: %w", err)
	}
	answersEnd, answers, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("clrun: %w", err), calls.Close(), callsEnd.Close())
	}
	p := &process{cmd: exec.Command(path), said: &report{}}
	p.cmd.Env = append(os.Environ(), processEnv+"=1")
	p.cmd.ExtraFiles = []*os.File{calls, answers}
	p.cmd.Stdout, p.cmd.Stderr = p.said, p.said
	p.cmd.WaitDelay = time.Second // a compiler that the driver started may hold them
	err = p.cmd.Start()
	calls.Close()
	answers.Close()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("clrun: %w", err), callsEnd.Close(), answersEnd.Close())
	}
	p.client = rpc.NewClient(&pipes{answersEnd, callsEnd})
	return p, nil
}

func (p *process) gone() bool { return p.ended.Load() }

// end ends the process and says how it ended.
func (p *process) end() string {
	p.ended.Store(true)
	p.client.Close() // the process ends with its input
	late := time.AfterFunc(time.Second, func() { p.cmd.Process.Kill() })
	defer late.Stop()
	if err := p.cmd.Wait(); err != nil {
		return err.Error()
	}
	return p.cmd.ProcessState.String()
}

// call waits for an answer as long as the process lives, but not longer than limit, which is time of processors: what else
// the machine has to do is no fault of the driver. One that waits for nothing is ended after ten times that.
func (p *process) call(method string, in, out any, limit time.Duration) error {
	p.said.clear()
	began, before := time.Now(), used(p.cmd.Process.Pid)
	c := p.client.Go("driver."+method, in, out, make(chan *rpc.Call, 1))
	tick := time.NewTicker(min(limit/10, time.Second))
	defer tick.Stop()
	e := &EndedError{Method: method}
	for e.Slow == 0 && e.State == "" {
		select {
		case <-c.Done:
			if said := rpc.ServerError(""); c.Error == nil || errors.As(c.Error, &said) {
				return c.Error
			}
			e.State = p.end()
		case <-tick.C:
			if used(p.cmd.Process.Pid)-before > limit || time.Since(began) > 10*limit {
				e.Slow = limit
				p.cmd.Process.Kill()
				e.State = p.end()
			}
		}
	}
	e.Said = p.said.String()
	return e
}

// report keeps the beginning of what is written to it: drivers say why they abort before Go tells of its goroutines.
type report struct {
	mu   sync.Mutex
	text []byte
}

func (r *report) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text = append(r.text, b[:min(len(b), 1000-len(r.text))]...)
	return len(b), nil
}

func (r *report) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return string(r.text)
}

func (r *report) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text = nil
}
