package synthesis

import (
	"cmp"
	"context"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// shrinker removes and covers again.
type shrinker struct {
	*net
	rng     *rand.Rand
	work    int64
	growers []*grower          // by output
	readers [][]int            // by unit, the outputs that read it, in increasing order
	byInput [][]int            // live units by input
	covered []map[int][]uint64 // by output and unit: the cells; nil where the unit does not fit
	counts  [][]int32          // by output and cell: the units that cover it
}

// shrink spends o.Effort on making the net smaller.
func (n *net) shrink(ctx context.Context, o Options) *net {
	s := &shrinker{net: n, rng: rand.New(rand.NewPCG(o.Seed, 0x5321))}
	s.start()
	budget := int64(o.Effort) * 1_000_000
	size := s.size()
	var live []int
	idle := 0
	for s.work < budget && ctx.Err() == nil {
		live = live[:0]
		for u, k := range s.readers {
			if len(k) > 0 {
				live = append(live, u)
			}
		}
		if len(s.units) > 4*len(live)+64 {
			s.compact()
			s.start()
			continue
		}
		// A net in which no unit can go any more is done.
		if len(live) == 0 || idle > 100*len(live) {
			break
		}
		s.work += int64(len(s.units) + 100) // what an attempt takes however little it looks at
		if now := s.attempt(live, size); now < size {
			size, idle = now, 0
		} else {
			idle++
		}
		if o.Progress != nil {
			o.Progress(min(1, float64(s.work)/float64(budget)), size)
		}
	}
	s.compact()
	return s.net
}

func (s *shrinker) start() {
	s.readers = make([][]int, len(s.units))
	s.byInput = make([][]int, s.inputs)
	s.covered = make([]map[int][]uint64, len(s.targets))
	s.counts = make([][]int32, len(s.targets))
	for u := range s.units {
		s.index(u)
	}
	for o := range s.targets {
		if len(s.growers) <= o {
			s.growers = append(s.growers, newGrower(s.targets[o], &s.work))
		}
		s.covered[o] = map[int][]uint64{}
		s.counts[o] = make([]int32, len(s.targets[o].cover))
		for _, u := range s.uses[o] {
			s.readers[u] = append(s.readers[u], o)
			s.count(o, u, 1)
		}
	}
}

func (s *shrinker) index(u int) {
	for _, x := range s.units[u].lits {
		s.byInput[x/2] = append(s.byInput[x/2], u)
	}
}

// set is the cells of output o that unit u covers, nil where it does not fit.
func (s *shrinker) set(o, u int) []uint64 {
	set, ok := s.covered[o][u]
	if !ok {
		t := s.targets[o]
		s.work += int64(len(t.cover)+len(t.out)) / 8
		set, _ = t.covers(&s.units[u])
		s.covered[o][u] = set
	}
	return set
}

func (s *shrinker) count(o, u int, by int32) {
	s.work += int64(len(s.counts[o])) / 8
	for w, x := range s.set(o, u) {
		for ; x != 0; x &= x - 1 {
			s.counts[o][64*w+bits.TrailingZeros64(x)] += by
		}
	}
}

// change is what an attempt did, to be undone.
type change struct {
	output, unit int
	added        bool
}

func (s *shrinker) do(log *[]change, o, u int, added bool) {
	at, has := slices.BinarySearch(s.uses[o], u)
	if has == added {
		return
	}
	place, _ := slices.BinarySearch(s.readers[u], o)
	if added {
		s.uses[o] = slices.Insert(s.uses[o], at, u)
		s.readers[u] = slices.Insert(s.readers[u], place, o)
		s.count(o, u, 1)
	} else {
		s.count(o, u, -1)
		s.uses[o] = slices.Delete(s.uses[o], at, at+1)
		s.readers[u] = slices.Delete(s.readers[u], place, place+1)
	}
	if log != nil {
		*log = append(*log, change{o, u, added})
	}
}

// price is the change in size that reading a unit brings.
func (s *shrinker) price(u int) int {
	if len(s.readers[u]) > 0 {
		return 1
	}
	return len(s.units[u].lits) + 2
}

// attempt removes one to three neighbouring units, covers again, and returns the size after
// that: the former one where the result would be larger.
func (s *shrinker) attempt(live []int, size int) int {
	var log []change
	first := live[s.rng.IntN(len(live))]
	gone := []int{first}
	if o, ok := s.reader(first); ok {
		for range s.rng.IntN(3) {
			us := s.uses[o]
			gone = append(gone, us[s.rng.IntN(len(us))])
		}
	}
	now := size
	var outputs []int
	for _, u := range gone {
		for _, o := range s.free(u) {
			s.do(&log, o, u, false)
			now -= s.price(u)
			outputs = append(outputs, o)
		}
	}
	s.rng.Shuffle(len(outputs), func(i, j int) { outputs[i], outputs[j] = outputs[j], outputs[i] })
	known := len(s.units)
	for _, o := range outputs {
		now = s.repair(&log, o, now, size)
		if now > size {
			break
		}
	}
	if now <= size {
		for _, o := range outputs {
			now = s.prune(&log, o, now)
		}
	}
	if now > size {
		for _, c := range slices.Backward(log) {
			s.do(nil, c.output, c.unit, !c.added)
		}
		s.forget(known)
		return size
	}
	return now
}

// reader is an output that reads u, drawn at random.
func (s *shrinker) reader(u int) (int, bool) {
	found := s.free(u)
	if len(found) == 0 {
		return 0, false
	}
	return found[s.rng.IntN(len(found))], true
}

// free lists the outputs that read u and may be covered otherwise.
func (s *shrinker) free(u int) (found []int) {
	for _, o := range s.readers[u] {
		if s.fixed[o] == nil {
			found = append(found, o)
		}
	}
	return found
}

// forget drops the units that were made after the first known ones.
func (s *shrinker) forget(known int) {
	for u := known; u < len(s.units); u++ {
		for _, x := range s.units[u].lits {
			s.byInput[x/2] = slices.DeleteFunc(s.byInput[x/2], func(v int) bool { return v == u })
		}
		for o := range s.covered {
			delete(s.covered[o], u)
		}
	}
	s.units, s.readers = s.units[:known], s.readers[:known]
}

// repair covers what is not covered of an output: each time with the unit, there
// already or new, that covers most for its price. It ends early where the size
// exceeds most.
func (s *shrinker) repair(log *[]change, o, now, most int) int {
	t := s.targets[o]
	g := s.growers[o]
	for now <= most {
		var wanted []int32
		for k, c := range s.counts[o] {
			if c == 0 {
				wanted = append(wanted, int32(k))
			}
		}
		if len(wanted) == 0 {
			return now
		}
		best, bestValue := -1, 0.0
		for _, u := range s.candidates(o) {
			fresh := 0
			set := s.set(o, u)
			s.work += 8
			if set == nil {
				continue
			}
			s.work += int64(len(wanted))
			for _, k := range wanted {
				fresh += int(set[k/64] >> (k % 64) & 1)
			}
			if v := float64(fresh) / float64(s.price(u)); v > bestValue {
				best, bestValue = u, v
			}
		}
		if best < 0 || bestValue < float64(len(wanted)) {
			for range 2 {
				v := g.grow(wanted, s.from(t, t.cover[wanted[s.rng.IntN(len(wanted))]]))
				value := float64(v.fresh) / float64(v.count()+2)
				if value > bestValue {
					known := len(s.units)
					best, bestValue = s.add(t.unit(v.literals, v.threshold)), value
					if best == known {
						s.readers = append(s.readers, nil)
						s.index(best)
					}
				}
			}
		}
		if best < 0 {
			return most + 1
		}
		now += s.price(best)
		s.do(log, o, best, true)
	}
	return now
}

// from is where growing starts: the literals of a cell, some left out at random.
func (s *shrinker) from(t *target, c cell) literals {
	l := literals{c.one, c.zero}
	if s.rng.IntN(2) == 0 {
		return l
	}
	keep := s.rng.Uint64() | s.rng.Uint64()
	if m := (literals{l.pos & keep, l.neg & keep}); m.threshold(t.out) <= m.sure(c) {
		return m
	}
	return l
}

// candidates are the units in use that read an input of output o and are not
// read by it.
func (s *shrinker) candidates(o int) []int {
	var out []int
	for _, b := range s.targets[o].inputs {
		for _, u := range s.byInput[b] {
			if len(s.readers[u]) > 0 {
				out = append(out, u)
			}
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return slices.DeleteFunc(out, func(u int) bool {
		_, has := slices.BinarySearch(s.uses[o], u)
		return has
	})
}

// prune drops the units of an output that cover nothing alone, the dearest
// first.
func (s *shrinker) prune(log *[]change, o int, now int) int {
	us := slices.Clone(s.uses[o])
	value := func(u int) int {
		if len(s.readers[u]) == 1 {
			return len(s.units[u].lits) + 2
		}
		return 1
	}
	slices.SortStableFunc(us, func(a, b int) int { return cmp.Compare(value(b), value(a)) })
	for _, u := range us {
		s.work += int64(len(s.counts[o])) / 16
		alone := false
		for w, x := range s.set(o, u) {
			for ; x != 0 && !alone; x &= x - 1 {
				alone = s.counts[o][64*w+bits.TrailingZeros64(x)] == 1
			}
		}
		if !alone {
			s.do(log, o, u, false)
			now -= s.price(u)
		}
	}
	return now
}

// compact drops the units that no output reads.
func (s *shrinker) compact() {
	number := make([]int, len(s.units))
	var units []unit
	for u := range s.units {
		if len(s.readers[u]) > 0 {
			number[u] = len(units)
			units = append(units, s.units[u])
		}
	}
	for _, us := range s.uses {
		for i := range us {
			us[i] = number[us[i]]
		}
	}
	for _, f := range s.fixed {
		if f != nil {
			for i := range f.units {
				f.units[i] = number[f.units[i]]
			}
		}
	}
	s.units = units
}
