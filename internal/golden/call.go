package golden

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/abi"
	"github.com/gpugen/gpugen/ir/interp"
)

// Call is a run line bound to one kernel instance: arguments in memory of their own.
type Call struct {
	Line   *RunLine
	Layout abi.Layout
	Args   []interp.Arg // one a parameter

	Printed *Printed  // by the interpreter; nil: nothing
	Firsts  []Failure // of a checked build that reports what the interpreter finds: any of them, or nothing if there are none
}

// Matches reports that the line calls this instance.
func (l *RunLine) Matches(lay abi.Layout) bool {
	if l.Kernel != lay.Name || len(l.Generics) != 0 && len(l.Generics) != len(lay.Generics) {
		return false
	}
	for i, g := range l.Generics {
		want := strconv.FormatInt(lay.Generics[i].Value, 10)
		if t := lay.Generics[i].Type; t != nil {
			want = t.String()
		}
		if g != want {
			return false
		}
	}
	return true
}

// Suits reports that a host takes k for this line: the narrow variant of a kernel counts on what the host tests before.
// Lines that do not bind suit every kernel, so that whoever runs them finds out.
func (l *RunLine) Suits(k *ir.Kernel) bool {
	if k.Sched == nil || k.Wide {
		return true
	}
	c, err := l.Bind(abi.Of(k))
	if err != nil {
		return true
	}
	launch, err := interp.Bind(k, c.Args)
	return err != nil || launch.Narrow()
}

// Bind makes the arguments of a call.
func (l *RunLine) Bind(lay abi.Layout) (*Call, error) {
	c := &Call{Line: l, Layout: lay}
	params := params(lay)
	if len(l.Args) != len(params) {
		return nil, fmt.Errorf("%s takes %d arguments, the line gives %d", lay.Instance, len(params), len(l.Args))
	}
	c.Args = make([]interp.Arg, len(params))
	for i, s := range params {
		if l.Args[i].Same != "" {
			continue
		}
		if s.Kind == abi.Scalar && types.IsComposite(s.Type) {
			b, err := l.Args[i].Value.Buffer(s.Type, 0)
			if err != nil {
				return nil, fmt.Errorf("argument %s: %w", s.Name, err)
			}
			c.Args[i] = interp.View(b)
			continue
		}
		if s.Kind == abi.Scalar {
			b, err := l.Args[i].Value.Bits(s.Type.(types.Kind))
			if err != nil {
				return nil, fmt.Errorf("argument %s: %w", s.Name, err)
			}
			c.Args[i] = interp.Scalar(b)
			continue
		}
		v := s.Type.(*types.View)
		b, err := l.Args[i].Value.Buffer(v.Elem, v.Rank)
		if err != nil {
			return nil, fmt.Errorf("argument %s: %w", s.Name, err)
		}
		c.Args[i] = interp.View(b)
	}
	for i, s := range params {
		if a := l.Args[i]; a.Same != "" {
			b, err := c.share(a, s, i)
			if err != nil {
				return nil, fmt.Errorf("argument %s: %w", s.Name, err)
			}
			c.Args[i] = interp.View(b)
		}
	}
	for _, o := range []*Outcome{&l.Want, l.Fused} {
		if o == nil {
			continue
		}
		for _, w := range o.Views {
			if _, err := c.view(w.Param); err != nil {
				return nil, err
			}
		}
	}
	return c, nil
}

// params are the slots of the parameters, in order.
func params(lay abi.Layout) []abi.Slot {
	var out []abi.Slot
	for _, s := range lay.Slots {
		if s.Param >= 0 {
			out = append(out, s)
		}
	}
	return out
}

