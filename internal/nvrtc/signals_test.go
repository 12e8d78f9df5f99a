//go:build linux && (amd64 || arm64)

package nvrtc

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// TestSignalsStay: a compilation in this process leaves every signal's action as it was. NVRTC takes SA_ONSTACK from three
// of them, and then a signal that finds a thread on a goroutine's stack ends the program.
func TestSignalsStay(t *testing.T) {
	each(t, func(t *testing.T, l *Library) {
		var before [signals + 1]action
		for sig := range before {
			before[sig], _ = actionOf(sig)
		}
		if before[syscall.SIGTERM].flags&onStack == 0 {
			t.Fatal("the runtime's own handler of SIGTERM has no SA_ONSTACK: this test shows nothing")
		}
		if _, err := compileText(t, l, kernel, "-arch=sm_80"); err != nil {
			t.Fatal(err)
		}
		if _, err := compileText(t, l, "not CUDA", "-arch=sm_80"); err == nil {
			t.Fatal("nonsense compiles")
		}
		for sig, want := range before {
			if now, _ := actionOf(sig); now != want {
				t.Errorf("signal %d: %+v, before %+v", sig, now, want)
			}
		}
	})
}

// TestSignalInside: a signal that comes while NVRTC compiles is the program's, although NVRTC has set a handler of its own
// for it, which would end the process.
func TestSignalInside(t *testing.T) {
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGTERM)
	defer signal.Stop(caught)
	var source strings.Builder
	for i := range 15 {
		fmt.Fprintf(&source, "extern \"C\" __global__ void K%d(float *x, float a) { for (int i = 0; i < %d; i++) x[i * threadIdx.x] = x[i] * a + sinf(x[i]); }\n", i, i)
	}
	each(t, func(t *testing.T, l *Library) {
		before, _ := actionOf(int(syscall.SIGTERM))
		var compiling atomic.Bool
		compiling.Store(true)
		done := make(chan error, 1)
		go func() {
			_, err := compileText(t, l, source.String(), "-arch=sm_80")
			compiling.Store(false)
			done <- err
		}()
		for began := time.Now(); compiling.Load() && time.Since(began) < 300*time.Millisecond; { // until NVRTC has set its own
			if now, _ := actionOf(int(syscall.SIGTERM)); now != before {
				break
			}
		}
		for compiling.Load() { // until ours is back, at once or when this thread next runs on a busy machine
			if now, _ := actionOf(int(syscall.SIGTERM)); now == before {
				break
			}
			time.Sleep(guardEvery / 10)
		}
		inside := compiling.Load()
		if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		select {
		case <-caught:
		case <-time.After(time.Minute):
			t.Error("the signal did not come")
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
		if !inside {
			t.Error("the compilation had ended when the signal was sent: this test shows nothing")
		}
	})
}

// TestGuardLeavesChanges: what the program changes during a compilation stays.
func TestGuardLeavesChanges(t *testing.T) {
	end := guardSignals()
	signal.Ignore(syscall.SIGUSR2)
	defer signal.Reset(syscall.SIGUSR2)
	time.Sleep(3 * guardEvery)
	end()
	if a, _ := actionOf(int(syscall.SIGUSR2)); a.handler != sigIgnore {
		t.Errorf("SIGUSR2 is not ignored any more: %+v", a)
	}
}
