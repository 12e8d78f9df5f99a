package nvrtc

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// machine is a made-up computer in a temporary folder.
type machine struct {
	*system
	t   *testing.T
	env map[string]string
}

func newMachine(t *testing.T) *machine {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{t: t, env: map[string]string{}}
	m.system = &system{root: dir, cwd: filepath.Join(dir, "home", "me", "proj", "pkg"), home: filepath.Join(dir, "home", "me"),
		getenv: func(k string) string { return m.env[k] }}
	m.mkdir("home/me/proj/pkg")
	m.file("home/me/proj/go.mod")
	return m
}

func (m *machine) path(rel string) string { return filepath.Join(m.root, filepath.FromSlash(rel)) }

func (m *machine) mkdir(rel string) {
	m.t.Helper()
	if err := os.MkdirAll(m.path(rel), 0o755); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) file(rel string) {
	m.t.Helper()
	m.mkdir(filepath.Dir(rel))
	if err := os.WriteFile(m.path(rel), nil, 0o644); err != nil {
		m.t.Fatal(err)
	}
}

// install puts an NVRTC of a version into a folder, as the wheels do.
func (m *machine) install(dir, soname, version string) string {
	m.t.Helper()
	m.file(dir + "/libnvrtc.so." + soname)
	m.file(dir + "/libnvrtc-builtins.so." + version)
	m.file(dir + "/libnvrtc.alt.so." + soname)
	return m.path(dir + "/libnvrtc.so." + soname)
}

func (m *machine) want(place Place, paths ...string) {
	m.t.Helper()
	got, err := m.find()
	if err != nil {
		m.t.Fatal(err)
	}
	var list []string
	for _, c := range got {
		if c.Place == place {
			list = append(list, c.Path)
		}
	}
	if !slices.Equal(list, paths) {
		m.t.Errorf("%s: found %q\nwant %q", place, list, paths)
	}
}

func TestFindOrder(t *testing.T) {
	m := newMachine(t)
	cuda := m.install("usr/local/cuda-12.4/lib64", "12", "12.4")
	loader := m.install("opt/odd", "11.2", "11.7")
	m.file("etc/ld.so.conf.d/odd.conf")
	write(t, m.path("etc/ld.so.conf"), "include /etc/ld.so.conf.d/*.conf\n")
	write(t, m.path("etc/ld.so.conf.d/odd.conf"), "# odd\n/opt/odd\n")
	user := m.install("home/me/.local/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib", "12", "12.1")
	newer := m.install("home/me/proj/.nvrtc/13.0.88/lib", "13", "13.0")
	older := m.install("home/me/proj/.nvrtc/9-odd-name/lib", "11.2", "11.8")

	m.want(FromProject, older, newer)
	m.want(FromPython, user)
	m.want(FromLoader, loader)
	m.want(FromCUDA, cuda)
	got, err := m.find()
	if err != nil {
		t.Fatal(err)
	}
	var order []Place
	for _, c := range got {
		order = append(order, c.Place)
	}
	if want := []Place{FromProject, FromProject, FromPython, FromLoader, FromCUDA}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
	if got[0].Version != (Version{11, 8}) {
		t.Errorf("version %v of %s, want 11.8", got[0].Version, got[0].Path)
	}
}

func TestFindPythonPlaces(t *testing.T) {
	m := newMachine(t)
	venv := m.install("venv/lib/python3.12/site-packages/nvidia/cu13/lib", "13", "13.0")
	m.env["VIRTUAL_ENV"] = m.path("venv")
	pythonpath := m.install("libs/nvidia/cuda_nvrtc/lib", "12", "12.6")
	m.env["PYTHONPATH"] = m.path("libs")
	// python3 in PATH is a link into the interpreter's own prefix.
	onPath := m.install("py/lib/python3.10/site-packages/nvidia/cuda_nvrtc/lib", "12", "12.2")
	m.file("py/bin/python3.10")
	m.mkdir("bin")
	if err := os.Symlink(m.path("py/bin/python3.10"), m.path("bin/python3")); err != nil {
		t.Skipf("no symbolic links can be made here: %v", err)
	}
	m.env["PATH"] = m.path("nothing") + string(filepath.ListSeparator) + m.path("bin")
	pyenv := m.install("home/me/.pyenv/versions/3.9.1/lib/python3.9/site-packages/nvidia/cuda_nvrtc/lib", "11.2", "11.8")
	dist := m.install("usr/lib/python3/dist-packages/nvidia/cuda_nvrtc/lib", "12", "12.8")
	m.want(FromPython, pyenv, onPath, pythonpath, dist, venv) // by version
}

