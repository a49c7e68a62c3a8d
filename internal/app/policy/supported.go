package policy

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/support"
	"github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/problem/chance"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// certain is the confidence of all intervals together.
const certain = .99

// witness gives the draws of a learned model the ranges that the rows leave open. It belongs to one goroutine.
type witness struct {
	of     *load.Problem // what is asked about
	p      *load.Problem // the same, or that of one of its entities
	t      *chance.Transition
	groups []chance.Group
	left   []map[string]bool // of each group: the values, of the states that it reads, with which rows begin
	reads  [][]int           // these states
	ends   []uint64          // of each group: the ends of ranges that rows show to be left, as chance.Distribution has them
	other  [][]count         // of each group and context; nil where rows are not recorded
	splits [][]split         // of each group and context; nil where rows are not recorded
	unlike []*Part           // parts of contexts that were asked for, whose rows are unlike the others
	only   string            // the key of the parts that count alone; empty for all
	apart  float64           // the confidence of each interval, so that all hold together
	known  map[[2]float64][2]float64
	judge  *support.Judge // of what is not drawn; nil where nothing is known of rows
	drawn  map[string]bool
	unleft map[string]bool // states that were asked for, and in which no row begins
	beyond map[string]bool // the variables whose range outcomes would leave that were asked for, and no row shows what happens then
	fewest *Counted        // of the contexts that were asked for
}

// newWitness returns the witness of a model; nil where no rows stand for its probabilities.
func newWitness(of *load.Problem) (*witness, error) {
	p := of.One()
	final, err := p.Final()
	if err != nil || !p.Learned() {
		return nil, err
	}
	w := &witness{
		of: of, p: p, t: chance.NewTransition(p.Problem, p.Network, p.Chance, final), judge: support.NewJudge(p),
		drawn: map[string]bool{}, unleft: map[string]bool{}, beyond: map[string]bool{}, known: map[[2]float64][2]float64{},
	}
	intervals := 0
	if p.Chance != nil {
		w.groups = p.Chance.Groups
	}
	for i := range w.groups {
		g := &w.groups[i]
		for j := range g.Contexts {
			if c := &g.Contexts[j]; c.Rows > 0 {
				intervals += len(c.Outcomes) + 1
			}
		}
		var reads []int
		for _, v := range g.Reads() {
			if p.Problem.Variables[v].Kind == factored.State {
				reads = append(reads, v)
			}
		}
		for _, v := range g.Outputs {
			w.drawn[p.Problem.Variables[v].Name] = true
		}
		w.reads, w.left = append(w.reads, reads), append(w.left, w.beginnings(reads))
	}
	if w.judge == nil && intervals == 0 {
		return nil, nil
	}
	if err := w.count(); err != nil {
		return nil, err
	}
	for g := range w.splits {
		for c := range w.splits[g] {
			w.splits[g][c].vary(p.Problem)
			intervals += w.splits[g][c].intervals() * len(w.groups[g].Contexts[c].Outcomes)
		}
	}
	w.apart = 1 - (1-certain)/float64(max(1, intervals))
	return w, nil
}

// interval bounds a probability that was counted in rows.
func (w *witness) interval(rows int, k float64) (low, high float64) {
	key := [2]float64{float64(rows), k}
	i, ok := w.known[key]
	if !ok {
		i[0], _ = coverage.Interval(rows, int(k+1e-9), w.apart)
		_, i[1] = coverage.Interval(rows, min(rows, int(math.Ceil(k-1e-9))), w.apart)
		w.known[key] = i
	}
	return i[0], i[1]
}

// count is of how many recorded rows, and how many of these have next values that no outcome gives.
type count struct{ rows, other int }

// count counts the recorded rows of each context.
func (w *witness) count() error {
	r := w.p.Record
	if r == nil || !r.Whole || len(w.groups) == 0 {
		return nil
	}
	for i := range w.groups {
		w.other = append(w.other, make([]count, len(w.groups[i].Contexts)))
		w.splits = append(w.splits, make([]split, len(w.groups[i].Contexts)))
	}
	w.ends = make([]uint64, len(w.groups))
	var dist chance.Distribution
	p := w.p.Problem
	for row := range support.Rows(p, r) {
		val, then := row.Now, row.Next
		draws, err := w.t.Draws(val)
		if err != nil {
			return err
		}
		now, next := w.p.Chance.Values(nil, val), w.p.Chance.Values(nil, then)
		predicted := w.t.Predict(val)
		for g := range w.groups {
			c := w.groups[g].Context(now)
			if c < 0 {
				continue
			}
			w.groups[g].Outcomes(&dist, now, predicted)
			w.ends[g] |= dist.Outside
			if w.groups[g].Predicts() {
				continue // errors of functions, which may read earlier rows
			}
			if w.other[g][c].rows += row.Count; !gives(p, draws[g], then) {
				w.other[g][c].other += row.Count
			}
			w.splits[g][c].add(now, &dist, w.values(g, next), row.Count)
		}
	}
	return nil
}

