package accuracy

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/dsl/types"
	"github.com/gpugen/gpugen/ir"
	"github.com/gpugen/gpugen/ir/interp"
)

func TestDistance(t *testing.T) {
	next := func(v float64) float64 { return math.Nextafter(v, math.Inf(1)) }
	for _, c := range []struct {
		k    types.Kind
		a, b float64
		want float64
	}{
		{types.Float64, 1, 1, 0}, {types.Float64, next(1), 1, 1}, {types.Float64, next(next(1.5)), 1.5, 2}, {types.Float64, 5e-324, 0, 1},
		{types.Float64, next(7e-309), 7e-309, 1}, {types.Float64, math.Inf(1), math.MaxFloat64, 1}, {types.Float64, math.Inf(1), math.Inf(-1), 4 << 52},
		{types.Float32, float64(math.Nextafter32(3, 4)), 3, 1}, {types.Float32, math.SmallestNonzeroFloat32, 0, 1}, {types.Float32, math.Inf(1), math.MaxFloat32, 1},
		{types.Float32, 3 * math.SmallestNonzeroFloat32, math.SmallestNonzeroFloat32, 2}, {types.Float32, math.MaxFloat32, 1e300, 1}, {types.Float32, math.Inf(1), 1e39, 0},
		{types.Float32, 1, 1 + 0x1p-25, 0.25},
	} {
		if got := Distance(c.k, c.a, c.b); math.Abs(got-c.want) > 0.01 {
			t.Errorf("Distance(%s, %v, %v) = %v, want %v", c.k, c.a, c.b, got, c.want)
		}
		if c.b == 0 || math.IsInf(c.b, 0) {
			continue
		}
		if got := ULP(c.k, number(c.b), c.a); math.Abs(got-c.want) > 0.01 {
			t.Errorf("ULP(%s, %v, %v) = %v, want %v", c.k, c.b, c.a, got, c.want)
		}
	}
}

