package pattern

import (
	"cmp"
	"slices"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/propagate"
	"github.com/fdplan/fdplan/problem/factored"
)

// table is a pattern: some exclusive variables, and for their values together the
// least cost of moves to a goal.
type table struct {
	vars   []*variable
	stride []int
	left   []int64 // by index, the sum of value times stride
}

// builder makes tables.
type builder struct {
	final *propagate.State // goal and rules of a state
	now   []model.Lit      // variable of each bit in final
	sets  []uint64         // by bit of the problem: the sets that it is in, words many
	words int
}

// build makes the table of some variables, in the order given.
func (b *builder) build(vars []*variable) *table {
	t := &table{vars: vars}
	n := 1
	for _, x := range vars {
		t.stride = append(t.stride, n)
		n *= x.size
	}
	t.left = make([]int64, n)
	values := make([]int, len(vars))
	heap := &queue{of: map[int64][]int{}}
	for i := range t.left {
		t.values(i, values)
		t.left[i] = Never
		if b.possible(vars, values) && b.isGoal(vars, values) {
			t.left[i] = 0
			heap.push(0, i)
		}
	}
	t.spread(b, heap)
	return t
}

// values are the values of an index.
func (t *table) values(index int, out []int) {
	for k, x := range t.vars {
		out[k] = index / t.stride[k] % x.size
	}
}

// possible reports whether some state may have these values.
func (b *builder) possible(vars []*variable, values []int) bool {
	for k, x := range vars {
		for j := range k {
			y := vars[j]
			if x.isSet && y.isSet && values[k] > 0 && values[j] > 0 && b.apart(x.bits[values[k]-1], y.bits[values[j]-1]) {
				return false
			}
		}
	}
	return true
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
			if x.isSet && values[k] != i+1 || !x.isSet && values[k]>>i&1 == 0 {
				l = -l
			}
			if !st.Assign(l) {
				return false
			}
		}
	}
	return true
}

// queue holds indices by what is left from there.
type queue struct {
	of   map[int64][]int
	keys []int64 // descending, those of which something may be left
}

func (q *queue) push(left int64, index int) {
	list, ok := q.of[left]
	if !ok {
		i, _ := slices.BinarySearchFunc(q.keys, left, func(a, b int64) int { return cmp.Compare(b, a) })
		q.keys = slices.Insert(q.keys, i, left)
	}
	q.of[left] = append(list, index)
}

// pop takes all indices of which the least is left.
func (q *queue) pop() (left int64, list []int) {
	left = q.keys[len(q.keys)-1]
	q.keys = q.keys[:len(q.keys)-1]
	list = q.of[left]
	delete(q.of, left)
	return left, list
}

// spread goes backwards over moves from the goals, whose items all have 0 left.
func (t *table) spread(b *builder, heap *queue) {
	back := make([][][]move, len(t.vars)) // by variable and value: moves that lead there
	for k, x := range t.vars {
		back[k] = make([][]move, x.size)
		for v, moves := range x.moves {
			for _, m := range moves {
				back[k][m.to] = append(back[k][m.to], move{v, m.cost})
			}
		}
	}
	values := make([]int, len(t.vars))
	for len(heap.keys) > 0 {
		left, list := heap.pop()
		for _, index := range list {
			if left > t.left[index] {
				continue
			}
			t.values(index, values)
			for k, now := range values {
				for _, m := range back[k][now] {
					i := index + (m.to-now)*t.stride[k]
					if after := left + m.cost; after < t.left[i] {
						values[k] = m.to
						if b.possible(t.vars, values) {
							t.left[i] = after
							heap.push(after, i)
						}
					}
				}
				values[k] = now
			}
		}
	}
}

// gain is how much more than the sum of two tables a table over both says, on
// average over the values from which a goal can be reached.
func gain(joint, a, b *table) float64 {
	var sum, n float64
	values := make([]int, len(joint.vars))
	for i, left := range joint.left {
		if left >= Never {
			continue
		}
		joint.values(i, values)
		sum += float64(left - a.of(values[:len(a.vars)]) - b.of(values[len(a.vars):]))
		n++
	}
	return sum / max(n, 1)
}

// of is the entry of some values.
func (t *table) of(values []int) int64 {
	i := 0
	for k, v := range values {
		i += v * t.stride[k]
	}
	return t.left[i]
}
