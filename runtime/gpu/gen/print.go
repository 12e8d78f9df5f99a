package gen

import "fmt"

// Printf is what `print` in an exported function does in Go: it prints to the standard output at once.
func Printf(format string, values ...any) { fmt.Printf(format, values...) }
