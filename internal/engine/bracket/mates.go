package bracket

import (
	"math/rand/v2"
	"slices"
)

// Runs in which actions are taken at random show which fields of a family are never 1 at once.
const (
	mateRuns  = 8
	mateSteps = 32
)

// pair finds mates: the fields of a family of which one alone is 1 at the start, and no two are in some runs, such as the places that a
// vehicle may be at. A pattern with one of them has little use without the others, and few states with all. Nothing else rests on it.
func (b *builder) pair() error {
	families := map[int][]int{}
	for k, f := range b.fields {
		if f.Family > 0 && f.Most == 1 {
			families[f.Family] = append(families[f.Family], k)
		}
	}
	start := make([]uint64, b.words)
	b.m.Start(start)
	for f, fields := range families {
		if len(fields) < 3 || b.ones(start, fields) != 1 {
			delete(families, f)
		}
	}
	rng := rand.New(rand.NewPCG(1, 31))
	for run := 0; run < mateRuns && len(families) > 0; run++ {
		if err := b.stroll(rng, start, families); err != nil {
			return err
		}
	}
	b.mates = map[int][]int{}
	for _, fields := range families {
		for _, k := range fields {
			b.mates[k] = fields
		}
	}
	return nil
}

// ones counts the fields that are 1 in a state.
func (b *builder) ones(state []uint64, fields []int) (n int) {
	for _, k := range fields {
		n += int(state[b.fields[k].Word] >> b.fields[k].Shift & 1)
	}
	return n
}

// stroll takes actions at random, and drops families of which two fields are 1.
func (b *builder) stroll(rng *rand.Rand, start []uint64, families map[int][]int) error {
	state := slices.Clone(start)
	var legal []uint32
	for range mateSteps {
		if err := b.stop(); err != nil {
			return err
		}
		var err error
		if legal, err = b.m.Legal(state, legal); err != nil || len(legal) == 0 {
			return err
		}
		if _, err := b.draw(rng, state, legal[rng.IntN(len(legal))], state); err != nil {
			return err
		}
		for f, fields := range families {
			if b.ones(state, fields) > 1 {
				delete(families, f)
			}
		}
	}
	return nil
}
