package nvrtc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

// CompileAll compiles many texts, in parallel worker processes where that is possible: NVRTC 11.8 holds a lock for the
// whole compilation, so threads gain nothing. Workers are this executable started again, whose main must have called
// WorkerMain; where it has not, and for a single request, everything runs in this process.
//
// results[i] belongs to requests[i] and is nil where that one failed; the error joins what failed in the order of the
// requests. A cancelled context ends the workers. done, if not nil, is called after each request, one call at a time.
func CompileAll(ctx context.Context, requests []Request, done func(i int)) ([]*Result, error) {
	return compileAll(ctx, requests, done, len(requests) > 1)
}

// CompileApart is CompileAll with a worker for a single request too. It is for processes that live on: a compiler that
// crashes would take the process along, and a compilation that nobody needs any more would go on in it.
func CompileApart(ctx context.Context, requests []Request, done func(i int)) ([]*Result, error) {
	return compileAll(ctx, requests, done, true)
}

func compileAll(ctx context.Context, requests []Request, done func(i int), apart bool) ([]*Result, error) {
	jobs := make([]job, len(requests))
	results := make([]*Result, len(requests))
	failed := make([]error, len(requests))
	for i, r := range requests {
		jobs[i], failed[i] = plan(r)
	}
	workers := min(runtime.GOMAXPROCS(0), len(requests))
	if !apart || !hooked.Load() {
		workers = 0
	}
	var report sync.Mutex
	finish := func(i int, r *Result, err error) {
		report.Lock()
		defer report.Unlock()
		results[i], failed[i] = r, requests[i].locate(err)
		if done != nil {
			done(i)
		}
	}

	var next atomic.Int64
	take := func() (int, bool) {
		for {
			i := int(next.Add(1)) - 1
			if i >= len(jobs) || ctx.Err() != nil {
				return 0, false
			}
			if failed[i] == nil {
				return i, true
			}
		}
	}
	if workers == 0 {
		for i, ok := take(); ok; i, ok = take() {
			r, err := Compile(ctx, requests[i])
			finish(i, r, err)
		}
	} else {
		var group sync.WaitGroup
		for range workers {
			group.Go(func() {
				var w *worker
				defer func() { w.stop() }()
				for i, ok := take(); ok; i, ok = take() {
					var r *Result
					var err error
					if w == nil {
						w, err = startWorker(ctx)
					}
					if err == nil {
						r, err = w.do(&jobs[i])
					}
					if w.broken() {
						w.stop()
						w = nil
					}
					finish(i, r, err)
				}
			})
		}
		group.Wait()
	}
	if err := ctx.Err(); err != nil {
		return results, fmt.Errorf("nvrtc: compile %d texts: %w", len(requests), err)
	}
	return results, join(failed)
}

// join keeps the order and says a thing once: a hundred texts without a compiler are one mistake.
func join(errs []error) error {
	var distinct []error
	seen := map[string]bool{}
	for _, err := range errs {
		if err != nil && !seen[err.Error()] {
			seen[err.Error()] = true
			distinct = append(distinct, err)
		}
	}
	if len(distinct) == 1 {
		return distinct[0]
	}
	return errors.Join(distinct...)
}

// A worker is one process that compiles a job at a time.
type worker struct {
	ctx    context.Context
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	stderr head
	failed bool
}

// startWorker starts this executable again. The environment goes along, so that it finds the same libraries.
func startWorker(ctx context.Context) (*worker, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("nvrtc: start a worker: %w", err)
	}
	w := &worker{ctx: ctx, cmd: exec.CommandContext(ctx, exe)}
	w.cmd.Env = append(os.Environ(), workerEnv+"=1", "GOTRACEBACK=none")
	w.cmd.Stderr = &w.stderr
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("nvrtc: start a worker: %w", err)
	}
	if w.out, err = w.cmd.StdoutPipe(); err != nil {
		return nil, fmt.Errorf("nvrtc: start a worker: %w", err)
	}
	if err := w.cmd.Start(); err != nil {
		return nil, fmt.Errorf("nvrtc: start a worker: %w", err)
	}
	return w, nil
}

// do sends a job and waits for its answer. When the worker dies or talks nonsense, the error names the job, and the
// worker is broken.
func (w *worker) do(j *job) (*Result, error) {
	var a answer
	err := writeFrame(w.in, j)
	if err == nil {
		err = readFrame(w.out, &a)
	}
	if err != nil {
		w.failed = true
		w.stop()
		if cause := w.ctx.Err(); cause != nil {
			return nil, fmt.Errorf("nvrtc: compile %s for %s: %w", j.Request.Name, j.Arch, cause)
		}
		state := "still running"
		if w.cmd.ProcessState != nil {
			state = w.cmd.ProcessState.String()
		}
		msg := fmt.Sprintf("nvrtc: the worker process that compiled %s for %s with %s ended (%s)", j.Request.Name, j.Arch, j.Library, state)
		if text := w.stderr.String(); text != "" {
			msg += "; it said:\n" + text
		}
		return nil, fmt.Errorf("%s: %w", msg, err)
	}
	return a.unpack()
}

func (w *worker) broken() bool { return w != nil && w.failed }

// stop ends the worker: a healthy one leaves when its input closes, a broken one is killed. It is safe to call twice
// and on nil.
func (w *worker) stop() {
	if w == nil || w.cmd.ProcessState != nil {
		return
	}
	w.in.Close()
	if w.failed {
		// After a crash there is nothing to kill and after nonsense there is; both are fine.
		_ = w.cmd.Process.Kill()
	}
	// The exit status is in ProcessState; the error says the same.
	_ = w.cmd.Wait()
}

// head keeps the first words that a worker writes to its standard error: a crash says there what it was, and goes on
// with registers.
type head struct {
	mu  sync.Mutex
	buf []byte
}

const headBytes = 1 << 10

func (h *head) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.buf = append(h.buf, p[:min(len(p), headBytes-len(h.buf))]...)
	return len(p), nil
}

func (h *head) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.TrimSpace(string(h.buf))
}
