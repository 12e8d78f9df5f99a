package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"

	"github.com/peterbourgon/ff/v3/ffcli"

	"github.com/gpugen/gpugen"
	"github.com/gpugen/gpugen/codegen/ptx/nvrtc"
	"github.com/gpugen/gpugen/runtime/gpu"
)

// finding is one line of doctor's report.
type finding struct {
	What   string `json:"what"`
	OK     bool   `json:"ok"`
	Needed bool   `json:"needed"` // to generate everything
	Detail string `json:"detail"`
	Remedy string `json:"remedy,omitempty"`
}

func (a *app) doctorCommand() *ffcli.Command {
	fs := a.flags("doctor")
	fs.BoolVar(&a.json, "json", false, "report as JSON on standard output")
	return &ffcli.Command{
		Name: "doctor", FlagSet: fs, ShortUsage: "gpugen doctor [-json]", ShortHelp: "look for every toolchain and driver, and say how to get what is missing",
		Exec: func(ctx context.Context, args []string) error {
			if err := none("doctor", args); err != nil {
				return err
			}
			found := diagnose(ctx)
			if a.json {
				e := json.NewEncoder(a.stdout)
				e.SetIndent("", "  ")
				if err := e.Encode(found); err != nil {
					return fail(exitInternal, "%w", err)
				}
			} else {
				printFindings(a.stdout, found)
			}
			for _, f := range found {
				if f.Needed && !f.OK {
					return &exitError{Code: exitTool}
				}
			}
			return nil
		},
	}
}

func printFindings(w io.Writer, found []finding) {
	for _, f := range found {
		mark := "ok     "
		if !f.OK {
			mark = "missing"
		}
		fmt.Fprintf(w, "%s  %s: %s\n", mark, f.What, strings.ReplaceAll(f.Detail, "\n", "\n           "))
		if f.Remedy != "" {
			fmt.Fprintf(w, "           %s\n", strings.ReplaceAll(f.Remedy, "\n", "\n           "))
		}
	}
}

// diagnose looks at everything that gpugen or a generated program may use.
func diagnose(ctx context.Context) []finding {
	found := []finding{{What: "gpugen", OK: true, Detail: versionText()}}
	found = append(found, findNVRTC()...)
	found = append(found, findMetal(ctx), findCUDA())
	found = append(found, findOpenCL()...)
	found = append(found, finding{What: "CPU", OK: true, Detail: fmt.Sprintf("%d threads; kernels run on goroutines", runtime.GOMAXPROCS(0))})
	return found
}

const nvrtcRemedy = "pip install nvidia-cuda-nvrtc-cu11==11.8.89 (PTX that old drivers load) or nvidia-cuda-nvrtc==13.0.88 (new architectures);\n" +
	"no CUDA toolkit is needed. GPUGEN_NVRTC names a library or a folder outright."

func findNVRTC() []finding {
	list, err := nvrtc.Toolchains()
	if err != nil {
		return []finding{{What: "NVRTC", Needed: true, Detail: err.Error(), Remedy: nvrtcRemedy}}
	}
	var found []finding
	floor := false
	for _, t := range list {
		f := finding{What: strings.TrimSpace("NVRTC " + t.Version), OK: t.Err == nil, Detail: fmt.Sprintf("%s (%s)", t.Path, t.Place)}
		if t.Err != nil {
			f.Detail += ": " + t.Err.Error()
		} else {
			f.Detail += ", " + strings.Join(t.Archs, " ")
			for _, arch := range t.Archs {
				floor = floor || arch == gpugen.FloorArch
			}
		}
		found = append(found, f)
	}
	if !floor {
		found = append(found, finding{What: "NVRTC for " + gpugen.FloorArch, Needed: true, Detail: "none of the above compiles for it", Remedy: nvrtcRemedy})
	}
	return found
}

// findMetal asks for Apple's compiler, which is needed by nobody: Metal text is compiled when a program starts.
func findMetal(ctx context.Context) finding {
	f := finding{What: "Metal compiler"}
	if runtime.GOOS != "darwin" {
		f.OK, f.Detail = true, "not on this system; Metal text is generated here and compiled by the Mac that runs the program"
		return f
	}
	out, err := exec.CommandContext(ctx, "xcrun", "-sdk", "macosx", "-f", "metal").CombinedOutput()
	f.OK, f.Detail = err == nil, strings.TrimSpace(string(out))
	if err != nil {
		f.Remedy = "not needed to generate; to have it, install Xcode and run xcodebuild -downloadComponent MetalToolchain"
	}
	return f
}

func findCUDA() finding {
	f := finding{What: "CUDA device"}
	dev, err := gpu.Open(gpu.CUDA(0))
	if err != nil {
		f.Detail = err.Error()
		var none *gpu.NoDeviceError
		if errors.As(err, &none) {
			f.Remedy = "not needed to generate; programs run their kernels on the CPU instead"
		}
		return f
	}
	defer dev.Close()
	f.OK, f.Detail = true, fmt.Sprintf("%s, %s, driver for %s", dev.Name(), dev.Arch(), dev.Driver())
	return f
}

// findOpenCL opens each OpenCL device: OpenCL C is compiled by the device's driver when a program starts.
func findOpenCL() []finding {
	var found []finding
	for _, i := range gpu.Devices() {
		if i.Kind != gpu.KindOpenCL {
			continue
		}
		f := finding{What: fmt.Sprintf("OpenCL device %d", i.Ordinal)}
		dev, err := gpu.Open(i.Option())
		if err != nil {
			f.Detail = err.Error()
		} else {
			f.OK, f.Detail = true, fmt.Sprintf("%s, %s, %s", dev.Name(), dev.Arch(), dev.Driver())
			dev.Close()
		}
		found = append(found, f)
	}
	if len(found) > 0 {
		return found
	}
	_, err := gpu.Open(gpu.OpenCL(0))
	return []finding{{
		What: "OpenCL device", Detail: fmt.Sprint(err),
		Remedy: "not needed to generate; the driver of an AMD or Intel GPU brings one, the package pocl-opencl-icd one that is the CPU",
	}}
}
