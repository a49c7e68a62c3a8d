package reward

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
)

const (
	sampled = 2000 // rows that features are chosen on
	rounds  = 5    // in which wrongly explained rows are added to them
	added   = 300  // rows a round
)

// Learn finds a function of the rows. Rows that contradict it are wrong; see Table.Wrong. The
// same seed gives the same function. An error is that of ctx, or that of a malformed table.
func Learn(ctx context.Context, t *Table, seed uint64) (*Function, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	if t.Means {
		return t.nearest(ctx, seed)
	}
	rng := rand.New(rand.NewPCG(seed, 0x726577))
	order := rng.Perm(len(t.Rewards))
	rows := slices.Clone(order[:min(sampled, len(order))])
	in := map[int]bool{}
	for _, r := range rows {
		in[r] = true
	}
	var best *Function
	least := 0.0
	for range rounds {
		part := t.pick(rows)
		f, err := part.simplest(ctx, all(part))
		if err != nil {
			return nil, err
		}
		wrong := t.Wrong(f)
		same := best != nil && t.Text(f) == t.Text(best)
		if n := t.bits(f, order); best == nil || n < least {
			best, least = f, n
		}
		fresh := slices.DeleteFunc(wrong, func(r int) bool { return in[r] })
		if len(fresh) == 0 || same {
			break
		}
		rng.Shuffle(len(fresh), func(i, j int) { fresh[i], fresh[j] = fresh[j], fresh[i] })
		for _, r := range fresh[:min(added, len(fresh))] {
			in[r] = true
			rows = append(rows, r)
		}
	}
	if best.Exact && t.right(best, order) < len(order) {
		if err := t.mend(ctx, best, all(t), math.Inf(1)); err != nil {
			return nil, err
		}
	}
	t.guard(best)
	t.finish(best)
	return best, nil
}

// nearest finds a function that comes near to means. Its terms are chosen on a sample of the rows, and its weights fit all.
func (t *Table) nearest(ctx context.Context, seed uint64) (*Function, error) {
	order := rand.New(rand.NewPCG(seed, 0x6d65616e)).Perm(len(t.Rewards))
	rows := order[:min(sampled, len(order))]
	slices.Sort(rows)
	part := t.pick(rows)
	var chosen [][]int
	least := math.Inf(1)
	for class := range classes {
		p := newPursuit(part, all(part))
		p.most = maxTerms
		if err := p.run(ctx, class); err != nil {
			return nil, err
		}
		// Schwarz, Estimating the dimension of a model, 1978, with the terms that each was chosen from.
		bits := p.total*math.Log(max(p.squares(), 1e-300)) + float64(len(p.chosen))*(math.Log(p.total)+2*math.Log(t.literals()))
		if bits < least {
			chosen, least = p.chosen, bits
		}
	}
	p := newPursuit(t, all(t))
	for _, lits := range chosen[1:] {
		p.add(lits)
	}
	f := p.function()
	t.guard(f)
	t.finish(f)
	return f, nil
}

// all lists the rows.
func all(t *Table) []int {
	rows := integer.Below[int](len(t.Rewards))
	return rows
}

// pick is a table of some rows.
func (t *Table) pick(rows []int) *Table {
	out := &Table{Atoms: t.Atoms, Contradictory: t.Contradictory, Means: t.Means}
	for _, col := range t.Columns {
		c := make([]float64, len(rows))
		for i, r := range rows {
			c[i] = col[r]
		}
		out.Columns = append(out.Columns, c)
	}
	for _, r := range rows {
		out.Rewards, out.Counts = append(out.Rewards, t.Rewards[r]), append(out.Counts, t.count(r))
	}
	if len(rows) > 0 {
		out.Within = t.Within * float64(len(rows)) / float64(len(t.Rewards))
	}
	return out
}

