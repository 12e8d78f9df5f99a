package hostrun

import (
	"debug/dwarf"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"sync"
)

// image is what the tests know of a compiled library: where its symbols are, and which line each address comes from.
type image struct {
	file    string
	anchor  uint64            // address of the first trampoline, from which the runtime counts
	symbols map[string]uint64 // addresses
	lines   func() []row      // sorted by address; read at the first fault
}

// row says that the code from addr on comes from a line.
type row struct {
	addr uint64
	file string
	line int
}

func openImage(file string) (*image, error) {
	f, err := elf.Open(file)
	if err != nil {
		return nil, fmt.Errorf("hostrun: %w", err)
	}
	defer f.Close()
	list, err := f.Symbols()
	if err != nil {
		return nil, fmt.Errorf("hostrun: %w", err)
	}
	m := &image{file: file, symbols: map[string]uint64{}, lines: sync.OnceValue(func() []row { return readLines(file) })}
	for _, s := range list {
		if s.Section != elf.SHN_UNDEF {
			m.symbols[s.Name] = s.Value
		}
	}
	anchor, ok := m.symbols["hostrun_0"]
	if !ok {
		return nil, errors.New("hostrun: the library has no kernels")
	}
	m.anchor = anchor
	return m, nil
}

// variable is the distance of a kernel's threadgroup variable from the anchor. One that no code mentions is not there.
func (m *image) variable(kernel, name string) (int64, bool) {
	at, ok := m.symbols[fmt.Sprintf("_ZZ%d%sE%d%s", len(kernel), kernel, len(name), name)]
	return int64(at - m.anchor), ok
}

// fromAnchor is the place of a return address that the runtime reports: 32 bits, counted from the anchor.
func (m *image) fromAnchor(pc int64) string {
	return m.place(m.anchor + uint64(int64(int32(uint32(pc)))))
}

// place is the line of the call that returns to an address: "k.metal:12".
func (m *image) place(pc uint64) string {
	rows := m.lines()
	i, found := slices.BinarySearchFunc(rows, pc-1, func(r row, addr uint64) int {
		switch {
		case r.addr < addr:
			return -1
		case r.addr > addr:
			return 1
		}
		return 0
	})
	if !found {
		i--
	}
	if i < 0 || i >= len(rows) || rows[i].line == 0 {
		return fmt.Sprintf("address %#x", pc)
	}
	return fmt.Sprintf("%s:%d", rows[i].file, rows[i].line)
}

// readLines reads the line table. Without one, places are addresses.
func readLines(file string) []row {
	f, err := elf.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := f.DWARF()
	if err != nil {
		return nil
	}
	var rows []row
	for units := data.Reader(); ; units.SkipChildren() {
		unit, err := units.Next()
		if err != nil || unit == nil {
			break
		}
		table, err := data.LineReader(unit)
		if err != nil || table == nil {
			continue
		}
		for {
			var e dwarf.LineEntry
			if err := table.Next(&e); errors.Is(err, io.EOF) || err != nil {
				break
			}
			r := row{addr: e.Address, line: e.Line}
			if e.EndSequence {
				r.line = 0
			}
			if e.File != nil {
				r.file = path.Base(e.File.Name)
			}
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		switch {
		case a.addr < b.addr:
			return -1
		case a.addr > b.addr:
			return 1
		}
		return 0
	})
	return rows
}
