package nvrtc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

func many(n int) []Request {
	var rs []Request
	for i := range n {
		rs = append(rs, Request{Name: fmt.Sprintf("k%d.cu", i), Source: strings.ReplaceAll(sample, "Saxpy", fmt.Sprintf("K%d", i)), Arch: floor})
	}
	return rs
}

// TestCompileAll: workers give what this process gives, in the order of the requests.
func TestCompileAll(t *testing.T) {
	need(t, "11.8", "13.0")
	rs := many(8)
	rs[3].Arch, rs[3].Kind = "sm_100", Cubin
	rs[5].Source = "extern \"C\" __global__ void Bad() { missing; }"
	rs[6].Arch = "sm_999"
	calls := map[int]int{}
	got, err := CompileAll(t.Context(), rs, func(i int) { calls[i]++ })
	var compile *CompileError
	var unknown *ArchError
	if !errors.As(err, &compile) || compile.Name != "k5.cu" || compile.Items[0].GenLine != 1 || !errors.As(err, &unknown) {
		t.Errorf("error %v", err)
	}
	for i, r := range got {
		if i == 5 || i == 6 {
			if r != nil {
				t.Errorf("%d: a result", i)
			}
			continue
		}
		if r == nil {
			t.Fatalf("%d: no result", i)
		}
		if alone := compileText(t, rs[i]); !bytes.Equal(alone.Code, r.Code) || len(r.Resources) != 1 || r.Meta.NVRTC != alone.Meta.NVRTC {
			t.Errorf("%d: a worker's result differs from this process's", i)
		}
		if calls[i] != 1 {
			t.Errorf("%d: done called %d times", i, calls[i])
		}
	}
}

// TestWorkerDeath: a crash or nonsense on the wire is an error of that job alone.
func TestWorkerDeath(t *testing.T) {
	need(t)
	for _, name := range []string{"crash.cu", "chatter.cu"} {
		rs := many(4)
		rs[1].Name = name
		start := time.Now()
		got, err := CompileAll(t.Context(), rs, nil)
		if err == nil || time.Since(start) > 30*time.Second {
			t.Fatalf("%s: %v after %v", name, err, time.Since(start))
		}
		contains(t, err.Error(), name, floor)
		if name == "crash.cu" {
			contains(t, err.Error(), "about to die", "SIGSEGV")
		}
		for i, r := range got {
			if (r == nil) != (i == 1) {
				t.Errorf("%s: result %d is %v", name, i, r)
			}
		}
	}
}

// TestCancelKillsWorkers: a hanging compiler does not outlive its context.
func TestCancelKillsWorkers(t *testing.T) {
	need(t)
	rs := many(3)
	rs[0].Name, rs[1].Name = "hang.cu", "hang.cu"
	ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := CompileAll(ctx, rs, nil)
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 20*time.Second {
		t.Errorf("%v after %v", err, time.Since(start))
	}
}

// TestUnhookedStaysInProcess: a program that never called WorkerMain must not be started a second time.
func TestUnhookedStaysInProcess(t *testing.T) {
	need(t)
	hooked.Store(false)
	defer hooked.Store(true)
	rs := many(2)
	rs[1].Name = "crash.cu" // misbehaves in a worker only
	if got, err := CompileAll(t.Context(), rs, nil); err != nil || got[1] == nil {
		t.Errorf("%v", err)
	}
}

// TestCompileApart: a single request stays in this process, unless this process is to be spared.
func TestCompileApart(t *testing.T) {
	need(t)
	rs := many(1)
	if got, err := CompileApart(t.Context(), rs, nil); err != nil || got[0] == nil {
		t.Errorf("%v", err)
	}
	rs[0].Name = "crash.cu" // misbehaves in a worker only
	if got, err := CompileAll(t.Context(), rs, nil); err != nil || got[0] == nil {
		t.Errorf("%v", err)
	}
	if got, err := CompileApart(t.Context(), rs, nil); err == nil || got[0] != nil {
		t.Errorf("the request was compiled in this process")
	}
}

func TestCompileAllOfNothing(t *testing.T) {
	if got, err := CompileAll(t.Context(), nil, nil); err != nil || len(got) != 0 {
		t.Errorf("%v %v", got, err)
	}
	if got, err := CompileApart(t.Context(), nil, nil); err != nil || len(got) != 0 {
		t.Errorf("%v %v", got, err)
	}
}

func TestFrames(t *testing.T) {
	var b bytes.Buffer
	for _, s := range []string{"one", "", "ü\x00\n"} {
		if err := writeFrame(&b, s); err != nil {
			t.Fatal(err)
		}
	}
	whole := b.Bytes()
	for _, want := range []string{"one", "", "ü\x00\n"} {
		var got string
		if err := readFrame(&b, &got); err != nil || got != want {
			t.Errorf("%q, want %q (%v)", got, want, err)
		}
	}
	var s string
	if err := readFrame(&b, &s); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
	if err := readFrame(bytes.NewReader(whole[:6]), &s); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("cut in a frame: %v", err)
	}
	if err := readFrame(strings.NewReader("HTTP/1.1 200 OK"), &s); err == nil || !strings.Contains(err.Error(), "something else") {
		t.Errorf("chatter: %v", err)
	}
	var bad *json.SyntaxError
	if err := readFrame(strings.NewReader("\x00\x00\x00\x02{]"), &s); !errors.As(err, &bad) {
		t.Errorf("broken JSON: %v", err)
	}
}

func TestHead(t *testing.T) {
	var h head
	for i := range 2000 {
		fmt.Fprintf(&h, "line %d\n", i)
	}
	if s := h.String(); len(s) > headBytes || !strings.HasPrefix(s, "line 0\nline 1\n") {
		t.Errorf("%d bytes, starts with %q", len(s), s[:20])
	}
}
