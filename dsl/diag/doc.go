// Package diag turns mistakes found in .gpu files into messages for people, editors and CI systems.
//
// Every stage of the front end describes a mistake as a struct that implements [Error] and reports it to a [List]; the
// command renders the list once with [Text], [JSON] or [GitHub]. The package imports nothing of gpugen.
//
// Invariants: a position counts columns in runes from 1 (a tab is one column); a code is kebab-case and is never
// renamed; a message is lower case, without a full stop, with backticks round code.
package diag
