package nvrtc

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// projectDirs: the .nvrtc folders from the working directory up to the root of the repository, or, outside one, of the
// module. A folder of a stranger above that is never taken.
func (s *system) projectDirs() []string {
	if s.cwd == "" {
		return nil
	}
	var walked []string
	module, found := 1, false // how many of walked lie inside the module; the working directory always counts
	for dir := s.cwd; ; dir = filepath.Dir(dir) {
		walked = append(walked, dir)
		if exists(filepath.Join(dir, ".git")) {
			module = len(walked)
			break
		}
		if !found && exists(filepath.Join(dir, "go.mod")) {
			module, found = len(walked), true
		}
		if filepath.Dir(dir) == dir {
			break
		}
	}
	var dirs []string
	for _, dir := range walked[:module] {
		dirs = append(dirs, s.versionDirs(filepath.Join(dir, ".nvrtc"))...)
	}
	return dirs
}

// envDirs: what the user names, each entry a library, its folder, or a folder of versions.
func (s *system) envDirs(list string) []string {
	var dirs []string
	for _, entry := range filepath.SplitList(list) {
		dirs = append(dirs, s.versionDirs(entry)...)
	}
	return dirs
}

// versionDirs: a folder and what lies below it when it holds a version in each subfolder, as make setup and
// `pip install --target DIR/VERSION` leave them. Anything else stands for itself.
func (s *system) versionDirs(dir string) []string {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return []string{dir}
	}
	dirs := []string{dir}
	for _, at := range append([]string{dir}, below(dir, "*")...) {
		if at != dir {
			dirs = append(dirs, at)
		}
		dirs = append(dirs, below(at, "lib")...)
		dirs = append(dirs, below(at, "nvidia", "*", "lib")...)
		dirs = append(dirs, below(at, "nvidia", "*", "bin")...)
		dirs = append(dirs, below(at, "nvidia", "*", "bin", "x86_64")...)
	}
	return dirs
}

// below lists the folders at a relative path, "*" standing for every folder. Unlike a glob pattern it takes a dir with
// any characters in its name.
func below(dir string, elems ...string) []string {
	if len(elems) == 0 {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return nil
		}
		return []string{dir}
	}
	if elems[0] != "*" {
		return below(filepath.Join(dir, elems[0]), elems[1:]...)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // not there, or not for us to see
	}
	var dirs []string
	for _, e := range entries {
		dirs = append(dirs, below(filepath.Join(dir, e.Name()), elems[1:]...)...)
	}
	return dirs
}

// pythonDirs: NVIDIA's wheels in every site-packages that can be found without running Python.
func (s *system) pythonDirs() []string {
	var sites, prefixes []string
	sites = append(sites, filepath.SplitList(s.getenv("PYTHONPATH"))...)
	for _, env := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if p := s.getenv(env); p != "" {
			prefixes = append(prefixes, p)
		}
	}
	for _, dir := range filepath.SplitList(s.getenv("PATH")) {
		if python, err := filepath.EvalSymlinks(filepath.Join(dir, s.python())); err == nil {
			prefix := filepath.Dir(python)
			if !s.windows {
				prefix = filepath.Dir(prefix) // PREFIX/bin/python3
			}
			prefixes = append(prefixes, prefix)
		}
	}
	if s.home != "" {
		prefixes = append(prefixes, filepath.Join(s.home, ".local"), filepath.Join(s.home, ".pyenv", "versions", "*"))
		for _, conda := range []string{"miniconda3", "miniforge3", "anaconda3"} {
			prefixes = append(prefixes, filepath.Join(s.home, conda))
		}
	}
	if s.windows {
		for _, at := range [][2]string{{"APPDATA", `Python\Python3*`}, {"LOCALAPPDATA", `Programs\Python\Python3*`}} {
			if p := s.getenv(at[0]); p != "" {
				prefixes = append(prefixes, filepath.Join(p, at[1]))
				sites = append(sites, filepath.Join(p, at[1], "site-packages"))
			}
		}
	} else {
		prefixes = append(prefixes, s.root+"/usr/local", s.root+"/usr", s.root+"/opt/conda")
		sites = append(sites, s.root+"/usr/lib/python3/dist-packages")
	}
	for _, p := range prefixes {
		if s.windows {
			sites = append(sites, filepath.Join(p, "Lib", "site-packages"))
			continue
		}
		sites = append(sites, filepath.Join(p, "lib", "python3*", "site-packages"), filepath.Join(p, "lib", "python3*", "dist-packages"))
	}
	var dirs []string
	for _, site := range sites {
		if site != "" {
			dirs = append(dirs, s.wheelDirs(site)...)
		}
	}
	if p := s.getenv("CONDA_PREFIX"); p != "" {
		dirs = append(dirs, filepath.Join(p, "lib"), filepath.Join(p, "Library", "bin"))
	}
	return compact(dirs)
}

