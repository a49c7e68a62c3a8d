package policy

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/problem/chance"
	"github.com/fdplan/fdplan/problem/factored"
)

// A context of a learned model takes many states and actions together. Its rows may tell these apart, though too little for
// the learner: the rows of a part, which have one value of a variable, are compared with the others.

const (
	// unlike is how likely the rows of a part are by chance, at most, where its difference from the others counts, all parts
	// of one kind together. What is less unlikely is within the interval of a context or near it.
	unlike = .01
	// never is the same for an outcome that no row of a part has: a run may then never succeed, however wide the
	// interval of the context is. With few variables each such outcome counts; with many, some are absent by chance.
	never = 6
	// mostPaired bounds the variables whose pairs make parts, too.
	mostPaired = 16
	// mostSuspects bounds the parts of which it is computed what they cost.
	mostSuspects = 40
	// mostJudged bounds the states of steps that are looked at for that: of large policies fewer parts are looked at.
	mostJudged = 100_000
	// spared is the share of what rows support that a part must cost to be named.
	spared = .01
)

// split has the rows of one context of a group.
type split struct {
	rows   []splitRow
	parts  map[string]*parts // by what the outcomes become in a state
	varies []int             // variables with several values in the rows
}

// splitRow stands for equal rows.
type splitRow struct {
	now     []int64 // the values of all variables
	places  string  // of the outcomes there
	outcome int     // the first outcome of the context that gives what followed; -1 for none
	gives   []int   // all of them
	count   int
}

// part is a part of a context: the rows in which one or two variables have certain values, or all of them.
type part struct {
	a, b int // variables; -1 for none
	x, y int64
}

// tally counts rows, and those with each of the values of a draw.
type tally struct {
	rows int
	with []int
}

// parts are the rows of a context that tell of the outcomes in states where these become the same.
type parts struct {
	all   tally
	exact map[string]*tally // by the values of all variables
	of    map[part]*tally
}

// placesKey writes what the outcomes of a context become, and reports whether each of them has values of its own.
func placesKey(places []int) (key string, plain bool) {
	plain = true
	for i, k := range places {
		plain = plain && k >= 0 && !slices.Contains(places[:i], k)
	}
	return fmt.Sprint(places), plain
}

// add counts rows with values after a state in which the outcomes have places.
func (s *split) add(now []int64, d *chance.Distribution, then []int64, count int) {
	key, _ := placesKey(d.Places)
	r := splitRow{now: slices.Clone(now), places: key, outcome: -1, count: count}
	if v := slices.IndexFunc(d.Values, func(values []int64) bool { return slices.Equal(values, then) }); v >= 0 {
		for i, k := range d.Places {
			if k == v {
				r.gives = append(r.gives, i)
			}
		}
		if len(r.gives) > 0 {
			r.outcome = r.gives[0]
		}
	}
	s.rows = append(s.rows, r)
}

// vary finds the variables with several values.
func (s *split) vary(p *factored.Problem) {
	for v := range p.Variables {
		if k := p.Variables[v].Kind; k != factored.Auxiliary && slices.ContainsFunc(s.rows, func(r splitRow) bool { return r.now[v] != s.rows[0].now[v] }) {
			s.varies = append(s.varies, v)
		}
	}
}

// intervals counts the values of parts that have rows: so many intervals may be asked for.
func (s *split) intervals() int {
	seen := map[part]bool{}
	for _, r := range s.rows {
		s.each(r.now, func(k part) { seen[k] = true })
	}
	return len(seen) + len(s.rows)
}

// each calls visit with the parts that a state and action belong to.
func (s *split) each(now []int64, visit func(part)) {
	for i, a := range s.varies {
		visit(part{a, -1, now[a], 0})
		if len(s.varies) > mostPaired {
			continue
		}
		for _, b := range s.varies[:i] {
			visit(part{b, a, now[b], now[a]})
		}
	}
}

// in returns the parts of a context for states in which the outcomes have places among so many values.
func (s *split) in(places []int, values int) *parts {
	key, _ := placesKey(places)
	if p := s.parts[key]; p != nil {
		return p
	}
	whole := !slices.Contains(places, -1)
	p := &parts{exact: map[string]*tally{}, of: map[part]*tally{}, all: tally{with: make([]int, values)}}
	for _, r := range s.rows {
		// Where outcomes become the same, or are blocked, rows tell less.
		if r.places != key && (!whole || !plainKey(r.places)) {
			continue
		}
		to := -1
		if r.outcome >= 0 {
			to = places[r.outcome]
		}
		p.all.add(to, r.count)
		exact := fmt.Sprint(r.now)
		if p.exact[exact] == nil {
			p.exact[exact] = &tally{with: make([]int, values)}
		}
		p.exact[exact].add(to, r.count)
		s.each(r.now, func(k part) {
			if p.of[k] == nil {
				p.of[k] = &tally{with: make([]int, values)}
			}
			p.of[k].add(to, r.count)
		})
	}
	if s.parts == nil {
		s.parts = map[string]*parts{}
	}
	s.parts[key] = p
	return p
}

