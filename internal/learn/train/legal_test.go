package train

import (
	"context"
	"errors"
	"testing"

	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// TestAreLegal: all legal rows, one too few, one too many, and cases that cannot be
// determined.
func TestAreLegal(t *testing.T) {
	ctx := context.Background()
	c, s := problem(t, "inventory/2")
	all, err := Legal(ctx, c, s, 10_000)
	if err != nil {
		t.Fatal(err)
	}
	without := func(i int) *Examples {
		kept := make([]int32, all.Rows())
		for j := range kept {
			kept[j] = 1
		}
		kept[i] = 0
		return all.take(kept)
	}
	var more *Examples
	for x := range uint64(1 << all.Inputs) {
		if _, ok := all.find([]uint64{x}); !ok {
			b := NewBuilder(all.Inputs, all.Outputs)
			in, out := make([]bool, all.Inputs), make([]bool, all.Outputs)
			for i := range all.Rows() + 1 {
				row := []uint64{x}
				if i < all.Rows() {
					row = all.Input(i)
				}
				for k := range in {
					in[k] = row[0]>>k&1 == 1
				}
				b.Add(in, out)
			}
			more = b.Examples()
			break
		}
	}
	for _, x := range []struct {
		name  string
		e     *Examples
		limit int
		want  bool
	}{
		{"all", all, 10_000, true}, {"without the first", without(0), 10_000, false},
		{"without the last", without(all.Rows() - 1), 10_000, false}, {"one more", more, 10_000, false}, {"too many to list", all, 50, false},
	} {
		if got, err := AreLegal(ctx, c, s, x.e, x.limit); err != nil || got != x.want {
			t.Errorf("%s: %v %v, want %v", x.name, got, err, x.want)
		}
	}
	narrow := *c
	p := *c.Problem
	p.Inputs = p.Inputs[1:]
	narrow.Problem = &p
	if got, err := AreLegal(ctx, &narrow, s, all, 10_000); err != nil || got {
		t.Errorf("a network that does not read all: %v %v", got, err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := AreLegal(ended, c, s, all, 10_000); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
}

// TestIsLegal compares with the list, over every state and action within the
// ranges.
func TestIsLegal(t *testing.T) {
	for _, name := range []string{"inventory/2", "navigation/3x3"} {
		c, s := problem(t, name)
		all, err := Legal(context.Background(), c, s, 10_000_000)
		if err != nil {
			t.Fatal(err)
		}
		p := c.Problem
		val := make(factored.Valuation, p.NumBits())
		legal := 0
		for x := range 1 << len(p.Inputs) {
			in := make([]bool, len(p.Inputs))
			for i, b := range p.Inputs {
				in[i] = x>>i&1 == 1
				val[b] = in[i]
			}
			values := c.Values(val)
			var state, action []float64
			for _, f := range s.States() {
				state = append(state, values[f])
			}
			for _, f := range s.Actions() {
				action = append(action, values[f])
			}
			got, err := IsLegal(s, state, action)
			_, want := all.find(bnn.Pack(in))
			if err != nil || got != want {
				t.Fatalf("%s: state %v, action %v: %v %v, want %v", name, state, action, got, err, want)
			}
			if got {
				legal++
			}
		}
		if legal != all.Rows() {
			t.Errorf("%s: %d legal rows, want %d", name, legal, all.Rows())
		}
	}
}

// TestDigest: other rows, outputs or counts have another digest. One is written out, so that
// its meaning cannot drift.
func TestDigest(t *testing.T) {
	e := &Examples{Inputs: 2, Outputs: 1, In: []uint64{1, 2}, Out: []uint64{0, 1}, Count: []int32{5, 1}}
	seen := map[string]string{e.Digest(): "itself"}
	if want := "7ef23ac18169d52d"; e.Digest() != want {
		t.Errorf("%s, want %s", e.Digest(), want)
	}
	for name, other := range map[string]*Examples{
		"inputs":  {Inputs: 2, Outputs: 1, In: []uint64{1, 3}, Out: []uint64{0, 1}, Count: []int32{5, 1}},
		"outputs": {Inputs: 2, Outputs: 1, In: []uint64{1, 2}, Out: []uint64{1, 1}, Count: []int32{5, 1}},
		"counts":  {Inputs: 2, Outputs: 1, In: []uint64{1, 2}, Out: []uint64{0, 1}, Count: []int32{5, 2}},
		"widths":  {Inputs: 3, Outputs: 1, In: []uint64{1, 2}, Out: []uint64{0, 1}, Count: []int32{5, 1}},
		"rows":    {Inputs: 2, Outputs: 1, In: []uint64{1}, Out: []uint64{0}, Count: []int32{5}},
	} {
		if before, ok := seen[other.Digest()]; ok {
			t.Errorf("%s: the digest of %s", name, before)
		}
		seen[other.Digest()] = name
	}
}
