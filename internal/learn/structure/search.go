package structure

import (
	"cmp"
	"iter"
	"math"
	"slices"
)

// maxInputs bounds the inputs that a path collects.
const maxInputs = 40

// widestGroup is the most bits of a variable that is tried as one input.
const widestGroup = 6

// search looks for the inputs of one output on some rows.
type search struct {
	t      *Table
	x      xlog2
	rows   []int32
	out    int
	banned []bool // inputs that must not be used; nil for none
	to     []int  // the inputs of the learner's table that those of t are; nil for the same
	// noise is the share of rows that may be exceptions: nothing is looked for
	// where no more are left. Negative to choose by single gains alone.
	noise float64
	pairs bool    // no more than pairs of bits are looked at together
	left  bool    // the output is left to chance
	found *choice // by consistent
}

// choice is a set of inputs and how well it explains the output.
type choice struct {
	inputs        []int // in the order in which they were found
	cells, errors int
	score         float64
}

func (s *search) choice(inputs []int) choice {
	f := s.t.newRefiner(s.rows, s.out)
	for _, b := range inputs {
		f.add(b)
	}
	return s.refined(f, inputs)
}

// refined is the choice of the inputs that rows were divided by.
func (s *search) refined(f *refiner, inputs []int) choice {
	cells, errors := f.count()
	return choice{inputs, cells, errors, score(s.t.candidates(), len(inputs), cells, len(s.rows), errors)}
}

// consistent returns inputs that leave no class mixed, as far as the rows allow.
func (s *search) consistent() choice {
	if s.found == nil {
		c := s.leaveNoneMixed()
		s.found = &c
	}
	return *s.found
}

func (s *search) leaveNoneMixed() choice {
	best := s.dropConsistent(s.path(false, false))
	if s.hard(&best) {
		if other := s.dropConsistent(s.path(true, false)); cmp.Or(cmp.Compare(other.errors, best.errors), cmp.Compare(other.score, best.score)) < 0 {
			best = other
		}
	}
	return best
}

// short returns the inputs of least description length.
func (s *search) short() choice {
	best := s.shortest(s.path(false, true))
	if s.hard(&best) {
		if other := s.shortest(s.path(true, true)); other.score < best.score {
			best = other
		}
	}
	return best
}

// hard reports whether whole variables as inputs may do better.
func (s *search) hard(c *choice) bool {
	return len(s.t.Groups) > 0 && (len(c.inputs) > 6 || s.unexplained(c.errors))
}

// unexplained reports whether more rows are exceptions than noise makes.
func (s *search) unexplained(errors int) bool {
	return s.noise >= 0 && float64(errors) > s.noise*float64(len(s.rows))
}

// path adds inputs greedily until no class is mixed. With whole, variables of
// several bits are candidates too. With brief it ends soon after the
// description length has stopped falling.
func (s *search) path(whole, brief bool) []int { return s.pathFrom(nil, whole, brief) }

// pathFrom is a path that begins with some inputs.
func (s *search) pathFrom(begin []int, whole, brief bool) []int {
	p := newPartition(s.t, s.rows, s.out)
	chosen := slices.Clone(begin)
	used := make([]bool, s.t.Inputs)
	if s.banned != nil {
		copy(used, s.banned)
	}
	for _, b := range begin {
		used[b] = true
		p.split([]int{b})
	}
	least, best := math.Inf(1), 0
	var cells *refiner
	if brief {
		cells = s.t.newRefiner(s.rows, s.out)
		for _, b := range begin {
			cells.add(b)
		}
	}
	exhausted := false // looking ahead found nothing
	for !p.pure() && len(chosen) < maxInputs {
		bits, significant := s.single(p, used, whole)
		if !significant && !exhausted && s.unexplained(p.errors()) {
			if ahead := s.ahead(p, used, whole); ahead != nil {
				bits = ahead
			} else {
				exhausted = true
			}
		}
		if bits == nil {
			break // no input splits a class
		}
		for _, b := range bits {
			used[b] = true
		}
		chosen = append(chosen, bits...)
		p.split(bits)
		if brief {
			for _, b := range bits {
				cells.add(b)
			}
			if c := s.refined(cells, chosen); c.score < least {
				least, best = c.score, len(chosen)
			} else if len(chosen) >= best+5 && c.score > least+60 {
				break
			}
		}
	}
	return chosen
}

