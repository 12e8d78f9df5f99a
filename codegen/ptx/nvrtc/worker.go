package nvrtc

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
)

// workerEnv marks a process as a worker.
const workerEnv = "GPUGEN_NVRTC_WORKER"

// hooked is set once WorkerMain has run: only then may CompileAll start this executable again and expect a worker. A
// program that never calls it would run its own main in the child.
var hooked atomic.Bool

// WorkerMain makes the process a worker if it was started as one: it serves jobs on standard input and output and does
// not return. Otherwise it returns at once and lets CompileAll use workers. A main that wants parallel compilation
// calls it before anything else.
func WorkerMain() {
	if os.Getenv(workerEnv) == "" {
		hooked.Store(true)
		return
	}
	// Whatever the compiler or a library prints must not get between the frames.
	out := os.Stdout
	os.Stdout = os.Stderr
	if err := serve(os.Stdin, out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// runJob is what a worker does with a job; tests put crashes and nonsense here.
var runJob = (*job).run

// serve answers jobs until the input ends.
func serve(in io.Reader, out io.Writer) error {
	for {
		var j job
		if err := readFrame(in, &j); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("nvrtc: worker: %w", err)
		}
		result, err := runJob(&j)
		if err := writeFrame(out, pack(result, err)); err != nil {
			return fmt.Errorf("nvrtc: worker: %w", err)
		}
	}
}

// An answer is what a worker says about a job: one of its fields is set. Only a CompileError needs to keep its type: a
// library that is missing or refuses to load was found out before the job was sent.
type answer struct {
	Result  *Result       `json:",omitempty"`
	Compile *CompileError `json:",omitempty"`
	Other   string        `json:",omitempty"`
}

func pack(r *Result, err error) *answer {
	a := &answer{Result: r}
	switch e := (*CompileError)(nil); {
	case err == nil:
	case errors.As(err, &e):
		a.Compile = e
	default:
		a.Other = err.Error()
	}
	return a
}

func (a *answer) unpack() (*Result, error) {
	switch {
	case a.Compile != nil:
		return nil, a.Compile
	case a.Other != "":
		return nil, errors.New(a.Other)
	case a.Result == nil:
		return nil, errors.New("nvrtc: a worker gave an empty answer")
	}
	return a.Result, nil
}

// Frames are a length of four bytes, big endian, and as many bytes of JSON. maxFrame turns stray output into an error
// instead of an allocation of gigabytes.
const maxFrame = 1 << 28

func writeFrame(w io.Writer, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(body) > maxFrame {
		return fmt.Errorf("message of %d bytes", len(body))
	}
	_, err = w.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...))
	return err
}

// readFrame reads one frame into v. Between frames the end of the input is io.EOF, inside one io.ErrUnexpectedEOF.
func readFrame(r io.Reader, v any) error {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > maxFrame {
		return fmt.Errorf("frame of %d bytes: something else was written between the frames", n)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return errors.Join(io.ErrUnexpectedEOF, err)
	}
	if err := json.Unmarshal(body, v); err != nil {
		return fmt.Errorf("frame: %w", err)
	}
	return nil
}
