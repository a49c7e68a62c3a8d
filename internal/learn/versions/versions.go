package versions

import "slices"

// MaxVariables bounds the variables of a function.
const MaxVariables = 256

// Point is the value of each variable as a number from 0. Numbers below those of New are legal, others are of
// observations that the rules of the system do not have.
type Point []uint16

// Function is the version space of one output. It belongs to one goroutine.
type Function struct {
	domain []int // legal values by variable
	rows   []row
	seen   map[string]int // by point
	apart  []Set          // differences of rows with different values: each consistent set meets them all
	least  int            // no set of fewer variables is consistent
	census *census        // nil before it was asked for
}

type row struct {
	at Point
	on bool
}

// New returns the version space of an output of which no row was seen, with the number of legal values
// of each variable. It panics if there are more than MaxVariables.
func New(domain []int) *Function {
	if len(domain) > MaxVariables {
		panic("versions: too many variables")
	}
	return &Function{domain: domain, seen: map[string]int{}}
}

// Rows is the number of distinct rows.
func (f *Function) Rows() int { return len(f.rows) }

// Add takes a row, unless it is known; it is kept, not copied. It reports whether the row agrees with
// those before: false means that the same point has two values, so that no function of the variables fits.
func (f *Function) Add(at Point, on bool) bool {
	key := at.Key()
	if i, ok := f.seen[key]; ok {
		return f.rows[i].on == on
	}
	f.seen[key] = len(f.rows)
	f.rows = append(f.rows, row{at, on})
	return true
}

// Key identifies a point.
func (at Point) Key() string {
	key := make([]byte, 0, 2*len(at))
	for _, x := range at {
		key = append(key, byte(x), byte(x>>8))
	}
	return string(key)
}

// Least is the least number of variables of a function that agrees with the rows, more than most if none of at
// most so many does.
func (f *Function) Least(most int) int {
	for ; f.least <= most; f.least++ {
		s := f.search()
		if s.extend(Set{}, Set{}, f.apart, nil, f.least) {
			break
		}
	}
	return f.least
}

// Decisive returns the variables that each consistent set of at most k variables has, and whether they are such a set themselves.
func (f *Function) Decisive(k int) (vars []int, ok bool) {
	s := f.search()
	if !s.extend(Set{}, Set{}, f.apart, nil, k) {
		return nil, false
	}
	var all Set
	for _, v := range s.found.List() {
		var closed Set
		closed.Add(v)
		if !f.search().extend(Set{}, closed, f.apart, nil, k) {
			all.Add(v)
		}
	}
	_, more := f.unmet(all, 0)
	return all.List(), !more
}

// Cells returns a row for each combination of values that some variables have in rows.
func (f *Function) Cells(vars []int) (all []Point, on []bool) {
	have := map[string]bool{}
	for _, r := range f.rows {
		at := make(Point, 0, len(vars))
		for _, v := range vars {
			at = append(at, r.at[v])
		}
		if key := at.Key(); !have[key] {
			have[key] = true
			all, on = append(all, r.at), append(on, r.on)
		}
	}
	return all, on
}

// Values tells which values the functions of at most k variables have at a point: neither if there is no such
// function.
func (f *Function) Values(k int, at Point) (zero, one bool) {
	return f.has(k, at, false), f.has(k, at, true)
}

// has reports whether some function has a value at a point.
func (f *Function) has(k int, at Point, value bool) bool {
	s := f.search()
	return s.extend(Set{}, Set{}, f.apart, s.against(at, Set{}, value), k)
}

// Cube generalises a point at which all functions of at most k variables have the given value: they have it
// wherever the variables listed have the values of the point, and the others any legal ones. Those of keep are fixed
// in any case.
func (f *Function) Cube(k int, at Point, value bool, keep []int) (fixed []int) {
	var free Set
	for v := range f.domain {
		if !slices.Contains(keep, v) {
			free.Add(v)
		}
	}
	for {
		s := f.search()
		s.free, s.at = free, slices.Clone(at)
		if !s.extend(Set{}, Set{}, f.apart, s.against(at, free, !value), k) {
			break
		}
		// Some function differs where its variables have the values of s.at: fix one of them.
		fix := -1
		for _, v := range s.found.List() {
			if free.Has(v) && s.at[v] != at[v] {
				fix = v
				break
			}
		}
		free[fix/64] &^= 1 << (fix % 64)
	}
	for v := range f.domain {
		if !free.Has(v) {
			fixed = append(fixed, v)
		}
	}
	return f.shrink(k, at, value, fixed, keep)
}

// shrink frees what of fixed need not be fixed.
func (f *Function) shrink(k int, at Point, value bool, fixed, keep []int) []int {
	for i := 0; i < len(fixed); {
		if slices.Contains(keep, fixed[i]) {
			i++
			continue
		}
		rest := slices.Delete(slices.Clone(fixed), i, i+1)
		s := f.search()
		for v := range f.domain {
			if !slices.Contains(rest, v) {
				s.free.Add(v)
			}
		}
		s.at = slices.Clone(at)
		if s.extend(Set{}, Set{}, f.apart, s.against(at, s.free, !value), k) {
			i++
			continue
		}
		fixed = rest
	}
	return fixed
}