// single is the candidate of the greatest gain, and whether the gain pays for
// naming the candidate and for the cells that it adds.
func (s *search) single(p *partition, used []bool, whole bool) (bits []int, significant bool) {
	name := math.Log2(float64(s.t.candidates()))
	best, bestRank := math.Inf(-1), 0
	take := func(value, paid float64, rank int, candidate []int) {
		const tie = 1e-9
		if value > best+tie || value > best-tie && rank < bestRank {
			best, bestRank, bits, significant = value, rank, candidate, paid > name
		}
	}
	for b := range s.t.Inputs {
		if used[b] {
			continue
		}
		if gain, splits := p.gain(p.col(b), s.x); splits > 0 {
			paid := gain - price(len(p.rows), splits)
			value := gain
			if whole {
				value = paid
			}
			take(value, paid, s.rank(b), []int{b})
		}
	}
	if !whole {
		return bits, significant
	}
	for _, g := range s.t.Groups {
		if free := unused(g, used); len(free) > 1 && len(free) <= widestGroup {
			if gain, splits := p.gainOf(free, s.x); splits > 0 {
				paid := gain - price(len(p.rows), splits)
				take(paid, paid, s.rank(free[0]), free)
			}
		}
	}
	return bits, significant
}

func (s *search) rank(b int) int {
	if s.t.Rank == nil {
		return b
	}
	return s.t.Rank(s.out, b)*s.t.Inputs + b
}

// unused lists the bits that may still be chosen.
func unused(bits []int, used []bool) []int {
	var free []int
	for _, b := range bits {
		if !used[b] {
			free = append(free, b)
		}
	}
	return free
}

// shortest is the prefix of a path with the least description length, without
// the inputs that do not pay.
func (s *search) shortest(path []int) choice {
	best := s.choice(nil)
	f := s.t.newRefiner(s.rows, s.out)
	for k, b := range path {
		f.add(b)
		if c := s.refined(f, path[:k+1]); c.score < best.score {
			best = c
		}
	}
	return s.drop(best, func(c *choice) bool { return c.score <= best.score })
}

// dropConsistent removes inputs as long as no more rows are mixed.
func (s *search) dropConsistent(path []int) choice {
	all := s.choice(path)
	return s.drop(all, func(c *choice) bool { return c.errors <= all.errors })
}

// drop removes inputs one after the other while the rest is good, the one that
// leaves the shortest description first.
func (s *search) drop(c choice, good func(*choice) bool) choice {
	const few = 14 // inputs of which each may be the next to go
	for len(c.inputs) > 0 {
		var next *choice
		for d := range s.withoutOne(c.inputs) {
			if !good(&d) {
				continue
			}
			if next == nil || d.score < next.score {
				next = &d
			}
			if len(c.inputs) > few {
				break
			}
		}
		if next == nil {
			return c
		}
		c = *next
	}
	return c
}

// withoutOne lists the choices of all inputs but one, the first being left out at first. Rows are divided by half of the inputs at a
// time, and then by all but one of the other half, so that each is added the logarithm of their number of times.
func (s *search) withoutOne(inputs []int) iter.Seq[choice] {
	return func(yield func(choice) bool) {
		var halves func(f *refiner, from, to int) bool
		halves = func(f *refiner, from, to int) bool {
			if to-from == 1 {
				return yield(s.refined(f, slices.Delete(slices.Clone(inputs), from, to)))
			}
			mid := (from + to) / 2
			for _, half := range [][4]int{{mid, to, from, mid}, {from, mid, mid, to}} {
				g := f.clone()
				for _, b := range inputs[half[0]:half[1]] {
					g.add(b)
				}
				if !halves(g, half[2], half[3]) {
					return false
				}
			}
			return true
		}
		halves(s.t.newRefiner(s.rows, s.out), 0, len(inputs))
	}
}