// values are those of what a group draws.
func (w *witness) values(g int, of []int64) (values []int64) {
	for _, v := range w.groups[g].Outputs {
		values = append(values, of[v])
	}
	return values
}

// gives reports whether a draw has an outcome with the values of a state.
func gives(p *factored.Problem, d *factored.Draw, then factored.Valuation) bool {
	return slices.ContainsFunc(d.Values, func(row []int64) bool {
		for j, v := range d.Variables {
			if row == nil || p.Variables[v].Value(then) != row[j] {
				return false
			}
		}
		return true
	})
}

// beginnings lists the values of some states with which rows begin; nil if that is not recorded.
func (w *witness) beginnings(reads []int) map[string]bool {
	r := w.p.Record
	if r == nil || !r.Whole {
		return nil
	}
	all := map[string]bool{}
	for row := range support.Rows(w.p.Problem, r) {
		all[stateKey(w.p.Problem, reads, row.Now)] = true
	}
	return all
}

// stateKey is a map key for the values of some variables.
func stateKey(p *factored.Problem, variables []int, val factored.Valuation) string {
	var b strings.Builder
	for _, v := range variables {
		b.WriteString(strconv.FormatInt(p.Variables[v].Value(val), 10) + " ")
	}
	return b.String()
}

// Ends implements validate.Chance. Several entities have no states in which runs end.
func (w *witness) Ends(now factored.Valuation) (bool, error) { return w.t.Ends(now) }

// Draws implements validate.Chance.
func (w *witness) Draws(now factored.Valuation) (all []*factored.Draw, err error) {
	for k, part := range w.of.Each(now) {
		draws, err := w.draws(part)
		if err != nil {
			return nil, err
		}
		for _, d := range draws {
			if k > 0 {
				d.Variables = slices.Clone(d.Variables)
				for i := range d.Variables {
					d.Variables[i] += k * len(w.p.Problem.Variables)
				}
			}
		}
		all = append(all, draws...)
	}
	return all, nil
}

// draws lists what is drawn of one entity.
func (w *witness) draws(now factored.Valuation) ([]*factored.Draw, error) {
	draws, err := w.t.Draws(now)
	if err != nil {
		return nil, err
	}
	draws = slices.Clone(draws)
	for i := range draws {
		d := *draws[i]
		if i < len(w.groups) {
			d.Range = w.group(i, &d, now)
		} else if d.Range, err = w.sure(now); err != nil {
			return nil, err
		}
		draws[i] = &d
	}
	return draws, nil
}

// unknown is the range of a draw of which nothing is known.
func unknown(outcomes int) *factored.Range {
	return &factored.Range{Low: make([]float64, outcomes), High: make([]float64, outcomes), Other: 1}
}

// group is the range of what is drawn together.
func (w *witness) group(i int, d *factored.Draw, now factored.Valuation) *factored.Range {
	g := &w.groups[i]
	all := w.p.Chance.Values(nil, now)
	c := g.Context(all)
	if c < 0 || g.Contexts[c].Rows == 0 {
		return nil
	}
	if n := g.Contexts[c].Rows; w.fewest == nil || n < w.fewest.Rows {
		w.fewest = &Counted{Rows: n, When: g.Contexts[c].When}
		for _, v := range g.Outputs {
			w.fewest.Draws = append(w.fewest.Draws, w.p.Problem.Variables[v].Name)
		}
	}
	if w.left[i] != nil && !w.left[i][stateKey(w.p.Problem, w.reads[i], now)] {
		w.unleft[stateKey(w.p.Problem, w.states(), now)] = true
		return unknown(len(d.Values))
	}
	var dist chance.Distribution
	g.Outcomes(&dist, all, w.t.Predict(now))
	if w.ends != nil && dist.Outside&^w.ends[i] != 0 {
		for j, v := range g.Outputs {
			if (dist.Outside&^w.ends[i])>>(2*min(j, 31))&3 != 0 {
				w.beyond[w.p.Problem.Variables[v].Name] = true
			}
		}
		return unknown(len(d.Values))
	}
	r := &factored.Range{}
	if w.other != nil {
		if n := w.other[i][c]; n.other > 0 {
			_, r.Other = w.interval(n.rows, float64(n.other))
		}
	}
	counted := seen(g.Contexts[c].Counts, &dist, len(d.Values))
	for i, q := range d.Probability {
		p, _ := q.Float64()
		rows := g.Contexts[c].Rows
		k := p * float64(rows)
		if counted != nil {
			k = counted[i]
		}
		low, high := w.interval(int(rows), k)
		if p == 1 {
			// All that happened there: so many rows leave that much for what did not.
			r.Other = max(r.Other, 1-low)
			low = 1
		}
		r.Low, r.High = append(r.Low, low*(1-r.Other)), append(r.High, high)
	}
	if w.splits != nil {
		w.widen(r, i, c, d, all, now)
	}
	return r
}

