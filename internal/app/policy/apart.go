package policy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/problem/chance"
)

const (
	// mostApart bounds how often is planned with one more context divided.
	mostApart = 6
	// mostCells bounds the parts of one context.
	mostCells = 256
	// nothing is the share of a probability that rows support no more of than nothing: that one policy has more of it does not count.
	nothing = .05
	// evidence is how many bits the rows of a context gain, at least, where it is divided along a variable from the beginning.
	evidence = 4
	// own is the share of parts that are unlike their wholes.
	own = .25
	// ownWhereTold is the same where a part told against the whole.
	ownWhereTold = .9
	// mostBy bounds the variables that a context is divided along.
	mostBy = 3
)

// strengths are for how many rows the distribution of a whole may count in those of its parts.
var strengths = []float64{1, 3, 10, 30, 100, 300, 1000, 3000}

// errNoParts is wrapped where no row of a context tells which of its outcomes happened.
var errNoParts = errors.New("nothing to count apart")

// Apart tells along which variables a context is divided in the model that was planned with.
type Apart struct {
	Draws []string `json:"draws"`
	When  string   `json:"when"` // of the context as it was learned; empty where no other one holds
	By    []string `json:"by"`   // variables, in the order in which they divide it
	// Told is whether a part told against the whole: most parts are then taken to be unlike it.
	Told bool `json:"told,omitempty"`
}

// Divided tells of a model some contexts of which are divided.
type Divided struct {
	Apart    []Apart `json:"apart"`
	Policies int     `json:"policies"` // that were compared
	// Whole is what rows support of the policy for the model as it was learned.
	Whole float64 `json:"whole"`
}

// model makes the model that an answer is about.
func (d *Document) model(p *load.Problem) (*model, error) {
	if d.Divided == nil {
		return newModel(p)
	}
	if p.Chance == nil || !p.Learned() {
		return nil, fmt.Errorf("the policy is for a learned model with chance; expected that of %s to be one", p.Problem.Name)
	}
	return divide(p, d.Divided.Apart)
}

// divide makes the model of a problem with contexts divided.
func divide(p *load.Problem, apart []Apart) (*model, error) {
	w, err := newWitness(p)
	if err != nil {
		return nil, err
	}
	if w == nil || w.splits == nil {
		return nil, fmt.Errorf("the policy is for a model with divided contexts; expected the rows of that of %s", p.Problem.Name)
	}
	return w.divided(apart)
}

// divided makes the model of w's problem with contexts divided.
func (w *witness) divided(apart []Apart) (_ *model, err error) {
	to, drawn := *w.of, w.p.Chance
	for i := range apart {
		if drawn, err = w.divide(drawn, &apart[i]); err != nil {
			return nil, err
		}
	}
	if err := to.SetChance(drawn); err != nil {
		return nil, err
	}
	m, err := newModel(&to)
	if err == nil {
		m.rows = w.of
	}
	return m, err
}

// divide divides one context of a model, which is w's but for others that are divided.
func (w *witness) divide(m *chance.Model, a *Apart) (*chance.Model, error) {
	missing := fmt.Errorf("no context of the model where %q draws %s, or it has no part by %s", a.When, strings.Join(a.Draws, ", "), strings.Join(a.By, ", "))
	g := slices.IndexFunc(w.groups, func(g chance.Group) bool { return slices.Equal(w.names(g.Outputs), a.Draws) })
	if g < 0 {
		return nil, missing
	}
	sameContext := func(c chance.Context) bool { return c.When == a.When }
	from, c := slices.IndexFunc(w.groups[g].Contexts, sameContext), slices.IndexFunc(m.Groups[g].Contexts, sameContext)
	var by []int
	for _, name := range a.By {
		by = append(by, slices.Index(w.names(nil), name))
	}
	if from < 0 || c < 0 || len(by) == 0 || slices.Contains(by, -1) {
		return nil, missing
	}
	d := w.splits[g][from].whole(shares(&w.groups[g].Contexts[from]))
	for _, v := range by {
		if d, _ = d.by(v, a.Told); d == nil {
			return nil, fmt.Errorf("%w: %w", errNoParts, missing)
		}
	}
	var parts []chance.Part
	for _, x := range d.cells {
		parts = append(parts, x.Part)
	}
	return m.Apart(g, c, by, parts)
}

