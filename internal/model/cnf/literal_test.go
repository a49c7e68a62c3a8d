package cnf

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/model"
)

// The sizes of the paper's networks in comparators, by the recurrences of its
// appendix and of Asín and others (Cardinality Networks, 2011). They share
// nothing with the encoder.

func mergingSize(n int) int { // of two lists of n
	if n == 1 {
		return 1
	}
	return 2*mergingSize(n/2) + n - 1
}

func sortingSize(n int) int {
	if n == 1 {
		return 0
	}
	return 2*sortingSize(n/2) + mergingSize(n/2)
}

func simplifiedSize(n int) int { // of two lists of n, n+1 outputs
	if n == 1 {
		return 1
	}
	return 2*simplifiedSize(n/2) + n/2
}

func countingSize(n, k int) int {
	if n == k {
		return sortingSize(k)
	}
	return sortingSize(k) + countingSize(n-k, k) + simplifiedSize(k)
}

// literalSize returns the variables, clauses and literals of CN_k over n inputs,
// padded to a multiple of k, with ties further clauses of tied literals in all. A
// comparator has two outputs, each defined in both directions.
func literalSize(n, k, ties, tied int) [3]int64 {
	pad := (k - n%k) % k
	c := int64(countingSize(n+pad, k))
	p := int64(pad)
	return [3]int64{2*c + p, 6*c + p + int64(ties), 14*c + p + int64(tied)}
}

// above returns the smallest power of two greater than p.
func above(p int) int {
	k := 1
	for k <= p {
		k *= 2
	}
	return k
}

// TestLiteralSizes compares the neurons and the exact counts of the encodings
// paper and published with the paper's equations, for every n and p: the choice
// of k (greater than p, or not less), the flip above half, and that Exactly_p
// reads c_{p+1}.
func TestLiteralSizes(t *testing.T) {
	differ := 0
	for n := 1; n <= 40; n++ {
		lits := make([]model.Lit, n)
		for i := range lits {
			lits[i] = model.Lit(i + 1)
		}
		for p := 1; p <= n; p++ {
			count := func(e Encoding, encode func(Sink)) [3]int64 {
				c := Counter{Next: model.Lit(n + 1)}
				encode(&c)
				return [3]int64{c.Vars, c.Clauses, c.Literals}
			}
			flipped := n - p + 1
			least := min(p, flipped)
			paper, published := literalSize(n, above(least), 2, 4), literalSize(n, above(least-1), 2, 4)
			if paper != published {
				differ++
			}
			neuron := model.Neuron{Out: model.Lit(n + 1), Inputs: lits, Threshold: p}
			if got := count(Paper, func(s Sink) { Paper.Neurons(s, []model.Neuron{neuron}) }); got != paper {
				t.Fatalf("paper, %d of %d: %v, the equations give %v", p, n, got, paper)
			}
			if got := count(Published, func(s Sink) { Published.Neurons(s, []model.Neuron{neuron}) }); got != published {
				t.Fatalf("published, %d of %d: %v, the equations give %v", p, n, got, published)
			}
			if p == n {
				continue
			}
			exactly := literalSize(n, above(min(p, n-p)), 2, 2)
			for _, e := range []Encoding{Paper, Published} {
				if got := count(e, func(s Sink) { e.cardinality(s, lits, true, p) }); got != exactly {
					t.Fatalf("%v, exactly %d of %d: %v, the equations give %v", e, p, n, got, exactly)
				}
			}
		}
	}
	if differ < 100 {
		t.Errorf("the two choices of k differ in only %d cases", differ)
	}
}

// publishedNames are the networks published with the paper.
var publishedNames = []string{"navigation_3x3", "navigation_4x4", "navigation_5x5", "inventory_1", "inventory_2", "sysadmin_4", "sysadmin_5", "cellda_x", "cellda_y"}

