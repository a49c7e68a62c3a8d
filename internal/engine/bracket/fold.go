package bracket

import (
	"cmp"
	"errors"
	"slices"
)

// fold is what a factor can be: its values, and the distributions over these that other fields allow.
type fold struct {
	factor int
	values []uint64 // packed, n times the words
	n      int
	alts   [][]float64
}

// add adds the distribution of a draw to the alternatives of a fold, as far as a pattern sees it.
func (x *fold) add(d *Draw, mask []uint64, weight float64, average bool) {
	words := len(mask)
	dist := make([]float64, x.n, x.n+len(d.P))
	for i, q := range d.P {
		k := x.find(d.Bits[i*words:(i+1)*words], mask)
		if k == x.n {
			for w := range mask {
				x.values = append(x.values, d.Bits[i*words+w]&mask[w])
			}
			x.n++
			dist = append(dist, 0)
		}
		dist[k] += q
	}
	if average && len(x.alts) > 0 {
		a := x.alts[0]
		for len(a) < x.n {
			a = append(a, 0)
		}
		for i, q := range dist {
			a[i] += weight * q
		}
		x.alts[0] = a
		return
	}
	if average {
		for i := range dist {
			dist[i] *= weight
		}
	} else if slices.ContainsFunc(x.alts, func(a []float64) bool { return same(a, dist) }) {
		return
	}
	x.alts = append(x.alts, dist)
}

// same reports whether two distributions are equal, the shorter one having zeros at its end.
func same(a, b []float64) bool {
	for i := range max(len(a), len(b)) {
		if i >= len(a) && b[i] != 0 || i >= len(b) && a[i] != 0 || i < len(a) && i < len(b) && a[i] != b[i] {
			return false
		}
	}
	return true
}

// find returns the place of a value; n if it is new.
func (x *fold) find(bits, mask []uint64) int {
	words := len(mask)
next:
	for k := range x.n {
		for w := range words {
			if x.values[k*words+w] != bits[w]&mask[w] {
				continue next
			}
		}
		return k
	}
	return x.n
}

// any makes every value of the fields possible, whatever the draw: too much is hidden.
func (b *builder) any(x *fold, fields []int) error {
	size := 1
	for _, k := range fields {
		if size *= int(b.fields[k].Most + 1); size > mostHidden {
			return errTooLarge
		}
	}
	_, err := b.combinations(make([]uint64, b.words), fields, func(s []uint64) error {
		x.values = append(x.values, s...)
		x.n++
		return nil
	})
	for i := range x.n {
		dist := make([]float64, x.n)
		dist[i] = 1
		x.alts = append(x.alts, dist)
	}
	return err
}

// fold makes the fold of a factor in a state of a pattern.
func (b *builder) fold(p *pattern, factor int, state []uint64, action uint32) (fold, error) {
	x, hidden := fold{factor: factor}, b.hidden(&b.factors[factor], p)
	if p.average {
		err := b.contexts(state, p, factor, hidden, func(s []uint64, weight float64) error {
			d, err := b.m.Draw(factor, s, action)
			if err == nil {
				x.add(d, p.mask, weight, true)
			}
			return defined(err)
		})
		return b.orStay(x, p, state), err
	}
	each := func(s []uint64) error {
		d, err := b.m.Draw(factor, s, action)
		if err == nil {
			x.add(d, p.mask, 1, false)
		}
		return defined(err)
	}
	all, err := b.combinations(state, hidden, each)
	if err == nil && !all && !b.proven {
		needed := b.m.Needs(factor, action)
		all, err = b.combinations(state, slices.DeleteFunc(hidden, func(k int) bool { return !slices.Contains(needed, k) }), each)
	}
	if err == nil && !all {
		var inside []int
		for _, k := range b.factors[factor].Writes {
			if slices.Contains(p.fields, k) {
				inside = append(inside, k)
			}
		}
		err = b.any(&x, inside)
	}
	for i, a := range x.alts {
		for len(a) < x.n {
			a = append(a, 0)
		}
		x.alts[i] = a
	}
	x.thin()
	return b.orStay(x, p, state), err
}

// defined is an error, but for states that do not occur: these are left out.
func defined(err error) error {
	if errors.Is(err, ErrUndefined) {
		return nil
	}
	return err
}

// orStay is a fold, or one that stays where it has no value: the state does not occur.
func (b *builder) orStay(x fold, p *pattern, state []uint64) fold {
	if x.n > 0 {
		return x
	}
	stay := Draw{P: []float64{1}, Bits: make([]uint64, b.words)}
	for _, k := range b.factors[x.factor].Writes {
		if f := &b.fields[k]; f.Word >= 0 {
			stay.Bits[f.Word] |= state[f.Word] & (widthMask(f.Most) << f.Shift)
		}
	}
	x.add(&stay, p.mask, 1, p.average)
	return x
}

// thin keeps the extreme distributions over two values: one of them is the best.
func (x *fold) thin() {
	if x.n == 2 && len(x.alts) > 2 {
		compare := func(a, b []float64) int { return cmp.Compare(a[0], b[0]) }
		x.alts = [][]float64{slices.MinFunc(x.alts, compare), slices.MaxFunc(x.alts, compare)}
	}
}