// names lists the names of variables, of all for nil.
func (w *witness) names(of []int) (names []string) {
	for i := range w.p.Problem.Variables {
		if of == nil {
			names = append(names, w.p.Problem.Variables[i].Name)
		}
	}
	for _, v := range of {
		names = append(names, w.p.Problem.Variables[v].Name)
	}
	return names
}

// shares are the probabilities of the outcomes of a context.
func shares(c *chance.Context) (all []float64) {
	for _, o := range c.Outcomes {
		all = append(all, float64(o.Weight)/float64(c.Total))
	}
	return all
}

// division is a context whose rows are counted by the values of variables, where no outcome is blocked.
type division struct {
	rows  []*splitRow
	of    []int // the cell of each row
	cells []cell
}

// whole is the context with all rows in one cell, which has its shares.
func (s *split) whole(shares []float64) *division {
	d := &division{cells: []cell{{Part: chance.Part{Shares: shares}}}}
	for i := range s.rows {
		if r := &s.rows[i]; r.outcome >= 0 && !strings.Contains(r.places, "-") {
			d.rows = append(d.rows, r)
		}
	}
	d.of = make([]int, len(d.rows))
	return d
}

// by divides what is divided by the values of one more variable, and says how likely the outcomes are in each part. gain is what that makes the
// counts more likely by, in bits. It returns nil if there are no rows, or too many parts.
func (d *division) by(v int, told bool) (next *division, gain float64) {
	type key struct {
		cell  int
		value int64
	}
	place := map[key]int{}
	next = &division{rows: d.rows, of: make([]int, len(d.rows))}
	for i, r := range d.rows {
		k := key{d.of[i], r.now[v]}
		to, ok := place[k]
		if !ok {
			to = len(next.cells)
			place[k] = to
			of := &d.cells[k.cell]
			part := chance.Part{Values: append(slices.Clone(of.Values), k.value), Counts: make([]float64, len(of.Shares))}
			next.cells = append(next.cells, cell{part, of.Shares, r.places})
		}
		next.of[i] = to
		next.cells[to].add(r)
	}
	if n := len(next.cells); n == 0 || n > mostCells {
		return nil, 0
	}
	return next, share(next.cells, told)
}

// cell is a part as it is counted.
type cell struct {
	chance.Part
	whole  []float64 // the shares of what it is a part of
	places string    // of the outcomes in all its rows; empty where these differ
}

// add counts a row: for all outcomes that give what followed, in proportion to their shares in the whole.
func (x *cell) add(r *splitRow) {
	if x.Rows += int64(r.count); x.places != r.places {
		x.places = ""
	}
	sum := 0.0
	for _, j := range r.gives {
		sum += x.whole[j]
	}
	for _, j := range r.gives {
		x.Counts[j] += float64(r.count) * x.whole[j] / sum
	}
}

// merged adds up values of outcomes that the rows do not tell from each other, in the places of their first ones.
func (x *cell) merged(values []float64) []float64 {
	if plainKey(x.places) || x.places == "" {
		return values
	}
	out, first := make([]float64, len(values)), map[string]int{}
	for j, place := range strings.Fields(strings.Trim(x.places, "[]")) {
		if _, ok := first[place]; !ok {
			first[place] = j
		}
		out[first[place]] += values[j]
	}
	return out
}

// lacks reports whether no row of a cell has an outcome that the whole has.
func (x *cell) lacks() bool {
	whole := x.merged(x.whole)
	for j, k := range x.merged(x.Counts) {
		if k == 0 && whole[j] > 0 {
			return true
		}
	}
	return false
}

