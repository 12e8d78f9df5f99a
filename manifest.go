package gpugen

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir/abi"
)

// ManifestSchema names the format of a manifest; docs/manifest.schema.json describes it.
const ManifestSchema = "https://github.com/gpugen/gpugen/docs/manifest.schema.json"

// Manifest is `_gpu/saxpy.json`: what was generated from which source, with what, and how a kernel is called. Tools of
// other languages may launch kernels from it alone.
type Manifest struct {
	Schema     string           `json:"$schema"`
	Generation int              `json:"generation"` // of the calling convention
	Source     ManifestSource   `json:"source"`
	Options    ManifestOptions  `json:"options"`
	Structs    []ManifestStruct `json:"structs,omitempty"` // that slots have, each behind those in its fields
	Kernels    []ManifestKernel `json:"kernels"`
	Checked    []ManifestKernel `json:"checked,omitempty"` // the same kernels of the checked build
	Artifacts  []Artifact       `json:"artifacts"`
	Missing    []string         `json:"missing,omitempty"` // artifacts that the options ask for and no tool here could make
}

// ManifestSource is the source file. Its hash reads CRLF as LF.
type ManifestSource struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

// ManifestOptions are the `//gpugen:` lines of the folder.
type ManifestOptions struct {
	Targets []string `json:"targets"`
	Arch    []string `json:"arch,omitempty"`
	Checked bool     `json:"checked,omitempty"`
}

// ManifestStruct is a struct as it lies in memory.
type ManifestStruct struct {
	Name   string          `json:"name"`
	Size   int64           `json:"size"` // in bytes, as align and the offsets
	Align  int64           `json:"align"`
	Fields []ManifestField `json:"fields"`
}

// ManifestField is a field of a struct. A vector such as float32x3 is its components one behind the other.
type ManifestField struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Offset int64  `json:"offset"`
}

// ManifestKernel is one kernel instance and its slot table.
type ManifestKernel struct {
	Name      string         `json:"name"`
	Instance  string         `json:"instance"`
	Entry     string         `json:"entry"`
	WideEntry string         `json:"wideEntry"`
	Signature string         `json:"signature"` // as the language has it, generics replaced
	Targets   []string       `json:"targets"`
	Domain    []ManifestSpan `json:"domain"`
	Block     [3]int         `json:"block"`              // threads in x, y, z
	Points    int            `json:"points"`             // a thread, along x
	Requires  []string       `json:"requires,omitempty"` // relations that a launch must meet, besides the dims of its views
	InPlace   [][2]string    `json:"inPlace,omitempty"`  // views that may be exactly the same range; others that are written may not overlap
	Slots     []ManifestSlot `json:"slots"`
	Constants int            `json:"metalConstantBytes"`
	Sites     []ManifestSite `json:"sites,omitempty"` // places that report or print, by the number that a device sends
}

// ManifestSite is a place of a kernel from which threads tell the host something.
type ManifestSite struct {
	Kind string   `json:"kind"` // bounds, zero-divisor, negative-shift, assert, print
	Line int      `json:"line"`
	Col  int      `json:"col"`
	Name string   `json:"name,omitempty"` // bounds: what is indexed
	Dim  int      `json:"dim,omitempty"`
	Text string   `json:"text,omitempty"` // assert: the text; print: the format
	Args []string `json:"args,omitempty"` // print: the types of the values
}

// ManifestSpan is a dim of the domain, the last one the fastest.
type ManifestSpan struct {
	Name string `json:"name"`
	Lo   string `json:"lo"`
	Hi   string `json:"hi"`
}

// ManifestSlot is one argument.
type ManifestSlot struct {
	Kind        string   `json:"kind"` // view, scalar, extent; record and launch, which are hidden
	Name        string   `json:"name"`
	Type        string   `json:"type"` // of the element, for a view
	Dims        []string `json:"dims,omitempty"`
	Mut         bool     `json:"mut,omitempty"`
	MetalBuffer int      `json:"metalBuffer,omitempty"`
	MetalOffset int      `json:"metalOffset,omitempty"`
	OpenCLArg   int      `json:"openclArg"` // of a view; the next argument is the element at which it begins
}

// Artifact is a generated file under `_gpu`.
type Artifact struct {
	File   string `json:"file"`
	Kind   string `json:"kind"` // cuda-c, ptx, cubin, metal, opencl-c
	SHA256 string `json:"sha256"`
	// Of compiled artifacts: the hash of the text they were made from, the architecture, the toolchain that made them,
	// as it describes itself, and the resources of each entry.
	From      string          `json:"from,omitempty"`
	Arch      string          `json:"arch,omitempty"`
	Toolchain json.RawMessage `json:"toolchain,omitempty"`
	Resources json.RawMessage `json:"resources,omitempty"`
}

