package quantity

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"testing"
)

// synthetic makes a table of one quantity y and one action u; next gives the next value from the history of both, the
// last first.
func synthetic(rows int, step float64, u func(k int) float64, next func(y, u []float64) float64) *Table {
	y := Column{Name: "y", Learn: true, Step: step}
	a := Column{Name: "u", Role: Action}
	var ys, us []float64
	x := 5.0
	t := &Table{}
	for k := range rows {
		ys, us = append([]float64{x}, ys[:min(len(ys), 9)]...), append([]float64{u(k)}, us[:min(len(us), 9)]...)
		y.Now, a.Now = append(y.Now, x), append(a.Now, us[0])
		x = math.Round(next(ys, us)/step) * step
		y.Next = append(y.Next, x)
		t.Follows = append(t.Follows, k > 0)
	}
	t.Columns = []Column{y, a}
	return t
}

func at(x []float64, lag int) float64 { return x[min(lag, len(x)-1)] }

// A collection of garbage for every few megabytes takes a quarter of the time of these tests.
func init() { debug.SetGCPercent(400) }

func TestSynthetic(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	slow := func(k int) float64 { return 3 + 2*math.Sin(float64(k)/20) + math.Sin(float64(k)/7) }
	held, heater, wall := 0., 20., 50.
	relay := func(int) float64 {
		if rng.IntN(30) == 0 {
			held = 1 - held
		}
		return held
	}
	flow := 1.
	valve := func(int) float64 {
		if rng.IntN(10) == 0 {
			flow = .2 + .2*float64(rng.IntN(10))
		}
		return flow
	}
	white := func(int) float64 { return float64(rng.IntN(5)) }
	for _, c := range []struct {
		name  string
		t     *Table
		lags  int
		most  float64 // the error one step ahead that is allowed
		delay int     // of u that must be read; -1 for none
	}{
		{"a delay of five steps", synthetic(300, .01, white, func(y, u []float64) float64 { return .9*y[0] + .3*at(u, 5) + .02*rng.NormFloat64() }), 6, .03, 5},
		{"a slow action with a delay", synthetic(300, .01, slow, func(y, u []float64) float64 { return .9*y[0] + .3*at(u, 2) + .005*rng.NormFloat64() }), 3, .012, 2},
		{"a saturation", synthetic(400, .01, white, func(y, u []float64) float64 { return min(max(y[0]+.4*(u[0]-2)+.02*rng.NormFloat64(), 0), 10) }), 3, .03, 0},
		{"a counter of amounts", synthetic(400, 1, white, func(y, u []float64) float64 { return min(max(y[0]+u[0]-2, 0), 40) }), 3, 0, 0},
		{"two regimes", synthetic(1500, .01, white, func(y, u []float64) float64 {
			if y[0] > 5 {
				return .5*y[0] + u[0] + .01*rng.NormFloat64()
			}
			return y[0] + .2*u[0] + .5 + .01*rng.NormFloat64()
		}), 2, .02, 0},
		{"a valve that opens late", synthetic(300, .01, white, func(y, u []float64) float64 {
			return .8*y[0] + 2*max(0, at(u, 1)-2.5) + .02*rng.NormFloat64()
		}), 2, .03, 1},
		{"a heater that stays warm", synthetic(800, .1, relay, func(y, u []float64) float64 {
			heater += .3 * (35*u[0] + 20 - heater)
			return y[0] + .05*(heater-y[0]) - .6*(y[0]-5)*.05 + .05*rng.NormFloat64()
		}), 3, .07, 2},
		{"a wall behind a flow", synthetic(700, .01, valve, func(y, u []float64) float64 { // it shows in what the flow before did not explain
			x := y[0] + .15*u[0]*(80-y[0]) - .25*(y[0]-wall) + .05*rng.NormFloat64()
			wall += .1*(y[0]-wall) - .05*(wall-15)
			return x
		}), 3, .12, 1},
		{"a wide range", synthetic(250, 1, white, func(y, u []float64) float64 { return .99*y[0] + 1e5*u[0] + 100*rng.NormFloat64() }), 3, 120, 0},
		{"a constant", synthetic(300, .1, white, func(y, _ []float64) float64 { return 5 }), 3, 0, -1},
		{"few rows", synthetic(40, .01, white, func(y, u []float64) float64 { return .9*y[0] + .3*u[0] }), 3, .05, 0},
		{"noise alone", synthetic(250, .01, white, func(_, _ []float64) float64 { return 5 + rng.NormFloat64() }), 3, 1.1, -1},
	} {
		l, err := Learn(context.Background(), c.t, Options{Lags: c.lags, Threads: 2})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		o := l[0]
		read := -1
		for j, term := range o.Function.Terms {
			used := false
			o.Function.Root.visit(func(n *Node) { used = used || n.Weights[j] != 0 })
			if used && term.Column == 1 && (read < 0 || c.delay == term.Lag) {
				read = term.Lag
			}
		}
		if o.Errors.Function.One > c.most || c.delay >= 0 && read != c.delay {
			t.Errorf("%s: errors %.4v, u %d steps before; expected %v, %d\n%v", c.name, o.Errors, read, c.most, c.delay, o.Function.Terms)
		}
		if o.Errors.Function.One > 1.03*min(o.Errors.Unchanged.One, o.Errors.Linear.One)+1e-9 {
			t.Errorf("%s: errors %.4v; expected those of the best", c.name, o.Errors)
		}
	}
	if _, err := Learn(context.Background(), synthetic(20, .01, white, func(y, u []float64) float64 { return y[0] }), Options{Lags: 3}); !errors.Is(err, ErrFew) {
		t.Errorf("20 rows: %v", err)
	}
}

