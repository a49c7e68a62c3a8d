package support

import (
	"cmp"
	"encoding/binary"
	"iter"
	"maps"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
)

// Shown tells which actions rows show in a state.
type Shown struct {
	p    *load.Problem
	r    *coverage.Record
	kind Showing

	summands        []*summand // of a learned reward
	states, actions []factored.Bit
	began, taken    map[string]int  // rows by their states, and by their actions
	later           []factored.Bit  // that rows have after a step
	ended           map[string]bool // states after a step in which no row begins
	numbers         *extents
	rows            int
	packed          []uint64
}

// Showing is what it takes for rows to show an action in a state.
type Showing int

// What it takes.
const (
	// Enough asks for rows with what each summand of a learned reward reads, and for a row with the state and the action where there would be some by chance, or where rows
	// come to the state and none begins in it.
	Enough Showing = iota
	// All asks for a row with the state and the action.
	All
)

// summand is what a summand of a learned reward reads: truths, sides and signs, which rows have, and numbers that it calculates with, which rows with these have up to a
// least and a greatest value.
type summand struct {
	expr.Part
	rows map[string][]reach // of the numbers
}

func newSummand(part expr.Part) *summand { return &summand{part, map[string][]reach{}} }

func (x *summand) key(now, next factored.Valuation) string {
	var key []byte
	add := func(n int64) { key = binary.AppendVarint(key, n) }
	for _, r := range x.Truths {
		add(value(r, now, next))
	}
	for i := range x.Sides {
		s := &x.Sides[i]
		at, found := slices.BinarySearch(s.Cuts, value(s.Read, now, next))
		if found {
			at++
		}
		add(int64(at))
	}
	for _, pair := range x.Signs {
		add(int64(cmp.Compare(value(pair[0], now, next), value(pair[1], now, next))))
	}
	return string(key)
}

// value returns the value of a variable before or after a step.
func value(r expr.Read, now, next factored.Valuation) int64 {
	if r.Next {
		now = next
	}
	return r.Value(now)
}

// add adds a row.
func (x *summand) add(now, next factored.Valuation) {
	key := x.key(now, next)
	all, ok := x.rows[key]
	for k, r := range x.Numbers {
		v := value(r, now, next)
		if !ok {
			all = append(all, reach{v, v})
			continue
		}
		all[k] = reach{min(all[k].low, v), max(all[k].high, v)}
	}
	x.rows[key] = all
}

// shown reports whether rows have the truths, sides and signs, and each number between two values of theirs.
func (x *summand) shown(now, next factored.Valuation) bool {
	all, ok := x.rows[x.key(now, next)]
	for k, r := range all {
		v := value(x.Numbers[k], now, next)
		ok = ok && r.low <= v && v <= r.high
	}
	return ok
}

const (
	// avoided is how many rows with a state and an action there would be, if the action were taken in it as often as elsewhere, for it to be no accident that there
	// is none: those who wrote the log knew why.
	avoided = 5
	// newRows is the share of rows up to which it is no matter of course that states and actions are new.
	newRows = .1
)

// NewShown returns what rows show. It is nil where they are not recorded, and for All where so many states and actions stand in one row alone that about newRows of
// further rows would have new ones, too (Good, The population frequencies of species, 1953).
func NewShown(p *load.Problem, kind Showing) *Shown {
	r := p.Record
	if r == nil || !r.Whole || r.Len() == 0 {
		return nil
	}
	x := &Shown{p: p, r: r, kind: kind, states: p.Problem.Bits(factored.State), actions: p.Problem.Bits(factored.Action),
		began: map[string]int{}, taken: map[string]int{}, ended: map[string]bool{}, numbers: newExtents(p.Problem)}
	x.later, _ = RecordBits(p.Problem, p.Problem.Outputs, r.MoreOutputs)
	x.packed = make([]uint64, (len(p.Problem.Inputs)+63)/64)
	if p.LearnedReward && kind == Enough {
		for _, part := range expr.Parts(&p.Problem.Reward) {
			x.summands = append(x.summands, newSummand(part))
		}
	}
	alone, begins := 0, map[string]bool{}
	for row := range Rows(p.Problem, r) {
		for _, s := range x.summands {
			s.add(row.Now, row.Next)
		}
		row.Now.Pack(x.packed, p.Problem.Inputs)
		if from, to := r.Of(x.packed); row.Count == 1 && to-from == 1 {
			alone++
		}
		x.began[row.Now.Key(x.states)] += row.Count
		action := row.Now.Key(x.actions)
		x.taken[action] += row.Count
		x.numbers.add(p.Problem, action, &row)
		x.rows += row.Count
		begins[row.Now.Key(x.later)] = true
		x.ended[row.Next.Key(x.later)] = true
	}
	maps.DeleteFunc(x.ended, func(state string, _ bool) bool { return begins[state] })
	x.numbers.sum()
	if kind == All && float64(alone) > newRows*float64(x.rows) {
		return nil
	}
	return x
}

// Row is a state and actions that stand in a record, the state after them, and how often they do.
type Row struct {
	Now, Next factored.Valuation
	Count     int
}

// Rows passes the rows of a record. Their valuations are reused.
func Rows(p *factored.Problem, r *coverage.Record) iter.Seq[Row] {
	inputs, _ := RecordBits(p, p.Inputs, r.MoreInputs)
	outputs, _ := RecordBits(p, p.Outputs, r.MoreOutputs)
	return func(yield func(Row) bool) {
		row := Row{Now: make(factored.Valuation, p.NumBits()), Next: make(factored.Valuation, p.NumBits())}
		for i := range r.Len() {
			o := r.Outcome(i)
			for k, b := range inputs {
				row.Now[b] = o.Input(k)
			}
			for k, b := range outputs {
				row.Next[b] = o.Output(k)
			}
			if row.Count = o.Count(); !yield(row) {
				return
			}
		}
	}
}

// RecordBits lists the bits of one side of a record: those of a network, and those of further names. The first name that the problem does not have
// ends the list, and is returned; empty for none.
func RecordBits(p *factored.Problem, network []factored.Bit, names []string) (bits []factored.Bit, unknown string) {
	bits = slices.Clone(network)
	if len(names) == 0 {
		return bits, ""
	}
	named := map[string]factored.Bit{}
	for _, b := range slices.Concat(p.Bits(factored.State), p.Bits(factored.Action)) {
		named[p.BitName(b)] = b
	}
	for _, name := range names {
		b, ok := named[name]
		if !ok {
			return bits, name
		}
		bits = append(bits, b)
	}
	return bits, ""
}

// Least is the least reward of a row.
func (x *Shown) Least(reward func(now, next factored.Valuation) float64) float64 {
	least := math.Inf(1)
	for row := range Rows(x.p.Problem, x.r) {
		least = min(least, reward(row.Now, row.Next))
	}
	return least
}

// Shows reports whether rows show an action in a state, both of now, that can lead to some states.
func (x *Shown) Shows(now factored.Valuation, next []factored.Valuation) bool {
	now.Pack(x.packed, x.p.Problem.Inputs)
	from, to := x.r.Of(x.packed)
	if from < to || x.kind == All || x.ended[now.Key(x.later)] {
		return from < to
	}
	action := now.Key(x.actions)
	like := max(x.began[now.Key(x.states)], x.numbers.beyond(x.p.Problem, action, now))
	if float64(like)*float64(x.taken[action]) >= avoided*float64(x.rows) {
		return false
	}
	return !slices.ContainsFunc(next, func(then factored.Valuation) bool {
		return slices.ContainsFunc(x.summands, func(s *summand) bool { return !s.shown(now, then) })
	})
}