// HashBytes is the SHA-256 of b in hex, as manifests have it.
func HashBytes(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Manifest describes u with the given artifacts.
func (u *Unit) Manifest(artifacts []Artifact, missing []string) *Manifest {
	m := &Manifest{
		Schema: ManifestSchema, Generation: abi.Generation,
		Source:    ManifestSource{File: u.File, SHA256: u.Hash},
		Options:   ManifestOptions{Targets: targetNames(u.opts.Targets), Arch: u.opts.Archs, Checked: u.opts.Checked},
		Kernels:   []ManifestKernel{},
		Artifacts: artifacts,
		Missing:   missing,
	}
	seen := map[string]bool{}
	for i := range u.Layouts {
		for _, s := range u.Layouts[i].Slots {
			for _, t := range types.Structs(s.Type, seen) {
				m.Structs = append(m.Structs, manifestStruct(t))
			}
		}
		m.Kernels = append(m.Kernels, manifestKernel(&u.Layouts[i]))
	}
	if u.Checked != nil {
		for i := range u.Checked.Layouts {
			m.Checked = append(m.Checked, manifestKernel(&u.Checked.Layouts[i]))
		}
	}
	return m
}

func targetNames(s types.TargetSet) []string {
	names := []string{}
	for _, t := range s.List() {
		names = append(names, t.String())
	}
	return names
}

func manifestStruct(t *types.Struct) ManifestStruct {
	offsets, size := t.Offsets()
	m := ManifestStruct{Name: t.Name, Size: size, Align: types.Align(t)}
	for i, f := range t.Fields {
		m.Fields = append(m.Fields, ManifestField{f.Name, f.Type.String(), offsets[i]})
	}
	return m
}

func manifestKernel(l *abi.Layout) ManifestKernel {
	k := ManifestKernel{
		Name: l.Name, Instance: l.Instance, Entry: l.Entry, WideEntry: l.Entry + "_wide", Targets: targetNames(l.Targets),
		Block: l.Block, Points: l.Per, Constants: l.Consts, Slots: []ManifestSlot{},
	}
	for _, d := range l.Domain {
		k.Domain = append(k.Domain, ManifestSpan{d.Name, d.Lo.String(), d.Hi.String()})
	}
	for _, r := range l.Requires {
		k.Requires = append(k.Requires, r.Text)
	}
	var views, params []string
	for _, s := range l.Slots {
		slot := ManifestSlot{Name: s.Name, Mut: s.Mut, MetalBuffer: s.Buffer, MetalOffset: s.Offset, OpenCLArg: s.Arg}
		switch s.Kind {
		case abi.View:
			slot.Kind, slot.Type = "view", s.Type.(*types.View).Elem.String()
		case abi.Scalar:
			slot.Kind, slot.Type = "scalar", s.Type.String()
		case abi.Extent:
			slot.Kind, slot.Type = "extent", s.Type.String()
		case abi.Record:
			slot.Kind, slot.Type, slot.Mut = "record", s.Type.String(), true
		case abi.Launch:
			slot.Kind, slot.Type = "launch", s.Type.String()
		}
		for _, d := range s.Dims {
			slot.Dims = append(slot.Dims, d.String())
		}
		k.Slots = append(k.Slots, slot)
		switch {
		case s.Kind == abi.View:
			views = append(views, s.Name)
			mut := ""
			if s.Mut {
				mut = "mut "
			}
			params = append(params, fmt.Sprintf("%s %s[%s]%s", s.Name, mut, strings.Join(slot.Dims, ", "), slot.Type))
		case s.Kind == abi.Scalar:
			params = append(params, s.Name+" "+slot.Type)
		}
	}
	for _, s := range l.Sites {
		site := ManifestSite{Kind: s.Kind, Line: s.Line, Col: s.Col, Name: s.Name, Dim: s.Dim, Text: s.Text}
		for _, a := range s.Args {
			site.Args = append(site.Args, a.String())
		}
		k.Sites = append(k.Sites, site)
	}
	for _, p := range l.InPlace {
		k.InPlace = append(k.InPlace, [2]string{views[p[0]], views[p[1]]})
	}
	k.Signature = l.Instance + "(" + strings.Join(params, ", ") + ")"
	return k
}

// Encode is the manifest as it stands on disk: indented JSON with a final newline.
func (m *Manifest) Encode() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(m); err != nil {
		panic("gpugen: manifest: " + err.Error()) // plain data: a RawMessage of ours that is no JSON
	}
	return b.Bytes()
}

// DecodeManifest reads a manifest. A file that is none, or one of another generation, is an error.
func DecodeManifest(b []byte) (*Manifest, error) {
	m := new(Manifest)
	if err := json.Unmarshal(b, m); err != nil {
		return nil, fmt.Errorf("gpugen: manifest: %w", err)
	}
	if m.Schema != ManifestSchema {
		return nil, fmt.Errorf("gpugen: manifest: schema is `%s`, expected `%s`", m.Schema, ManifestSchema)
	}
	return m, nil
}

// Artifact is the artifact with the given file name, or nil.
func (m *Manifest) Artifact(file string) *Artifact {
	for i := range m.Artifacts {
		if m.Artifacts[i].File == file {
			return &m.Artifacts[i]
		}
	}
	return nil
}
