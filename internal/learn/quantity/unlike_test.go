package quantity

import (
	"context"
	"math/rand/v2"
	"testing"
)

// several makes a table of machines, of which the last has another gain, size of errors, or delay.
func several(seed uint64, machines, rows int, gain, noise float64, delay int) *Table {
	rng := rand.New(rand.NewPCG(seed, 7))
	all := &Table{}
	for m := range machines {
		g, n, d := 1., .1, 0
		if m == machines-1 {
			g, n, d = gain, noise, delay
		}
		t := synthetic(rows, .01, func(int) float64 { return float64(rng.IntN(5)) / 4 }, func(y, u []float64) float64 {
			return .8*y[0] + 2*g*at(u, d) + n*rng.NormFloat64()
		})
		if m == 0 {
			all.Columns = make([]Column, len(t.Columns))
		}
		for c, column := range t.Columns {
			now, next := append(all.Columns[c].Now, column.Now...), append(all.Columns[c].Next, column.Next...)
			all.Columns[c] = column
			all.Columns[c].Now, all.Columns[c].Next = now, next
		}
		all.Follows = append(all.Follows, t.Follows...)
		for range rows {
			all.Of = append(all.Of, m)
		}
	}
	return all
}

func TestUnlike(t *testing.T) {
	unlike := func(seed uint64, machines, rows int, gain, noise float64, delay int) *Unlikeness {
		u, err := Unlike(context.Background(), several(seed, machines, rows, gain, noise, delay), Options{Lags: 3, Threads: 1}, 16)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	for seed := range uint64(4) {
		machines, rows := 2+int(seed%5), 300+100*int(seed%4)
		if u := unlike(seed, machines, rows, 1, .1, 0); u != nil {
			t.Errorf("seed %d: %d equal machines: %+v", seed, machines, u)
		}
		if u := unlike(seed, machines, rows, .8, .1, 0); u == nil || u.Errors || machines > 2 && u.Machine != machines-1 || u.Own >= u.All {
			t.Errorf("seed %d: the last of %d machines has another gain: %+v", seed, machines, u)
		}
		if u := unlike(seed, machines, rows, 1, .1, 2); u == nil || u.Errors || machines > 2 && u.Machine != machines-1 {
			t.Errorf("seed %d: the last of %d machines has a delay: %+v", seed, machines, u)
		}
		if u := unlike(seed, machines, rows, 1, .25, 0); u == nil || !u.Errors || machines > 2 && u.Machine != machines-1 {
			t.Errorf("seed %d: the last of %d machines has larger errors: %+v", seed, machines, u)
		}
	}
}

// TestMachines: each machine has rows in each block of time, and so a function of its own.
func TestMachines(t *testing.T) {
	x := several(1, 6, 200, .5, .1, 0)
	machine := Column{Role: Input, Values: 6}
	for _, m := range x.Of {
		machine.Now = append(machine.Now, float64(m))
	}
	x.Columns = append(x.Columns, machine)
	outs, err := Learn(context.Background(), x, Options{Lags: 1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if e := outs[0].Errors.Function.One; e > .115 {
		t.Errorf("the error on held-out time is %.3f, and the noise .1", e)
	}
}
