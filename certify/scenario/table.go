package scenario

import (
	"fmt"

	"github.com/fdplan/fdplan/problem/factored"
)

// Tables have the draws of a problem by what they read.
type Tables struct {
	list  []*table
	of    map[int]*table // by the first variable
	drawn map[factored.Bit]bool
}

// mostContexts bounds the values of what a draw reads.
const mostContexts = 1 << 16

// table is a draw by the values of what it reads.
type table struct {
	first  int // variable
	inputs []factored.Bit
	writes []int // variables
	rows   []tableRow
	memo   map[[2]int][]leaf
}

// tableRow is what is drawn in a context.
type tableRow struct {
	bits  uint64 // of the inputs
	draw  *factored.Draw
	ranks []int
}

// leaf is a disjunction of bits of this step and of the next. One that fails says that a drawn value is outside the range of its
// variable.
type leaf struct {
	lits  []factored.Lit
	fails bool
}

// NewTables lists the draws of a problem in all contexts.
func NewTables(q *Question) (*Tables, error) {
	t := &Tables{of: map[int]*table{}, drawn: map[factored.Bit]bool{}}
	draws, err := q.Draws.Draws(q.Start)
	if err != nil {
		return nil, err
	}
	for _, d := range draws {
		for _, v := range d.Variables {
			t.drawn[q.Problem.Variables[v].First] = true
		}
	}
	for i, f := range q.Draws.Factors() {
		if len(f.Writes) == 0 || !t.drawn[q.Problem.Variables[f.Writes[0]].First] {
			continue // constraints of the problem give it
		}
		x, err := newTable(q, i, f)
		if err != nil {
			return nil, err
		}
		t.list = append(t.list, x)
		t.of[x.first] = x
	}
	return t, nil
}

func newTable(q *Question, factor int, f factored.Scope) (*table, error) {
	p := q.Problem
	t := &table{first: f.Writes[0], writes: f.Writes, memo: map[[2]int][]leaf{}}
	size := 1.0
	for _, v := range f.Reads {
		size *= float64(p.Variables[v].Hi - p.Variables[v].Lo + 1)
		t.inputs = append(t.inputs, p.Variables[v].Bits()...)
	}
	if size > mostContexts || len(t.inputs) > 40 {
		return nil, fmt.Errorf("%w: what is drawn of %s depends on more than %d joint values", ErrUnsuited, p.Variables[t.first].Name, mostContexts)
	}
	now := make(factored.Valuation, p.NumBits())
	var each func(k int) error
	each = func(k int) error {
		if k == len(f.Reads) {
			d, err := q.Draws.Next(factor, now)
			if err != nil {
				return nil // such states and actions are not: a run that came there would be an error
			}
			row := tableRow{draw: d, ranks: d.Ranked()}
			for i, b := range t.inputs {
				if now[b] {
					row.bits |= 1 << i
				}
			}
			t.rows = append(t.rows, row)
			return nil
		}
		v := &p.Variables[f.Reads[k]]
		for x := v.Lo; x <= v.Hi; x++ {
			if err := v.Set(now, x); err != nil {
				return err
			}
			if err := each(k + 1); err != nil {
				return err
			}
		}
		return nil
	}
	return t, each(0)
}

// outcome is the one that an event selects in a context; nil for one with a value outside its range.
func (r *tableRow) outcome(rank, most int) ([]int64, error) {
	i := r.ranks[0]
	if r.draw.Disturbances[i] != 0 {
		return nil, fmt.Errorf("%w: every outcome of a draw is a disturbance", ErrUnsuited)
	}
	if rank < len(r.ranks) && r.draw.Disturbances[r.ranks[rank]] <= most {
		i = r.ranks[rank]
	}
	return r.draw.Values[i], nil
}

// example is a row of a truth table.
type example struct {
	bits uint64
	on   bool
}

// leaves say what is drawn in each context.
func (t *table) leaves(q *Question, rank, most int) ([]leaf, error) {
	key := [2]int{rank, most}
	if c, ok := t.memo[key]; ok {
		return c, nil
	}
	var outside []example
	columns := map[factored.Bit][]example{}
	val := make(factored.Valuation, q.Problem.NumBits())
	for i := range t.rows {
		r := &t.rows[i]
		values, err := r.outcome(rank, most)
		if err != nil {
			return nil, err
		}
		outside = append(outside, example{r.bits, values == nil})
		for k, x := range values {
			v := &q.Problem.Variables[t.writes[k]]
			if err := v.Set(val, x); err != nil {
				return nil, err
			}
			for _, b := range v.Bits() {
				columns[b] = append(columns[b], example{r.bits, val[b]})
			}
		}
	}
	out := []leaf{} // which is none, but known
	t.split(outside, nil, func(path []factored.Lit, on bool) {
		if on {
			out = append(out, leaf{path, true})
		}
	})
	for _, v := range t.writes {
		for _, b := range q.Problem.Variables[v].Bits() {
			t.split(columns[b], nil, func(path []factored.Lit, on bool) {
				out = append(out, leaf{append(path, factored.Lit{Bit: b, Next: true, Neg: !on}), false})
			})
		}
	}
	t.memo[key] = out
	return out, nil
}

// split passes the leaves of a decision tree: the literals of which none holds there, and the value. It tests the input that
// leaves the fewest examples unlike the others.
func (t *table) split(all []example, path []factored.Lit, found func(path []factored.Lit, on bool)) {
	count := 0
	for _, e := range all {
		if e.on {
			count++
		}
	}
	if count == 0 || count == len(all) {
		if len(all) > 0 {
			found(append([]factored.Lit(nil), path...), count > 0)
		}
		return
	}
	best, least := -1, 0
	for i := range t.inputs {
		var n, on [2]int
		for _, e := range all {
			k := e.bits >> i & 1
			n[k]++
			if e.on {
				on[k]++
			}
		}
		if n[0] == 0 || n[1] == 0 {
			continue
		}
		// Twice the mixed pairs over the examples of each half, as Gini has it, over a common factor.
		mixed := on[0]*(n[0]-on[0])*n[1] + on[1]*(n[1]-on[1])*n[0]
		if mixed = mixed * 1000 / (n[0] * n[1]); best < 0 || mixed < least {
			best, least = i, mixed
		}
	}
	var halves [2][]example
	for _, e := range all {
		halves[e.bits>>best&1] = append(halves[e.bits>>best&1], e)
	}
	for k, half := range halves {
		t.split(half, append(path, factored.Lit{Bit: t.inputs[best], Neg: k == 1}), found)
	}
}