func (s *system) python() string {
	if s.windows {
		return "python.exe"
	}
	return "python3"
}

// wheelDirs: where NVIDIA's wheels put libraries below a site-packages folder; `nvidia/cuda_nvrtc/lib` up to CUDA 12,
// `nvidia/cu13/lib` from 13 on.
func (s *system) wheelDirs(site string) []string {
	if s.windows {
		return []string{filepath.Join(site, "nvidia", "*", "bin"), filepath.Join(site, "nvidia", "*", "bin", "x86_64")}
	}
	return []string{filepath.Join(site, "nvidia", "*", "lib")}
}

// loaderDirs: the system loader's own path, as far as it can be read from files.
func (s *system) loaderDirs() []string {
	if s.windows {
		return filepath.SplitList(s.getenv("PATH"))
	}
	dirs := filepath.SplitList(s.getenv("LD_LIBRARY_PATH"))
	dirs = append(dirs, s.loaderConfig(s.root+"/etc/ld.so.conf", 0)...)
	for _, dir := range []string{"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/local/lib", "/usr/lib64", "/lib64", "/usr/lib", "/lib"} {
		dirs = append(dirs, s.root+dir)
	}
	return compact(dirs)
}

// loaderConfig reads ld.so.conf: a directory a line, or include and a pattern of further files.
func (s *system) loaderConfig(file string, depth int) []string {
	text, err := os.ReadFile(file)
	if err != nil || depth > 4 {
		return nil
	}
	var dirs []string
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		fields := strings.Fields(line)
		switch {
		case len(fields) == 2 && fields[0] == "include":
			pattern := fields[1]
			if !strings.HasPrefix(pattern, "/") {
				pattern = filepath.Join(filepath.Dir(file), pattern)
			} else {
				pattern = s.root + pattern
			}
			more, err := filepath.Glob(pattern)
			if err != nil {
				continue // a pattern that the system's loader does not take either
			}
			for _, f := range more {
				dirs = append(dirs, s.loaderConfig(f, depth+1)...)
			}
		case len(fields) == 1 && strings.HasPrefix(fields[0], "/"):
			dirs = append(dirs, s.root+fields[0])
		}
	}
	return dirs
}

// cudaDirs: where CUDA toolkits install themselves.
func (s *system) cudaDirs() []string {
	var dirs, homes []string
	for _, env := range []string{"CUDA_PATH", "CUDA_HOME"} {
		if p := s.getenv(env); p != "" {
			homes = append(homes, p)
		}
	}
	if s.windows {
		if p := s.getenv("ProgramFiles"); p != "" {
			homes = append(homes, filepath.Join(p, "NVIDIA GPU Computing Toolkit", "CUDA", "v*"))
		}
		for _, h := range homes {
			dirs = append(dirs, filepath.Join(h, "bin"), filepath.Join(h, "bin", "x64"))
		}
		return dirs
	}
	homes = append(homes, s.root+"/usr/local/cuda", s.root+"/usr/local/cuda-*", s.root+"/opt/cuda")
	for _, h := range homes {
		dirs = append(dirs, filepath.Join(h, "lib64"), filepath.Join(h, "targets", "*-linux", "lib"))
	}
	return compact(dirs)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// compact drops empty and repeated entries and keeps the order.
func compact(dirs []string) []string {
	var out []string
	for _, d := range dirs {
		if d != "" && !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	return out
}
