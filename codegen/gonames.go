package codegen

import "strings"

// GoFile is what the generated Go of one .gpu file needs names for.
type GoFile struct {
	File    string // "saxpy.gpu"
	Kernels []GoInstance
	Funcs   []GoInstance
	Tables  []string // names of tables of constants
}

// GoInstance is an instance of a kernel or a function.
type GoInstance struct {
	Name     string // "Saxpy"
	Instance string // "Saxpy[float32]"
	Args     []string
	Consts   []GoConst // the constant arguments among Args
}

// GoConst is a constant argument of a kernel instance.
type GoConst struct {
	Param string // "Tile"
	Value string // "16"
}

// GoNames holds the package-level Go names that the generated files of one folder use, so that the wrappers and the CPU
// kernels agree and no two of them, nor a name of the user, are the same. Every hidden name starts with "gpu"; a clash
// puts "_" at its end. It is built once a folder and only read afterwards.
type GoNames struct {
	GPU, Gen, Math, Unsafe string // local names of the imports runtime/gpu, runtime/gpu/gen, math and unsafe

	declared map[string]bool
	used     map[string]bool
	claimed  map[string]bool // imports and hidden names
	bases    map[string]bool // beginnings of the names of files
	names    map[goKey]string

	checked bool // names those of the checked build where the two differ
}

type goKey struct{ role, file, what string }

// baseName is the last element of a path: names of files are looked up by it.
func baseName(file string) string { return file[strings.LastIndexAny(file, "/\\")+1:] }

// NewGoNames chooses the names for a folder. declared are the names that the package has at package level: those of its
// own Go files and of all its .gpu files. local are the names used inside kernels and functions: hidden names and
// imports keep clear of them, so that a local name never hides what generated code means.
func NewGoNames(declared, local []string, files []GoFile) *GoNames {
	n := &GoNames{declared: map[string]bool{}, used: map[string]bool{}, claimed: map[string]bool{}, bases: map[string]bool{}, names: map[goKey]string{}}
	for _, d := range declared {
		n.declared[d] = true
		n.used[d] = true
	}
	for _, l := range local {
		n.used[l] = true
	}
	n.GPU, n.Gen, n.Math, n.Unsafe = n.claim("gpu"), n.claim("gen"), n.claim("math"), n.claim("unsafe")
	// What people see comes first, then kernels, then what belongs to files.
	for _, f := range files {
		for _, k := range f.Kernels {
			for _, c := range k.Consts {
				n.add(goKey{"type", "", k.Name + " " + c.Param}, k.Name+title(c.Param))
				n.add(goKey{"const", "", k.Name + " " + c.Param + " " + c.Value}, k.Name+title(c.Param)+argName(c.Value))
			}
			if len(k.Consts) > 1 {
				n.add(goKey{"option", "", k.Name}, k.Name+"Option")
			}
		}
	}
	for _, f := range files {
		for _, k := range f.Kernels {
			base := "gpu" + title(k.Name) + argNames(k.Args)
			n.add(goKey{"kernel", "", k.Instance}, base)
			n.add(goKey{"cpu", "", k.Instance}, base+"CPU")
			if len(k.Consts) > 1 {
				n.add(goKey{"method", "", k.Name}, "gpu"+title(k.Name)+"Option")
			}
		}
	}
	for _, f := range files {
		file := baseName(f.File)
		base := "gpu" + fileName(file)
		for n.bases[base] {
			base += "_"
		}
		n.bases[base] = true
		n.names[goKey{"base", file, ""}] = base
		for _, role := range fileRoles {
			n.add(goKey{role, file, ""}, base+role)
		}
		for _, fn := range f.Funcs {
			n.add(goKey{"func", file, fn.Instance}, base+title(fn.Name)+argNames(fn.Args))
			n.add(goKey{"parts", file, fn.Instance}, base+title(fn.Name)+argNames(fn.Args)+"Parts")
		}
		for _, t := range f.Tables {
			n.add(goKey{"table", file, t}, base+title(t)+"Table")
		}
	}
	n.addChecked(files)
	return n
}

// claim gives want, with "_" at its end as long as it is used, and uses it.
func (n *GoNames) claim(want string) string {
	for n.used[want] {
		want += "_"
	}
	n.used[want] = true
	n.claimed[want] = true
	return want
}

func (n *GoNames) add(k goKey, want string) {
	if n.names[k] == "" {
		n.names[k] = n.claim(want)
	}
}

// fileRoles are the variables that a file has once.
var fileRoles = []string{"Code", "CUDA", "PTX", "Metal", "Metallib", "OpenCL", "Sites"}

