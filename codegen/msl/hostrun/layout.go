package hostrun

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/gpugen/gpugen/dsl/types"
)

// layouts are the structs and typedefs of a text.
type layouts struct {
	fields   map[string][]Field
	typedefs map[string]string
}

// scalar is a scalar in a type.
type scalar struct {
	typ    string
	offset int
}

var arrayType = regexp.MustCompile(`^(.*?)\[(\d+)\]((?:\[\d+\])*)$`)

// scalars adds the scalars of a type that lies at an offset, as C lays it out, and gives its size and alignment.
func (l layouts) scalars(typ string, to []scalar, at int) (out []scalar, size, align int, err error) {
	if n := sizes[typ]; n > 0 {
		return append(to, scalar{typ, at}), n, n, nil
	}
	if t, ok := l.typedefs[typ]; ok {
		return l.scalars(t, to, at)
	}
	if m := arrayType.FindStringSubmatch(typ); m != nil {
		n, _ := strconv.Atoi(m[2])
		for i := range n {
			if to, size, align, err = l.scalars(m[1]+m[3], to, at+i*size); err != nil {
				return nil, 0, 0, err
			}
		}
		return to, n * size, align, nil
	}
	fields, ok := l.fields[typ]
	if !ok {
		return nil, 0, 0, fmt.Errorf("type %s", typ)
	}
	up := func(unit int) { size = (size + unit - 1) / unit * unit }
	align = 1
	for _, f := range fields {
		_, _, unit, err := l.scalars(f.Type, nil, 0)
		if err != nil {
			return nil, 0, 0, err
		}
		up(unit)
		align = max(align, unit)
		var n int
		if to, n, _, err = l.scalars(f.Type, to, at+size); err != nil {
			return nil, 0, 0, err
		}
		size += n
	}
	up(align)
	return to, size, align, nil
}

// match compares a type of the text with one of the language: the same scalars at the same places, and the same size.
func (l layouts) match(typ string, want types.Type) error {
	got, size, _, err := l.scalars(typ, nil, 0)
	if err != nil {
		return err
	}
	all := types.Scalars(want)
	if len(got) != len(all) || int64(size) != types.Size(want) {
		return fmt.Errorf("%s has %d scalars in %d bytes, %s has %d in %d", typ, len(got), size, want, len(all), types.Size(want))
	}
	for i, w := range all {
		name := metalTypes[w.Kind]
		if w.Kind == types.Bool {
			name = "uchar"
		}
		if got[i] != (scalar{name, int(w.Offset)}) {
			return fmt.Errorf("scalar %d of %s is %s at byte %d, and that of %s is %s at byte %d", i, typ, got[i].typ, got[i].offset, want, name, w.Offset)
		}
	}
	return nil
}
