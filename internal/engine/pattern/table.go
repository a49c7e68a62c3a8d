package pattern

import (
	"math"

	"github.com/fdplan/fdplan/internal/integer"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/propagate"
	"github.com/fdplan/fdplan/problem/factored"
)

// table is a pattern: some exclusive variables, and for their values together the
// least cost of moves to a goal.
type table struct {
	vars   []*variable
	stride []int
	unit   int64    // costs are multiples of it, or rounded down to such
	left   []uint16 // in units, by index, the sum of value times stride; far for Never
}

// Entries of a table.
const (
	far  = math.MaxUint16
	most = far - 1
)

// at is the entry of an index.
func (t *table) at(index int) int64 {
	if t.left[index] == far {
		return Never
	}
	return int64(t.left[index]) * t.unit
}

// builder makes tables.
type builder struct {
	end   *propagate.System // goal and rules of a state
	final *propagate.State  // of them
	now   []model.Lit       // variable of each bit in final
	sets  []uint64          // by bit of the problem: the sets that it is in, words many
	words int
}

// alone is a builder for a goroutine of its own.
func (b *builder) alone() *builder {
	own := *b
	own.final = b.end.NewState()
	return &own
}

// build makes the table of some variables, in the order given.
func (b *builder) build(vars []*variable) *table {
	t := &table{vars: vars}
	n := 1
	for _, x := range vars {
		t.stride = append(t.stride, n)
		n *= x.size
		for _, moves := range x.moves {
			for _, m := range moves {
				t.unit = integer.GCD(t.unit, m.cost)
			}
		}
	}
	t.unit = max(t.unit, 1)
	t.left = make([]uint16, n)
	s := &spreading{table: t, conflict: b.conflicts(vars)}
	s.fill(b.goals(s))
	return t
}

// conflicts tells for each two variables, by value of the first times the size of
// the second plus value of the second, whether no state has both values; nil for
// two that all values of go together.
func (b *builder) conflicts(vars []*variable) [][][]bool {
	out := make([][][]bool, len(vars))
	for k, x := range vars {
		out[k] = make([][]bool, len(vars))
		for j, y := range vars {
			if j == k || !x.isSet || !y.isSet {
				continue
			}
			some := false
			list := make([]bool, x.size*y.size)
			for v, bit := range x.bits {
				for w, other := range y.bits {
					apart := b.apart(bit, other)
					list[(v+x.none)*y.size+w+y.none] = apart
					some = some || apart
				}
			}
			if some {
				out[k][j] = list
			}
		}
	}
	return out
}

// apart reports whether no state has both bits true: some set has both.
func (b *builder) apart(x, y factored.Bit) bool {
	for i := range b.words {
		if b.sets[int(x)*b.words+i]&b.sets[int(y)*b.words+i] != 0 {
			return true
		}
	}
	return false
}

// goals lists the indices of the values with which a plan may end; there may be some
// with which none does.
func (b *builder) goals(s *spreading) (out []int32) {
	vars := s.vars
	alone := make([][]int, len(vars)) // by variable: values that are allowed, whatever the others
	for k, x := range vars {
		for v := range x.size {
			if b.isGoal(vars[k:k+1], []int{v}) {
				alone[k] = append(alone[k], v)
			}
		}
	}
	values := make([]int, len(vars))
	var choose func(k, index int)
	choose = func(k, index int) {
		if k == len(vars) {
			if len(vars) == 1 || b.isGoal(vars, values) {
				out = append(out, int32(index))
			}
			return
		}
		for _, v := range alone[k] {
			if values[k] = v; !s.clash(k, k, values) {
				choose(k+1, index+v*s.stride[k])
			}
		}
	}
	choose(0, 0)
	return out
}

// isGoal reports whether a plan may end with these values; it may err on the
// side of yes.
func (b *builder) isGoal(vars []*variable, values []int) bool {
	st := b.final
	if !st.Consistent() {
		return false
	}
	st.Reset()
	for k, x := range vars {
		for i, bit := range x.bits {
			l := b.now[bit]
			if x.isSet && values[k] != i+x.none || !x.isSet && values[k]>>i&1 == 0 {
				l = -l
			}
			if !st.Assign(l) {
				return false
			}
		}
	}
	return true
}

// spreading fills a table.
type spreading struct {
	*table
	conflict [][][]bool
}

// clash reports whether no state has the value of variable k and that of one of the
// first n others.
func (s *spreading) clash(k, n int, values []int) bool {
	for j, list := range s.conflict[k][:n] {
		if list != nil && list[values[k]*s.vars[j].size+values[j]] {
			return true
		}
	}
	return false
}

// fill computes the entries. Where they have no room, the unit becomes coarser.
func (s *spreading) fill(goals []int32) {
	for !s.spread(goals) {
		s.unit <<= 8
	}
}

// spread goes backwards over moves from the goals, which have 0 left. It is false
// where an entry is too large for the unit.
func (s *spreading) spread(goals []int32) bool {
	for i := range s.left {
		s.left[i] = far
	}
	var queue radixQueue
	for _, i := range goals {
		s.left[i] = 0
		queue.push(0, i)
	}
	back := make([][][]move, len(s.vars)) // by variable and value: moves that lead there, in units
	for k, x := range s.vars {
		back[k] = make([][]move, x.size)
		for v, moves := range x.moves {
			for _, m := range moves {
				back[k][m.to] = append(back[k][m.to], move{v, m.cost / s.unit})
			}
		}
	}
	values := make([]int, len(s.vars))
	var apart []int32 // of values that no state has together; 0 is left there meanwhile, which no way betters
	defer func() {
		for _, i := range apart {
			s.left[i] = far
		}
	}()
	for {
		left, index, ok := queue.pop()
		if !ok {
			return true
		}
		if left > int32(s.left[index]) {
			continue
		}
		for k, x := range s.vars {
			values[k] = int(index) / s.stride[k] % x.size
		}
		for k, now := range values {
			for _, m := range back[k][now] {
				i, after := int(index)+(m.to-now)*s.stride[k], int64(left)+m.cost
				if after >= int64(s.left[i]) && s.left[i] != far {
					continue
				}
				if values[k] = m.to; s.left[i] == far && s.clash(k, len(s.vars), values) {
					s.left[i] = 0
					apart = append(apart, int32(i))
					continue
				}
				if after > most {
					return false
				}
				s.left[i] = uint16(after)
				queue.push(int32(after), int32(i))
			}
			values[k] = now
		}
	}
}

// gain is how much more than the sum of two tables of one variable each a table over both
// says: on average over states, plus a part of the average over the values from which a
// goal can be reached.
func gain(joint, a, b *table, states []values) float64 {
	rise := func(i int) float64 {
		return float64(joint.at(i) - a.at(i%len(a.left)) - b.at(i/len(a.left)))
	}
	var sum, n, all float64
	for i, left := range joint.left {
		if left != far {
			all += rise(i)
			n++
		}
	}
	all /= max(n, 1)
	n = 0
	for _, s := range states {
		i := a.vars[0].valueIn(s.of) + len(a.left)*b.vars[0].valueIn(s.of)
		if joint.left[i] != far {
			sum += rise(i)
			n++
		}
	}
	return sum/max(n, 1) + all*tableShare
}

// tableShare is the weight of the average over a table beside that over states.
const tableShare = 0.125
