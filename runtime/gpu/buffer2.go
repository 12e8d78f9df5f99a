package gpu

// Buffer2 is a row-major view of rows × cols elements in device memory; see Buffer.
type Buffer2[T any] struct {
	m          *memory
	off        int
	rows, cols int
}

// Rows is the extent of dimension 0.
func (b Buffer2[T]) Rows() int { return b.rows }

// Cols is the extent of dimension 1, the fastest.
func (b Buffer2[T]) Cols() int { return b.cols }

// Len is the number of elements.
func (b Buffer2[T]) Len() int { return b.rows * b.cols }

// Dim is the extent of dimension d.
func (b Buffer2[T]) Dim(d int) int {
	switch d {
	case 0:
		return b.rows
	case 1:
		return b.cols
	}
	return 0
}

// IsZero says whether b is the zero Buffer2.
func (b Buffer2[T]) IsZero() bool { return b.m == nil }

// Err says why b cannot be used, as Buffer's.
func (b Buffer2[T]) Err() error { return b.m.state() }

// Flat is b as one row of elements.
func (b Buffer2[T]) Flat() Buffer[T] { return Buffer[T]{b.m, b.off, b.rows * b.cols} }

// View is b without its type.
func (b Buffer2[T]) View() View { return b.Flat().View() }

// Row is the view of row i.
func (b Buffer2[T]) Row(i int) Buffer[T] {
	if refused(b.m) {
		return Buffer[T]{m: b.m}
	}
	if uint(i) >= uint(b.rows) {
		return Buffer[T]{m: broken("Row", "%d of %d rows", i, b.rows)}
	}
	return Buffer[T]{b.m, b.off + i*b.cols*sizeof[T](), b.cols}
}

// Slice is the view of the rows lo <= i < hi.
func (b Buffer2[T]) Slice(lo, hi int) Buffer2[T] {
	if refused(b.m) {
		return b
	}
	if uint(lo) > uint(hi) || uint(hi) > uint(b.rows) {
		return Buffer2[T]{m: broken("Slice", "[%d:%d] of %d rows", lo, hi, b.rows)}
	}
	return Buffer2[T]{b.m, b.off + lo*b.cols*sizeof[T](), hi - lo, b.cols}
}

// Reshape2 is the same elements as rows × cols.
func (b Buffer2[T]) Reshape2(rows, cols int) Buffer2[T] { return b.Flat().Reshape2(rows, cols) }

// Reshape3 is the same elements as depth × rows × cols.
func (b Buffer2[T]) Reshape3(depth, rows, cols int) Buffer3[T] {
	return b.Flat().Reshape3(depth, rows, cols)
}

// Reshape4 is the same elements as batch × depth × rows × cols.
func (b Buffer2[T]) Reshape4(batch, depth, rows, cols int) Buffer4[T] {
	return b.Flat().Reshape4(batch, depth, rows, cols)
}

// Free is Buffer.Free.
func (b Buffer2[T]) Free() error { return b.Flat().Free() }

// Upload is Buffer.Upload, row after row.
func (b Buffer2[T]) Upload(s *Stream, host []T) error { return b.Flat().Upload(s, host) }

// Download is Buffer.Download, row after row.
func (b Buffer2[T]) Download(s *Stream, host []T) error { return b.Flat().Download(s, host) }

// Zero is Buffer.Zero.
func (b Buffer2[T]) Zero(s *Stream) error { return b.Flat().Zero(s) }