// share sets the shares of cells. Most cells are like their wholes: their shares are drawn from Dirichlet distributions around those, as narrow as
// makes all counts most likely. Others have shares of their own; where a part told against the whole, so have all without an outcome of it. gain is by
// how many bits the counts are more likely than where all cells are the same.
func share(cells []cell, told bool) (gain float64) {
	others := own
	if told {
		others = ownWhereTold
	}
	alone := make([]float64, len(cells))
	for i := range cells {
		alone[i] = math.Log(others) + cells[i].likelihood(1)
	}
	gain = math.Inf(-1)
	best := 0.0
	for _, a := range strengths {
		sum := 0.0
		for i := range cells {
			like := math.Log(1-others) + cells[i].likelihood(a)
			most := max(like, alone[i])
			sum += most + math.Log(math.Exp(like-most)+math.Exp(alone[i]-most))
		}
		if sum /= math.Ln2; sum > gain {
			gain, best = sum, a
		}
	}
	for i := range cells {
		x := &cells[i]
		w := 1 / (1 + math.Exp(math.Log(1-others)+x.likelihood(best)-alone[i])) // how likely its shares are its own
		if told && x.lacks() {
			w = 1
		}
		for j, k := range x.Counts {
			n, q := float64(x.Rows), x.whole[j]
			x.Shares = append(x.Shares, (1-w)*(k+best*q)/(n+best)+w*(k+q)/(n+1))
		}
	}
	return gain
}

// likelihood is that of a cell's counts where its shares are drawn from a Dirichlet distribution around those of the whole, by that where they are
// the same, as a logarithm.
func (x *cell) likelihood(strength float64) float64 {
	lg := func(x float64) float64 { v, _ := math.Lgamma(x); return v }
	sum := lg(strength) - lg(strength+float64(x.Rows))
	whole := x.merged(x.whole)
	for j, k := range x.merged(x.Counts) {
		if q := whole[j]; k > 0 {
			sum += lg(k+strength*q) - lg(strength*q) - k*math.Log(q)
		}
	}
	return sum
}

// evident lists the contexts whose rows tell of parts, with the variables that divide them.
func (w *witness) evident() (all []Apart) {
	for g := range w.splits {
		for c := range w.splits[g] {
			from := &w.groups[g].Contexts[c]
			if by := w.along(&w.splits[g][c], from); by != nil {
				all = append(all, Apart{Draws: w.names(w.groups[g].Outputs), When: from.When, By: by})
			}
		}
	}
	return all
}

// along names the variables along which the rows of a context tell of parts: each in turn the one by which the counts gain most.
func (w *witness) along(s *split, from *chance.Context) (by []string) {
	d := s.whole(shares(from))
	for len(by) < mostBy {
		var best *division
		most, name := evidence+math.Log2(float64(len(s.varies))), ""
		for _, v := range s.varies {
			of := w.p.Problem.Variables[v].Name
			if slices.Contains(by, of) {
				continue
			}
			if next, gain := d.by(v, false); next != nil && gain > most {
				best, most, name = next, gain, of
			}
		}
		if best == nil {
			break
		}
		d, by = best, append(by, name)
	}
	return by
}

