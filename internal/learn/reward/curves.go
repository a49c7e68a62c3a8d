package reward

import (
	"context"
	"math"
	"slices"
)

// Curves lists the curved features that a fit takes with those of single variables: none unless nearly all rows come nearer by
// far then. Features that have a variable stand for others of the same one, such as levels of a number. The error is what is left then, or without
// them.
func (t *Table) Curves(ctx context.Context) (chosen []int, left float64, err error) {
	const (
		nearer = .8 // of the error without them
		far    = 3  // times the error that nine of ten rows do not exceed
	)
	if !slices.ContainsFunc(t.Atoms, func(a Atom) bool { return a.Curved }) {
		return nil, 0, nil
	}
	flat, err := t.robust(ctx, all(t), single, math.Inf(1), offered)
	if err != nil {
		return nil, 0, err
	}
	before := t.most(flat)
	if before < tolerance {
		return nil, 0, nil
	}
	bent, err := t.robust(ctx, all(t), curved, math.Inf(1), offered)
	if err != nil {
		return nil, 0, err
	}
	errors := t.errors(bent)
	most := far * slices.Sorted(slices.Values(errors))[len(errors)*9/10]
	p := newPursuit(t, slices.DeleteFunc(all(t), func(r int) bool { return errors[r] > most }))
	for _, m := range bent.Terms {
		p.add(m.Cases[0])
	}
	p.most, p.bends = maxTerms, offered
	for range maxPasses {
		before := p.squares()
		better := p.exchange()
		if err := p.run(ctx, curved); err != nil {
			return nil, 0, err
		}
		if shorter := p.shorten(); !better && !shorter && p.squares() >= before {
			break
		}
	}
	p.straighten()
	if left = t.most(p.function()); left > nearer*before {
		return nil, before, nil
	}
	for _, lits := range p.chosen[1:] {
		if a := lits[0] / 2; t.Atoms[a].Curved {
			chosen = append(chosen, a)
		}
	}
	return chosen, left, nil
}

// maxPasses bounds how often features are exchanged for others.
const maxPasses = 12

// errors are the absolute errors of a function, by row.
func (t *Table) errors(f *Function) (errors []float64) {
	for r, y := range t.Rewards {
		errors = append(errors, math.Abs(t.Eval(f, r)-y))
	}
	return errors
}

// most is the absolute error of a function that 19 of 20 rows do not exceed: fewer may be wrong.
func (t *Table) most(f *Function) float64 {
	return slices.Sorted(slices.Values(t.errors(f)))[len(t.Rewards)*19/20]
}

// take chooses other features than before.
func (p *pursuit) take(chosen [][]int) {
	p.chosen, p.basis, p.triangle = nil, nil, nil
	p.left = slices.Clone(p.y)
	for _, lits := range chosen {
		p.add(lits)
	}
}

// without chooses all features that are chosen but one.
func (p *pursuit) without(k int) (chosen [][]int) {
	chosen = slices.Clone(p.chosen)
	p.take(slices.Delete(slices.Clone(chosen), k, k+1))
	return chosen
}

// shorten drops features that explain no more than chance would.
func (p *pursuit) shorten() (dropped bool) {
	for k := len(p.chosen) - 1; k > 0; k-- {
		with := p.squares()
		before := p.without(k)
		if p.total*math.Log(max(p.squares(), 1e-9)/max(with, 1e-9)) >= math.Log(p.total)+2*math.Log(p.t.literals())+4 {
			p.take(before)
		} else {
			dropped = true
		}
	}
	return dropped
}

// exchange replaces curved features by others that explain more: one of a variable by another of that one.
func (p *pursuit) exchange() (better bool) {
	for k := 1; k < len(p.chosen); k++ {
		a := p.chosen[k][0] / 2
		if !p.t.Atoms[a].Curved {
			continue
		}
		before := p.without(k)
		best, most := a, p.explains(a)*(1+1e-6)
		for b := range p.t.Atoms {
			if y := &p.t.Atoms[b]; y.Curved && (y.Variable == p.t.Atoms[a].Variable || p.t.Atoms[a].Variable < 0) {
				if s := p.explains(b); s > most {
					best, most = b, s
				}
			}
		}
		better = better || best != a
		before[k] = []int{2 * best}
		p.take(before)
	}
	return better
}

// mostMirrored bounds the features that straighten tries the other way round.
const mostMirrored = 5

// straighten replaces what a number is above a level by what it is below, or the other way round, where that leaves fewer features: the two differ
// by a multiple of the number.
func (p *pursuit) straighten() {
	first, best := p.chosen, p.chosen
	var places, mirrors, plains []int
	for k, lits := range first[1:] {
		if m, plain := p.t.mirror(lits[0] / 2); m >= 0 && len(places) < mostMirrored {
			places, mirrors = append(places, k+1), append(mirrors, m)
			if !slices.Contains(plains, plain) {
				plains = append(plains, plain)
			}
		}
	}
	most := (1+1e-6)*p.squares() + 1e-9
	for turned := range 1 << len(places) {
		trial := slices.Clone(first)
		for i, k := range places {
			if turned>>i&1 == 1 {
				trial[k] = []int{2 * mirrors[i]}
			}
		}
		for _, a := range plains {
			trial = append(trial, []int{2 * a})
		}
		p.take(trial)
		if p.shorten(); len(p.chosen) < len(best) && p.squares() <= most {
			best = p.chosen
		}
	}
	p.take(best)
}

// mirror returns, of what a number is above a level, the feature that is what it is below, or the other way round, and that of the number; -1 for none.
func (t *Table) mirror(a int) (mirror, plain int) {
	x := &t.Atoms[a]
	of := func(b *Atom) bool { return b.Variable == x.Variable && b.Plain && b.Negation == "" }
	plain = slices.IndexFunc(t.Atoms, func(b Atom) bool { return of(&b) })
	if !x.Curved || x.Variable < 0 || plain < 0 {
		return -1, -1
	}
	number, one := t.Columns[plain], t.Columns[a]
	for b := range t.Atoms {
		if y := &t.Atoms[b]; !y.Curved || y.Variable != x.Variable || b == a {
			continue
		}
		other, same := t.Columns[b], true
		for r := range number {
			d := one[r] - other[r] - one[0] + other[0]
			same = same && math.Abs(math.Abs(d)-math.Abs(number[r]-number[0])) <= tolerance
		}
		if same {
			return b, plain
		}
	}
	return -1, -1
}

// explains is by how much a feature would lessen the squares that are left.
func (p *pursuit) explains(a int) float64 {
	if p.weighed == nil {
		p.weighed = make([][]float64, len(p.t.Atoms))
	}
	if p.weighed[a] == nil {
		p.weighed[a] = make([]float64, len(p.rows))
		for i, r := range p.rows {
			p.weighed[a][i] = p.weight[i] * p.t.Columns[a][r]
		}
	}
	col := p.weighed[a]
	norm := dot(col, col)
	rest := norm
	for _, q := range p.basis {
		c := dot(q, col)
		rest -= c * c
	}
	if rest <= 1e-9*norm {
		return 0
	}
	c := dot(col, p.left) // which no chosen feature explains
	return c * c / rest
}