// seen counts the rows of a context with each of so many values of a draw; nil where its probabilities tell.
func seen(counts []float64, dist *chance.Distribution, values int) []float64 {
	if counts == nil {
		return nil
	}
	out := make([]float64, values)
	for i, k := range dist.Places {
		if k < 0 {
			return nil
		}
		out[k] += counts[i]
	}
	return out
}

func (w *witness) states() (all []int) {
	for i := range w.p.Problem.OfKind(factored.State) {
		all = append(all, i)
	}
	return all
}

// sure is the range of what is not drawn: rows with the state and the action may have other next values.
func (w *witness) sure(now factored.Valuation) (*factored.Range, error) {
	if w.judge == nil {
		return nil, nil
	}
	e, err := w.judge.Evidence(now)
	if err != nil || !slices.ContainsFunc(e.Next, func(name string) bool { return !w.drawn[name] }) {
		return nil, err
	}
	rows, agree := w.agree(now)
	if rows == 0 {
		if e.Kind == support.Unseen {
			w.unleft[stateKey(w.p.Problem, w.states(), now)] = true
		} else if e.Rows != nil && e.Agree != nil {
			rows, agree = *e.Rows, *e.Agree
		}
	}
	if rows == 0 {
		return unknown(1), nil
	}
	low, _ := w.interval(rows, float64(agree))
	return &factored.Range{Low: []float64{low}, High: []float64{1}, Other: 1 - low}, nil
}

// agree counts the recorded rows with a state and an action, and those of them with the next values of what is not
// drawn.
func (w *witness) agree(now factored.Valuation) (rows, agree int) {
	p, r := w.p.Problem, w.p.Record
	if r == nil {
		return 0, 0
	}
	in := make([]uint64, (len(p.Inputs)+63)/64)
	now.Pack(in, p.Inputs)
	next := make(factored.Valuation, p.NumBits())
	for i, x := range w.t.Predict(now) {
		if v := &p.Variables[i]; v.Kind == factored.State && v.Set(next, x) != nil {
			return 0, 0
		}
	}
	from, to := r.Of(in)
	for i := from; i < to; i++ {
		o := r.Outcome(i)
		same := true
		for k, b := range p.Outputs {
			if owner, _ := p.Owner(b); !w.drawn[owner.Name] {
				same = same && o.Output(k) == next[b]
			}
		}
		if rows += o.Count(); same {
			agree += o.Count()
		}
	}
	return rows, agree
}

// supports computes what the rows support of the value of a policy; nil where no rows stand for the probabilities.
func (d *Document) supports(m *model) (*Supported, error) {
	if !m.learned() {
		return nil, nil
	}
	w, err := newWitness(m.rows)
	if err != nil || w == nil {
		return nil, err
	}
	value, err := d.least(m, w)
	if err == nil {
		err = w.suspects(d.Steps, func() (float64, error) { return d.least(m, w) })
	}
	return w.supported(value, certain), err
}

// supported is a value with what w was asked for on the way to it.
func (w *witness) supported(value, confidence float64) *Supported {
	return &Supported{Value: value, Confidence: confidence, Unleft: len(w.unleft), Fewest: w.fewest, Unlike: w.unlike, Beyond: slices.Sorted(maps.Keys(w.beyond))}
}

// least is the evaluator's value of the table where each probability is the worst of its range.
func (d *Document) least(m *model, w *witness) (float64, error) {
	table, err := d.Table.policy(m.p.Problem, false)
	if err != nil {
		return 0, err
	}
	act := func(step int, state factored.Valuation) factored.Valuation { return table(step, 0, state) }
	judge, scale := validate.LeastSuccess, 1.0
	if d.Objective == policy.Reward {
		judge, scale = validate.LeastReward, float64(m.p.Problem.Reward.Scale)
	}
	odds, err := judge(m.of, nil, validate.Remembering(w, m.memory), m.start, act, d.Horizon)
	if err != nil {
		return 0, err
	}
	if odds.Failure != nil {
		return 0, odds.Failure
	}
	value, _ := odds.Lower.Float64()
	if d.Objective == policy.Success {
		value = max(0, value)
	}
	return value / scale, nil
}