// TestExact compares with values known to 40 digits and more, from other programs.
func TestExact(t *testing.T) {
	for _, c := range []struct {
		op   ir.Op
		x    []float64
		want string
	}{
		{ir.OpRsqrt, []float64{0.3}, "1.8257418583505537453062434120477723434225813104137"},
		{ir.OpExp, []float64{-700.125}, "8.7011340103539867944891481661129100763334680165283e-305"},
		{ir.OpExp, []float64{1e-300}, "1.0"},
		{ir.OpExp2, []float64{0.7}, "1.624504792712470995214044840594701669463941174871"},
		{ir.OpLog, []float64{1e-310}, "-7.1380137882815416510064460066238837413823385597659e+2"},
		{ir.OpLog, []float64{1.0000000000000002}, "2.2204460492503128343282304546154879259823318079011e-16"},
		{ir.OpLog2, []float64{3}, "1.5849625007211561814537389439478165087598144076925"},
		{ir.OpLog10, []float64{0.999}, "-4.3451177401769169258270442056450876051390075419074e-4"},
		{ir.OpSin, []float64{1e22}, "-8.5220084976718880177270589375302936826176215041004e-1"},
		{ir.OpSin, []float64{3.141592653589793}, "1.2246467991473531772260659322749979970830539012998e-16"},
		{ir.OpCos, []float64{-6381956970095103e290}, "-5.9274275921477589714561729309452436480530423843155e-1"},
		{ir.OpCos, []float64{4.71238898038469}, "-1.836970198721029765839098898412491256012026705781e-16"},
		{ir.OpTan, []float64{2.5}, "-7.4702229723866027935535268782527455790411695688301e-1"},
		{ir.OpTan, []float64{-1e-200}, "-9.9999999999999998210026239908275959605441178928975e-201"},
		{ir.OpSin, []float64{-5.5}, "7.0554032557039190623191917552207007884729028198818e-1"},
		{ir.OpAsin, []float64{0.9999999999999999}, "1.5707963118937354253836653037763160165939687772883"},
		{ir.OpAcos, []float64{0.9999999999999999}, "1.4901161193847656387863435425504615922399221269664e-8"},
		{ir.OpAcos, []float64{-0.25}, "1.8234765819369752727169791286334624143507784327844"},
		{ir.OpAtan, []float64{-1e8}, "-1.5707963167948966192313220249730847754318980330209"},
		{ir.OpAtan2, []float64{1e-300, -2}, "3.1415926535897932384626433832795028841971693993751"},
		{ir.OpAtan2, []float64{-3, 2}, "-9.8279372324732906798571061101466601449687745363163e-1"},
		{ir.OpSinh, []float64{1e-8}, "1.0000000000000000375892274967951404714546755957115e-8"},
		{ir.OpSinh, []float64{-30}, "-5.3432372907622310734952342785825859808113744781574e+12"},
		{ir.OpSinh, []float64{1e-20}, "9.9999999999999994515327145420957165172952036945406e-21"},
		{ir.OpCosh, []float64{0.1}, "1.0050041680558035995440156038378576265253640350658"},
		{ir.OpTanh, []float64{1e-15}, "1.000000000000000077705399876660745904973852267784e-15"},
		{ir.OpTanh, []float64{-2}, "-9.6402758007581688394641372410092315025502997624093e-1"},
		{ir.OpPow, []float64{1.0001, 5000.5}, "1.6487624878731345020603234676021487481773812387229"},
		{ir.OpPow, []float64{-3, -7}, "-4.572473708276177411979881115683584819387288523091e-4"},
		{ir.OpPow, []float64{1e-300, 0.5}, "1.0000000000000000125295459176043797643533129531736e-150"},
		{ir.OpHypot, []float64{1e-320, 3e-321}, "1.0439906384349994710962993174035306514876564763752e-320"},
		{ir.OpHypot, []float64{3, 1e10}, "1.0000000000000000000449999999999999999989875e+10"},
		{ir.OpErf, []float64{1e-10}, "1.1283791670955126150017301015519375678067032996093e-10"},
		{ir.OpErf, []float64{-0.8}, "-7.4210096470766051258978735561270841261450232424412e-1"},
		{ir.OpErf, []float64{5.5}, "9.9999999999999264215208202560193693163760142990979e-1"},
	} {
		want, _, err := big.ParseFloat(c.want, 10, precision, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		got := Exact(c.op, c.x...)
		if got == nil {
			t.Errorf("no %s%v", c.op, c.x)
			continue
		}
		if off := sub(got, want); !small(off, want.MantExp(nil)-128) {
			t.Errorf("%s%v = %s, want %s", c.op, c.x, got.Text('g', 45), c.want)
		}
	}
}

// TestTheReference compares what the interpreter computes in float64, and with it the CPU, with the exact results: over a
// part of the samples of float32, where it is the reference of all measurements, and over float64 of all sizes.
func TestTheReference(t *testing.T) {
	for _, op := range ir.TableFunctions() {
		buffers := Samples(op, types.Float32)
		in := buffers[:len(buffers)-1]
		n, compared, worst := in[0].Len(), 0, 0.0
		var worst64 float64
		var at []float64
		compare := func(x []float64) {
			var bits []uint64
			for _, v := range x {
				bits = append(bits, math.Float64bits(v))
			}
			r, _ := interp.Eval(op, types.Float64, types.Float64, bits...)
			got := math.Float64frombits(r)
			exact := exactly(op, x, got)
			if exact == nil {
				return
			}
			compared++
			if u := ULP(types.Float64, exact, got); u > worst64 {
				worst64, at = u, x
			}
			worst = max(worst, ULP(types.Float32, exact, got))
		}
		for i := int64(0); i < n; i += n / 3000 {
			x := make([]float64, len(in))
			for j, b := range in {
				x[j] = ir.FloatOf(types.Float32, b.At(i))
			}
			compare(x)
		}
		const limit = 0x1p-20
		if worst > limit || compared < 500 {
			t.Errorf("%s: %v units of float32 over %d operands", op, worst, compared)
		}
		r := rand.New(rand.NewPCG(3, uint64(op)))
		for range 2000 {
			x := make([]float64, len(in))
			for j := range x {
				switch r.IntN(3) {
				case 0:
					x[j] = math.Float64frombits(r.Uint64())
				case 1:
					x[j] = (r.Float64() - 0.5) * math.Ldexp(1, r.IntN(16)-4)
				default:
					x[j] = 1 + (r.Float64()-0.5)*math.Ldexp(1, -r.IntN(30))
				}
			}
			compare(x)
		}
		if bound := ir.Bound(types.CPU, op, types.Float64); worst64 > bound {
			t.Errorf("%s: %.2f units of float64 at %v, over the bound of %v", op, worst64, at, bound)
		}
		t.Logf("%-6s %.2f units of float64 at %v; %.1e of float32 over %d operands", op, worst64, at, worst, compared)
	}
}

// TestMeasureSeesErrors changes single results.
func TestMeasureSeesErrors(t *testing.T) {
	for _, op := range []ir.Op{ir.OpSin, ir.OpPow} {
		buffers := Samples(op, types.Float32)
		out := buffers[len(buffers)-1]
		for i := range out.Len() {
			var x []uint64
			for _, b := range buffers[:len(buffers)-1] {
				x = append(x, b.At(i))
			}
			v, _ := interp.Eval(op, types.Float32, types.Float32, x...)
			out.Set(i, v)
		}
		if w := Measure(op, buffers); w.ULP > 0.51 || w.ULP < 0.49 || w.N != int(out.Len()) || w.N < 1<<20 {
			t.Errorf("the interpreter's own: %s", w)
		}
		for _, change := range []func(uint64) uint64{
			func(v uint64) uint64 { return v + 2 }, func(uint64) uint64 { return 0x7fc00000 }, func(v uint64) uint64 { return v ^ 1<<31 },
		} {
			row := out.Len() / 3
			for f := 0.0; f == 0 || f != f || math.Abs(f) > 1e30; row++ {
				f = ir.FloatOf(types.Float32, out.At(row))
			}
			old := out.At(row - 1)
			out.Set(row-1, change(old))
			if w := Measure(op, buffers); !(w.ULP > 1.4) || w.X[0] != ir.FloatOf(types.Float32, buffers[0].At(row-1)) {
				t.Errorf("%#x in place of %#x: %s", change(old), old, w)
			}
			out.Set(row-1, old)
		}
	}
}

func TestRecord(t *testing.T) {
	var worst []Worst
	for _, op := range ir.TableFunctions() {
		worst = append(worst, Worst{Op: op, ULP: 1.234, X: []float64{1.5}, Got: 2, Want: 2.5, N: 7})
	}
	text := Text("a device", worst)
	r, err := parse("x", text)
	if err != nil || r.On != "a device" || len(r.Worst) != len(worst) || r.Worst[3].ULP != "1.23" || r.Worst[3].Op != ir.OpLog {
		t.Errorf("%+v, %v", r, err)
	}
	for _, wrong := range []string{
		"", strings.TrimPrefix(text, "on a device\n"), strings.Replace(text, "log 1.23", "log x", 1), strings.Replace(text, "rsqrt", "log", 1),
		text[:strings.LastIndex(text, "erf")], text + "erf 1.2 at\n",
	} {
		if _, err := parse("x", wrong); err == nil {
			t.Errorf("%q is a record", wrong)
		}
	}
	for _, target := range types.AllTargets.List() {
		if _, err := Measured(target); err != nil {
			t.Error(err)
		}
	}
}
