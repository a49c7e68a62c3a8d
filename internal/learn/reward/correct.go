package reward

import (
	"context"
	"math"
	"slices"
)

// Tally has the observations of a row whose rewards a function does not give alike: how many differ from it in each way, none of them among the first, and what the
// differences add up to.
type Tally struct {
	Counts []int
	Sum    float64
}

// Correct returns what is to be added to a function that gives most observations their reward, so that it gives their mean where others come by chance: a tree of
// conditions tells where these come how often, by the length of its description and of the ways in which observations differ (Quinlan and Rivest, Inferring decision
// trees using the minimum description length principle, 1989). There is a tally for each row of the table. An error is that of ctx.
func (t *Table) Correct(ctx context.Context, tallies []Tally) (*Function, error) {
	c := corrector{t: t, tallies: tallies, out: &Function{}}
	for i := range t.Atoms {
		if a := &t.Atoms[i]; a.Negation != "" && !a.Curved {
			c.atoms = append(c.atoms, i)
		}
	}
	if err := c.split(ctx, all(t), nil); err != nil {
		return nil, err
	}
	c.out.round()
	return c.out, nil
}

type corrector struct {
	t       *Table
	tallies []Tally
	atoms   []int // conditions
	out     *Function
}

// split adds what rows in which the literals of path hold need.
func (c *corrector) split(ctx context.Context, rows []int, path []int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	here := c.sum(rows)
	best, least := -1, here.bits()
	for _, atom := range c.atoms {
		column := c.t.Columns[atom]
		with := here.none()
		for _, r := range rows {
			if column[r] != 0 {
				with.add(&c.tallies[r])
			}
		}
		without := here.less(with)
		if with.all() == 0 || without.all() == 0 {
			continue
		}
		if bits := with.bits() + without.bits() + math.Log2(float64(len(c.atoms))) + 1; bits < least {
			best, least = atom, bits
		}
	}
	if best < 0 {
		c.leaf(here, rows, path)
		return nil
	}
	var with, without []int
	for _, r := range rows {
		if c.t.Columns[best][r] != 0 {
			with = append(with, r)
		} else {
			without = append(without, r)
		}
	}
	if err := c.split(ctx, with, append(path[:len(path):len(path)], 2*best)); err != nil {
		return err
	}
	return c.split(ctx, without, append(path[:len(path):len(path)], 2*best+1))
}

// leaf adds the mean of rows that are not told apart.
func (c *corrector) leaf(here *Tally, rows, path []int) {
	mean := here.Sum / float64(here.all())
	switch {
	case len(path) == 0:
		c.out.Constant = mean
	case mean != 0:
		c.out.Terms = append(c.out.Terms, Term{Cases: [][]int{c.shorter(rows, path)}, Weight: mean})
	}
}

// shorter leaves out of a path what a later condition on the same variable says, too: rows are those of both.
func (c *corrector) shorter(rows, path []int) []int {
	for i := 0; i < len(path); i++ {
		of := func(l int) int { return c.t.Atoms[l/2].Variable }
		if !slices.ContainsFunc(path[i+1:], func(l int) bool { return of(l) == of(path[i]) }) {
			continue
		}
		rest := slices.Delete(slices.Clone(path), i, i+1)
		n := 0
		for r := range c.t.Rewards {
			n += int(c.t.term(rest, r))
		}
		if n == len(rows) {
			path = rest
			i--
		}
	}
	return path
}

func (c *corrector) sum(rows []int) *Tally {
	out := c.tallies[0].none()
	for _, r := range rows {
		out.add(&c.tallies[r])
	}
	return out
}

// none is a tally of no observations.
func (x *Tally) none() *Tally { return &Tally{Counts: make([]int, len(x.Counts))} }

// add adds observations.
func (x *Tally) add(y *Tally) {
	for i, n := range y.Counts {
		x.Counts[i] += n
	}
	x.Sum += y.Sum
}

// less is x without the observations of y.
func (x *Tally) less(y *Tally) *Tally {
	out := x.none()
	for i, n := range x.Counts {
		out.Counts[i] = n - y.Counts[i]
	}
	out.Sum = x.Sum - y.Sum
	return out
}

func (x *Tally) all() (n int) {
	for _, k := range x.Counts {
		n += k
	}
	return n
}

// bits is the length of a description of the ways in which observations differ, and of how often each comes.
func (x *Tally) bits() (bits float64) {
	n := float64(x.all())
	ways := -1
	for _, k := range x.Counts {
		if k > 0 {
			bits -= float64(k) * math.Log2(float64(k)/n)
			ways++
		}
	}
	return bits + float64(max(0, ways))*math.Log2(n)/2
}
