package bound

// pairs are tables of what two groups still cost together, at no prices and whatever the step, where the system can rest: robots that
// meet in a corridor go further than each alone.
type pairs struct {
	one [][]int64   // by group and value
	two [][][]int64 // by pair of groups a < b: [value of a * values of b + value of b]
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
			var end []bool
			of := f.endings(b)
			for _, x := range f.endings(a) {
				for _, y := range of {
					end = append(end, x && y)
				}
			}
			p.two[a][b] = distances(o.jointMoves(int32(a), int32(b)), end)
		}
	}
	return p
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
// them and those that are left out in none.
func (p *pairs) of(key []uint32, out uint) int64 {
	var sum int64
	for id, v := range key {
		if p.one[id][v] >= infinite {
			return infinite
		}
		sum += p.one[id][v]
	}
	return min(infinite, sum+p.matched(key, out))
}

// matched is the most that pairs of groups which are not among the used ones cost beyond what each costs alone.
func (p *pairs) matched(key []uint32, used uint) (best int64) {
	a := 0
	for ; a < len(key) && used>>a&1 == 1; a++ {
	}
	if a >= len(key)-1 {
		return 0
	}
	used |= 1 << a
	best = p.matched(key, used)
	for b := a + 1; b < len(key); b++ {
		if used>>b&1 == 1 {
			continue
		}
		x := p.two[a][b][int(key[a])*len(p.one[b])+int(key[b])]
		if x >= infinite {
			return infinite
		}
		if more := x - p.one[a][key[a]] - p.one[b][key[b]]; more > 0 {
			best = max(best, min(infinite, more+p.matched(key, used|1<<b)))
		}
	}
	return best
}
