package sim_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/fdplan/fdplan/internal/rddl/ground"
	"github.com/fdplan/fdplan/internal/rddl/sim"
)

// tires is a vehicle on a road of n places with spare tires: it may have a flat one at each move.
func tires(n int) *builder {
	b := newBuilder("tires")
	at := func(base string, i int) string { return fmt.Sprintf("%s(x%d)", base, i) }
	for i := range n {
		b.State(at("at", i), ground.Bool, float64(1-min(1, i)))
		b.State(at("spare", i), ground.Bool, float64(i%2))
		b.Action(at("go", i), ground.Bool, 0)
		b.Action(at("load", i), ground.Bool, 0)
	}
	b.State("round", ground.Bool, 1)
	b.State("has", ground.Bool, 0)
	b.Action("change", ground.Bool, 0)
	var moves, loads []*node
	for i := range n {
		ref := func(base string) *node { return b.Ref(at(base, i)) }
		comes, leaves := b.T(false), b.T(false)
		if i > 0 {
			comes = b.Op(ground.And, ref("go"), b.Ref(at("at", i-1)), b.Ref("round"))
			moves = append(moves, comes)
		}
		if i < n-1 {
			leaves = b.Op(ground.And, b.Ref(at("go", i+1)), ref("at"), b.Ref("round"))
		}
		loads = append(loads, b.Op(ground.And, ref("load"), ref("at"), ref("spare")))
		b.CPF(at("at", i), b.Op(ground.If, comes, b.T(true), b.Op(ground.If, leaves, b.T(false), ref("at"))))
		b.CPF(at("spare", i), b.Op(ground.And, ref("spare"), b.Op(ground.Not, loads[i])))
	}
	flat := b.Random(ground.Bool, "Bernoulli", b.C(.5))
	changed := b.Op(ground.And, b.Ref("change"), b.Ref("has"))
	b.CPF("round", b.Op(ground.If, b.Op(ground.Or, moves...), flat, b.Op(ground.Or, changed, b.Ref("round"))))
	b.CPF("has", b.Op(ground.If, changed, b.T(false), b.Op(ground.Or, append(loads, b.Ref("has"))...)))
	return b
}

// TestNeeds has the draws of states that differ in what is not needed be the same, and few states needed by one that all places may
// decide.
func TestNeeds(t *testing.T) {
	const n = 8
	s, err := sim.New(tires(n).P)
	if err != nil {
		t.Fatal(err)
	}
	o, err := s.NewOutcomes()
	if err != nil {
		t.Fatal(err)
	}
	factors, _, err := o.Factors()
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	place := map[int]int{}
	for k, i := range s.States() {
		place[i] = k
	}
	few, differ := 0, 0
	for a := range s.Actions() {
		action := make([]float64, len(s.Actions()))
		action[a] = 1
		for _, f := range factors {
			needs := o.Needs(f, action)
			if len(f.Reads) > 2*n && len(needs) <= 4 {
				few++
			}
			for range 20 {
				x, y := make([]float64, len(place)), make([]float64, len(place))
				for k := range x {
					x[k], y[k] = float64(rng.IntN(2)), float64(rng.IntN(2))
				}
				for _, i := range needs {
					y[place[i]] = x[place[i]]
				}
				rows := func(state []float64) []sim.Row {
					o.Set(state, action)
					r, err := o.Rows(f)
					if err != nil {
						t.Fatal(err)
					}
					return r
				}
				first := rows(x)
				if !reflect.DeepEqual(first, rows(y)) {
					t.Fatalf("action %d: the draw of %v needs more than %v of %v", a, f.Fluents, needs, f.Reads)
				}
				if len(needs) > 0 {
					y[place[needs[0]]] = 1 - y[place[needs[0]]]
					if !reflect.DeepEqual(first, rows(y)) {
						differ++
					}
				}
			}
		}
	}
	if few < n || differ == 0 {
		t.Errorf("%d draws need few states, and %d changes of one that is needed change a draw", few, differ)
	}
}