func TestFindEnvIsExclusive(t *testing.T) {
	m := newMachine(t)
	m.install("home/me/proj/.nvrtc/13.0.88/lib", "13", "13.0")
	a, b := m.install("a", "12", "12.4"), m.install("b", "11.2", "11.8")
	m.env[Env] = m.path("a") + string(filepath.ListSeparator) + b // a folder and a file
	m.want(FromEnv, b, a)
	m.want(FromProject)

	m.env[Env] = m.path("home/me/proj/.nvrtc") // a folder of versions
	m.install("home/me/proj/.nvrtc/t/nvidia/cuda_nvrtc/lib", "12", "12.6")
	m.want(FromEnv, m.path("home/me/proj/.nvrtc/t/nvidia/cuda_nvrtc/lib/libnvrtc.so.12"), m.path("home/me/proj/.nvrtc/13.0.88/lib/libnvrtc.so.13"))

	m.env[Env] = m.path("absent")
	_, err := m.find()
	var missing *NotFoundError
	if !errors.As(err, &missing) || missing.Only != m.path("absent") || !slices.Equal(missing.Dirs, []string{m.path("absent")}) {
		t.Fatalf("%#v", err)
	}
}

// TestB29NothingInstalled: the error lists every name and directory and the variable to set.
func TestB29NothingInstalled(t *testing.T) {
	m := newMachine(t)
	_, err := m.find()
	var missing *NotFoundError
	if !errors.As(err, &missing) {
		t.Fatalf("found something: %v", err)
	}
	m.env["PYTHONPATH"], m.env["VIRTUAL_ENV"], m.env["LD_LIBRARY_PATH"], m.env["CUDA_HOME"] = "/a/pythonpath", "/a/venv", "/a/loader", "/a/home"
	write(t, m.path("etc/ld.so.conf"), "/a/configured\n")
	if _, err = m.find(); !errors.As(err, &missing) {
		t.Fatalf("found something: %v", err)
	}
	var tried []string
	for _, dirs := range [][]string{m.projectDirs(), m.pythonDirs(), m.loaderDirs(), m.cudaDirs()} {
		tried = append(tried, dirs...)
	}
	if !slices.Equal(missing.Dirs, compact(tried)) || len(tried) < 20 {
		t.Errorf("%d directories were searched, the error has %d", len(tried), len(missing.Dirs))
	}
	for _, want := range append(append(slices.Clone(Names), Env, "looked in:", "pip install", ".nvrtc", "site-packages", "dist-packages", "/usr/local/cuda",
		"/a/pythonpath", "/a/venv", "/a/loader", "/a/home", "/a/configured"), missing.Dirs...) {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the message does not name %q:\n%v", want, err)
		}
	}
}

// TestB29Unusable: libraries that are there and no good are one error, with each of them and the remedy.
func TestB29Unusable(t *testing.T) {
	half := &CompanionError{Path: "/x/libnvrtc.so.12", Version: Version{12, 4}, Companion: "libnvrtc-builtins.so.12.4", Err: os.ErrNotExist}
	old := &TooOldError{Path: "/y/libnvrtc.so.10", Version: Version{10, 2}}
	err := error(&UnusableError{[]error{half, old, &LoadError{"/z/libnvrtc.so", errors.New("no ELF\nat all")}}})
	for _, want := range []string{"/x/libnvrtc.so.12", "12.4", "libnvrtc-builtins.so.12.4", "neither in /x nor", "/y/libnvrtc.so.10", "10.2", "11.2 or newer", "/z/libnvrtc.so", "\n\tat all", "set " + Env, "pip install"} {
		if !strings.Contains(filepath.ToSlash(err.Error()), want) {
			t.Errorf("the message lacks %q:\n%v", want, err)
		}
	}
	var c *CompanionError
	var o *TooOldError
	var s *SymbolError
	if !errors.As(err, &c) || c != half || !errors.As(err, &o) || o != old || errors.As(err, &s) {
		t.Errorf("the errors of the libraries: %v %v %v", c, o, s)
	}
	if strings.Count(err.Error(), "nvrtc: ") != 1 {
		t.Errorf("three errors for one:\n%v", err)
	}
}

