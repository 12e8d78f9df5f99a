//go:build linux && (amd64 || arm64)

package nvrtc

import (
	"sync"
	"syscall"
	"time"
	"unsafe"
)

// NVRTC puts handlers of its own in place of SIGINT's, SIGTERM's and SIGXFSZ's while it compiles, and gives ours back
// without SA_ONSTACK. Either way the next signal that finds a thread on a goroutine's stack ends a Go program: stacks of
// goroutines are small, and the runtime checks where its handler runs. So the actions of before are put back, while the
// compiler runs and when it has ended.

// action is the kernel's struct sigaction on these architectures.
type action struct {
	handler, flags, restorer uintptr
	mask                     uint64
}

const (
	signals   = 64
	onStack   = 0x08000000 // SA_ONSTACK
	sigIgnore = 1          // SIG_IGN; SIG_DFL is 0
)

// guardEvery is how long a foreign handler may stand: a look is one system call for each of the few signals.
const guardEvery = time.Millisecond

// actionOf is what a signal leads to now.
func actionOf(sig int) (a action, ok bool) {
	_, _, errno := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(sig), 0, uintptr(unsafe.Pointer(&a)), unsafe.Sizeof(a.mask), 0, 0)
	return a, errno == 0
}

func (a *action) restore(sig int) {
	syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(a)), 0, unsafe.Sizeof(a.mask), 0, 0)
}

// onGoStack reports a handler that runs on whatever stack the thread is on. The Go runtime never sets one.
func (a *action) onGoStack() bool { return a.handler > sigIgnore && a.flags&onStack == 0 }

// guarding keeps two compilations apart, of whatever libraries: the second would take the handlers of the first for ours.
var guarding sync.Mutex

// guardSignals puts actions back that lose SA_ONSTACK until the function that it gives is called. What the program itself
// sets meanwhile stays, since that has it.
func guardSignals() (end func()) {
	guarding.Lock()
	before := map[int]action{}
	for sig := 1; sig <= signals; sig++ {
		if a, ok := actionOf(sig); ok && a.handler > sigIgnore && !a.onGoStack() {
			before[sig] = a
		}
	}
	look := func() {
		for sig, old := range before {
			if now, ok := actionOf(sig); ok && now.onGoStack() {
				old.restore(sig)
			}
		}
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(guardEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				look()
			case <-stop:
				look()
				return
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
		guarding.Unlock()
	}
}
