package gpu

import (
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/gpugen/gpugen/runtime/internal/cuda"
	"github.com/gpugen/gpugen/runtime/internal/driver"
	"github.com/gpugen/gpugen/runtime/internal/host"
	"github.com/gpugen/gpugen/runtime/internal/opencl"
)

// Kind is a family of devices.
type Kind uint8

// The kinds that this runtime opens.
const (
	KindCUDA Kind = iota + 1
	KindOpenCL
	KindCPU
)

func (k Kind) String() string {
	switch k {
	case KindCUDA:
		return "cuda"
	case KindOpenCL:
		return "opencl"
	case KindCPU:
		return "cpu"
	}
	return "none"
}

// key names a device of this machine, and whether it runs checked builds: such a device is one of its own.
type key struct {
	kind    Kind
	ordinal int
	checked bool
}

func (k key) String() string {
	if k.kind == KindCPU {
		return "cpu"
	}
	return fmt.Sprintf("%v:%d", k.kind, k.ordinal)
}

// Option chooses a device for Open, or changes how it is opened.
type Option struct {
	key     key
	checked bool      // the option chooses no device
	out     io.Writer // likewise, unless it is nil
}

// CPU chooses the CPU.
func CPU() Option { return Option{key: key{kind: KindCPU}} }

// CUDA chooses an NVIDIA GPU, counted from 0.
func CUDA(ordinal int) Option { return Option{key: key{kind: KindCUDA, ordinal: ordinal}} }

// Checked makes the device run the checked variant of every kernel that has one: those of folders with a line
// `//gpugen:checked`. A test that fails is a *TrapError at the next Sync. Buffers and streams of a device opened so are not
// those of the same device opened otherwise.
func Checked() Option { return Option{checked: true} }

// PrintTo sends what kernels print to w instead of the standard output. It holds for every handle of the device.
func PrintTo(w io.Writer) Option { return Option{out: w} }

// OpenCL chooses a device of an OpenCL driver: GPUs are counted first, then whatever else there is, such as PoCL, which
// is the CPU.
func OpenCL(ordinal int) Option { return Option{key: key{kind: KindOpenCL, ordinal: ordinal}} }

// DeviceInfo describes a device of this machine.
type DeviceInfo struct {
	Kind    Kind
	Ordinal int
	Name    string
	Arch    string // sm_90, OpenCL 3.0, amd64
	Memory  int64  // bytes; 0 where it is not known
}

// Option chooses the device for Open.
func (i DeviceInfo) Option() Option { return Option{key: key{kind: i.Kind, ordinal: i.Ordinal}} }

// Devices lists what Open can open, best first. The CPU is always there.
func Devices() []DeviceInfo {
	var list []DeviceInfo
	gpus, _ := cuda.List() // a machine without a driver has none
	for n, i := range gpus {
		list = append(list, DeviceInfo{KindCUDA, n, i.Name, i.Arch, i.Memory})
	}
	var slow []DeviceInfo // OpenCL on a CPU
	others, _ := opencl.List()
	for n, i := range others {
		info := DeviceInfo{KindOpenCL, n, i.Name, i.Arch, i.Memory}
		if i.GPU {
			list = append(list, info)
		} else {
			slow = append(slow, info)
		}
	}
	i := host.Describe()
	return append(append(list, DeviceInfo{KindCPU, 0, i.Name, i.Arch, i.Memory}), slow...)
}

// cores are the open devices, so that opening one twice shares it.
var cores struct {
	mu   sync.Mutex
	open map[key]*core
}