// round rounds the weights of a function that is not exact, and drops terms without weight.
func (f *Function) round() {
	if !f.Exact {
		const digits = 1e6
		for i := range f.Terms {
			f.Terms[i].Weight = math.Round(f.Terms[i].Weight*digits) / digits
		}
		f.Constant = math.Round(f.Constant*digits) / digits
	}
	f.Terms = slices.DeleteFunc(f.Terms, func(m Term) bool { return m.Weight == 0 })
}

// finish rounds a function, and measures its error.
func (t *Table) finish(f *Function) {
	f.round()
	n := 0
	for r, y := range t.Rewards {
		if e := math.Abs(t.Eval(f, r) - y); !f.Exact || Same(e+y, y) {
			f.Error += e
			n++
		}
	}
	f.Error /= float64(max(1, n))
}

// simplest fits rows by terms of each class, mends what is left, and returns what is shortest
// with the rows that are wrong; the last fit if none is exact.
func (t *Table) simplest(ctx context.Context, rows []int) (*Function, error) {
	var best *Function
	least := 0.0
	curves := taken
	for class, done := 0, false; class < classes && !done; class++ {
		most := math.Inf(1)
		if best != nil && best.Exact {
			most = least
		}
		f, err := t.robust(ctx, rows, class, most/t.caseBits([]int{0}, t.literals()), curves)
		if err != nil {
			return nil, err
		}
		if rounded := t.rounded(f, rows); rounded != nil {
			done = class != curved && t.right(rounded, rows) == len(rows)
			if class >= curved { // conjunctions may say the same in fewer terms
				curves = refused
			}
			if err := t.mend(ctx, rounded, rows, most); err != nil {
				return nil, err
			}
			length := t.bits(rounded, rows)
			if float64(t.right(rounded, rows)) > exactShare*float64(len(rows)) && (best == nil || !best.Exact || length < least) {
				best, least = rounded, length
			}
		}
		if class < related && (best == nil || !best.Exact) {
			best = f
		}
	}
	return best, nil
}

// robust fits rows by some terms at most, sets aside those that are far off, and fits the others
// again.
func (t *Table) robust(ctx context.Context, rows []int, class int, terms float64, curves bends) (*Function, error) {
	const (
		tries = 8
		far   = 6 // medians of the errors
	)
	kept := rows
	var last *Function
	for range tries {
		p := newPursuit(t, kept)
		p.most, p.bends = int(min(maxTerms, terms+1)), curves
		if err := p.run(ctx, class); err != nil {
			return nil, err
		}
		f := p.function()
		last = f
		errors := make([]float64, len(rows))
		for i, r := range rows {
			errors[i] = math.Abs(t.Eval(f, r) - t.Rewards[r])
		}
		sorted := slices.Sorted(slices.Values(errors))
		cut := far * sorted[len(sorted)/2]
		var next []int
		for i, r := range rows {
			if errors[i] <= cut || Same(t.Eval(f, r), t.Rewards[r]) {
				next = append(next, r)
			}
		}
		if slices.Equal(next, kept) {
			break
		}
		kept = next
	}
	return last, nil
}

// right counts the rows that a function gives their rewards.
func (t *Table) right(f *Function, rows []int) int {
	n := 0
	for _, r := range rows {
		if Same(t.Eval(f, r), t.Rewards[r]) {
			n++
		}
	}
	return n
}

// exactShare is the part of the rows that an exact function gives their rewards at least.
const exactShare = 0.8

// rounded returns the function with the shortest decimal fractions near its weights that give
// as many rows as any their rewards exactly; nil if these are less than half of the rows.
func (t *Table) rounded(f *Function, rows []int) *Function {
	const digits = 6 // after the point
	var out *Function
	scale, best := 1.0, len(rows)/2
	for range digits + 1 {
		g := &Function{Constant: math.Round(f.Constant*scale) / scale, Exact: true}
		for _, m := range f.Terms {
			g.Terms = append(g.Terms, Term{Cases: m.Cases, Weight: math.Round(m.Weight*scale) / scale})
		}
		if right := t.right(g, rows); right > best {
			out, best = g, right
		}
		scale *= 10
	}
	return out
}
