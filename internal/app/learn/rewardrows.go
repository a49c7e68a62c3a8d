package learn

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fdplan/fdplan/internal/learn/reward"
	"github.com/fdplan/fdplan/internal/learn/train"
)

// rewardRows are the rows of which all is known, the reward too, in groups of the same states
// and action. Rows of a group are told apart by 64 bits of a hash. Rows are not kept, but read again.
type rewardRows struct {
	sources  []train.Source
	from, to float64 // the share of the rows of each source before which they are left out, and from which on
	rows     int
	groups   []rewardGroup
	index    map[uint64]int32 // groups by hash
}

// rewardRow is a row with a reward.
type rewardRow struct {
	source, row, group int32
	reward             float64
}

// rewardGroup are the rows with the same states before and after a step and the same action.
type rewardGroup struct {
	first  rewardRow
	reward float64 // the most frequent, the lowest of several
	agree  int     // rows with it
	next   int     // rows with the next most frequent one
	// Of all rows:
	n            int
	mean, square float64 // square is the sum of the squared differences from the mean (Welford, 1962)
}

// different reports whether there are so many different rewards at most.
func (x *rewardRows) different(most int) bool {
	seen := map[float64]bool{}
	for i := range x.groups {
		if seen[x.groups[i].reward] = true; len(seen) > most {
			return false
		}
	}
	return true
}

// add takes another reward.
func (g *rewardGroup) add(y float64) {
	g.n++
	d := y - g.mean
	g.mean += d / float64(g.n)
	g.square += d * (y - g.mean)
}

// each calls do for each row, in order. A row of a new group has the next number.
func (x *rewardRows) each(do func(r *rewardRow)) {
	for s := range x.sources {
		d := x.sources[s].Data
		if d.Rewards == nil {
			continue
		}
		row := make([]float64, len(d.Schema.Columns))
		var known []int32 // by the number of a row's values: its group plus 2, 1 for none, 0 if not seen
		for i := int(x.from * float64(d.Rows)); i < int(x.to*float64(d.Rows)); i++ {
			if math.IsNaN(d.Rewards[i]) {
				continue
			}
			g := int32(0)
			if d.Of != nil {
				if of := int(d.Of[i]); of >= len(known) {
					known = append(known, make([]int32, of+1-len(known))...)
				}
				g = known[d.Of[i]]
			}
			if g == 0 {
				d.Read(i, row)
				g = x.group(row) + 2
			}
			if d.Of != nil {
				known[d.Of[i]] = g
			}
			if g > 1 {
				do(&rewardRow{int32(s), int32(i), g - 2, d.Rewards[i]})
			}
		}
	}
}

// group returns the number of the group of a row; -1 if a value is not known.
func (x *rewardRows) group(row []float64) int32 {
	if slices.ContainsFunc(row, math.IsNaN) {
		return -1
	}
	k := hashed(row)
	g, ok := x.index[k]
	if !ok {
		g = int32(len(x.index))
		x.index[k] = g
	}
	return g
}

// rewarded groups the rows. Of each source, those before the share from and from the share to on
// are left out.
func rewarded(sources []train.Source, from, to float64) *rewardRows {
	x := &rewardRows{sources: sources, from: from, to: to, index: map[uint64]int32{}}
	var counts []map[float64]int // of a group with several rewards
	x.each(func(r *rewardRow) {
		if int(r.group) == len(x.groups) {
			x.groups = append(x.groups, rewardGroup{first: *r, reward: r.reward})
			counts = append(counts, nil)
		}
		x.rows++
		at := &x.groups[r.group]
		at.add(r.reward)
		switch {
		case counts[r.group] != nil:
			counts[r.group][r.reward]++
		case r.reward == at.reward:
			at.agree++
		default:
			counts[r.group] = map[float64]int{at.reward: at.agree, r.reward: 1}
		}
	})
	for g, of := range counts {
		at := &x.groups[g]
		if of == nil {
			continue
		}
		at.agree = 0
		for y, n := range of {
			if n > at.agree || n == at.agree && y < at.reward {
				at.reward, at.agree, at.next = y, n, at.agree
			} else {
				at.next = max(at.next, n)
			}
		}
	}
	return x
}

