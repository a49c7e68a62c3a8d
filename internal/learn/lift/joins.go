package lift

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// A join is a conjunction of literals over the output's objects, those that an action names, and those that are related to these, as in
// LINK(?2,?3,?1) ^ LINK(?4,?3,?2) ^ player(?4) ^ box(?2) ^ go(?3). Joins are found as clauses are in inductive logic programming (Muggleton, Inverse
// entailment and Progol, 1995): from the facts of one row in which the output changes, those are searched for that hold in no row in which it does not.

// predicate is a relation, or a bit of a fluent.
type predicate struct {
	*declaration
	bit    int   // -1 for a Boolean
	inputs []int // of the network, by arguments as digits; nil for a relation
}

// place is the place of arguments as digits.
func (p *predicate) place(args []int) int {
	i := 0
	for k, a := range args {
		i = i*len(p.params[k].names) + a
	}
	return i
}

// condition is a literal over variables, those of the output's objects first.
type condition struct {
	predicate int
	neg       bool
	args      []int // -1-i for value i of an enumeration
}

// example is a row for some objects. Trees ask for the actions of these themselves, so a join need not hold in no row but
// those with the same.
type example struct {
	row     int
	own     []int
	actions string
}

// joiner finds the joins of one bit of an output.
type joiner struct {
	predicates []predicate
	rows       []Row
	facts      [][][][]int // by row and predicate, the arguments for which it is true
	own        []*objects
	output     Atom
	self       int // the predicate that is the output's bit before the step; -1 for none
	yes, no    []example
}

const (
	mostArgs     = 8       // of a predicate
	maxJoin      = 6       // literals
	maxVariables = 4       // beside the output's objects
	maxJoins     = 6       // of one bit and value
	maxRivals    = 4       // for each of these
	maxNodes     = 150_000 // conjunctions for one row
)

// joins adds the joins of those output bits that the features so far do not explain.
func (p *pool) joins(ctx context.Context, rows []Row, l *Learned) ([]Feature, error) {
	j := &joiner{rows: rows, output: p.class.Output}
	// Fluents come first: rows try them with more values than relations.
	for _, static := range []bool{false, true} {
		for _, d := range p.w.order {
			if d.Static == static {
				j.predicates = append(j.predicates, predicatesOf(p.w, d)...)
			}
		}
	}
	for _, t := range p.class.Types {
		o, err := p.w.typed(t)
		if err != nil {
			return nil, err
		}
		j.own = append(j.own, o)
	}
	for r := range rows {
		j.facts = append(j.facts, j.factsOf(&rows[r]))
	}
	var out []Feature
	seen := map[string]bool{}
	for bit := range l.Outputs {
		if l.Outputs[bit].Wrong == 0 {
			continue
		}
		for _, to := range []bool{true, false} {
			if err := j.divide(p, bit, to); err != nil {
				return nil, err
			}
			found, err := j.cover(ctx)
			if err != nil {
				return nil, err
			}
			for _, c := range found {
				if f, ok := j.feature(c); ok && !seen[f.String()] {
					seen[f.String()] = true
					out = append(out, f)
				}
			}
		}
	}
	return out, nil
}

// predicatesOf lists what can be said of the arguments of a variable.
func predicatesOf(w *World, d *declaration) (out []predicate) {
	if d.Static {
		if d.Type == ground.Bool && len(d.params) > 0 && len(d.params) <= mostArgs && d.listed {
			out = append(out, predicate{declaration: d, bit: -1})
		}
		return out
	}
	if !d.read || len(d.params) > mostArgs {
		return nil
	}
	for b := range d.width {
		p := predicate{declaration: d, bit: b}
		if d.boolean {
			p.bit = -1
		}
		a := Atom{Name: d.Name}
		for k := range d.params {
			a.Args = append(a.Args, objectName(k))
		}
		choices(d.params, func(at []int) {
			i, err := w.input(&Literal{Atom: a, Bit: p.bit}, at)
			if err != nil {
				i = -1 // computed within the step
			}
			p.inputs = append(p.inputs, i)
		})
		out = append(out, p)
	}
	return out
}

// factsOf lists what is true in a row.
func (j *joiner) factsOf(r *Row) [][][]int {
	out := make([][][]int, len(j.predicates))
	for k := range j.predicates {
		p := &j.predicates[k]
		if p.Static {
			out[k] = p.holding
			continue
		}
		i := 0
		choices(p.params, func(at []int) {
			if in := p.inputs[i]; in >= 0 && r.In[in] {
				out[k] = append(out[k], slices.Clone(at))
			}
			i++
		})
	}
	return out
}