// share is the memory of another parameter, whole or a range of its first dim, as a view of slot s.
// An argument refers to one before it.
func (c *Call) share(a Argument, s abi.Slot, before int) (*interp.Buffer, error) {
	i, err := c.view(a.Same)
	if err != nil {
		return nil, err
	}
	if i >= before {
		return nil, fmt.Errorf("%s comes later", a)
	}
	b := c.Args[i].Buffer
	v, isView := s.Type.(*types.View)
	if b == nil || !isView || !types.Identical(v.Elem, b.Elem) || v.Rank != len(b.Dims) {
		return nil, fmt.Errorf("%s cannot share the memory of %s", s.Name, a.Same)
	}
	lo, hi := a.Lo, a.Hi
	if hi < 0 {
		hi = b.Dims[0]
	}
	if hi > b.Dims[0] {
		return nil, fmt.Errorf("%s has extent %d", a, b.Dims[0])
	}
	row := types.Size(b.Elem)
	for _, d := range b.Dims[1:] {
		row *= d
	}
	dims := append([]int64{hi - lo}, b.Dims[1:]...)
	return &interp.Buffer{Elem: b.Elem, Dims: dims, Data: b.Data[lo*row : hi*row]}, nil
}

// view is the index of the view parameter of that name.
func (c *Call) view(name string) (int, error) {
	for i, s := range params(c.Layout) {
		if s.Name == name && s.Kind == abi.View {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%s has no view %s", c.Layout.Instance, name)
}

// shuffleLimit is the number of points, or threads, up to which a run is repeated in another order.
const shuffleLimit = 1 << 20

// Run binds the line to k, runs it forward and shuffled, blocks of threads backward as well, and checks the outcome: the
// literals of the line, no index out of range, no race, no shared memory read before it is written, no divergent
// barrier, no false claim of a pass, and the same bits in all orders. k is a kernel before the schedule or after it;
// fused says whether it went through the fusing of a device. The call's buffers are as the kernel left them.
func Run(k *ir.Kernel, l *RunLine, fused bool) (*Call, error) {
	c, err := l.Bind(abi.Of(k))
	if err != nil {
		return nil, err
	}
	opt := options(l)
	again := []interp.Order{interp.Shuffled}
	if c.Layout.Group {
		again = append(again, interp.Reverse)
	}
	var others []*Call
	for range again {
		o, err := l.Bind(abi.Of(k))
		if err != nil {
			return nil, err
		}
		others = append(others, o)
	}
	rep, runErr := interp.Run(k, c.Args, opt)
	o := l.Expect(fused)
	if err := c.check(k, rep, runErr, fused); err != nil {
		return c, err
	}
	if runErr != nil || o.Trap || o.Fails != nil || o.Finding != "" || rep.Points > shuffleLimit {
		return c, nil
	}
	for i, order := range again {
		opt.Order, opt.Races = order, c.Layout.Group
		rep, err := interp.Run(k, others[i].Args, opt)
		if err == nil {
			err = o.allows(rep.Findings)
		}
		if err == nil {
			others[i].Printed = PrintedBy(rep.Prints)
			err = c.Printed.Admits(others[i].Printed.texts(), 0, math.MaxInt)
		}
		if err != nil {
			return c, fmt.Errorf("in another order: %w", err)
		}
		if err := c.sameViews(others[i], 0); err != nil {
			return c, fmt.Errorf("another order gives another result: %w", err)
		}
	}
	return c, nil
}

func options(l *RunLine) interp.Options {
	return interp.Options{Races: true, MaxSteps: 1 << 28, Seed: uint64(l.Number)}
}

// runOnce is Run in one order, for those whose kernels Run has seen elsewhere.
func runOnce(k *ir.Kernel, l *RunLine, fused bool) (*Call, error) {
	c, err := l.Bind(abi.Of(k))
	if err != nil {
		return nil, err
	}
	opt := options(l)
	opt.Races, opt.Firsts = l.Expect(fused).Finding != "", l.Expect(fused).Finds
	opt.Told = opt.Firsts
	rep, err := interp.Run(k, c.Args, opt)
	return c, c.check(k, rep, err, fused)
}

// allows gives the first finding that the outcome does not have room for. A race may bring the other findings of shared
// memory along.
func (o Outcome) allows(fs []interp.Finding) error {
	for _, f := range fs {
		ok := false
		switch f.Kind {
		case interp.ZeroDivisor, interp.NegativeShift: // their values are defined
			ok = !o.Checked || o.Fails != nil || o.Finds
		case interp.Bounds:
			ok = o.Trap || o.Fails != nil || o.Finds || o.Finding == f.Kind.String()
		case interp.Assertion:
			ok = o.Fails != nil || o.Finds
		case interp.Race, interp.Uninitialised, interp.Divergent:
			ok = o.Finding != ""
		}
		if !ok {
			return errors.New(f.String())
		}
	}
	return nil
}

// finds looks for the finding that the outcome asks for.
func (o Outcome) finds(fs []interp.Finding) error {
	var seen []string
	for _, f := range fs {
		if f.Kind.String() != o.Finding {
			continue
		}
		at := []int{f.Pos.Line, f.Other.Line}[:max(len(o.Lines), 1)]
		back := slices.Clone(at)
		slices.Reverse(back)
		if len(o.Lines) == 0 || slices.Equal(at, o.Lines) || f.Kind == interp.Race && slices.Equal(back, o.Lines) {
			return nil
		}
		seen = append(seen, f.String())
	}
	if len(seen) > 0 {
		return fmt.Errorf("want %s, found\n%s", o, strings.Join(seen, "\n"))
	}
	return fmt.Errorf("nothing is found, want %s", o)
}

// Equal compares all views of two calls of the same line, with at least the given tolerance, and what they have printed: c in
// an order that o allows.
func (c *Call) Equal(o *Call, ulp int) error {
	if err := o.Printed.Admits(c.Printed.texts(), 0, math.MaxInt); err != nil {
		return err
	}
	return c.sameViews(o, ulp)
}

func (c *Call) sameViews(o *Call, ulp int) error {
	for i, s := range params(c.Layout) {
		if s.Kind != abi.View {
			continue
		}
		if err := Compare(o.Args[i].Buffer, c.Args[i].Buffer, max(ulp, c.Line.Want.Tolerance(s.Name))); err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	return nil
}

func (c *Call) check(k *ir.Kernel, rep *interp.Report, err error, fused bool) error {
	o := c.Line.Expect(fused)
	if o.Error != "" {
		if err == nil {
			return fmt.Errorf("no error, want %s", o.Error)
		}
		if got := ErrorName(err); got != o.Error {
			return fmt.Errorf("error %s (%w), want %s", got, err, o.Error)
		}
		return nil
	}
	if err != nil {
		return err
	}
	if err := o.allows(rep.Findings); err != nil {
		return err
	}
	if rep.Dropped > 0 {
		return fmt.Errorf("the kernel prints more than the %d times that the interpreter keeps", interp.MaxPrints)
	}
	c.Printed = PrintedBy(rep.Prints)
	if o.Finds {
		c.Firsts = firstsOf(rep, k)
	}
	if o.Finding != "" {
		return o.finds(rep.Findings)
	}
	if o.Fails != nil {
		return o.Fails.among(rep.Findings, k.Sched != nil)
	}
	if got := rep.Output(); got != o.Prints && !o.Tells {
		return fmt.Errorf("the kernel prints %q, want %q", got, o.Prints)
	}
	if o.Trap && !rep.Has(interp.Bounds) {
		return errors.New("no index is out of range, want a trap")
	}
	return c.CheckWants(fused)
}

// CheckWants compares the buffers with the literals of the line.
func (c *Call) CheckWants(fused bool) error {
	for _, w := range c.Line.Expect(fused).Views {
		i, err := c.view(w.Param)
		if err != nil {
			return err
		}
		got := c.Args[i].Buffer
		want, err := w.Value.Buffer(got.Elem, len(got.Dims))
		if err != nil {
			return fmt.Errorf("%s: %w", w.Param, err)
		}
		if err := Compare(got, want, w.ULP); err != nil {
			return fmt.Errorf("%s: %w", w.Param, err)
		}
	}
	return nil
}

// ErrorName is the type name of the first error in the chain that has an exported one, as `error ShapeError` spells it.
func ErrorName(err error) string {
	for e := err; e != nil; e = errors.Unwrap(e) {
		t := reflect.TypeOf(e)
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if n := t.Name(); n != "" && n[0] >= 'A' && n[0] <= 'Z' {
			return n
		}
	}
	return ""
}
