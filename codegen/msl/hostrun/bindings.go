package hostrun

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir/abi"
)

// Kernel is a kernel as the syntax tree shows it.
type Kernel struct {
	Name      string
	Threads   int // of max_total_threads_per_threadgroup, 0 without
	Buffers   []Binding
	Positions []Position // the other parameters, in order
	Consts    []Field    // of the struct at a constant reference

	records layouts // the structs and typedefs of the text

	Threadgroup []Variable
	Barriers    []int // the lines of its own text that hold a threadgroup_barrier
}

// Variable is a variable in threadgroup memory.
type Variable struct {
	Name, Type string
	Size       int
}

// Binding is a parameter with a buffer index.
type Binding struct {
	Name     string
	Index    int
	Type     string // what it points or refers to, without qualifiers: "float"
	Constant bool   // in the constant address space; else device
	Const    bool   // read only

	Reference bool // else a pointer
}

// Position is a parameter that says where the thread is.
type Position struct {
	Attribute string
	Type      string // of a component: uint, ushort
	Width     int    // components
}

// Field is a member of a struct.
type Field struct{ Name, Type string }

var (
	pointee  = regexp.MustCompile(`^(const )?(__global|__constant) (\w+) [*&](?:__private)?$`)
	position = regexp.MustCompile(`^__private (?:metal::)?(uint|ushort)([23]?)$`)
)

// maxThreadgroup is the threadgroup memory that every Apple GPU has.
const maxThreadgroup = 32 << 10

var threadgroupType = regexp.MustCompile(`^(?:const )?__local (\w+)((?:\[\d+\])*)$`)

// readThreadgroup lists the variables in threadgroup memory that a kernel declares.
func (k *Kernel) readThreadgroup(d *node, bad func(string, ...any)) {
	total := 0
	d.walk(func(n *node) {
		name, typ := n.declared()
		if n.kind != "VarDecl" || !strings.Contains(typ, "__local ") || strings.Contains(typ, "*") || strings.Contains(typ, "&") {
			return
		}
		m := threadgroupType.FindStringSubmatch(typ)
		if m == nil || sizes[m[1]] == 0 {
			bad("kernel %s: threadgroup variable %s has type %s, not a scalar or an array of them", k.Name, name, typ)
			return
		}
		v := Variable{Name: name, Type: m[1] + m[2], Size: sizes[m[1]]}
		for _, dim := range strings.FieldsFunc(m[2], func(r rune) bool { return r == '[' || r == ']' }) {
			n, err := strconv.Atoi(dim)
			if err != nil || n > maxThreadgroup {
				n = maxThreadgroup + 1
			}
			v.Size = min(v.Size*n, maxThreadgroup+1)
		}
		k.Threadgroup = append(k.Threadgroup, v)
		total += v.Size
	})
	if total > maxThreadgroup {
		bad("kernel %s: %d bytes or more of threadgroup memory, %d are allowed", k.Name, total, maxThreadgroup)
	}
}

// vectorPositions are the attributes that may have two or three components.
var vectorPositions = map[string]bool{
	"thread_position_in_grid": true, "thread_position_in_threadgroup": true, "threadgroup_position_in_grid": true,
	"threads_per_threadgroup": true, "threadgroups_per_grid": true, "threads_per_grid": true, "thread_index_in_threadgroup": false,
}

// readKernel reads a function that is a kernel, and reports what Metal refuses in its signature.
func readKernel(d *node, records layouts, bad func(string, ...any)) (Kernel, bool) {
	name, typ := d.declared()
	k := Kernel{Name: name, records: records}
	is := false
	for _, a := range d.annotations() {
		switch a.name {
		case "kernel":
			is = true
		case "max_total_threads_per_threadgroup":
			if k.Threads = a.value; k.Threads < 1 || k.Threads > 1024 {
				bad("kernel %s: %d threads a threadgroup", name, a.value)
			}
		default:
			bad("kernel %s: attribute %s on a function", name, a.name)
		}
	}
	if !is {
		return k, false
	}
	if !strings.HasPrefix(typ, "void (") {
		bad("kernel %s must return void", name)
	}
	used := map[int]string{}
	for _, p := range d.below("ParmVarDecl") {
		pname, ptype := p.declared()
		at := p.annotations()
		if len(at) != 1 {
			bad("kernel %s: parameter %s has %d attributes, not one", name, pname, len(at))
			continue
		}
		if at[0].name != "buffer" {
			vector, ok := vectorPositions[at[0].name]
			m := position.FindStringSubmatch(ptype)
			if !ok || m == nil || !vector && m[2] != "" {
				bad("kernel %s: type %s of parameter %s does not fit [[%s]]", name, ptype, pname, at[0].name)
			}
			if ok && m != nil {
				p := Position{Attribute: at[0].name, Type: m[1], Width: 1}
				if m[2] != "" {
					p.Width = int(m[2][0] - '0')
				}
				k.Positions = append(k.Positions, p)
			}
			continue
		}
		m := pointee.FindStringSubmatch(ptype)
		if m == nil {
			bad("kernel %s: type %s of parameter %s cannot be a buffer", name, ptype, pname)
			continue
		}
		b := Binding{Name: pname, Index: at[0].value, Type: m[3], Constant: m[2] == "__constant", Const: m[1] != "" || m[2] == "__constant", Reference: strings.Contains(ptype, "&")}
		if b.Index < 0 || b.Index > 30 {
			bad("kernel %s: buffer index %d of %s is not within 0 to 30", name, b.Index, pname)
		}
		if other := used[b.Index]; other != "" {
			bad("kernel %s: %s and %s have buffer index %d", name, other, pname, b.Index)
		}
		used[b.Index] = pname
		if b.Constant && b.Reference {
			k.Consts = records.fields[b.Type]
		}
		k.Buffers = append(k.Buffers, b)
	}
	k.readThreadgroup(d, bad)
	return k, true
}

