// Package clrun turns OpenCL C into results: it compiles the text with the driver of an OpenCL device of this machine and
// launches its kernels as a slot table says. PoCL, which needs no GPU, is such a device.
//
// Tests of the compiler use it and nothing else does: the runtime has a complete binding, which may not be the judge of
// the text that it loads. Every view lies at an odd element of its buffer between guards, so that a hidden offset that
// is wrong, or a write beside a view, fails the launch.
//
// The driver is in a process of its own, the test binary started again: a driver that aborts or does not come back is the
// failure of one call, and the next program gets a new process.
package clrun

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Remedy says how to get a device.
const Remedy = "run make setup, which installs PoCL (Debian, Ubuntu: apt-get install pocl-opencl-icd ocl-icd-libopencl1)"

// Facts are what a driver tells of itself.
type Facts struct {
	Name       string
	On         string // the version of OpenCL, with the driver's own name
	Driver     string // who made it, and its version
	Exact      bool   // divides floats and takes their roots correctly rounded
	Extensions []string
}

// Device is an OpenCL device. One call at a time is in it.
type Device struct {
	Facts
	Limit time.Duration // how much time of processors a call may take

	mu   sync.Mutex
	host *process // nil: the next program starts one
}

// poclMethod is how PoCL makes work groups of work items. Left alone, PoCL 3.1 copies the text for each item of a group of one
// or two, and then stops at an assertion of its own where a loop with a barrier holds another loop; for larger groups it
// takes loops. These lose stores and read wrong memory around barriers in loops, in every version; newer ones can do without.
const poclMethod = "POCL_WORK_GROUP_METHOD"

// newPoCL has the method cbs: seen in 6.0 and 7.1.
var newPoCL = regexp.MustCompile(`^Portable Computing Language ([6-9]|\d\d)\.`)

// Open gives the first GPU of this machine, or the first device if it has none: the same one at each call.
var Open = sync.OnceValues(New)

// New gives that device in a process that nobody else uses.
func New() (*Device, error) {
	method := os.Getenv(poclMethod)
	if method == "" {
		os.Setenv(poclMethod, "loops") // for all processes that tests start
	}
	d := &Device{Limit: 2 * time.Minute}
	err := d.start()
	if err == nil && method == "" && newPoCL.MatchString(d.Driver) {
		d.Close()
		os.Setenv(poclMethod, "cbs")
		err = d.start()
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

func (d *Device) start() (err error) {
	if d.host, err = start(); err != nil {
		return err
	}
	return d.call("Open", struct{}{}, &d.Facts)
}

// call asks the process, and lets go of one that ended.
func (d *Device) call(method string, in, out any) error {
	err := d.host.call(method, in, out, d.Limit)
	if d.host.gone() {
		d.host = nil
	}
	return err
}

// Close ends the device's process.
func (d *Device) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.host != nil {
		d.host.end()
		d.host = nil
	}
}

// extension is the macro of an extension.
var extension = regexp.MustCompile(`\bcl_[a-z]+_\w+`)

// Lacks are the extensions that the device does not have and under whose macros an entry stands in text: such a kernel is
// not in the program.
func (d *Device) Lacks(text, entry string) []string {
	var open []string
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "#if"):
			open = append(open, line)
		case strings.HasPrefix(line, "#endif"):
			open = open[:len(open)-1]
		case strings.Contains(line, " "+entry+"("):
			return slices.DeleteFunc(extension.FindAllString(strings.Join(open, ""), -1), func(name string) bool { return slices.Contains(d.Extensions, name) })
		}
	}
	return nil
}

// Program is compiled text.
type Program struct {
	Log string // warnings

	d    *Device
	host *process
	id   int
}

// Build compiles text with the given options. A driver that does not survive it is an *EndedError, here and for Run.
func (d *Device) Build(text, options string) (*Program, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.host == nil {
		if err := d.start(); err != nil {
			return nil, err
		}
	}
	p, out := &Program{d: d, host: d.host}, Built{}
	if err := d.call("Build", Build{text, options}, &out); err != nil {
		return nil, err
	}
	p.id, p.Log = out.ID, out.Log
	return p, nil
}

// Close gives the program back.
func (p *Program) Close() {
	p.d.mu.Lock()
	defer p.d.mu.Unlock()
	if p.d.host == p.host && p.host != nil {
		p.d.call("Close", p.id, &struct{}{}) // a process that ends here has closed it as well
	}
}

// Arg is one slot: the bytes of a scalar or an extent, or a view, whose memory Run reads and writes.
type Arg struct {
	Data []byte
	Elem int // of a view: bytes an element; 0: not a view
	// Part, of a view: it is not memory of its own but begins Offset bytes into the view of slot Of, which is earlier.
	Part   bool
	Of     int
	Offset int
}

// Run launches a kernel of grid blocks of block threads, waits, and writes what it left into the views' Data. The text may
// demand its threads in another shape: as many in a row.
func (p *Program) Run(entry string, grid, block [3]int, args []Arg) error {
	d := p.d
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.host != p.host {
		return fmt.Errorf("clrun: %s: the process of its program ended before", entry)
	}
	var left [][]byte
	if err := d.call("Run", Launch{p.id, entry, grid, block, args}, &left); err != nil {
		return err
	}
	for i := range args {
		copy(args[i].Data, left[i])
	}
	return nil
}
