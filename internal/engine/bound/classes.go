package bound

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

// class is a set of joint values of the bits that one group reads of another which are all
// the same to the reader: it moves alike. A group that reads two bits or more of another has
// copies of the classes, as bits of the relation's own, in place of copies of the bits: prices on
// joint values show more than prices on each bit, since what is read is one thing, such as the
// water that passes a gate, of how much water there is and whether the gate is open: eleven fields
// (irrigate -n 11 -H 30 of examples/scaling) have a bound of 1,082 with prices on bits, and 451 with these.
type class struct {
	bit    int32   // of the relation: the joint value is in the class
	inputs []int32 // the bits that are read
	values []uint64
	reader int32
}

// Bounds on classes: of bits that are read, of classes, and of the clauses that define them.
const (
	maxClassInputs  = 8
	maxClasses      = 24
	maxClassClauses = 2_000
	// The same where links hand something on with what they are of.
	maxHandedInputs  = 10
	maxHandedClauses = 8_000
)

// gatherHomes moves actions and shared variables to the group whose state all their readers read: what
// is read together is of one group then.
func (s *structure) gatherHomes() {
	readers := make([][]int32, s.r.numVars+1) // by variable
	for id, g := range s.groups {
		for _, v := range g.reads {
			readers[v] = append(readers[v], int32(id))
		}
	}
	for v := int32(1); v <= s.r.numVars; v++ {
		if len(readers[v]) < 2 || s.home[v] < 0 || s.r.role[v] == now || s.r.role[v] == after || s.r.role[v] == quantity || s.r.clocked(v) {
			continue
		}
		first := readers[v][0]
		candidates := append(s.stateHomes(first), first)
		slices.Sort(candidates)
		for _, h := range candidates {
			if s.readByAll(h, readers[v]) {
				s.home[v] = h
				if !slices.Contains(readers[v], h) {
					s.groups[h].reads = append(s.groups[h].reads, v)
				}
				break
			}
		}
	}
}

// stateHomes lists the groups whose state a group reads, its own among them where it reads that.
func (s *structure) stateHomes(id int32) (out []int32) {
	for _, v := range s.groups[id].reads {
		if s.home[v] >= 0 && s.readsState(v) {
			out = insert(out, s.home[v])
		}
	}
	return out
}

// readsState reports whether who reads a variable reads a state that varies.
func (s *structure) readsState(v int32) bool { return s.r.role[v] == now && !s.r.clocked(v) }

// readByAll reports whether each of the readers, but for the group itself, reads its state.
func (s *structure) readByAll(h int32, readers []int32) bool {
	if len(s.groups[h].own) == 0 {
		return false
	}
	for _, id := range readers {
		if id != h && !slices.ContainsFunc(s.groups[id].reads, func(v int32) bool { return s.home[v] == h && s.readsState(v) }) {
			return false
		}
	}
	return true
}

// addClasses finds the classes of what groups read of each other, and lists the groups anew. It
// gives the groups as they were where that does not fit.
func (l *lister) addClasses(ctx context.Context, out []*local, most int) ([]*local, error) {
	s := l.s
	var changed []int32
	order, handed := s.handedOn()
	for _, id := range order {
		if handed != nil && slices.Contains(changed, id) { // what others take from it is a part of its moves
			costs, _ := s.shares()
			if err := l.relist(out, id, costs[id], most); err != nil {
				return nil, err
			}
		}
		listed := s.groups[id].reads // what the moves were listed with: classes of one source shift the places
		if handed != nil {
			for _, x := range handed[id] {
				if s.addClassesOf(id, x.by, out[id], listed, x.vars) {
					changed = insert(insert(changed, id), x.by)
				}
			}
		}
		for _, h := range s.sources(id) {
			if s.addClassesOf(id, h, out[id], listed, nil) {
				changed = insert(insert(changed, id), h)
			}
		}
	}
	costs, _ := s.shares()
	for _, id := range changed {
		if err := l.relist(out, id, costs[id], most); err != nil {
			return nil, err
		}
	}
	return out, ctx.Err()
}

// relist lists the moves of a group anew.
func (l *lister) relist(out []*local, id int32, costs []int64, most int) error {
	l.most = most
	x, err := l.list(l.s.groups[id], costs)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoGroups, err)
	}
	out[id] = x
	return nil
}