// apart divides contexts along what their rows tell, and then along what tells against a policy, and plans again, as long as there is something.
// Of the policies from the first division on, that counts of which rows support most, and of equal ones the last. So are all of which they support
// nothing. Its value is that under the model that is divided most.
func (d *Document) apart(ctx context.Context, p *load.Problem, r Request, m *model, s *policy.Solution) (*Document, *model, *policy.Solution, error) {
	if d.Supported == nil {
		return d, m, s, nil
	}
	whole, last, best := d.Supported.Value, d, d
	var all []Apart
	policies := 1
	refused := map[string]bool{}
	w, err := newWitness(p)
	if err != nil || w == nil {
		return d, m, s, err
	}
	next := w.evident()
	for range mostApart {
		evident := next != nil
		if !evident {
			next = last.further(all, refused)
		}
		if next == nil {
			break
		}
		divided, found, err := w.solveDivided(ctx, next, r)
		if errors.Is(err, errNoParts) {
			refused[fmt.Sprint(next)], next = true, nil
			continue
		}
		if errors.Is(err, policy.ErrTooLarge) || ctx.Err() != nil {
			break // the time is over
		}
		if err != nil {
			return nil, nil, nil, err
		}
		policies++
		again := d.afresh()
		again.Divided = &Divided{next, policies, whole}
		again.States, again.Pairs, again.Updates = found.States, found.Pairs, d.Updates+found.Updates
		if err := again.tell(divided, found); err != nil {
			return nil, nil, nil, err
		}
		better := evident || again.Supported.Value >= best.Supported.Value-1e-9 || d.Objective == policy.Success && best.Supported.Value < nothing**again.Value
		if !better && r.Certify {
			break // a certificate is about the model that the policy was found in
		}
		if all, last, m, s = next, &again, divided, found; better {
			best = &again
		}
		next = nil
	}
	if best == last {
		return last, m, s, nil
	}
	d, err = best.under(last, m)
	if err != nil {
		return nil, nil, nil, err
	}
	return d, m, s, nil
}

// under is an answer in the model of another one, that is divided most.
func (d *Document) under(last *Document, m *model) (*Document, error) {
	chosen := *d
	chosen.Divided, chosen.States, chosen.Pairs, chosen.Updates = last.Divided, last.States, last.Pairs, last.Updates
	odds, err := chosen.evaluate(m)
	if err != nil {
		return nil, err
	}
	if odds.Failure != nil {
		return nil, fmt.Errorf("%w: the evaluator refuses the policy: %w", app.ErrInternal, odds.Failure)
	}
	if chosen.worth(m, odds); *chosen.Value < *last.Bound && !near(*chosen.Value, *last.Bound) {
		chosen.Status = engine.Feasible
	}
	chosen.Bound = last.Bound
	return &chosen, chosen.Table.follow(m, odds.Walk)
}

// solveDivided plans with contexts divided.
func (w *witness) solveDivided(ctx context.Context, apart []Apart, r Request) (*model, *policy.Solution, error) {
	m, err := w.divided(apart)
	if err != nil {
		return nil, nil, err
	}
	s, err := m.solve(ctx, r)
	return m, s, err
}

// further divides one more context, or one of all further: along the variables of the part that costs most, unless that was refused. It
// returns nil if there is none.
func (d *Document) further(all []Apart, refused map[string]bool) []Apart {
	for _, x := range d.Supported.Unlike {
		if x.Part == 0 || len(x.Of) > 2 {
			continue // there is nothing to count, or little
		}
		next := slices.Clone(all)
		i := slices.IndexFunc(next, func(a Apart) bool { return a.When == x.When && slices.Equal(a.Draws, x.Draws) })
		if i < 0 {
			i = len(next)
			next = append(next, Apart{Draws: x.Draws, When: x.When})
		}
		by := slices.Clone(next[i].By)
		for _, e := range x.Of {
			if !slices.Contains(by, e.Name) {
				by = append(by, e.Name)
			}
		}
		if len(by) > len(next[i].By) && len(by) <= mostBy {
			if next[i].By, next[i].Told = by, true; !refused[fmt.Sprint(next)] {
				return next
			}
		}
	}
	return nil
}

// Counts says how the rows of contexts are counted.
func (d *Document) Counts() string {
	if d.Divided == nil {
		return ""
	}
	var list []string
	for _, a := range d.Divided.Apart {
		where := "where " + a.When
		if a.When == "" {
			where = "where no other context holds"
		}
		list = append(list, "by "+strings.Join(a.By, ", ")+" "+where)
	}
	return fmt.Sprintf("Rows are counted apart %s. Of %d policies, the one that the rows support most was chosen, with %s (%s for the model as it was learned); of equal ones, the last",
		strings.Join(list, "; "), d.Divided.Policies, d.amount(d.Supported.Value), d.amount(d.Divided.Whole))
}
