package gpu

// Buffer4 is a row-major view of batch × depth × rows × cols elements in device memory; see Buffer.
type Buffer4[T any] struct {
	m                        *memory
	off                      int
	batch, depth, rows, cols int
}

// Batch is the extent of dimension 0.
func (b Buffer4[T]) Batch() int { return b.batch }

// Depth is the extent of dimension 1.
func (b Buffer4[T]) Depth() int { return b.depth }

// Rows is the extent of dimension 2.
func (b Buffer4[T]) Rows() int { return b.rows }

// Cols is the extent of dimension 3, the fastest.
func (b Buffer4[T]) Cols() int { return b.cols }

// Len is the number of elements.
func (b Buffer4[T]) Len() int { return b.batch * b.volume() }

// volume is the number of elements at one index of dimension 0.
func (b Buffer4[T]) volume() int { return b.depth * b.rows * b.cols }

// Dim is the extent of dimension d.
func (b Buffer4[T]) Dim(d int) int {
	switch d {
	case 0:
		return b.batch
	case 1:
		return b.depth
	case 2:
		return b.rows
	case 3:
		return b.cols
	}
	return 0
}

// IsZero says whether b is the zero Buffer4.
func (b Buffer4[T]) IsZero() bool { return b.m == nil }

// Err says why b cannot be used, as Buffer's.
func (b Buffer4[T]) Err() error { return b.m.state() }

// Flat is b as one row of elements.
func (b Buffer4[T]) Flat() Buffer[T] { return Buffer[T]{b.m, b.off, b.Len()} }

// View is b without its type.
func (b Buffer4[T]) View() View { return b.Flat().View() }

// Volume is the view of the depth × rows × cols elements at i in the batch.
func (b Buffer4[T]) Volume(i int) Buffer3[T] {
	if refused(b.m) {
		return Buffer3[T]{m: b.m}
	}
	if uint(i) >= uint(b.batch) {
		return Buffer3[T]{m: broken("Volume", "%d of a batch of %d", i, b.batch)}
	}
	return Buffer3[T]{b.m, b.off + i*b.volume()*sizeof[T](), b.depth, b.rows, b.cols}
}

// Plane is the view of the rows × cols elements at i in the batch and depth j.
func (b Buffer4[T]) Plane(i, j int) Buffer2[T] { return b.Volume(i).Plane(j) }

// Row is the view of row k at i in the batch and depth j.
func (b Buffer4[T]) Row(i, j, k int) Buffer[T] { return b.Volume(i).Row(j, k) }

// Slice is the view of lo <= i < hi in the batch.
func (b Buffer4[T]) Slice(lo, hi int) Buffer4[T] {
	if refused(b.m) {
		return b
	}
	if uint(lo) > uint(hi) || uint(hi) > uint(b.batch) {
		return Buffer4[T]{m: broken("Slice", "[%d:%d] of a batch of %d", lo, hi, b.batch)}
	}
	return Buffer4[T]{b.m, b.off + lo*b.volume()*sizeof[T](), hi - lo, b.depth, b.rows, b.cols}
}

// Reshape2 is the same elements as rows × cols.
func (b Buffer4[T]) Reshape2(rows, cols int) Buffer2[T] { return b.Flat().Reshape2(rows, cols) }

// Reshape3 is the same elements as depth × rows × cols.
func (b Buffer4[T]) Reshape3(depth, rows, cols int) Buffer3[T] {
	return b.Flat().Reshape3(depth, rows, cols)
}

// Reshape4 is the same elements as batch × depth × rows × cols.
func (b Buffer4[T]) Reshape4(batch, depth, rows, cols int) Buffer4[T] {
	return b.Flat().Reshape4(batch, depth, rows, cols)
}

// Free is Buffer.Free.
func (b Buffer4[T]) Free() error { return b.Flat().Free() }

// Upload is Buffer.Upload, the last dimension fastest.
func (b Buffer4[T]) Upload(s *Stream, host []T) error { return b.Flat().Upload(s, host) }

// Download is Buffer.Download, the last dimension fastest.
func (b Buffer4[T]) Download(s *Stream, host []T) error { return b.Flat().Download(s, host) }

// Zero is Buffer.Zero.
func (b Buffer4[T]) Zero(s *Stream) error { return b.Flat().Zero(s) }
