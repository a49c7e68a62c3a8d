package tube

// trend is a bound that holds in every state that plans keeping the rules lead to: Low <= x[i] - x[j] <= High, where state
// j is what state i was one step before.
type trend struct {
	i, j      int
	low, high int64
}

// copied returns the state that l gives unchanged, -1 for none.
func (l *Linear) copied() int {
	at := -1
	for i, a := range l.X {
		if a == 0 {
			continue
		}
		if a != l.D || at >= 0 {
			return -1
		}
		at = i
	}
	for _, b := range l.U {
		if b != 0 {
			return -1
		}
	}
	if l.C != 0 {
		return -1
	}
	return at
}

// lagged returns the state of which state j is the value one step before, -1 for none.
func (m *Model) lagged(j int) int {
	n := &m.Next[j]
	if n.Given != nil || n.Function.If != nil || n.Low != 0 || n.High != 0 {
		return -1
	}
	if i := n.Function.Leaf.copied(); i != j {
		return i
	}
	return -1
}

// chain returns state i, what it was one step before, two steps before, and so on, as far as there are such states.
func (m *Model) chain(i int) []int {
	out := []int{i}
	for j := 0; j < len(m.States); j++ {
		if m.lagged(j) == out[len(out)-1] && len(out) <= len(m.States) {
			out = append(out, j)
			j = -1
		}
	}
	return out
}

// trends bounds by how much states change in a step, where the values before are states too. Of a state that changes within
// some bounds in the steps that are remembered, it is proven that it does so in the next one (an inductive invariant), first for
// the smallest d of a ladder within -d..d; then each bound is narrowed as long as what follows from both allows it.
func (t *Task) trends() (out []trend) {
	for i := range t.States {
		if t.lagged(i) >= 0 || t.Next[i].Given != nil {
			continue
		}
		c := t.chain(i)
		if len(c) < 2 {
			continue
		}
		least := int64(1)
		for k := range c[1:] {
			least = max(least, abs(t.Start[c[k]]-t.Start[c[k+1]]))
		}
		for d := least; d < t.States[i].Hi-t.States[i].Lo; d += d/6 + 1 {
			low, high := -d, d
			if !t.rises(c, low, high, d) || !t.falls(c, low, high, -d) {
				continue
			}
			for range 6 {
				a := t.narrow(-least, low, func(x int64) bool { return t.falls(c, low, high, x) })
				b := t.narrow(least, high, func(x int64) bool { return t.rises(c, low, high, x) })
				if a == low && b == high {
					break
				}
				low, high = a, b
			}
			for k := range c[1:] {
				out = append(out, trend{c[k], c[k+1], low, high})
			}
			break
		}
	}
	return out
}

// narrow returns a bound between least and x, which holds, that holds too and is nearly the least.
func (t *Task) narrow(least, x int64, holds func(int64) bool) int64 {
	for range 6 {
		mid := (least + x) / 2
		if mid == least || mid == x {
			break
		}
		if holds(mid) {
			x = mid
		} else {
			least = mid
		}
	}
	return x
}

// rises reports whether state c[0] rises by at most d in a step if it changed within low..high in those before.
func (t *Task) rises(c []int, low, high, d int64) bool { return t.follows(c, low, high, d, 1) }

// falls reports whether it changes by at least d then.
func (t *Task) falls(c []int, low, high, d int64) bool { return t.follows(c, low, high, -d, -1) }

func (t *Task) follows(c []int, low, high, d, sign int64) bool {
	r := &refuter{t: t, k: 1, anywhere: true}
	x, u := r.begin()
	for k := range c[1:] {
		r.between(x[c[k]], x[c[k+1]], low, high)
	}
	for i := range t.Rules {
		r.rows = append(r.rows, r.holds(&t.Rules[i], x, u[0]))
	}
	n := &t.Next[c[0]]
	err := n.High
	if sign < 0 {
		err = n.Low
	}
	return r.leaf(n.Function, x, u[0], func(l *Linear) bool {
		v := r.over(l, x, u[0])
		if !l.exact() {
			v = r.sum(0, 1, v, 1, r.variable(-.5, .5))
		}
		// v + err - x[c0] > d, or below -d: the end of the range only brings them nearer
		past := r.sum(float64(d+1-sign*err), float64(-sign), v, float64(sign), x[c[0]])
		return newProgram(r.vars, r.size, &r.work, r.rows, []row{past}).empty()
	})
}

// remembered returns the rules on states for the values that these had before, as far as there are such states and the
// rules hold for them in the start: they were the states' own values, or the start's.
func (t *Task) remembered() (out []Atom) {
	next := map[int]int{} // the state that is another one a step before
	for j := range t.States {
		if i := t.lagged(j); i >= 0 {
			next[i] = j
		}
	}
	for i := range t.Rules {
		a := t.Rules[i]
		for range t.States { // no farther back than there are states
			if a.Acts() {
				break
			}
			b := Atom{Linear{make([]int64, len(a.X)), a.U, a.C, a.D}, a.Strict, a.Text}
			ok := true
			for k, c := range a.X {
				if c != 0 {
					j, is := next[k]
					if ok = ok && is; is {
						b.X[j] = c
					}
				}
			}
			if !ok || !b.Holds(t.Start, nil) {
				break
			}
			out = append(out, b)
			a = b
		}
	}
	return out
}