// divide takes the rows without unknown bits in which a bit of the output becomes a value, and those in which it could and does not.
func (j *joiner) divide(p *pool, bit int, to bool) error {
	j.yes, j.no, j.self = nil, nil, -1
	d := p.w.decls[p.class.Output.Name]
	if d.read {
		for k := range j.predicates {
			if q := &j.predicates[k]; q.declaration == d && (d.boolean || q.bit == d.width-1-bit) {
				j.self = k
			}
		}
	}
	for _, rc := range p.picked {
		r, own := &j.rows[rc[0]], p.objects[rc[1]]
		if r.InKnown != nil {
			continue
		}
		outs, err := p.w.outputBits(p.class.Output, own)
		if err != nil {
			return err
		}
		if j.self >= 0 {
			args, err := d.places(p.class.Output, own)
			if err != nil {
				return err
			}
			if j.truth(&j.predicates[j.self], args, rc[0]) == to {
				continue
			}
		}
		actions, err := p.actions(r, own)
		if err != nil {
			return err
		}
		if e := (example{rc[0], own, actions}); r.Out[outs[bit]] == to {
			j.yes = append(j.yes, e)
		} else {
			j.no = append(j.no, e)
		}
	}
	return nil
}

// cover finds joins that hold in no row of no, until those of yes have one each, and others that are as short and hold in as many.
func (j *joiner) cover(ctx context.Context) (out [][]condition, err error) {
	left := j.rest(nil, append([]example{{}}, j.yes...))
	for tries := 0; len(left) > 0 && tries < maxJoins; tries++ {
		s := &seek{joiner: j, left: left}
		if err := s.shortest(ctx); err != nil {
			return nil, err
		}
		out = append(out, s.best...)
		left = j.rest(s.best, left)
	}
	return out, nil
}

// rest are the examples but the first, and those that the first of some joins explains.
func (j *joiner) rest(joins [][]condition, left []example) (rest []example) {
	wrong := map[string]bool{}
	for _, e := range j.no {
		wrong[e.actions] = wrong[e.actions] || len(joins) > 0 && j.matches(joins[0], e)
	}
	for _, e := range left[1:] {
		_, refutable := wrong[e.actions]
		if refutable && (joins == nil || wrong[e.actions] || !j.matches(joins[0], e)) {
			rest = append(rest, e)
		}
	}
	return rest
}

// matches reports whether a join holds in an example for some objects.
func (j *joiner) matches(c []condition, e example) bool {
	var bound [maxObjects]int
	for i := range bound {
		bound[i] = -1
	}
	copy(bound[:], e.own)
	return j.match(c, e.row, bound[:])
}

func (j *joiner) match(c []condition, row int, bound []int) bool {
	if len(c) == 0 {
		return true
	}
	p := &j.predicates[c[0].predicate]
	var args [mostArgs]int
	open := false
	for k, a := range c[0].args {
		if args[k] = -1 - a; a >= 0 {
			args[k] = bound[a]
			open = open || args[k] < 0
		}
	}
	at := args[:len(c[0].args)]
	if !open {
		return j.truth(p, at, row) != c[0].neg && j.match(c[1:], row, bound)
	}
	for _, tuple := range j.facts[row][c[0].predicate] {
		fits := true
		for k, a := range c[0].args {
			switch {
			case at[k] >= 0:
				fits = fits && at[k] == tuple[k]
			case bound[a] < 0:
				bound[a] = tuple[k]
			default: // named twice
				fits = fits && bound[a] == tuple[k]
			}
		}
		if fits && j.match(c[1:], row, bound) {
			return true
		}
		for k, a := range c[0].args {
			if at[k] < 0 {
				bound[a] = -1
			}
		}
	}
	return false
}

func (j *joiner) truth(p *predicate, args []int, row int) bool {
	if p.Static {
		v, _ := p.Value(args)
		return v != 0
	}
	in := p.inputs[p.place(args)]
	return in >= 0 && j.rows[row].In[in]
}

// seek is a search for joins that hold in the first row that is left.
type seek struct {
	*joiner
	left    []example
	refuted []example // rows of no that refuted a join, first the one that did so last
	seen    map[string]bool
	nodes   int

	objects []thing // by variable
	itself  []int   // the arguments of the output
	conds   []condition
	keys    []string
	done    [][]string // joins that were found, as sorted keys
	best    [][]condition
	covered int
}

// shortest finds the joins that hold in most of the rows that are left: shortest ones, or ones with a literal more.
func (s *seek) shortest(ctx context.Context) error {
	if s.self >= 0 {
		var err error
		if s.itself, err = s.predicates[s.self].places(s.output, s.left[0].own); err != nil {
			return err
		}
	}
	for k, place := range s.left[0].own {
		s.objects = append(s.objects, thing{s.own[k], place})
	}
	for size := 1; size <= maxJoin; size++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.seen = map[string]bool{}
		s.extend(size)
		if s.covered == len(s.left) || s.best != nil && size > len(s.best[0]) || s.nodes > maxNodes {
			break
		}
	}
	return nil
}

