package policy

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/fdplan/fdplan/internal/app/load"
	solver "github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// loose gives the draws of a model ranges.
type loose struct {
	validate.Chance
	high bool // probabilities may be above what is known, too
}

func (c loose) Draws(now factored.Valuation) ([]*factored.Draw, error) {
	draws, err := c.Chance.Draws(now)
	var out []*factored.Draw
	for _, d := range draws {
		e := *d
		e.Range = &factored.Range{}
		rest := 1.0
		for k, p := range d.Probability {
			f, _ := p.Float64()
			low := f * (1 - .02*float64(1+k%3))
			rest -= low
			e.Range.Low, e.Range.High = append(e.Range.Low, low), append(e.Range.High, low)
			if c.high {
				e.Range.High[k] = min(1, f*1.1)
			}
		}
		if !c.high {
			e.Range.Other = rest
		}
		out = append(out, &e)
	}
	return out, err
}

// TestSampledSupport compares runs that keep what ranges leave with dynamic programming over these ranges.
func TestSampledSupport(t *testing.T) {
	p, err := load.Load(t.Context(), load.Ref{
		Chance: true,
		Source: load.Source{
			Domain: "../../../examples/drift/drift.rddl", Instance: "../../../examples/drift/pits.rddl", Question: load.Question{Goal: "x >= 2 ^ ~lost"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	m, err := newModel(p)
	if err != nil {
		t.Fatal(err)
	}
	bits := p.Problem.Bits(factored.Action)
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var actions []factored.Valuation
		for range 6 {
			val := make(factored.Valuation, p.Problem.NumBits())
			val[bits[rng.IntN(2)]] = true
			actions = append(actions, val)
		}
		act := func(step int, _ factored.Valuation) factored.Valuation { return actions[step-1] }
		d := &Document{Objective: solver.Objectives[seed%2], Horizon: len(actions)}
		judge, scale := validate.LeastSuccess, 1.0
		if d.Objective == solver.Reward {
			judge, scale = validate.LeastReward, float64(p.Problem.Reward.Scale)
		}
		exact := func(c loose) float64 {
			odds, err := judge(m.of, nil, c, m.start, act, d.Horizon)
			if err != nil || odds.Failure != nil {
				t.Fatal(err, odds)
			}
			v, _ := new(big.Rat).Quo(odds.Lower, new(big.Rat).SetFloat64(scale)).Float64()
			return v
		}
		left, worst := exact(loose{m.chance, false}), exact(loose{m.chance, true})
		x := d.newRunner(m, nil, seed)
		x.w = validate.NewWalk(m.of, loose{m.chance, true})
		x.choose = func(step int, state factored.Valuation) (factored.Valuation, error) { return act(step, state), nil }
		const runs = 4000
		sum, square := 0.0, 0.0
		for range runs {
			r, err := x.run()
			if err != nil || r.broken != "" {
				t.Fatal(r, err)
			}
			sum += r.least
			square += r.least * r.least
		}
		mean := sum / runs
		off := math.Sqrt(max(0, square/runs-mean*mean)/runs)*4.5 + 1e-9
		if math.Abs(mean-left) > off {
			t.Errorf("%s: the runs have %v ± %v; dynamic programming %v", d.Objective, mean, off, left)
		}
		if left > worst+1e-9 {
			t.Errorf("%s: what the ranges leave is worth %v, their worst %v", d.Objective, left, worst)
		}
	}
}