// near counts the rows with the nearest values of a variable, of which none has the value of a part. Those of a variable
// without order are not near each other.
func (in *parts) near(k part, v *factored.Variable) *tally {
	sum := &tally{with: make([]int, len(in.all.with))}
	if v.Bool || v.Enumeration() {
		return sum
	}
	for _, way := range []int64{-1, 1} {
		for x := k.x + way; x >= v.Lo && x <= v.Hi; x += way {
			if t := in.of[part{k.a, -1, x, 0}]; t != nil {
				sum.rows += t.rows
				for j, c := range t.with {
					sum.with[j] += c
				}
				break
			}
		}
	}
	return sum
}

// all counts the rows.
func (s *split) all() (n int) {
	for i := range s.rows {
		n += s.rows[i].count
	}
	return n
}

// plainKey reports what placesKey does, for a key.
func plainKey(key string) bool {
	seen := map[string]bool{}
	for _, k := range strings.Fields(strings.Trim(key, "[]")) {
		if k == "-1" || seen[k] {
			return false
		}
		seen[k] = true
	}
	return true
}

func (t *tally) add(to, count int) {
	if t.rows += count; to >= 0 {
		t.with[to] += count
	}
}

// differs compares a part with all rows: for each outcome, whether it is so much rarer or more frequent that this is less
// likely than level by chance. An outcome that the part never has is rarer where that is at most as likely as least.
func (t *tally) differs(all *tally, level, least float64) (sign []int) {
	sign = make([]int, len(t.with))
	for j, k := range t.with {
		fewer := coverage.Drawn(all.rows, all.rows-all.with[j], t.rows, t.rows-k)
		switch {
		case fewer < level || k == 0 && all.with[j] > 0 && fewer <= least:
			sign[j] = -1
		case coverage.Drawn(all.rows, all.with[j], t.rows, k) < level:
			sign[j] = 1
		}
	}
	return sign
}

// suspects keeps the parts without which more would be supported, those that cost most first. with computes what is supported, from so many
// states of steps.
func (w *witness) suspects(steps int64, with func() (float64, error)) error {
	list := slices.Clone(w.unlike)
	slices.SortStableFunc(list, func(a, b *Part) int { return cmp.Compare(b.Part, a.Part) })
	list = list[:min(len(list), mostSuspects, int(mostJudged/max(1, steps)))]
	defer func() { w.only, w.unlike = "", list }()
	if len(list) == 0 {
		return nil
	}
	w.only = "none"
	all, err := with()
	if err != nil {
		return err
	}
	for _, x := range list {
		w.only = x.key
		value, err := with()
		if err != nil {
			return err
		}
		x.Value = &value
	}
	list = slices.DeleteFunc(list, func(x *Part) bool { return all-*x.Value <= spared*math.Abs(all) })
	slices.SortStableFunc(list, func(a, b *Part) int { return cmp.Compare(*a.Value, *b.Value) })
	return nil
}

// Part is a part of the rows of a context that tells against taking them together.
type Part struct {
	Draws []string   `json:"draws"` // what is drawn there
	When  string     `json:"when"`  // of the context; empty where no other one holds
	All   int        `json:"all"`   // rows of the context
	Rows  int        `json:"rows"`  // those of them in whose states the outcomes differ as they do here
	Of    app.Values `json:"of"`    // what the rows of the part have
	Part  int        `json:"part"`  // so many have it
	Next  app.Values `json:"next"`  // of what is drawn: what changes
	Led   int        `json:"led"`   // so many of the rows led to it
	Seen  int        `json:"seen"`  // and so many of the part
	Value *float64   `json:"value"` // what the rows support where this part alone tells against its context; null if not known
	key   string     // of the context and the variables
}

// Unlike says what a part shows.
func (x *Part) Unlike() string {
	when := "where " + x.When
	if x.When == "" {
		when = "where no other context holds"
	}
	next := x.Next.All()
	if next == "" {
		next = "no change"
	}
	all, seen := counted.Of(x.All, "row"), fmt.Sprint(x.Seen)
	if x.Rows < x.All {
		all = fmt.Sprintf("%d comparable ones of the %s", x.Rows, all)
	}
	switch {
	case x.Part == 0:
		return fmt.Sprintf("none of the %s %s has %s: %d of them led to %s", all, when, x.Of.All(), x.Led, next)
	case x.Seen == 0:
		seen = "none"
	}
	return fmt.Sprintf("of the %s %s, %d have %s: %s of these led to %s, and %d of the %d others did", all, when, x.Part, x.Of.All(), seen, next, x.Led-x.Seen, x.Rows-x.Part)
}