// sources lists the groups of which a group reads two bits or more.
func (s *structure) sources(id int32) (out []int32) {
	count := map[int32]int{}
	for _, v := range s.groups[id].reads {
		if h := s.home[v]; h >= 0 && h != id && !s.r.clocked(v) && s.r.role[v] != quantity {
			if count[h]++; count[h] == 2 {
				out = append(out, h)
			}
		}
	}
	return out
}

// addClassesOf replaces what a group, whose moves are listed by some reads, reads of another by classes, and with it other variables that this one
// reads too. It is false where these are too many.
func (s *structure) addClassesOf(id, h int32, g *local, listed, handed []int32) bool {
	r := s.r
	var inputs, places []int32
	for i, v := range listed {
		if (s.home[v] == h || slices.Contains(handed, v)) && !r.clocked(v) && r.role[v] != quantity && slices.Contains(s.groups[id].reads, v) {
			inputs, places = append(inputs, v), append(places, int32(i))
		}
	}
	mostInputs, mostClauses := maxClassInputs, maxClassClauses
	if len(handed) > 0 {
		mostInputs, mostClauses = maxHandedInputs, maxHandedClauses
	}
	if len(inputs) > mostInputs {
		return false
	}
	classOf, n := g.classify(places)
	if n < 2 || n > maxClasses || n<<len(inputs) > mostClauses || len(g.reads)+n > 60 || len(s.groups[h].reads)+n > 60 {
		return false
	}
	reader, home := s.groups[id], s.groups[h]
	reader.reads = slices.DeleteFunc(slices.Clone(reader.reads), func(v int32) bool { return slices.Contains(inputs, v) })
	reader.hides = append(slices.Clone(reader.hides), inputs...)
	reader.rows, home.rows = slices.Clone(reader.rows), slices.Clone(home.rows)
	for c := 1; c < n; c++ {
		x := class{bit: r.newBit(), inputs: inputs, reader: id}
		s.home = append(s.home, h)
		for value, k := range classOf {
			if k == c {
				x.values = append(x.values, uint64(value))
			}
		}
		s.classes = append(s.classes, x)
		reader.reads, home.reads = append(reader.reads, x.bit), append(home.reads, x.bit)
		for value, k := range classOf {
			n := r.add(x.row(uint64(value), k == c))
			reader.rows, home.rows = append(reader.rows, n), append(home.rows, n)
		}
	}
	s.hideClassed(h, inputs)
	return true
}

// hideClassed hides internal variables of a group of which others read classes alone, so that its moves are not told apart by them.
func (s *structure) hideClassed(h int32, vars []int32) {
	home := s.groups[h]
	for _, v := range vars {
		read := s.r.role[v] != internal || s.home[v] != h
		for id, g := range s.groups {
			read = read || int32(id) != h && slices.Contains(g.reads, v)
		}
		for i := range s.rules {
			read = read || slices.ContainsFunc(s.rules[i].Terms, func(t model.Term) bool { return t.Lit.Var() == v })
		}
		if !read {
			home.reads = slices.DeleteFunc(slices.Clone(home.reads), func(w int32) bool { return w == v })
			home.hides = append(slices.Clone(home.hides), v)
		}
	}
}

// classed reports whether classes are of a variable.
func (s *structure) classed(v int32) bool {
	return slices.ContainsFunc(s.classes, func(c class) bool { return slices.Contains(c.inputs, v) })
}

// enumerated orders what a group's moves are listed by: the bits that classes are of before the classes, which
// follow from them.
func (s *structure) enumerated(g *group, free []model.Lit) (out []model.Lit) {
	var last []model.Lit
	isClass := map[model.Lit]bool{}
	for i := range s.classes {
		isClass[model.Lit(s.classes[i].bit)] = true
	}
	for _, l := range free {
		if isClass[l] {
			last = append(last, l)
		} else {
			out = append(out, l)
		}
	}
	for i := range s.classes {
		if c := &s.classes[i]; slices.Contains(last, model.Lit(c.bit)) {
			for _, v := range c.inputs {
				if slices.Contains(g.hides, v) && !slices.Contains(out, model.Lit(v)) {
					out = append(out, model.Lit(v))
				}
			}
		}
	}
	return append(out, last...)
}

// row states whether a joint value is in the class.
func (x *class) row(value uint64, in bool) row {
	is := model.Lit(x.bit)
	if !in {
		is = -is
	}
	return clauseRow(append([]model.Lit{is}, unlike(x.inputs, value)...)...)
}

// unlike lists literals of which one is true where bits do not have a value.
func unlike(bits []int32, value uint64) []model.Lit {
	out := lits(bits)
	for i := range out {
		if value>>i&1 == 1 {
			out[i] = -out[i]
		}
	}
	return out
}

