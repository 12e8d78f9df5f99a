// Package dsl turns the text of a .gpu file into a syntax tree.
//
// [Parse] is called by the root package and by tools that look at sources alone; the tree is read by dsl/check, which
// leaves it untouched and keeps its facts in maps keyed by nodes. The package imports dsl/diag and participle, which is
// imported nowhere else.
//
// Declarations and statements are parsed by participle from the struct tags of the tree; expressions and the simple
// statements made of them by precedence, by hand. Three passes over the tokens come first, so that neither needs state
// or recursion without bound: the file is cut at its declarations, nesting is counted, and the braces that open a block
// are told from those of composite literals.
//
// Invariants: Parse never fails and never panics, and may be called from many goroutines; what it could not read is a [BadDecl] and a diagnostic. All nodes of a
// tree lie inside its file. No tree is higher than the language's limit on nesting, so that every walk may recurse.
package dsl