// metalTypes are the types of kinds in memory, as the syntax tree spells them.
var metalTypes = map[types.Kind]string{
	types.Int8: "char", types.Uint8: "uchar", types.Int16: "short", types.Uint16: "ushort", types.Int32: "int", types.Uint32: "uint",
	types.Int64: "long", types.Int: "long", types.Uint64: "ulong", types.Float32: "float",
	types.Float16: "ushort", types.BFloat16: "ushort",
}

var sizes = map[string]int{"bool": 1, "char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "float": 4, "long": 8, "ulong": 8, "shim_atomic_uint": 4}

var padding = regexp.MustCompile(`^uchar\[(\d+)\]$`)

// Match compares the kernel with the slot table that the host fills: every slot's index or offset, type and
// constness, and nothing besides.
func (k Kernel) Match(l abi.Layout) error {
	bound := map[int]Binding{}
	for _, b := range k.Buffers {
		bound[b.Index] = b
	}
	offsets, size, err := k.offsets()
	if err != nil {
		return err
	}
	if size != l.Consts {
		return fmt.Errorf("hostrun: kernel %s: the constant block has %d bytes, the slot table says %d", k.Name, size, l.Consts)
	}
	views := 0
	for _, s := range l.Slots {
		if s.Kind == abi.View {
			views++
			elem := s.Type.(*types.View).Elem
			b, ok := bound[s.Buffer]
			if !ok || b.Constant || b.Const == s.Mut {
				return fmt.Errorf("hostrun: kernel %s: slot %s of %s (mut %v) at buffer %d is bound as %+v", k.Name, s.Name, elem, s.Mut, s.Buffer, b)
			}
			if err := k.records.match(b.Type, elem); err != nil {
				return fmt.Errorf("hostrun: kernel %s: slot %s: %w", k.Name, s.Name, err)
			}
			continue
		}
		if s.Kind == abi.Record {
			views++
			if b, ok := bound[s.Buffer]; !ok || b.Constant || b.Const || b.Type != "shim_atomic_uint" {
				return fmt.Errorf("hostrun: kernel %s: the record at buffer %d is bound as %+v", k.Name, s.Buffer, b)
			}
			continue
		}
		f, ok := offsets[s.Offset]
		if s.Type == types.Bool {
			ok = ok && f.Type == "bool"
		} else if ok {
			if err := k.records.match(f.Type, s.Type); err != nil {
				return fmt.Errorf("hostrun: kernel %s: slot %s: %w", k.Name, s.Name, err)
			}
		}
		if !ok {
			return fmt.Errorf("hostrun: kernel %s: slot %s of %s at offset %d is %+v", k.Name, s.Name, s.Type, s.Offset, f)
		}
		delete(offsets, s.Offset)
	}
	if l.Consts > 0 {
		views++
		if b, ok := bound[0]; !ok || !b.Constant {
			return fmt.Errorf("hostrun: kernel %s: no constant block at buffer 0", k.Name)
		}
	}
	if len(k.Buffers) != views || len(offsets) > 0 {
		return fmt.Errorf("hostrun: kernel %s binds more than the slot table has: %+v, %+v", k.Name, k.Buffers, offsets)
	}
	if threads := l.Block[0] * l.Block[1] * l.Block[2]; threads > 0 && threads != k.Threads {
		return fmt.Errorf("hostrun: kernel %s declares %d threads, the schedule has %d", k.Name, k.Threads, threads)
	}
	return nil
}

// offsets lays the constant struct out as C does; padding members are left out.
func (k Kernel) offsets() (map[int]Field, int, error) {
	out := map[int]Field{}
	at, align := 0, 1
	for _, f := range k.Consts {
		if m := padding.FindStringSubmatch(f.Type); m != nil {
			n := 0
			fmt.Sscan(m[1], &n)
			at += n
			continue
		}
		_, size, unit, err := k.records.scalars(f.Type, nil, 0)
		if err != nil {
			return nil, 0, fmt.Errorf("hostrun: kernel %s: member %s: %w", k.Name, f.Name, err)
		}
		align = max(align, unit)
		if at%unit != 0 {
			return nil, 0, fmt.Errorf("hostrun: kernel %s: the padding before member %s is implicit", k.Name, f.Name)
		}
		out[at] = f
		at += size
	}
	if at%align != 0 {
		return nil, 0, fmt.Errorf("hostrun: kernel %s: the padding at the end of the constant block is implicit", k.Name)
	}
	return out, at, nil
}