// TestProjectFolderOfAStranger: outside the repository or module nothing is picked up.
func TestProjectFolderOfAStranger(t *testing.T) {
	m := newMachine(t)
	m.install("home/me/.nvrtc/13.0.88/lib", "13", "13.0")
	if got, err := m.find(); err == nil {
		t.Errorf("took %v from above the module", got)
	}
	m.cwd = m.path("home/me/proj")
	m.file("home/me/go.mod")
	if got, err := m.find(); err == nil {
		t.Errorf("took %v from another module", got)
	}
	m.mkdir("home/me/.git") // now the module is one of several in a repository
	m.want(FromProject, m.path("home/me/.nvrtc/13.0.88/lib/libnvrtc.so.13"))
}

// TestB36OddPaths: spaces, quotes and glob characters in the project's path.
func TestB36OddPaths(t *testing.T) {
	m := newMachine(t)
	odd := "home/me/My Kernels [v2] ü'$x"
	m.file(odd + "/go.mod")
	m.cwd = m.path(odd)
	m.want(FromProject, m.install(odd+"/.nvrtc/11.8.89/lib", "11.2", "11.8"))
}

func TestLinksCountOnce(t *testing.T) {
	m := newMachine(t)
	real := m.install("usr/local/cuda-12.4/lib64", "12.4.127", "12.4")
	for _, link := range []string{"libnvrtc.so", "libnvrtc.so.12"} {
		if err := os.Symlink("libnvrtc.so.12.4.127", filepath.Join(filepath.Dir(real), link)); err != nil {
			t.Skipf("no symbolic links can be made here: %v", err)
		}
	}
	if err := os.Symlink("cuda-12.4", m.path("usr/local/cuda")); err != nil {
		t.Skipf("no symbolic links can be made here: %v", err)
	}
	m.want(FromCUDA, real)
}

func TestCompanionVersion(t *testing.T) {
	m := newMachine(t)
	for _, f := range []string{"d/libnvrtc-builtins.so.11.8.89", "d/libnvrtc-builtins.so.12.4", "d/libnvrtc-builtins.so.12.6",
		"w/nvrtc-builtins64_118.dll", "w/nvrtc-builtins64_130.dll", "n/unrelated"} {
		m.file(f)
	}
	for path, want := range map[string]Version{
		"d/libnvrtc.so.11.2":     {11, 8},
		"d/libnvrtc.so.12":       {12, 6},
		"d/libnvrtc.so.13":       {},
		"d/libnvrtc.so":          {12, 6},
		"w/nvrtc64_112_0.dll":    {11, 8},
		"w/nvrtc64_130_0.dll":    {13, 0},
		"n/libnvrtc.so.12":       {},
		"absent/libnvrtc.so.11.": {},
	} {
		if got := companionVersion(m.path(path)); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}

func TestWindowsPlaces(t *testing.T) {
	m := newMachine(t)
	m.windows = true
	m.env["APPDATA"], m.env["LOCALAPPDATA"], m.env["ProgramFiles"] = `A`, `L`, `P`
	m.env["CUDA_PATH"] = `C`
	all := strings.Join(append(m.pythonDirs(), m.cudaDirs()...), "\n")
	for _, want := range []string{"A", "L", "P", filepath.Join("C", "bin", "x64"), "x86_64"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not among the places:\n%s", want, all)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
