package bracket

import (
	"math"

	"github.com/fdplan/fdplan/internal/engine/policy"
)

// tables bound, or estimate, the value of any state with any number of steps left: the sum of those of
// the patterns for rewards, and the least of them for the probability of success.
type tables struct {
	b        *builder
	horizon  int
	ends     bool // a run may end before the horizon
	patterns []*pattern
	prices   [][][]float64 // by pattern, steps left and joint action; nil for none
	rest     float64       // of each step, of the terms in no pattern
	factors  []float64     // by steps left: what to multiply an estimate by; nil for 1
	scratch  []float64
}

func (t *tables) factor(left int) float64 {
	if t.factors == nil {
		return 1
	}
	return t.factors[left]
}

// sweep computes the values of a pattern with 1, 2, … steps left. prices may be nil.
func (t *tables) sweep(k int, prices [][]float64) {
	p := t.patterns[k]
	n := len(p.index)
	success := t.b.objective == policy.Success
	if p.value == nil {
		p.value = make([][]float64, t.horizon+1)
		for i := range p.value {
			p.value[i] = make([]float64, n)
		}
	}
	for i := range p.value[0] {
		p.value[0][i] = 0
		if success && p.won[i] {
			p.value[0][i] = 1
		}
	}
	classes := len(p.members)
	price := make([]float64, classes)
	for left := 1; left <= t.horizon; left++ {
		for c := range price {
			price[c] = priceOf(p, prices, left, c)
		}
		before, now := p.value[left-1], p.value[left]
		for i := range now {
			if success && p.won[i] {
				now[i] = 1
				continue
			}
			best := math.Inf(-1)
			for c := range classes {
				if m := &p.moves[i*classes+c]; !m.never {
					best = max(best, m.reward+price[c]+t.expect(m, before))
				}
			}
			if t.ends && !success || math.IsInf(best, -1) { // no action is legal there: a run is over, or the state does not occur
				best = max(best, 0)
			}
			now[i] = best
		}
	}
}

// priceOf is the best price of an action of a class.
func priceOf(p *pattern, prices [][]float64, left, class int) float64 {
	if prices == nil {
		return 0
	}
	best := math.Inf(-1)
	for _, a := range p.members[class] {
		best = max(best, prices[left][a])
	}
	return best
}

// expect is the expected value of the next state of a move, by the best of what other fields allow.
func (t *tables) expect(m *move, value []float64) float64 {
	if len(m.folds) == 0 {
		return value[m.leaves[0]]
	}
	return t.reduce(m.leaves, m.folds[:m.open], m.joint, value)
}

// reduce is the expected value of leaves, by the best alternatives of open folds.
func (t *tables) reduce(leaves []uint32, open []fold, joint, value []float64) float64 {
	if len(open) == 0 {
		sum := 0.0
		for i, q := range joint {
			sum += q * value[leaves[i]]
		}
		return sum
	}
	blocks := len(leaves) / len(joint)
	if cap(t.scratch) < blocks {
		t.scratch = make([]float64, 2*blocks)
	}
	buf := t.scratch[:blocks]
	for j := range buf {
		sum := 0.0
		block := leaves[j*len(joint) : (j+1)*len(joint)]
		for i, q := range joint {
			sum += q * value[block[i]]
		}
		buf[j] = sum
	}
	for k := len(open) - 1; k >= 0; k-- {
		x := &open[k]
		blocks = len(buf) / x.n
		for j := range blocks {
			best := math.Inf(-1)
			block := buf[j*x.n : (j+1)*x.n]
			for _, a := range x.alts {
				sum := 0.0
				for i, q := range a {
					sum += q * block[i]
				}
				best = max(best, sum)
			}
			buf[j] = best
		}
		buf = buf[:blocks]
	}
	return buf[0]
}

// at is the value of a state.
func (t *tables) at(where []uint32, left int) float64 {
	if t.b.objective == policy.Success {
		v := 1.0
		for k, p := range t.patterns {
			v = min(v, p.value[left][where[k]])
		}
		return v
	}
	v := t.rest * float64(left)
	for k, p := range t.patterns {
		v += p.value[left][where[k]]
	}
	return v
}

// locate finds the numbers of a state in the patterns.
func (t *tables) locate(state []uint64, where []uint32) {
	for k, p := range t.patterns {
		where[k] = p.index[string(t.b.keyOf(state, p.mask))]
	}
}

// occupy adds to freq the expected number of times that a pattern's best policy takes each action with each number of steps
// left, from the start.
func (t *tables) occupy(k int, prices [][]float64, freq [][]float64) {
	p := t.patterns[k]
	classes := len(p.members)
	now, next := make([]float64, len(p.index)), make([]float64, len(p.index))
	order := []uint32{p.start}
	now[p.start] = 1
	for left := t.horizon; left >= 1; left-- {
		var found []uint32
		for _, i := range order {
			mass := now[i]
			now[i] = 0
			if p.won[i] || mass < 1e-7 {
				continue
			}
			best, choice := math.Inf(-1), 0
			for c := range classes {
				m := &p.moves[int(i)*classes+c]
				if m.never {
					continue
				}
				if v := m.reward + priceOf(p, prices, left, c) + t.expect(m, p.value[left-1]); v > best {
					best, choice = v, c
				}
			}
			if t.ends && best <= 0 || math.IsInf(best, -1) {
				continue
			}
			freq[left][bestOf(p.members[choice], prices, left)] += mass
			m := &p.moves[int(i)*classes+choice]
			t.spread(m, p.value[left-1], mass, func(leaf uint32, q float64) {
				if next[leaf] == 0 {
					found = append(found, leaf)
				}
				next[leaf] += q
			})
		}
		now, next, order = next, now, found
	}
}

// bestOf is the action with the best price.
func bestOf(members []uint32, prices [][]float64, left int) uint32 {
	best := members[0]
	if prices != nil {
		for _, a := range members[1:] {
			if prices[left][a] > prices[left][best] {
				best = a
			}
		}
	}
	return best
}

// spread hands a mass on to the leaves, with the alternatives that expect takes.
func (t *tables) spread(m *move, value []float64, mass float64, add func(leaf uint32, q float64)) {
	var down func(k, first int, mass float64) // the block of fold k that begins at a leaf
	down = func(k, first int, mass float64) {
		if mass < 1e-9 {
			return
		}
		if k == m.open {
			for i, q := range m.joint {
				if q > 0 {
					add(m.leaves[first+i], mass*q)
				}
			}
			return
		}
		x := &m.folds[k]
		size := len(m.joint)
		for _, y := range m.folds[k+1 : m.open] {
			size *= y.n
		}
		values := make([]float64, x.n)
		for i := range values {
			values[i] = t.reduce(m.leaves[first+i*size:first+(i+1)*size], m.folds[k+1:m.open], m.joint, value)
		}
		best, choice := math.Inf(-1), 0
		for j, a := range x.alts {
			sum := 0.0
			for i, q := range a {
				sum += q * values[i]
			}
			if sum > best {
				best, choice = sum, j
			}
		}
		for i, q := range x.alts[choice] {
			if q > 0 {
				down(k+1, first+i*size, mass*q)
			}
		}
	}
	down(0, 0, mass)
}