// TestLimit: a function that leads beyond a limit on both sides of which noise has values gets one, and one that fits does not.
func TestLimit(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	rate, full := 2., 5.
	stay := func(int) float64 {
		if rng.IntN(15) == 0 {
			rate = float64(rng.IntN(5))
		}
		return rate
	}
	for _, most := range []float64{10, math.Inf(1)} {
		tab := synthetic(1000, .01, stay, func(_, u []float64) float64 {
			if full = min(full+.3*(u[0]-2), most); full < 0 || full > 30 {
				full = 5
			}
			return full + .03*rng.NormFloat64()
		})
		tab.runs()
		l := &learner{ctx: context.Background(), t: tab, o: Options{Lags: 1}, rows: tab.back(1), outs: []*Output{{}}, now: make([][]*Function, blocks)}
		l.divide()
		f := &Function{Terms: []Term{{0, 0, number}, {1, 0, number}}, Lo: math.Inf(-1), Hi: math.Inf(1), Root: &Node{Split: -1, Constant: -.6, Weights: []float64{1, .3}, reads: []int32{0, 1}}}
		tr := trial{}
		var base [blocks]float64
		for b := range blocks {
			l.now[b] = make([]*Function, 1)
			tr.by = append(tr.by, f)
			base[b] = l.measure(b, 0, f)
		}
		got, score := l.limit(0, tr, base, true)
		if limited := got.c.high != nil; limited != (most == 10) {
			t.Errorf("a limit at %v: found %v, scores %.3f, without %.3f", most, limited, score, base)
		} else if limited && math.Abs(got.by[0].Hi-10) > .1 {
			t.Errorf("a limit at %v: %v", most, got.by[0].Hi)
		}
	}
}

// TestBands: the bands of half the errors cover the other half.
func TestBands(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, n := range []int{150, 300, 5000} {
		for _, share := range []float64{.9, .99} {
			covered, adaptive, of := 0, 0, 0
			for range 40 {
				errors := make([]float64, 2*n)
				for i := range errors {
					errors[i] = rng.NormFloat64() + .3*rng.ExpFloat64()
				}
				b, a := BandOf(errors[:n], share), NewAdaptive(errors[:n], share)
				for _, e := range errors[n:min(2*n, n+500)] {
					of++
					if b.Low <= e && e <= b.High {
						covered++
					}
					if a.See(e) {
						adaptive++
					}
				}
			}
			for i, k := range []int{covered, adaptive} {
				if got := float64(k) / float64(of); got < share-.012 || got > share+.015 {
					t.Errorf("%d errors: %.2f %% covered (adaptive %v); expected %g %%", n, 100*got, i == 1, 100*share)
				}
			}
		}
	}
	sum := int64(0)
	for _, w := range Distribution([]float64{.1, .1, -.1, .52, 3}, .1, 3) {
		sum += w.Count
	}
	if sum != 5 {
		t.Errorf("a distribution of %d errors; expected 5", sum)
	}
}