// Open opens the first device that works of those the options name; without options what GPUGEN_DEVICE names (cpu,
// cuda, cuda:1, opencl, opencl:1), and without that the first GPU, through CUDA or else OpenCL, else the CPU. Opening a
// device again shares it; each *Device is closed on its own. GPUGEN_CHECKED=1 is as the option Checked.
func Open(opts ...Option) (*Device, error) {
	checked, err := checkedByEnv()
	if err != nil {
		return nil, err
	}
	keys := make([]key, 0, 2)
	var out io.Writer
	for _, o := range opts {
		switch {
		case o.checked:
			checked = true
		case o.out != nil:
			out = o.out
		default:
			keys = append(keys, o.key)
		}
	}
	if env := os.Getenv("GPUGEN_DEVICE"); len(keys) == 0 && env != "" {
		k, err := parseKey(env)
		if err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	if len(keys) == 0 {
		keys = append(keys, key{kind: KindCUDA}, firstGPU, key{kind: KindCPU})
	}
	e := &NoDeviceError{}
	for _, k := range keys {
		if k == firstGPU {
			if list, err := opencl.List(); err != nil || len(list) == 0 || !list[0].GPU {
				continue
			}
			k.ordinal = 0
		}
		k.checked = checked
		c, err := share(k)
		if err == nil {
			if out != nil {
				c.printing.Lock()
				c.out = out
				c.printing.Unlock()
			}
			return &Device{c: c}, nil
		}
		e.Tried = append(e.Tried, fmt.Errorf("%v: %w", k, err))
	}
	return nil, e
}

// firstGPU is OpenCL's first device if that is a GPU.
var firstGPU = key{kind: KindOpenCL, ordinal: math.MinInt}

// checkedByEnv is what GPUGEN_CHECKED asks for.
func checkedByEnv() (bool, error) {
	env := strings.TrimSpace(os.Getenv("GPUGEN_CHECKED"))
	if env == "" {
		return false, nil
	}
	on, err := strconv.ParseBool(env)
	if err != nil {
		return false, &ContractError{"GPUGEN_CHECKED", fmt.Sprintf("%q is neither 1 nor 0", env)}
	}
	return on, nil
}

func parseKey(s string) (key, error) {
	kind, n, numbered := strings.Cut(strings.ToLower(strings.TrimSpace(s)), ":")
	ordinal := 0
	if numbered {
		var err error
		if ordinal, err = strconv.Atoi(n); err != nil || ordinal < 0 {
			return key{}, &ContractError{"GPUGEN_DEVICE", fmt.Sprintf("%q: %q is no device number", s, n)}
		}
	}
	switch {
	case kind == "cuda":
		return key{kind: KindCUDA, ordinal: ordinal}, nil
	case kind == "opencl":
		return key{kind: KindOpenCL, ordinal: ordinal}, nil
	case kind == "cpu" && ordinal == 0:
		return key{kind: KindCPU}, nil
	}
	return key{}, &ContractError{"GPUGEN_DEVICE", fmt.Sprintf("%q is no device; want cpu, cuda, cuda:1, opencl or opencl:1", s)}
}

// share returns the open core of k, counted once more, or opens it. A lost one is abandoned for a fresh one: its
// handles go on reporting the loss.
func share(k key) (*core, error) {
	cores.mu.Lock()
	defer cores.mu.Unlock()
	if c := cores.open[k]; c != nil {
		if c.lost.Load() == nil {
			c.refs++
			return c, nil
		}
		delete(cores.open, k)
		c.shut()
	}
	var drv driver.Device
	var err error
	switch k.kind {
	case KindCUDA:
		drv, err = cuda.Open(k.ordinal)
	case KindOpenCL:
		drv, err = opencl.Open(k.ordinal)
	case KindCPU:
		drv = host.Open()
	default:
		return nil, ErrNil
	}
	if err != nil {
		return nil, err
	}
	c, err := newCore(k, drv)
	if err != nil {
		drv.Close(false)
		return nil, err
	}
	if cores.open == nil {
		cores.open = map[key]*core{}
	}
	cores.open[k] = c
	return c, nil
}

// unshare gives one count back and closes the core with the last.
func unshare(c *core) error {
	cores.mu.Lock()
	c.refs--
	last := c.refs == 0
	if last && cores.open[c.key] == c {
		delete(cores.open, c.key)
	}
	cores.mu.Unlock()
	if !last {
		return nil
	}
	return c.shut()
}
