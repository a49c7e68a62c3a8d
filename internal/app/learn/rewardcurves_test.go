package learn

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/learn/reward"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/factored"
)

// TestCurvedReward: what heating costs, by its price and where the room is too cold or too warm, is found to the level, exactly where it was not
// rounded, and nearly where it is measured.
func TestCurvedReward(t *testing.T) {
	s, err := dataset.NewSchema("x",
		[]dataset.Column{{Name: "room", Type: dataset.Int, Bounded: true, Hi: 300}, {Name: "price", Type: dataset.Int, Bounded: true, Lo: 5, Hi: 30}},
		[]dataset.Column{{Name: "heat", Type: dataset.Int, Bounded: true, Hi: 5}})
	if err != nil {
		t.Fatal(err)
	}
	p := factored.NewProblem("x")
	for _, v := range []factored.Variable{{Name: "room", Kind: factored.State, Hi: 300}, {Name: "price", Kind: factored.State, Lo: 5, Hi: 30}, {Name: "heat", Kind: factored.Action, Hi: 5}} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	for _, noise := range []float64{0, .3} {
		rng := rand.New(rand.NewPCG(3, 1))
		rows := make([][]float64, 2501)
		for i := range rows {
			rows[i] = []float64{float64(130 + rng.IntN(130)), float64(5 + rng.IntN(26)), float64(rng.IntN(6))}
		}
		var values, rewards []float64
		for i, row := range rows[:2500] {
			values = append(append(values, row...), rows[i+1][:2]...)
			rewards = append(rewards, -.5*row[1]*row[2]-1.25*max(0, 190-row[0])-max(0, row[0]-224)+noise*rng.NormFloat64())
		}
		d := dataset.NewData(s, values)
		d.Rewards = rewards
		f, err := fitReward(t.Context(), p, rewarded([]train.Source{{Data: d}}, 0, 1), 1)
		if err != nil {
			t.Fatal(err)
		}
		got := f.table.Text(f.Function)
		if want := "-0.5*heat*price - 1.25*(max[0, 190 - room]) - (max[0, room - 224])"; noise == 0 && (!f.Exact || got != want && got != "-1.25*(max[0, 190 - room]) - 0.5*heat*price - (max[0, room - 224])") {
			t.Errorf("%s, want %s", got, want)
		}
		worst := 0.0
		for i, row := range rows[:2500] {
			truth := -.5*row[1]*row[2] - 1.25*max(0, 190-row[0]) - max(0, row[0]-224)
			if worst = max(worst, math.Abs(f.given[i]-truth)); noise == 0 && !reward.Same(f.given[i], truth) {
				t.Fatalf("row %d has %v, want %v", i, f.given[i], truth)
			}
		}
		if worst > .2 {
			t.Errorf("%s is off by up to %v", got, worst)
		}
	}
}

// TestConjunctionReward: what conditions say exactly is said by these, though products of numbers come near to it.
func TestConjunctionReward(t *testing.T) {
	actions := []string{"charge", "drive", "park"}
	s, err := dataset.NewSchema("x",
		[]dataset.Column{{Name: "charge", Type: dataset.Int, Bounded: true, Hi: 4}, {Name: "booked", Type: dataset.Bool}},
		[]dataset.Column{{Name: "do", Type: dataset.Enum, Values: actions}})
	if err != nil {
		t.Fatal(err)
	}
	p := factored.NewProblem("x")
	for _, v := range []factored.Variable{{Name: "charge", Hi: 4}, {Name: "booked", Bool: true}, {Name: "do", Kind: factored.Action, Hi: 2, View: &factored.View{Names: actions}}} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	rng := rand.New(rand.NewPCG(2, 1))
	var values, rewards []float64
	for charge, booked := 0, 0; len(rewards) < 2000; {
		do, next, reward := rng.IntN(3), charge, 0.0
		switch {
		case do == 0:
			next, reward = min(4, charge+1+min(1, rng.IntN(3))), -1
		case do == 1 && charge > 0:
			next, reward = max(0, charge-1-rng.IntN(5)/4), 5*float64(booked)
		}
		again := min(1, rng.IntN(5)/3)
		values = append(values, float64(charge), float64(booked), float64(do), float64(next), float64(again))
		rewards = append(rewards, reward)
		charge, booked = next, again
	}
	d := dataset.NewData(s, values)
	d.Rewards = rewards
	f, err := fitReward(t.Context(), p, rewarded([]train.Source{{Data: d}}, 0, 1), 1)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.table.Text(f.Function); !f.Exact || len(f.Terms) != 2 {
		t.Errorf("%s", got)
	}
}
