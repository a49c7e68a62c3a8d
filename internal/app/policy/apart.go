package policy

import (
	"context"
	"errors"
	"fmt"
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
	// prior is for how many rows the distribution of the whole counts in that of a part.
	prior = 1
)

// errNoParts is wrapped where no row of a context tells which of its outcomes happened.
var errNoParts = errors.New("nothing to count apart")

// Apart tells along which variables a context is divided in the model that was planned with.
type Apart struct {
	Draws []string `json:"draws"`
	When  string   `json:"when"` // of the context as it was learned; empty where no other one holds
	By    []string `json:"by"`   // variables, in the order in which they divide it
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
	if p.Chance == nil || p.Network == nil {
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
	to := *p
	for i := range apart {
		if to.Chance, err = w.divide(to.Chance, &apart[i]); err != nil {
			return nil, err
		}
	}
	m, err := newModel(&to)
	if err == nil {
		m.rows = p
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
	parts := w.splits[g][from].cells(by, shares(&w.groups[g].Contexts[from]))
	if len(parts) == 0 {
		return nil, fmt.Errorf("%w: %w", errNoParts, missing)
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

// cells counts the rows of a context by the values of variables, where no outcome is blocked. Each variable in turn divides what
// those before it left; what is divided is a part of what is counted of the parts. A row counts for all outcomes that give what
// followed, in proportion to their shares in what is divided.
func (s *split) cells(by []int, pooled []float64) (parts []chance.Part) {
	under := map[string][]float64{} // the shares of the parts before
	for n := 1; n <= len(by); n++ {
		parts = parts[:0]
		place := map[string]int{}
		counts, wholes := [][]float64{}, [][]float64{}
		for _, r := range s.rows {
			if r.outcome < 0 || strings.Contains(r.places, "-") {
				continue
			}
			var values []int64
			for _, v := range by[:n] {
				values = append(values, r.now[v])
			}
			key := fmt.Sprint(values)
			i, ok := place[key]
			if !ok {
				i = len(parts)
				place[key] = i
				whole := pooled
				if n > 1 {
					whole = under[fmt.Sprint(values[:n-1])]
				}
				parts, counts, wholes = append(parts, chance.Part{Values: values}), append(counts, make([]float64, len(pooled))), append(wholes, whole)
			}
			parts[i].Rows += int64(r.count)
			sum := 0.0
			for _, j := range r.gives {
				sum += wholes[i][j]
			}
			for _, j := range r.gives {
				counts[i][j] += float64(r.count) * wholes[i][j] / sum
			}
		}
		if len(parts) > mostCells {
			return nil
		}
		next := map[string][]float64{}
		for i := range parts {
			x := &parts[i]
			for j, k := range counts[i] {
				x.Shares = append(x.Shares, (k+prior*wholes[i][j])/(float64(x.Rows)+prior))
			}
			next[fmt.Sprint(x.Values)] = x.Shares
		}
		under = next
	}
	return parts
}

// apart divides contexts along what tells against a policy, and plans again, as long as there is something. Of the policies, that counts of
// which rows support most, and of equal ones the last. So are all of which they support nothing. Its value is that under the model that is divided most.
func (d *Document) apart(ctx context.Context, p *load.Problem, r Request, m *model, s *policy.Solution) (*Document, *model, *policy.Solution, error) {
	if d.Supported == nil {
		return d, m, s, nil
	}
	whole, last, best := d.Supported.Value, d, d
	var all []Apart
	policies := 1
	refused := map[string]bool{}
	for range mostApart {
		next := last.further(all, refused)
		if next == nil {
			break
		}
		divided, found, err := solveDivided(ctx, p, next, r)
		if errors.Is(err, errNoParts) {
			refused[fmt.Sprint(next)] = true
			continue
		}
		if errors.Is(err, policy.ErrTooLarge) || ctx.Err() != nil {
			break // the time is over
		}
		if err != nil {
			return nil, nil, nil, err
		}
		policies++
		again := *d
		again.Table, again.Unseen, again.Disputed, again.Agree, again.Exact = Table{}, nil, 0, nil, ""
		again.Divided = &Divided{next, policies, whole}
		again.States, again.Pairs, again.Updates = found.States, found.Pairs, d.Updates+found.Updates
		if err := again.tell(divided, found); err != nil {
			return nil, nil, nil, err
		}
		better := again.Supported.Value >= best.Supported.Value-1e-9 || d.Objective == policy.Success && best.Supported.Value < nothing**again.Value
		if !better && r.Certify {
			break // a certificate is about the model that the policy was found in
		}
		if all, last, m, s = next, &again, divided, found; better {
			best = &again
		}
	}
	if best == last {
		return last, m, s, nil
	}
	chosen := *best
	chosen.Divided, chosen.States, chosen.Pairs, chosen.Updates = last.Divided, last.States, last.Pairs, last.Updates
	odds, err := chosen.evaluate(m)
	if err != nil {
		return nil, nil, nil, err
	}
	if odds.Failure != nil {
		return nil, nil, nil, fmt.Errorf("%w: the evaluator refuses the policy: %w", app.ErrInternal, odds.Failure)
	}
	if chosen.worth(m, odds); *chosen.Value < *last.Bound && !near(*chosen.Value, *last.Bound) {
		chosen.Status = engine.Feasible
	}
	chosen.Bound = last.Bound
	return &chosen, m, s, chosen.Table.follow(m, odds.Walk)
}

// solveDivided plans with contexts divided.
func solveDivided(ctx context.Context, p *load.Problem, apart []Apart, r Request) (*model, *policy.Solution, error) {
	m, err := divide(p, apart)
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
		if len(by) > len(next[i].By) && len(by) <= 3 {
			if next[i].By = by; !refused[fmt.Sprint(next)] {
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