// classify numbers the classes of the joint values of what a group reads at some places; the first value
// is in class 0.
func (g *local) classify(places []int32) (classOf []int, n int) {
	var mask uint64
	for _, p := range places {
		mask |= 1 << p
	}
	moves := make([][]string, 1<<len(places))
	for v := range g.moves {
		for i := range g.moves[v] {
			m := &g.moves[v][i]
			value := 0
			for k, p := range places {
				value |= int(m.reads>>p&1) << k
			}
			moves[value] = append(moves[value], fmt.Sprint(v, m.to, m.cost, m.reads&^mask))
		}
	}
	known := map[string]int{}
	for _, list := range moves {
		slices.Sort(list)
		h := fnv.New128a()
		for _, x := range list {
			fmt.Fprintln(h, x)
		}
		key := string(h.Sum(nil))
		c, ok := known[key]
		if !ok {
			c = len(known)
			known[key] = c
		}
		classOf = append(classOf, c)
	}
	return classOf, len(known)
}

// Class is a bit that stands for joint values of others at every step, as Amount stands for
// a sum: Bit is true if Inputs have one of Values, and Clauses say so.
type Class struct {
	Bit     model.Lit
	Inputs  []model.Lit
	Values  []uint64
	Clauses []model.Sum
}

// Classes lists the classes that groups read.
func (x *Relaxation) Classes() (out []Class) {
	for i := range x.f.s.classes {
		c := &x.f.s.classes[i]
		y := Class{Bit: model.Lit(c.bit), Inputs: lits(c.inputs), Values: c.values}
		for value := range uint64(1) << len(c.inputs) {
			y.Clauses = append(y.Clauses, c.row(value, slices.Contains(c.values, value)).sum)
		}
		out = append(out, y)
	}
	return out
}

// classText says what a class is of: the values of one variable, where they are few, and otherwise which case it is of what its reader tells apart.
func (f *Factors) classText(v int32) string {
	place := slices.IndexFunc(f.s.classes, func(c class) bool { return c.bit == v })
	if place < 0 {
		return "a sum over other groups"
	}
	c := &f.s.classes[place]
	text, names := f.valuesText(c)
	if text != "" {
		return text
	}
	number := 1
	for i := range f.s.classes[:place] {
		if d := &f.s.classes[i]; d.reader == c.reader && slices.Equal(d.inputs, c.inputs) {
			number++
		}
	}
	return fmt.Sprintf("%s together, in case %d", strings.Join(names, " and "), number)
}

// valuesText says which values of one variable a class is of, where they are few; names are those of the variables whose bits it is of.
func (f *Factors) valuesText(c *class) (text string, names []string) {
	single := (*factored.Variable)(nil) // whose bits they all are
	for _, w := range c.inputs {
		if f.r.bit[w] < 0 {
			continue
		}
		owner, _ := f.r.Task.Problem.Owner(factored.Bit(f.r.bit[w]))
		name := owner.Name
		if owner.Kind == factored.Auxiliary { // a bit of what has no variable
			name, _, _ = strings.Cut(name, "/")
		}
		if !slices.Contains(names, name) {
			names, single = append(names, name), owner
		}
	}
	if len(names) == 1 && !single.Bool && !slices.ContainsFunc(c.inputs, func(w int32) bool { return f.r.bit[w] < 0 }) {
		if values := f.classValues(c, single); len(values) > 0 && len(values) <= mostValuesShown {
			return single.Name + " is " + strings.Join(values, " or "), names
		}
	}
	return "", names
}

// mostValuesShown is how many values of a class are listed.
const mostValuesShown = 4

// classValues lists the values that a class has of the variable whose bits it is of.
func (f *Factors) classValues(c *class, of *factored.Variable) (values []string) {
	val := make(factored.Valuation, f.r.Task.Problem.NumBits())
	for i := range of.Width {
		b := of.First + factored.Bit(i)
		val[b] = f.r.fixed[f.r.nowVar(b)] > 0
	}
	var numbers []int64
	for _, value := range c.values {
		for i, w := range c.inputs {
			val[f.r.bit[w]] = value>>i&1 == 1
		}
		if x := of.Value(val); x >= of.Lo && x <= of.Hi {
			numbers = append(numbers, x)
		}
	}
	slices.Sort(numbers)
	for _, x := range numbers {
		values = append(values, fmt.Sprint(of.Show(x)))
	}
	return values
}
