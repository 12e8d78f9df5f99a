// Package arch turns the rules of this repository into tests: which package may import which, who may touch the system,
// what every package comment says, how long a file may be, and that the paths in the documents exist.
//
// It holds tests alone and nothing imports it. Every rule is a function from a tree of files to a list of violations, so
// that each is tested on a small made-up tree first (rules_test.go) and then applied to the repository (repo_test.go). A
// new package needs a place in the table `houses`, which says what lies below it.
package arch
