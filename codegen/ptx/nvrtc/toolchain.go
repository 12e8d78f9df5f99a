package nvrtc

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gpugen/gpugen/internal/nvrtc"
)

// A Toolchain is one NVRTC on this machine.
type Toolchain struct {
	Version string // 11.8
	Path    string
	Place   string   // how it was found: GPUGEN_NVRTC, project, python, loader, CUDA toolkit
	Archs   []string // sm_75 and so on, ascending
	Err     error    // why it cannot be used; Version may then be empty
}

// Toolchains lists every NVRTC that is found, in the order in which they are preferred; the ones that cannot be used
// carry their error. It loads them all. The error is *nvrtc.NotFoundError of internal/nvrtc.
func Toolchains() ([]Toolchain, error) {
	found, err := candidates()
	if err != nil {
		return nil, err
	}
	var list []Toolchain
	for _, c := range found {
		t := Toolchain{Path: c.Path, Place: string(c.Place)}
		if c.Version != (nvrtc.Version{}) {
			t.Version = c.Version.String()
		}
		lib, err := nvrtc.Open(c.Path)
		if err != nil {
			t.Err = err
			if half := (*nvrtc.CompanionError)(nil); errors.As(err, &half) {
				t.Version = half.Version.String() // the companion's name would have told it
			}
		} else {
			t.Version = lib.Version().String()
			t.Archs = archNames(lib.SupportedArchs())
		}
		list = append(list, t)
	}
	return list, nil
}

// Missing reports whether err means that a tool has to be installed: no NVRTC, a broken one, or none that knows the
// architecture.
func Missing(err error) bool {
	var notFound *nvrtc.NotFoundError
	var load *nvrtc.LoadError
	var symbol *nvrtc.SymbolError
	var companion *nvrtc.CompanionError
	var old *nvrtc.TooOldError
	var arch *ArchError
	return errors.As(err, &notFound) || errors.As(err, &load) || errors.As(err, &symbol) || errors.As(err, &companion) ||
		errors.As(err, &old) || errors.As(err, &arch)
}

// candidates sorts what is on the machine by preference. What the user names and what the project pins comes first;
// of everything else the oldest, whatever place it was found in.
func candidates() ([]nvrtc.Candidate, error) {
	found, err := nvrtc.Find()
	if err != nil {
		return nil, err
	}
	pinned := func(c nvrtc.Candidate) int {
		if c.Place == nvrtc.FromEnv || c.Place == nvrtc.FromProject {
			return 0
		}
		return 1
	}
	known := func(c nvrtc.Candidate) int {
		if c.Version != (nvrtc.Version{}) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(found, func(a, b nvrtc.Candidate) int {
		return cmp.Or(pinned(a)-pinned(b), known(a)-known(b), a.Version.Compare(b.Version))
	})
	return found, nil
}

// chosen remembers choices: the search reads directories, and a hundred kernels ask for the same architecture.
var chosen sync.Map // choice → Toolchain

type choice struct {
	arch     arch
	version  string
	env, cwd string // what the search starts from
}

// choose takes the first candidate that knows the architecture; version, if not empty, is the only one allowed.
func choose(a arch, version string) (Toolchain, error) {
	cwd, err := os.Getwd()
	if err != nil {
		cwd = "" // Find does without a project folder then
	}
	key := choice{a, version, os.Getenv(nvrtc.Env), cwd}
	if t, ok := chosen.Load(key); ok {
		return t.(Toolchain), nil
	}
	found, err := candidates()
	if err != nil {
		return Toolchain{}, err
	}
	refused := &ArchError{Flag: "-arch", Value: a.String(), Demanded: version}
	var broken []error
	for _, c := range found {
		if version != "" && c.Version != (nvrtc.Version{}) && c.Version.String() != version {
			refused.Known = append(refused.Known, Known{Version: c.Version.String(), Path: c.Path})
			continue
		}
		lib, err := nvrtc.Open(c.Path)
		if err != nil {
			broken = append(broken, err)
			continue
		}
		if a.knownTo(lib) && (version == "" || lib.Version().String() == version) {
			t := Toolchain{Version: lib.Version().String(), Path: c.Path, Place: string(c.Place), Archs: archNames(lib.SupportedArchs())}
			chosen.Store(key, t)
			return t, nil
		}
		refused.Known = append(refused.Known, Known{lib.Version().String(), c.Path, archNames(lib.SupportedArchs())})
	}
	if len(refused.Known) == 0 {
		return Toolchain{}, &nvrtc.UnusableError{Tried: broken}
	}
	refused.Broken = broken
	return Toolchain{}, refused
}

// An ArchError says that no NVRTC here compiles for an architecture.
type ArchError struct {
	Flag, Value string // -arch, sm_999
	Demanded    string // the version asked for, if one was
	Known       []Known
	Broken      []error // libraries that could not be used at all
}

// Known is what one NVRTC compiles for.
type Known struct {
	Version string
	Path    string
	Archs   []string // empty if the library was left out because of its version
}

func (e *ArchError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "nvrtc: no NVRTC here compiles for %s (option %s=%s)", e.Value, e.Flag, e.Value)
	if e.Demanded != "" {
		fmt.Fprintf(&b, " and is version %s", e.Demanded)
	}
	for _, k := range e.Known {
		fmt.Fprintf(&b, "\n\tNVRTC %s (%s)", k.Version, k.Path)
		if len(k.Archs) > 0 {
			fmt.Fprintf(&b, " supports %s", strings.Join(k.Archs, " "))
		}
	}
	for _, err := range e.Broken {
		fmt.Fprintf(&b, "\n\t%v", err)
	}
	fmt.Fprintf(&b, "\ntake one of these architectures, or install a newer NVRTC (several stand side by side) and name it in %s", nvrtc.Env)
	return b.String()
}

// arch is an architecture: sm_90a is {90, "a"}.
type arch struct {
	N      int
	Suffix string
}

func (a arch) String() string { return fmt.Sprintf("sm_%d%s", a.N, a.Suffix) }

// parseArch reads sm_75, sm_90a, sm_100f and, for PTX, compute_75.
func parseArch(s string, kind Kind) (arch, error) {
	digits, ok := strings.CutPrefix(s, "sm_")
	if !ok && kind == PTX {
		digits, ok = strings.CutPrefix(s, "compute_")
	}
	var a arch
	if rest := strings.TrimRight(digits, "af"); len(digits)-len(rest) <= 1 {
		a.Suffix = digits[len(rest):]
		digits = rest
	}
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 10 || digits[0] == '+' {
		want := "sm_75"
		if kind == PTX {
			want = "sm_75 or compute_75"
		}
		return arch{}, fmt.Errorf("nvrtc: `%s` is no architecture for a %s; one looks like %s", s, kind, want)
	}
	a.N = n
	return a, nil
}

// knownTo: the library lists plain numbers. The accelerated variants came with CUDA 12.0, the family ones with 12.9
// (release notes of the PTX ISA, 8.0 and 8.8).
func (a arch) knownTo(l *nvrtc.Library) bool {
	if !slices.Contains(l.SupportedArchs(), a.N) {
		return false
	}
	switch a.Suffix {
	case "a":
		return a.N >= 90 && l.Version().Compare(nvrtc.Version{Major: 12}) >= 0
	case "f":
		return a.N >= 100 && l.Version().Compare(nvrtc.Version{Major: 12, Minor: 9}) >= 0
	}
	return true
}

func archNames(numbers []int) []string {
	var names []string
	for _, n := range numbers {
		names = append(names, arch{N: n}.String())
	}
	return names
}