// extend adds so many literals that hold in the row.
func (s *seek) extend(more int) {
	if more == 0 {
		s.judge()
		return
	}
	for k := range s.predicates {
		p := &s.predicates[k]
		s.closed(k, p, more)
		for _, tuple := range s.facts[s.left[0].row][k] {
			s.open(k, p, tuple, more)
		}
	}
}

// closed adds the literals of a predicate over the variables so far. Of actions, only what is done.
func (s *seek) closed(k int, p *predicate, more int) {
	args, at := make([]int, len(p.params)), make([]int, len(p.params))
	var fill func(i int)
	fill = func(i int) {
		if i == len(args) {
			truth := s.truth(p, at, s.left[0].row)
			if (truth || !p.action) && (k != s.self || !slices.Equal(at, s.itself)) {
				s.add(condition{k, !truth, slices.Clone(args)}, s.objects, more)
			}
			return
		}
		if !p.params[i].object {
			for v := range p.params[i].names {
				args[i], at[i] = -1-v, v
				fill(i + 1)
			}
			return
		}
		for v, o := range s.objects {
			if o.typ == p.params[i] {
				args[i], at[i] = v, o.place
				fill(i + 1)
			}
		}
	}
	fill(0)
}

// open adds a true literal with further objects: with any an action, where there is none, and with one more what is related to objects so far.
func (s *seek) open(k int, p *predicate, tuple []int, more int) {
	objects := s.objects
	args := make([]int, len(tuple))
	shared := len(s.objects) == 0
	for i, place := range tuple {
		if !p.params[i].object {
			args[i] = -1 - place
			continue
		}
		o := thing{p.params[i], place}
		v := slices.Index(objects, o)
		if shared = shared || v >= 0 && v < len(s.objects); v < 0 {
			v, objects = len(objects), append(slices.Clip(objects), o)
		}
		args[i] = v
	}
	fresh := len(objects) - len(s.objects)
	first := p.action
	for _, c := range s.conds {
		first = first && !s.predicates[c.predicate].action
	}
	if fresh > 0 && len(objects) <= len(s.own)+maxVariables && (first || fresh == 1 && shared) {
		s.add(condition{k, false, args}, objects, more)
	}
}

// add goes on with a literal, unless the same ones were tried in another order.
func (s *seek) add(c condition, objects []thing, more int) {
	name := fmt.Sprint(c.predicate, c.neg)
	for _, a := range c.args {
		if a < 0 {
			name += fmt.Sprint(" ", a)
		} else {
			name += " " + objects[a].typ.typ + fmt.Sprint(objects[a].place)
		}
	}
	if s.nodes++; slices.Contains(s.keys, name) || s.nodes > maxNodes {
		return
	}
	keys := append(slices.Clone(s.keys), name)
	slices.Sort(keys)
	all := strings.Join(keys, " ")
	if s.seen[all] || s.longer(keys) {
		return
	}
	s.seen[all] = true
	before, names := s.objects, s.keys
	s.objects, s.keys, s.conds = objects, keys, append(s.conds, c)
	s.extend(more - 1)
	s.objects, s.keys, s.conds = before, names, s.conds[:len(s.conds)-1]
}

// longer reports whether a join that was found is part of another.
func (s *seek) longer(keys []string) bool {
	for _, done := range s.done {
		part := true
		for _, x := range done {
			part = part && slices.Contains(keys, x)
		}
		if part {
			return true
		}
	}
	return false
}

// judge takes the join if it holds in no row of no, and in more of those that are left than the best one.
func (s *seek) judge() {
	for i, e := range s.refuted {
		if s.matches(s.conds, e) {
			s.refuted[0], s.refuted[i] = e, s.refuted[0]
			return
		}
	}
	for _, e := range s.no {
		if e.actions == s.left[0].actions && s.matches(s.conds, e) {
			s.refuted = append(s.refuted, e)
			return
		}
	}
	s.done = append(s.done, slices.Clone(s.keys))
	n := 0
	for _, e := range s.left {
		if s.matches(s.conds, e) {
			n++
		}
	}
	switch {
	case n > s.covered:
		s.best, s.covered = [][]condition{slices.Clone(s.conds)}, n
	case n == s.covered && len(s.conds) == len(s.best[0]) && len(s.best) < maxRivals:
		s.best = append(s.best, slices.Clone(s.conds))
	}
}