// search looks for a consistent set, with values of its free variables, that no row of some kind meets.
type search struct {
	f     *Function
	free  Set   // variables with any legal value
	at    Point // the point, with the values that were chosen for free variables of the set
	found Set
	known int // differences of the function when the search began
}

// rival is a row that the set has to tell from the point.
type rival struct {
	at    Point
	apart Set // fixed variables in which the point differs
}

func (f *Function) search() *search { return &search{f: f, known: len(f.apart)} }

// against lists the rows with another value than the given one.
func (s *search) against(at Point, free Set, value bool) []rival {
	if s.at == nil {
		s.at = at
	}
	var out []rival
	for i := range s.f.rows {
		if r := &s.f.rows[i]; r.on != value {
			out = append(out, rival{r.at, difference(r.at, at).Without(free)})
		}
	}
	return out
}

func difference(a, b Point) (m Set) {
	for v := range a {
		if a[v] != b[v] {
			m.Add(v)
		}
	}
	return m
}

// extend reports whether at most left variables, none of them closed, can be added to a set so that it meets the
// differences that it does not meet yet, and tells the point from the rivals.
func (s *search) extend(set, closed Set, apart []Set, rivals []rival, left int) bool {
	if len(apart)+len(rivals) == 0 {
		d, ok := s.f.unmet(set, s.known)
		if !ok {
			s.found = set
			return true
		}
		apart = []Set{d}
	}
	if left == 0 {
		return false
	}
	var candidates []int
	if left == 1 {
		candidates = s.last(set, closed, apart, rivals)
	} else {
		candidates = s.branch(set, closed, apart, rivals)
	}
	for _, v := range candidates {
		next := set
		next.Add(v)
		var rest []Set
		for _, d := range apart {
			if !d.Has(v) {
				rest = append(rest, d)
			}
		}
		if !s.free.Has(v) {
			if s.extend(next, closed, rest, tell(rivals, func(r *rival) bool { return r.apart.Has(v) }), left-1) {
				return true
			}
		} else if s.anyValue(v, next, closed, rest, rivals, left) {
			return true
		}
		closed.Add(v)
	}
	return false
}

// tell lists the rivals that are not told from the point.
func tell(rivals []rival, told func(*rival) bool) []rival {
	var rest []rival
	for i := range rivals {
		if !told(&rivals[i]) {
			rest = append(rest, rivals[i])
		}
	}
	return rest
}

// anyValue tries the values of a free variable.
func (s *search) anyValue(v int, next, closed Set, rest []Set, rivals []rival, left int) bool {
	was := s.at[v]
	for x := range s.f.domain[v] {
		s.at[v] = uint16(x)
		if s.extend(next, closed, rest, tell(rivals, func(r *rival) bool { return r.at[v] != uint16(x) }), left-1) {
			return true
		}
	}
	s.at[v] = was
	return false
}

// branch lists the variables one of which the set needs: those of the smallest difference that it does not meet.
func (s *search) branch(set, closed Set, apart []Set, rivals []rival) []int {
	var best Set
	fewest := MaxVariables + 1
	for _, d := range apart {
		if m := d.Without(closed); m.Count() < fewest {
			best, fewest = m, m.Count()
		}
	}
	for i := range rivals {
		m := rivals[i].apart.Or(s.free).Without(closed).Without(set)
		if n := m.Count(); n < fewest {
			best, fewest = m, n
		}
	}
	return best.List()
}

// last lists the variables that meet all that is left.
func (s *search) last(set, closed Set, apart []Set, rivals []rival) []int {
	all := Set{}.Not().Without(closed).Without(set)
	for _, d := range apart {
		all = all.And(d)
	}
	for i := range rivals {
		if all == (Set{}) {
			return nil
		}
		all = all.And(rivals[i].apart.Or(s.free))
	}
	var out []int
	for _, v := range all.List() {
		if v >= len(s.f.domain) {
			break
		}
		if s.free.Has(v) && len(rivals) >= s.f.domain[v] {
			seen := map[uint16]bool{} // values that rows have
			for i := range rivals {
				if x := rivals[i].at[v]; int(x) < s.f.domain[v] {
					seen[x] = true
				}
			}
			if len(seen) == s.f.domain[v] {
				continue
			}
		}
		out = append(out, v)
	}
	return out
}

// unmet returns a difference of rows with different values that a set does not meet; those before known are met.
func (f *Function) unmet(set Set, known int) (Set, bool) {
	for _, d := range f.apart[known:] {
		if !d.Meets(&set) {
			return d, true
		}
	}
	d, ok := f.contradicted(set)
	if ok {
		f.apart = append(f.apart, d)
	}
	return d, ok
}

// contradicted returns the difference of two rows that agree on a set and have different values.
func (f *Function) contradicted(set Set) (Set, bool) {
	vars := set.List()
	first := make(map[uint64]int, len(f.rows))
	for i := range f.rows {
		r := &f.rows[i]
		key := uint64(14695981039346656037)
		for _, v := range vars {
			key = (key ^ uint64(r.at[v])) * 1099511628211
		}
		k, ok := first[key]
		if !ok {
			first[key] = i
		} else if f.rows[k].on != r.on {
			if d := difference(f.rows[k].at, r.at); !d.Meets(&set) { // else the keys are alike by chance
				return d, true
			}
		}
	}
	return Set{}, false
}
