package gpugen

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/gpugen/gpugen/codegen"
	"github.com/gpugen/gpugen/codegen/gowrap"
)

// File is one output: a slash-separated path in the package's folder, and its bytes.
type File struct {
	Name string
	Data []byte
}

// OutputFolder holds the device artifacts, next to the .gpu files. The go command does not take a folder whose name
// starts with an underscore for a package, and go:embed may name it.
const OutputFolder = "_gpu"

// Outputs are all files of u: the artifacts given, the text ones, the Go files that embed them and the manifest, which
// comes last. Compiled artifacts come with their bytes; missing names those that could not be made.
func (u *Unit) Outputs(pkg string, compiled map[string][]byte, artifacts []Artifact, missing []string) ([]File, error) {
	texts, all := u.texts()
	all = append(all, artifacts...)
	var out []File
	in := gowrap.Input{Package: pkg, File: u.File, Kernels: u.Layouts, Targets: u.opts.Targets, Names: u.names}
	if u.Checked != nil {
		in.Checked = u.Checked.Layouts
	}
	for _, s := range u.Module.Structs {
		if path.Base(s.Pos.File) == u.File {
			in.Structs = append(in.Structs, gowrap.Struct{Type: s.Type, Doc: s.Doc, Fields: s.Fields})
		}
	}
	for _, c := range u.Module.Consts {
		out := gowrap.Const{Name: c.Name, Doc: c.Doc, Type: c.Type, Value: c.Value}
		if c.Table != nil {
			out.Type, out.Bits = c.Table.Type, c.Table.Bits
		}
		in.Consts = append(in.Consts, out)
	}
	for _, a := range all {
		data, ok := compiled[a.File]
		if !ok {
			data = texts[a.File]
		}
		out = append(out, File{OutputFolder + "/" + a.File, data})
		g := embedded(a)
		g.Checked = strings.HasPrefix(a.File, u.Base+".checked.")
		in.Artifacts = append(in.Artifacts, g)
	}
	w, err := gowrap.File(in)
	if err != nil {
		return nil, fmt.Errorf("gpugen: wrappers of %s: %w", u.File, err)
	}
	out = append(out, File{u.Base + "_gpu.go", []byte(w.Wrapper)})
	if u.CPU != nil {
		out = append(out, File{u.Base + "_gpu_cpu.go", u.CPU})
	}
	if u.Checked != nil && u.Checked.CPU != nil {
		out = append(out, File{u.Base + "_gpu_checked.go", u.Checked.CPU})
	}
	return append(out,
		File{u.Base + "_gpu_dev.go", []byte(w.Dev)},
		File{u.Base + "_gpu_metal.go", []byte(w.Metal)},
		File{OutputFolder + "/" + u.Base + ".json", u.Manifest(all, missing).Encode()},
	), nil
}

// Texts is what printers made of u, Go for the CPU included.
func (u *Unit) Texts() []File {
	var out []File
	for _, v := range u.Variants() {
		cpu := "_gpu_cpu.go"
		if v == u.Checked {
			cpu = "_gpu_checked.go"
		}
		for _, f := range []struct {
			name string
			src  *codegen.Source
		}{{u.stem(v) + ".cu", v.CUDA}, {u.stem(v) + ".metal", v.Metal}, {u.stem(v) + ".cl", v.OpenCL}} {
			if f.src != nil {
				out = append(out, File{f.name, []byte(f.src.Text)})
			}
		}
		if v.CPU != nil {
			out = append(out, File{u.Base + cpu, v.CPU})
		}
	}
	return out
}

// texts are the text artifacts of u and their manifest entries.
func (u *Unit) texts() (map[string][]byte, []Artifact) {
	data := map[string][]byte{}
	var list []Artifact
	add := func(file, kind, text string) {
		data[file] = []byte(text)
		list = append(list, Artifact{File: file, Kind: kind, SHA256: HashBytes([]byte(text))})
	}
	for _, v := range u.Variants() {
		if v.CUDA != nil {
			add(u.stem(v)+".cu", "cuda-c", v.CUDA.Text)
		}
		if v.Metal != nil {
			add(u.stem(v)+".metal", "metal", v.Metal.Text)
		}
		if v.OpenCL != nil {
			add(u.stem(v)+".cl", "opencl-c", v.OpenCL.Text)
		}
	}
	return data, list
}

// embedded is a manifest entry as the wrappers see it.
func embedded(a Artifact) gowrap.Artifact {
	g := gowrap.Artifact{File: a.File}
	switch a.Kind {
	case "cuda-c":
		g.Kind = gowrap.CUDA
	case "ptx":
		g.Kind = gowrap.PTX
	case "cubin":
		g.Kind = gowrap.Cubin
		digits := strings.TrimPrefix(a.Arch, "sm_")
		number := strings.TrimRight(digits, "af")
		g.Arch, _ = strconv.Atoi(number) // digits by the checker
		g.Variant = digits[len(number):]
	case "metal":
		g.Kind = gowrap.Metal
	case "opencl-c":
		g.Kind = gowrap.OpenCL
	default:
		panic("gpugen: artifact of kind " + a.Kind)
	}
	return g
}

// FloorArch is the architecture for which PTX is made by default: the oldest one that CUDA 13 still supports, so that
// one text runs on every newer device.
const FloorArch = "sm_75"

// Wanted is a device artifact that the options ask for.
type Wanted struct {
	File   string // "saxpy.ptx", "saxpy.sm_90.cubin"
	Kind   string // ptx or cubin
	Arch   string // sm_75
	Source *codegen.Source
	Name   string // of the source: "saxpy.cu"
}

// Wanted lists the artifacts to compile from u's CUDA C, those of the release build first: PTX for the floor, or for the
// one `compute_NN` of the arch line, and a cubin for each `sm_NN` there.
func (u *Unit) Wanted() []Wanted {
	var list []Wanted
	for _, v := range u.Variants() {
		if v.CUDA == nil {
			continue
		}
		stem := u.stem(v)
		ptx := Wanted{File: stem + ".ptx", Kind: "ptx", Arch: FloorArch, Source: v.CUDA, Name: stem + ".cu"}
		var cubins []Wanted
		for _, a := range u.opts.Archs {
			if n, ok := strings.CutPrefix(a, "compute_"); ok {
				ptx.Arch = "sm_" + n
				continue
			}
			cubins = append(cubins, Wanted{File: stem + "." + a + ".cubin", Kind: "cubin", Arch: a, Source: v.CUDA, Name: stem + ".cu"})
		}
		list = append(append(list, ptx), cubins...)
	}
	return list
}
