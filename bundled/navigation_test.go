package bundled

import (
	"testing"

	"github.com/fdplan/fdplan/bnn"
	"github.com/fdplan/fdplan/factored"
	"github.com/fdplan/fdplan/validate"
)

// TestNetworksKnowTheMoves checks every cell and move, and staying, of every
// maze by the checker, with the network and with the RDDL.
func TestNetworksKnowTheMoves(t *testing.T) {
	for instance, m := range mazes {
		name := "navigation/" + instance
		c, err := RDDL(name, false)
		if err != nil {
			t.Fatal(err)
		}
		known, err := RDDL(name, true)
		if err != nil {
			t.Fatal(err)
		}
		net, ok := Network(name)
		if !ok {
			t.Fatalf("%s has no network", name)
		}
		p := c.Problem
		at := func(c cell, move int) factored.Valuation {
			val := make(factored.Valuation, p.NumBits())
			val[len(moves)+m.index(c)] = true
			if move >= 0 {
				val[move] = true
			}
			return val
		}
		for _, c := range m.cells() {
			for k := -1; k < len(moves); k++ {
				want := c
				if k >= 0 {
					want = m.after(c, k)
				}
				for _, to := range m.cells() {
					for _, by := range []struct {
						p   *factored.Problem
						net *bnn.Network
					}{{p, net}, {known.Problem, nil}} {
						failure, err := validate.CheckStep(by.p, by.net, at(c, k), at(to, -1))
						if err != nil {
							t.Fatal(err)
						}
						if (failure == nil) != (to == want) {
							t.Errorf("%s: from %v by move %d to %v: %v", name, c, k, to, failure)
						}
					}
				}
			}
		}
	}
}

// TestWalls has a few moves by hand, from the published description.
func TestWalls(t *testing.T) {
	m := mazes["3x3"]
	for _, c := range []struct {
		from cell
		move string
		to   cell
	}{
		{cell{1, 2}, "move-north", cell{1, 2}}, // blocked above the start
		{cell{1, 2}, "move-east", cell{2, 2}},
		{cell{2, 2}, "move-east", cell{2, 2}}, // the grid ends
		{cell{2, 2}, "move-north", cell{2, 1}},
		{cell{2, 0}, "move-west", cell{1, 0}},
		{cell{1, 2}, "move-south", cell{1, 2}},
	} {
		for k, v := range moves {
			if v.name == c.move && m.after(c.from, k) != c.to {
				t.Errorf("%v %s leads to %v, want %v", c.from, c.move, m.after(c.from, k), c.to)
			}
		}
	}
}
