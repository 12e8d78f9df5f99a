package cpu

import (
	"strconv"

	"github.com/gpugen/gpugen/codegen"
	"github.com/gpugen/gpugen/ir"
)

// reserved are Go's keywords and the predeclared names that generated bodies use; a local of the user that is called so
// gets "_" at its end. Other names of Go (len, nil, string) stay.
var reserved = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range []string{
		"break", "case", "chan", "const", "continue", "default", "defer", "else", "fallthrough", "for", "func", "go", "goto", "if",
		"import", "interface", "map", "package", "range", "return", "select", "struct", "switch", "type", "var",
		"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "int", "float32", "float64",
		"true", "false", "min", "max", "any", "_",
	} {
		m[w] = true
	}
	return m
}()

// scopes chooses the Go names of one function's variables. A name is never declared where another variable of that
// name is visible, because a placed expression may refer to the outer one.
type scopes struct {
	names  *codegen.GoNames
	stack  []map[string]bool
	user   map[string]bool // every name that the source uses in this function: temporaries stay away from them
	temps  int
	consts int
}

func newScopes(names *codegen.GoNames, user map[string]bool) *scopes {
	return &scopes{names: names, stack: []map[string]bool{{}}, user: user}
}

func (s *scopes) push() { s.stack = append(s.stack, map[string]bool{}) }
func (s *scopes) pop()  { s.stack = s.stack[:len(s.stack)-1] }

func (s *scopes) visible(name string) bool {
	for _, m := range s.stack {
		if m[name] {
			return true
		}
	}
	return false
}

// declare chooses the name of a variable that the user called want, in the innermost scope.
func (s *scopes) declare(want string) string {
	for made := false; reserved[want] || s.visible(want) || made && s.names.Means(want); made = true {
		want += "_"
	}
	s.stack[len(s.stack)-1][want] = true
	return want
}

// temp chooses the name of a variable of ours, want if no name of the user is equal.
func (s *scopes) temp(want string) string {
	for s.user[want] || reserved[want] || s.visible(want) || s.names.Means(want) {
		want += "_"
	}
	s.stack[len(s.stack)-1][want] = true
	return want
}

// fresh is a numbered name, used once in the function.
func (s *scopes) fresh(prefix string) string {
	s.temps++
	return s.temp(prefix + strconv.Itoa(s.temps))
}

// hoisted names a variable at the top of the function, whatever is visible where it is first needed.
func (s *scopes) hoisted() string {
	for {
		s.consts++
		name := "c" + strconv.Itoa(s.consts)
		if !s.user[name] && !s.visible(name) && !s.names.Means(name) {
			s.stack[0][name] = true
			return name
		}
	}
}

// userNames collects the names in a function's body and locals.
func userNames(body *ir.Block, locals []*ir.Local) map[string]bool {
	m := map[string]bool{}
	for _, l := range locals {
		m[l.Name] = true
	}
	body.Walk(func(in *ir.Instr) {
		m[in.Name] = true
		for _, b := range in.Blocks {
			if b.Iter != nil {
				m[b.Iter.Name] = true
			}
		}
	})
	return m
}
