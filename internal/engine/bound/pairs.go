package bound

// pairs are tables of what two groups still cost together, at no prices and whatever the step, where the system can rest: robots that
// meet in a corridor go further than each alone.
type pairs struct {
	one [][]int64   // by group and value
	two [][][]int64 // by pair of groups a < b: [value of a * values of b + value of b]
	// half is by two groups what they cost when the first has moved in a step and the other has not: [value of the first * values of the other + value of the other].
	half [][][]int64
	// steps is by pair of groups a < b the least number of steps to the end; nil before countSteps.
	steps [][][]int64
}

// Groups of which there are pairs, and the moves of all pairs together.
const (
	mostPaired     = 8
	mostPairedMove = 4_000_000
)

// jointMove is a move of one group or of two.
type jointMove struct {
	from, to int32
	cost     int64
}

// newPairs makes the tables; nil where that is of no use, or too much.
func (f *Factors) newPairs(o *order) *pairs {
	n, moves := len(f.parts), 0
	for a := range f.parts {
		for b := range a {
			moves += f.parts[a].total * f.parts[b].total
		}
		for _, from := range f.parts[a].moves {
			for i := range from {
				if from[i].cost < 0 {
					return nil
				}
			}
		}
	}
	if n < 2 || n > mostPaired || moves > mostPairedMove {
		return nil
	}
	p := &pairs{two: make([][][]int64, n)}
	for id := range f.parts {
		p.one = append(p.one, distances(f.singleMoves(id), f.endings(id)))
	}
	for a := range f.parts {
		p.two[a] = make([][]int64, n)
		for b := a + 1; b < n; b++ {
			p.two[a][b] = distances(o.jointMoves(int32(a), int32(b)), f.bothEnd(a, b))
		}
	}
	for a := range f.parts {
		p.half = append(p.half, make([][]int64, n))
		for b := range f.parts {
			if a != b {
				p.half[a][b] = f.halves(p, a, b)
			}
		}
	}
	return p
}

// countSteps makes the tables of steps.
func (p *pairs) countSteps(o *order) {
	n := len(p.one)
	for a := range n {
		p.steps = append(p.steps, make([][]int64, n))
		for b := a + 1; b < n; b++ {
			moves := o.jointMoves(int32(a), int32(b))
			for i := range moves {
				moves[i].cost = 1
			}
			p.steps[a][b] = distances(moves, o.f.bothEnd(a, b))
		}
	}
}

// late reports whether two groups that have moved need more steps than are left.
func (p *pairs) late(key []uint32, later uint, left int) bool {
	for a, list := range p.steps {
		for b, steps := range list {
			if steps != nil && (later>>a|later>>b)&1 == 0 && steps[int(key[a])*len(p.one[b])+int(key[b])] > int64(left) {
				return true
			}
		}
	}
	return false
}

// bothEnd reports of each two values of two groups whether they may be the last.
func (f *Factors) bothEnd(a, b int) (end []bool) {
	of := f.endings(b)
	for _, x := range f.endings(a) {
		for _, y := range of {
			end = append(end, x && y)
		}
	}
	return end
}

// halves lists what groups a and b cost when only b is still to move in a step.
func (f *Factors) halves(p *pairs, a, b int) []int64 {
	out := make([]int64, len(p.one[a])*len(p.one[b]))
	for v := range p.one[a] {
		for w, moves := range f.parts[b].moves {
			best := int64(infinite)
			for i := range moves {
				best = min(best, moves[i].cost+p.both(a, b, v, int(moves[i].to)))
			}
			out[v*len(p.one[b])+w] = min(best, infinite)
		}
	}
	return out
}

// both is what groups a and b cost from two values on.
func (p *pairs) both(a, b, v, w int) int64 {
	if a > b {
		a, b, v, w = b, a, w, v
	}
	return p.two[a][b][v*len(p.one[b])+w]
}

// endings reports of each value of a group whether it may be the last.
func (f *Factors) endings(id int) []bool { return f.parts[id].allowed[f.horizon] }