// widen widens a range where the rows of the state and action that now tells differ from the others of their context.
func (w *witness) widen(r *factored.Range, g, c int, d *factored.Draw, now []int64, val factored.Valuation) {
	s := &w.splits[g][c]
	if len(s.rows) == 0 {
		return
	}
	var dist chance.Distribution
	w.groups[g].Outcomes(&dist, now, w.t.Predict(val))
	in := s.in(dist.Places, len(d.Values))
	n := float64(max(1, len(s.varies)))
	level := unlike / float64(2*max(1, len(d.Values)-1)) / n
	pool := factored.Range{Low: slices.Clone(r.Low), High: slices.Clone(r.High)}
	check := func(t *tally, level, least float64, of ...int) {
		key := fmt.Sprint(g, c, of)
		if t.rows == in.all.rows || w.only != "" && w.only != key {
			return
		}
		sign := t.differs(&in.all, level, least)
		w.apply(r, &pool, t, &in.all, sign)
		if told := telling(sign, &in.all); told >= 0 {
			w.note(&Part{When: w.groups[g].Contexts[c].When, All: s.all(), Rows: in.all.rows, Led: in.all.with[told], Part: t.rows, Seen: t.with[told], key: key}, d, told, of, val)
		}
	}
	s.each(now, func(k part) {
		t := in.of[k]
		switch {
		case k.b < 0 && t == nil:
			check(in.near(k, &w.p.Problem.Variables[k.a]), level, never/n, k.a)
		case k.b < 0:
			check(t, level, never/n, k.a)
		case t != nil:
			check(t, level/n, unlike/n/n, k.a, k.b)
		}
	})
	if t := in.exact[fmt.Sprint(now)]; t != nil {
		check(t, level, unlike/n, s.varies...)
	}
	for v := range w.p.Problem.Variables {
		if q := &w.p.Problem.Variables[v]; q.Kind != factored.Auxiliary && now[v] != s.rows[0].now[v] && !slices.Contains(s.varies, v) {
			check(in.near(part{v, -1, now[v], 0}, q), level, never/n, v)
		}
	}
}

// telling is the outcome to name of those that are rarer in a part, or else more frequent; -1 if none is.
func telling(sign []int, all *tally) int {
	best := -1
	for j, x := range sign {
		if x != 0 && (best < 0 || x < sign[best] || x == sign[best] && all.with[j] > all.with[best]) {
			best = j
		}
	}
	return best
}

// apply widens a range, which was pool, for a part whose outcomes have signs: rarer outcomes have the low ends that the rows of
// the part leave, others what these lose.
func (w *witness) apply(r, pool *factored.Range, t, all *tally, sign []int) {
	more := 0.0
	for j := range t.with {
		if sign[j] < 0 {
			more += pool.High[j]
		}
	}
	oftener := slices.Contains(sign, 1)
	for j, k := range t.with {
		low, high := 0.0, 1.0
		if t.rows > 0 {
			low, high = w.interval(t.rows, float64(k))
		}
		less := k*all.rows < all.with[j]*t.rows
		if sign[j] < 0 || oftener && less {
			r.Low[j] = min(r.Low[j], low*(1-r.Other))
		}
		if sign[j] > 0 {
			r.High[j] = max(r.High[j], high)
		} else if sign[j] == 0 && !less {
			r.High[j] = max(r.High[j], min(high, pool.High[j]+more))
		}
	}
}

// note keeps a part, one of each context and variables.
func (w *witness) note(x *Part, d *factored.Draw, none int, of []int, val factored.Valuation) {
	p := w.p.Problem
	for _, v := range of {
		q := &p.Variables[v]
		x.Of = append(x.Of, app.Entry{Name: q.Name, Value: q.Show(q.Value(val))})
	}
	for j, v := range d.Variables {
		q := &p.Variables[v]
		if x.Draws = append(x.Draws, q.Name); d.Values[none][j] != q.Value(val) {
			x.Next = append(x.Next, app.Entry{Name: q.Name, Value: q.Show(d.Values[none][j])})
		}
	}
	i, found := slices.BinarySearchFunc(w.unlike, x, func(a, b *Part) int { return cmp.Compare(a.key, b.key) })
	switch {
	case !found:
		w.unlike = slices.Insert(w.unlike, i, x)
	case cmp.Or(cmp.Compare(x.share(), w.unlike[i].share()), cmp.Compare(w.unlike[i].Part, x.Part)) < 0:
		w.unlike[i] = x
	}
}

// share is that of the rows of a part that led to what is named.
func (x *Part) share() float64 { return float64(x.Seen) / float64(max(1, x.Part)) }
