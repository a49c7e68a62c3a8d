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