func (f *Factors) singleMoves(id int) (out []jointMove) {
	for v, moves := range f.parts[id].moves {
		for i := range moves {
			out = append(out, jointMove{int32(v), moves[i].to, moves[i].cost})
		}
	}
	return out
}

// jointMoves lists the moves of two groups that no rule between them forbids, whatever the others do.
func (o *order) jointMoves(a, b int32) (out []jointMove) {
	x, y := &o.f.parts[a], &o.f.parts[b]
	size := int32(len(y.values))
	for v, moves := range x.moves {
		for i := range moves {
			tight := o.between(a, b, o.uses[a][v][i])
			for w, others := range y.moves {
				for j := range others {
					if o.agree(a, b, tight, o.uses[b][w][j]) {
						out = append(out, jointMove{int32(v)*size + int32(w), moves[i].to*size + others[j].to, moves[i].cost + others[j].cost})
					}
				}
			}
		}
	}
	return out
}

// left is how much of a rule two groups may use.
func (o *order) left(a, b, rule int32) int64 {
	x, y := o.place[a], o.place[b]
	others := o.restMin[0][rule] - (o.restMin[x][rule] - o.restMin[x+1][rule]) - (o.restMin[y][rule] - o.restMin[y+1][rule])
	return o.f.rels[o.relOf[rule]].limit - others
}

// between lists what a move of group a uses of rules that one of group b may break with it.
func (o *order) between(a, b int32, uses rulesOf) (out rulesOf) {
	k := o.place[b]
	for _, u := range uses {
		if !o.f.rels[o.relOf[u.rel]].equal && u.coef+o.restMax[k][u.rel]-o.restMax[k+1][u.rel] > o.left(a, b, u.rel) {
			out = append(out, u)
		}
	}
	return out
}

func (o *order) agree(a, b int32, tight, other rulesOf) bool {
	for _, u := range tight {
		if u.coef+other.of(u.rel) > o.left(a, b, u.rel) {
			return false
		}
	}
	return true
}

// distances is what each value costs at least until an end.
func distances(moves []jointMove, end []bool) []int64 {
	out := make([]int64, len(end))
	for v, ok := range end {
		if !ok {
			out[v] = infinite
		}
	}
	for changed := true; changed; {
		changed = false
		for n := range moves {
			m := &moves[n]
			if x := out[m.to]; x < infinite && m.cost+x < out[m.from] {
				out[m.from], changed = m.cost+x, true
			}
		}
		for n := range moves {
			m := &moves[len(moves)-1-n]
			if x := out[m.to]; x < infinite && m.cost+x < out[m.from] {
				out[m.from], changed = m.cost+x, true
			}
		}
	}
	return out
}

// of is what a state costs at least until the end: what each group costs alone, and what pairs cost beyond that, each group in one of
// them. Groups that are still to move in a step have their values before it.
func (p *pairs) of(key []uint32, later uint) int64 {
	var sum int64
	for id, v := range key {
		if p.one[id][v] >= infinite {
			return infinite
		}
		sum += p.one[id][v]
	}
	return min(infinite, sum+p.matched(key, later, 0))
}

// matched is the most that pairs of groups which are not among the used ones cost beyond what each costs alone.
func (p *pairs) matched(key []uint32, later, used uint) (best int64) {
	a := 0
	for ; a < len(key) && used>>a&1 == 1; a++ {
	}
	if a >= len(key)-1 {
		return 0
	}
	used |= 1 << a
	best = p.matched(key, later, used)
	for b := a + 1; b < len(key); b++ {
		if used>>b&1 == 1 {
			continue
		}
		v, w := int(key[a]), int(key[b])
		var x int64
		switch {
		case later>>a&1 == later>>b&1:
			x = p.two[a][b][v*len(p.one[b])+w]
		case later>>b&1 == 1:
			x = p.half[a][b][v*len(p.one[b])+w]
		default:
			x = p.half[b][a][w*len(p.one[a])+v]
		}
		if x >= infinite {
			return infinite
		}
		if more := x - p.one[a][v] - p.one[b][w]; more > 0 {
			best = max(best, min(infinite, more+p.matched(key, later, used|1<<b)))
		}
	}
	return best
}
