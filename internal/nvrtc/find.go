package nvrtc

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Env is the environment variable that names the library, or a folder that holds it or, like a project's .nvrtc, several
// versions of it; entries are separated as in PATH. When it is set, nothing else is looked at.
const Env = "GPUGEN_NVRTC"

// A Place is one step of the search order.
type Place string

// The search order.
const (
	FromEnv     Place = Env
	FromProject Place = "project"      // the module's .nvrtc folder, a pin
	FromPython  Place = "python"       // nvidia wheels in site-packages
	FromLoader  Place = "loader"       // where the system's loader looks
	FromCUDA    Place = "CUDA toolkit" // /usr/local/cuda and the like
)

// A Candidate is a library that was found and not loaded yet.
type Candidate struct {
	Path  string
	Place Place
	// Version is told by the name of the builtins library beside it, zero if there is none; Open reports the true one.
	Version Version
}

// Find looks for NVRTC in the order of the Place constants. It reads directories and loads nothing. Within a place
// the oldest comes first, a library of unknown version last. If there is none the error is a *NotFoundError.
func Find() ([]Candidate, error) {
	s := hostSystem()
	return s.find()
}

// system is what the search reads of the machine; tests make one of their own.
type system struct {
	windows bool
	root    string // put before absolute directories that the search knows by itself; "" on a real machine
	cwd     string
	home    string
	getenv  func(string) string
}

func hostSystem() *system {
	s := &system{windows: filepath.Separator == '\\', getenv: os.Getenv}
	s.cwd, _ = os.Getwd()        // without one there is no project folder
	s.home, _ = os.UserHomeDir() // without one there is no user's Python
	return s
}

func (s *system) find() ([]Candidate, error) {
	type step struct {
		place Place
		dirs  []string
	}
	var steps []step
	only := s.getenv(Env)
	if only != "" {
		steps = []step{{FromEnv, s.envDirs(only)}}
	} else {
		steps = []step{
			{FromProject, s.projectDirs()},
			{FromPython, s.pythonDirs()},
			{FromLoader, s.loaderDirs()},
			{FromCUDA, s.cudaDirs()},
		}
	}
	var all []Candidate
	missing := &NotFoundError{Names: Names, Only: only}
	seenDir, seenFile := map[string]bool{}, map[string]bool{}
	for _, step := range steps {
		var here []Candidate
		for _, pattern := range step.dirs {
			for _, dir := range expand(pattern) {
				if dir == "" || seenDir[dir] {
					continue
				}
				seenDir[dir] = true
				missing.Dirs = append(missing.Dirs, dir)
				for _, path := range librariesAt(dir) {
					if !seenFile[path] {
						seenFile[path] = true
						here = append(here, Candidate{path, step.place, companionVersion(path)})
					}
				}
			}
		}
		slices.SortStableFunc(here, func(a, b Candidate) int {
			if unknown := (Version{}); (a.Version == unknown) != (b.Version == unknown) {
				return cmp.Compare(b.Version.Major, a.Version.Major)
			}
			return a.Version.Compare(b.Version)
		})
		all = append(all, here...)
	}
	if len(all) == 0 {
		return nil, missing
	}
	return all, nil
}

// expand resolves a pattern of directories; one that matches nothing stands for itself, so that the error can name it.
func expand(pattern string) []string {
	if !strings.ContainsAny(pattern, "*[") {
		return []string{pattern}
	}
	if _, err := os.Lstat(pattern); err == nil {
		return []string{pattern} // a folder whose name happens to hold such a character
	}
	matches, err := filepath.Glob(pattern)
	if err != nil || len(matches) == 0 {
		return []string{pattern}
	}
	return matches
}

// libraryName and companionNames recognise files on every system, so that the search can be tested on one.
var (
	libraryName   = regexp.MustCompile(`^(libnvrtc\.so(\.\d+)*|nvrtc64_\d+_\d+\.dll)$`)
	companionUnix = regexp.MustCompile(`^libnvrtc-builtins\.so\.(\d+)\.(\d+)(\.\d+)*$`)
	companionWin  = regexp.MustCompile(`^nvrtc-builtins64_(\d+)(\d)\.dll$`)
	majorOfName   = regexp.MustCompile(`^(?:libnvrtc\.so\.(\d+)|nvrtc64_(\d+)\d_\d+\.dll$)`)
)

// librariesAt lists the real paths of the NVRTC libraries in a folder, or the one file that the path itself names.
func librariesAt(path string) []string {
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	if !info.IsDir() {
		return realPaths(path)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil
	}
	var found []string
	for _, e := range entries {
		if libraryName.MatchString(e.Name()) {
			found = append(found, realPaths(filepath.Join(path, e.Name()))...)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func realPaths(path string) []string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil
	}
	if real, err = filepath.Abs(real); err != nil {
		return nil
	}
	return []string{real}
}

// companionVersion reads the version off the builtins library beside path: libnvrtc.so.11.2 is every version from 11.2
// to 11.8, but libnvrtc-builtins.so.11.8 is one. Of several, one of the library's own major version counts, the newest.
func companionVersion(path string) Version {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return Version{}
	}
	major := 0
	if m := majorOfName.FindStringSubmatch(filepath.Base(path)); m != nil {
		major, _ = strconv.Atoi(m[1] + m[2]) // digits by the pattern
	}
	var best Version
	for _, e := range entries {
		m := companionUnix.FindStringSubmatch(e.Name())
		if m == nil {
			m = companionWin.FindStringSubmatch(e.Name())
		}
		if m == nil {
			continue
		}
		var v Version
		v.Major, _ = strconv.Atoi(m[1])
		v.Minor, _ = strconv.Atoi(m[2])
		if (major == 0 || v.Major == major) && v.Compare(best) > 0 {
			best = v
		}
	}
	return best
}