// addChecked chooses the names of checked builds, which stand behind all others.
func (n *GoNames) addChecked(files []GoFile) {
	for _, f := range files {
		for _, k := range f.Kernels {
			base := "gpu" + title(k.Name) + argNames(k.Args) + "Checked"
			n.add(goKey{checkedRole + "kernel", "", k.Instance}, base)
			n.add(goKey{checkedRole + "cpu", "", k.Instance}, base+"CPU")
		}
		file := baseName(f.File)
		base := n.names[goKey{"base", file, ""}] + "Checked"
		for _, role := range fileRoles {
			n.add(goKey{checkedRole + role, file, ""}, base+role)
		}
		for _, t := range f.Tables {
			n.add(goKey{checkedRole + "table", file, t}, base+title(t)+"Table")
		}
	}
}

// checkedRole begins the roles of names in the checked build.
const checkedRole = "checked "

// Checked gives the names of the checked build: its kernels, their code and tables, have others than in the release build.
func (n *GoNames) Checked() *GoNames {
	c := *n
	c.checked = true
	return &c
}

func (n *GoNames) of(role, file, what string) string {
	file = baseName(file)
	name := n.names[goKey{role, file, what}]
	if other := n.names[goKey{checkedRole + role, file, what}]; n.checked && other != "" {
		name = other
	}
	if name == "" {
		panic("codegen: no Go name for the " + role + " of " + file + what)
	}
	return name
}

// Declares reports whether the package declares name, which then hides a predeclared identifier of that name.
func (n *GoNames) Declares(name string) bool { return n.declared[name] }

// Means reports a name that means something in the whole package: declared in it, imported or hidden. A name that is made
// up for a local keeps clear of it.
func (n *GoNames) Means(name string) bool { return n.declared[name] || n.claimed[name] }

// Kernel is the variable of a kernel instance.
func (n *GoNames) Kernel(instance string) string { return n.of("kernel", "", instance) }

// CPU is the function of a kernel instance on the CPU.
func (n *GoNames) CPU(instance string) string { return n.of("cpu", "", instance) }

// Code is the variable that holds the device code of a file.
func (n *GoNames) Code(file string) string { return n.of("Code", file, "") }

// Embed is the variable of one embedded artifact: kind is CUDA, PTX, Metal, Metallib or OpenCL.
func (n *GoNames) Embed(file, kind string) string { return n.of(kind, file, "") }

// Cubin is the variable of the machine code for one architecture, "90" or "90a".
func (n *GoNames) Cubin(file, arch string) string {
	name := n.of("base", file, "") + "SM" + arch
	if n.checked {
		name = n.of("base", file, "") + "CheckedSM" + arch
	}
	for n.used[name] {
		name += "_"
	}
	return name
}

// Sites is the variable that holds the places where the CPU kernels of a file check an index.
func (n *GoNames) Sites(file string) string { return n.of("Sites", file, "") }

// Table is the variable of a table of constants of a file on the CPU.
func (n *GoNames) Table(file, name string) string { return n.of("table", file, name) }

// Func is the hidden function of an instance of a function.
func (n *GoNames) Func(file, instance string) string { return n.of("func", file, instance) }

// Parts is the hidden function of an instance of a function that takes structs and vectors, which has them taken apart.
func (n *GoNames) Parts(file, instance string) string { return n.of("parts", file, instance) }

// ConstType is the type of a kernel's constant parameter.
func (n *GoNames) ConstType(kernel, param string) string { return n.of("type", "", kernel+" "+param) }

// ConstValue is the constant of one value of it.
func (n *GoNames) ConstValue(kernel, param, value string) string {
	return n.of("const", "", kernel+" "+param+" "+value)
}

// Option is the interface that the types of several constant parameters of a kernel have in common, and its method.
func (n *GoNames) Option(kernel string) (name, method string) {
	return n.of("option", "", kernel), n.of("method", "", kernel)
}

// title makes the first letter a capital.
func title(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func argNames(args []string) string {
	var b strings.Builder
	for _, a := range args {
		b.WriteString(argName(a))
	}
	return b.String()
}

// argName is a type or constant argument as part of a name: float32 gives Float32, -1 gives Minus1.
func argName(a string) string {
	if rest, ok := strings.CutPrefix(a, "-"); ok {
		return "Minus" + rest
	}
	return title(a)
}

// fileName is the base of a file as part of a name: my-kernels.v2.gpu gives MyKernelsV2.
func fileName(file string) string {
	var b strings.Builder
	words := strings.FieldsFunc(strings.TrimSuffix(file, ".gpu"), func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9')
	})
	for _, w := range words {
		b.WriteString(title(w))
	}
	if b.Len() == 0 {
		return "File"
	}
	return b.String()
}
