//go:build !gpuhost && ((linux && !android && (amd64 || arm64)) || (windows && (amd64 || arm64)))

package cuda

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gpugen/gpugen/internal/nvrtc"
	"github.com/gpugen/gpugen/runtime/internal/driver"
)

// compile turns CUDA C into a cubin for arch, or into PTX for the newest older arch that an NVRTC of this machine
// knows. What is older than the driver is tried first, because a driver may refuse what a newer one wrote. The
// options are those of codegen/ptx/nvrtc: only gpugen itself fuses.
func compile(source string, arch, driverVersion int) ([]byte, error) {
	found, err := nvrtc.Find()
	if err != nil {
		return nil, err
	}
	var libs []*nvrtc.Library
	var failed []error
	for _, c := range found {
		l, err := nvrtc.Open(c.Path)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		libs = append(libs, l)
	}
	score := func(l *nvrtc.Library) int {
		v, n := l.Version(), 0
		if v.Major*1000+v.Minor*10 <= driverVersion {
			n += 2
		}
		if slices.Contains(l.SupportedArchs(), arch) {
			n++
		}
		return n
	}
	slices.SortStableFunc(libs, func(a, b *nvrtc.Library) int { return score(b) - score(a) })
	for _, l := range libs {
		image, err := compileWith(l, source, arch)
		if err == nil {
			return image, nil
		}
		if c, ok := err.(*driver.CompileFailure); ok {
			return nil, c // the next would say the same of the source
		}
		failed = append(failed, err)
	}
	return nil, &nvrtc.UnusableError{Tried: failed}
}

func compileWith(l *nvrtc.Library, source string, arch int) ([]byte, error) {
	best := 0
	for _, a := range l.SupportedArchs() {
		if a <= arch {
			best = max(best, a)
		}
	}
	if best == 0 {
		return nil, fmt.Errorf("NVRTC %v knows no architecture up to sm_%d", l.Version(), arch)
	}
	form := "compute"
	if best == arch {
		form = "sm"
	}
	p, err := l.NewProgram("kernels.cu", source)
	if err != nil {
		return nil, err
	}
	defer p.Destroy()
	if err := p.Compile([]string{fmt.Sprintf("-arch=%s_%d", form, best), "--std=c++17", "--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true"}); err != nil {
		var call *nvrtc.CallError
		if errors.As(err, &call) && call.Code == nvrtc.CodeCompilation {
			log, _ := p.Log()
			return nil, &driver.CompileFailure{Source: source, Log: fmt.Sprintf("%v\n%s", err, log)}
		}
		return nil, err
	}
	if best == arch {
		return p.Cubin()
	}
	return p.PTX()
}
