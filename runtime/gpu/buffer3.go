package gpu

// Buffer3 is a row-major view of depth × rows × cols elements in device memory; see Buffer.
type Buffer3[T any] struct {
	m                 *memory
	off               int
	depth, rows, cols int
}

// Depth is the extent of dimension 0.
func (b Buffer3[T]) Depth() int { return b.depth }

// Rows is the extent of dimension 1.
func (b Buffer3[T]) Rows() int { return b.rows }

// Cols is the extent of dimension 2, the fastest.
func (b Buffer3[T]) Cols() int { return b.cols }

// Len is the number of elements.
func (b Buffer3[T]) Len() int { return b.depth * b.rows * b.cols }

// Dim is the extent of dimension d.
func (b Buffer3[T]) Dim(d int) int {
	switch d {
	case 0:
		return b.depth
	case 1:
		return b.rows
	case 2:
		return b.cols
	}
	return 0
}

// IsZero says whether b is the zero Buffer3.
func (b Buffer3[T]) IsZero() bool { return b.m == nil }

// Err says why b cannot be used, as Buffer's.
func (b Buffer3[T]) Err() error { return b.m.state() }

// Flat is b as one row of elements.
func (b Buffer3[T]) Flat() Buffer[T] { return Buffer[T]{b.m, b.off, b.Len()} }

// View is b without its type.
func (b Buffer3[T]) View() View { return b.Flat().View() }

// Plane is the view of the rows × cols elements at depth i.
func (b Buffer3[T]) Plane(i int) Buffer2[T] {
	if refused(b.m) {
		return Buffer2[T]{m: b.m}
	}
	if uint(i) >= uint(b.depth) {
		return Buffer2[T]{m: broken("Plane", "%d of a depth of %d", i, b.depth)}
	}
	return Buffer2[T]{b.m, b.off + i*b.rows*b.cols*sizeof[T](), b.rows, b.cols}
}

// Row is the view of row j at depth i.
func (b Buffer3[T]) Row(i, j int) Buffer[T] { return b.Plane(i).Row(j) }

// Slice is the view of the planes lo <= i < hi.
func (b Buffer3[T]) Slice(lo, hi int) Buffer3[T] {
	if refused(b.m) {
		return b
	}
	if uint(lo) > uint(hi) || uint(hi) > uint(b.depth) {
		return Buffer3[T]{m: broken("Slice", "[%d:%d] of a depth of %d", lo, hi, b.depth)}
	}
	return Buffer3[T]{b.m, b.off + lo*b.rows*b.cols*sizeof[T](), hi - lo, b.rows, b.cols}
}

// Reshape2 is the same elements as rows × cols.
func (b Buffer3[T]) Reshape2(rows, cols int) Buffer2[T] { return b.Flat().Reshape2(rows, cols) }

// Reshape3 is the same elements as depth × rows × cols.
func (b Buffer3[T]) Reshape3(depth, rows, cols int) Buffer3[T] {
	return b.Flat().Reshape3(depth, rows, cols)
}

// Reshape4 is the same elements as batch × depth × rows × cols.
func (b Buffer3[T]) Reshape4(batch, depth, rows, cols int) Buffer4[T] {
	return b.Flat().Reshape4(batch, depth, rows, cols)
}

// Free is Buffer.Free.
func (b Buffer3[T]) Free() error { return b.Flat().Free() }

// Upload is Buffer.Upload, the last dimension fastest.
func (b Buffer3[T]) Upload(s *Stream, host []T) error { return b.Flat().Upload(s, host) }

// Download is Buffer.Download, the last dimension fastest.
func (b Buffer3[T]) Download(s *Stream, host []T) error { return b.Flat().Download(s, host) }

// Zero is Buffer.Zero.
func (b Buffer3[T]) Zero(s *Stream) error { return b.Flat().Zero(s) }
