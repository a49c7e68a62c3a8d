package learn

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app/load"
	shown "github.com/fdplan/fdplan/internal/app/support"
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/factored"
)

// car has rows of a car in a valley: its place moves by its speed, which gears and the slope change, both by chance. With heat, a
// temperature of one decimal goes on beside them.
func car(t *testing.T, rows int, heat bool) (*load.Problem, *dataset.Data) {
	t.Helper()
	variables := []factored.Variable{{Name: "place", Hi: 199}, {Name: "speed", Lo: -12, Hi: 12}, {Name: "gear", Kind: factored.Action, Hi: 2, Default: -1}}
	if heat {
		variables = append(variables[:2:2], factored.Variable{Name: "heat", Hi: 800, View: &factored.View{Num: 1, Den: 10}}, variables[2])
	}
	p, schema := learnable(t, "car", variables...)
	r := rand.New(rand.NewPCG(7, 7))
	noise := func() int { return []int{-1, 0, 0, 0, 0, 0, 0, 0, 0, 1}[r.IntN(10)] }
	d := &dataset.Data{Schema: schema.Stored(), Begins: []int32{0}}
	place, speed, warm := 100, 0, 300
	for range rows {
		gear := r.IntN(3)
		slope := 0
		switch {
		case place < 70:
			slope = 1
		case place >= 130:
			slope = -1
		}
		now := []float64{float64(place), float64(speed)}
		before := float64(warm) / 10
		place, speed = min(max(place+speed+noise(), 0), 199), min(max(speed+gear-1+slope+noise(), -12), 12)
		next := []float64{float64(place), float64(speed)}
		if heat {
			warm = min(max(warm+(300-warm)/10+5*(gear-1)+r.IntN(9)-4, 0), 800)
			now, next = append(now, before), append(next, float64(warm)/10)
		}
		d.Add(append(append(now, float64(gear)), next...))
	}
	return &load.Problem{Task: engine.Task{Problem: p}}, schema.Quantise(d)
}

// checkRows compares the rows that a file has of the car with what it does.
func checkRows(t *testing.T, p *factored.Problem, r *coverage.Record) {
	t.Helper()
	rows := 0
	for row := range shown.Rows(p, r) {
		rows += row.Count
		value := func(i int, val factored.Valuation) int64 { return p.Variables[i].Value(val) }
		place := value(0, row.Now) + value(1, row.Now)
		if to := value(0, row.Next); to < min(place, 200)-1 || to > max(place, -1)+1 {
			t.Fatalf("place %d with speed %d leads to %d", value(0, row.Now), value(1, row.Now), to)
		}
		if speed := value(1, row.Next) - value(1, row.Now); speed < -3 || speed > 3 {
			t.Fatalf("speed %d leads to %d", value(1, row.Now), value(1, row.Next))
		}
	}
	if rows != 800 {
		t.Errorf("%d rows", rows)
	}
}

// TestWideChance: the most likely next place, of many, is a function that is as good as the chance allows, and the file says so again.
func TestWideChance(t *testing.T) {
	for _, heat := range []bool{false, true} {
		q, d := car(t, 800, heat)
		trained, err := trainFrom(context.Background(), q, &sourced{data: []train.Source{{Data: d}}}, Training{Recipe: RecipeStructure, Config: train.Config{Threads: 2}})
		if err != nil {
			t.Fatal(err)
		}
		if c := trained.Chance; c == nil || !slices.ContainsFunc(c.Functions, func(f string) bool { return strings.HasPrefix(f, "place' = ") }) {
			t.Fatalf("heat %v: %v", heat, c)
		}
		for _, f := range trained.Train.Fluents {
			if f.Name != "heat" && f.Wrong > 800*25/100 { // 20 % by chance
				t.Errorf("heat %v: %s is wrong in %d rows", heat, f.Name, f.Wrong)
			}
		}
		var file bytes.Buffer
		if err := trained.Write(&file); err != nil {
			t.Fatal(err)
		}
		again, err := load.ReadTrained("car.bnn", trained.file)
		if err != nil {
			t.Fatal(err)
		}
		of := q.Problem.Clone()
		if err := again.Functions.Define("car.bnn", of); err != nil {
			t.Fatal(err)
		}
		if err := again.ReadChance("car.bnn", of); err != nil {
			t.Fatal(err)
		}
		checkRows(t, of, again.Record)
		tested, err := test(context.Background(), q, trained.file.Network, again, &sourced{data: []train.Source{{Data: d}}}, Testing{Data: "car.csv"})
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range tested.Fluents {
			if f.Wrong != trained.Train.Fluents[i].Wrong {
				t.Errorf("heat %v: %s is wrong in %d rows after reading, %d before", heat, f.Name, f.Wrong, trained.Train.Fluents[i].Wrong)
			}
		}
		if heat {
			if len(tested.Quantities) != 1 || tested.Quantities[0].Fluent != "heat" {
				t.Errorf("quantities: %v", tested.Quantities)
			}
			continue
		}
		if tested.Chance == nil || tested.Chance.Bits < -2.1 { // -1.84 by chance
			t.Errorf("chance: %+v", tested.Chance)
		}
	}
}