// TestLiteralNetworks compares the size of one step of the published networks
// with the sum of the equations over their neurons: of those of TestSizes, and of all with -exhaustive.
func TestLiteralNetworks(t *testing.T) {
	for _, name := range publishedNames {
		if !*exhaustive && !slices.ContainsFunc(sizes, func(s size) bool { return s.name == name }) {
			continue
		}
		nw := readNetwork(t, name)
		var paper, published [3]int64
		add := func(sum *[3]int64, more [3]int64) {
			for i := range sum {
				sum[i] += more[i]
			}
		}
		for range nw.constant {
			add(&paper, [3]int64{0, 1, 1})
			add(&published, [3]int64{0, 1, 1})
		}
		for _, layer := range nw.layers {
			for _, u := range layer {
				n := len(u.Inputs)
				p := min(u.Threshold, n-u.Threshold+1)
				add(&paper, literalSize(n, above(p), 2, 4))
				add(&published, literalSize(n, above(p-1), 2, 4))
			}
		}
		if got := nw.size(Paper, 1); got != paper {
			t.Errorf("%s, paper: %v, the equations give %v", name, got, paper)
		}
		if got := nw.size(Published, 1); got != published {
			t.Errorf("%s, published: %v, the equations give %v", name, got, published)
		}
	}
}

// TestForwardPass tests the corollary of the paper's theorem on all published
// networks: once the inputs are set, unit propagation alone sets every unit. The
// units of one layer are the inputs of the next, so that a layer at a time shows
// it of the whole. Each network is tested with one of
// the encodings, of large layers some units, and all with -exhaustive.
func TestForwardPass(t *testing.T) {
	for _, e := range []Encoding{Paper, Published} {
		for i, name := range publishedNames {
			if !*exhaustive && (i+int(e))%2 != 0 {
				continue // the other encoding's
			}
			t.Run(e.String()+"/"+name, func(t *testing.T) {
				nw := readNetwork(t, name)
				rng := rand.New(rand.NewSource(17))
				const passes = 3
				value := make([][passes]bool, nw.next+1)
				for _, l := range nw.inputs {
					for k := range passes {
						value[l][k] = rng.Intn(2) == 0
					}
				}
				for _, l := range nw.constant {
					value[l.Var()] = [passes]bool{l > 0, l > 0, l > 0}
				}
				for i, layer := range nw.layers {
					if !*exhaustive && len(layer) > 30 {
						layer = layer[:2]
					}
					checkLayer(t, e, nw.next, layer, func(k int, l model.Lit) bool { return value[l.Var()][k] != (l < 0) })
					for _, u := range nw.layers[i] {
						for k := range passes {
							value[u.Out][k] = active(&u, func(l model.Lit) bool { return value[l.Var()][k] != (l < 0) })
						}
					}
				}
			})
		}
	}
}

// active reports whether the neuron fires.
func active(u *model.Neuron, holds func(model.Lit) bool) bool {
	n := 0
	for _, l := range u.Inputs {
		if holds(l) {
			n++
		}
	}
	return n >= u.Threshold
}

// checkLayer sets the inputs of a layer as holds says, pass by pass, and
// compares the units that unit propagation sets with their definition. Some
// units at a time are encoded: they share no clause.
func checkLayer(t *testing.T, e Encoding, next model.Lit, layer []model.Neuron, holds func(int, model.Lit) bool) {
	t.Helper()
	const some = 16
	for len(layer) > 0 {
		part := layer[:min(some, len(layer))]
		layer = layer[len(part):]
		m := &memory{next: next}
		e.Neurons(m, part)
		pr := newPropagator(t, m)
		base := len(pr.trail)
		for k := range 3 {
			for _, u := range part {
				for _, l := range u.Inputs {
					if !holds(k, l) {
						l = -l
					}
					if pr.val(l) == 0 && !pr.assume(l) {
						t.Fatal("conflict in the forward pass")
					}
				}
			}
			for _, u := range part {
				if want := active(&u, func(l model.Lit) bool { return holds(k, l) }); pr.val(u.Out) == 0 || pr.val(u.Out) > 0 != want {
					t.Fatalf("unit %d is %d after propagation, want %v", u.Out, pr.val(u.Out), want)
				}
			}
			pr.undo(base)
		}
	}
}