// hashed is a hash of values (FNV-1a, by words, with SplitMix64's last steps).
func hashed(row []float64) uint64 {
	h := uint64(14695981039346656037)
	for _, v := range row {
		h = (h ^ math.Float64bits(v+0)) * 1099511628211 // -0 is 0
		h ^= h >> 29
	}
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// values returns the columns of a row.
func (x *rewardRows) values(r *rewardRow) []float64 { return x.sources[r.source].Data.Row(int(r.row)) }

// line returns the line of a row or, if its file has no lines, its number.
func (x *rewardRows) line(r *rewardRow) int32 {
	if d := x.sources[r.source].Data; d.Line != nil {
		return int32(d.Line(int(r.row)))
	}
	return r.row + 1
}

// other counts the rows with another reward than most of their group.
func (x *rewardRows) other() int {
	n := x.rows
	for i := range x.groups {
		n -= x.groups[i].agree
	}
	return n
}

// byChance is how many times likelier the rows are, as a logarithm, where rewards come by chance.
const byChance = 9

// chance reports whether the same states and action yield one reward or another by chance: some have another one in far more rows than others have, while
// wrong records are found anywhere. The shares of groups are alike, or drawn from a beta distribution around the share of all.
func (x *rewardRows) chance() bool {
	other := float64(x.other())
	all := other / float64(x.rows)
	if other == 0 {
		return false
	}
	lg := func(x float64) float64 { v, _ := math.Lgamma(x); return v }
	for _, strength := range []float64{1, 4, 16} {
		a, b := strength*all, strength*(1-all)
		gain := 0.0
		for i := range x.groups {
			g := &x.groups[i]
			if g.n == 1 {
				continue
			}
			n, k := float64(g.n), float64(g.n-g.agree)
			gain += lg(a+k) + lg(b+n-k) - lg(strength+n) + lg(strength) - lg(a) - lg(b) - k*math.Log(all) - (n-k)*math.Log(1-all)
		}
		if gain > byChance {
			return true
		}
	}
	return false
}

// drawnGroups bounds the groups that a reward is learned on, those with a rare reward apart.
const drawnGroups = 20_000

// draw lists the groups to learn on: all, or of very many a part, and those with a rare reward.
func (x *rewardRows) draw(seed uint64) []int {
	if len(x.groups) <= drawnGroups {
		all := make([]int, len(x.groups))
		for i := range all {
			all[i] = i
		}
		return all
	}
	const rare = 100 // one of so many groups
	counts := map[float64]int{}
	for i := range x.groups {
		counts[x.groups[i].reward]++
	}
	order := rand.New(rand.NewPCG(seed, 0x64726177)).Perm(len(x.groups))
	drawn, more := order[:drawnGroups], 0
	for _, g := range order[drawnGroups:] {
		if n := counts[x.groups[g].reward]; n > 1 && n*rare < len(x.groups) && more < drawnGroups {
			drawn = append(drawn, g)
			more++
		}
	}
	slices.Sort(drawn)
	return drawn
}

// table has the features of groups; where used is not nil, of these atoms alone. Their rewards are the most frequent ones, or means.
func (x *rewardRows) table(atoms []rewardAtom, groups []int, used map[int]bool, means bool) *reward.Table {
	t := &reward.Table{Columns: make([][]float64, len(atoms)), Contradictory: x.other(), Means: means}
	for _, g := range groups {
		of := &x.groups[g]
		if means {
			t.Rewards, t.Counts, t.Within = append(t.Rewards, of.mean), append(t.Counts, of.n), t.Within+of.square
			continue
		}
		t.Rewards = append(t.Rewards, of.reward)
		t.Counts = append(t.Counts, of.agree-of.next)
	}
	for i := range atoms {
		t.Atoms = append(t.Atoms, atoms[i].Atom)
		if used == nil || used[i] {
			t.Columns[i] = make([]float64, len(groups))
		}
	}
	for k, g := range groups {
		row := x.values(&x.groups[g].first)
		for i, c := range t.Columns {
			if c != nil {
				c[k] = atoms[i].value(row)
			}
		}
	}
	return t
}

// given returns the reward that a function gives each group.
func (x *rewardRows) given(atoms []rewardAtom, f *reward.Function) []float64 {
	const block = 10_000
	used := map[int]bool{}
	for _, m := range f.Terms {
		for _, c := range m.Cases {
			for _, l := range c {
				used[l/2] = true
			}
		}
	}
	out := make([]float64, 0, len(x.groups))
	for len(out) < len(x.groups) {
		groups := make([]int, min(block, len(x.groups)-len(out)))
		for i := range groups {
			groups[i] = len(out) + i
		}
		t := x.table(atoms, groups, used, false)
		for i := range groups {
			out = append(out, t.Eval(f, i))
		}
	}
	return out
}
