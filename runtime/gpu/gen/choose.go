package gen

// Select is a if c, else b; both are evaluated.
func Select[T any](c bool, a, b T) T {
	if c {
		return a
	}
	return b
}

// Min is Go's builtin min, for packages that declare the name otherwise.
func Min[T Integer | Float](x, y T) T { return min(x, y) }

// Max is Go's builtin max, for packages that declare the name otherwise.
func Max[T Integer | Float](x, y T) T { return max(x, y) }
