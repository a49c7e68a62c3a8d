package learned

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/problem/factored"
)

// clauses checks all clauses, function by function.
func (c *checker) clauses(ctx context.Context) error {
	of := map[factored.Bit][]int{}
	for i := range c.r.Clauses {
		at := slices.Index(c.r.Learned, c.r.Clauses[i].Next)
		if at < 0 {
			return fmt.Errorf("clause %d is about %s, which is not learned", i, c.r.Clauses[i].Next)
		}
		of[c.learned[at]] = append(of[c.learned[at]], i)
	}
	for _, f := range c.functions {
		if !slices.ContainsFunc(f.next, func(b factored.Bit) bool { return len(of[b]) > 0 }) {
			continue
		}
		k := min(c.r.K, len(f.views[0]))
		if n := new(big.Int).Binomial(int64(len(f.views[0])), int64(k)); n.Cmp(big.NewInt(maxSets)) > 0 {
			return fmt.Errorf("%v sets of %d variables are too many to try", n, k)
		}
		sets, err := f.consistent(ctx, k)
		if err != nil {
			return err
		}
		if len(sets) == 0 {
			return fmt.Errorf("no function of %d variables has the next values of %s", k, c.p.BitName(f.next[0]))
		}
		for i, b := range f.next {
			for _, n := range of[b] {
				if err := c.clause(&c.r.Clauses[n], f, i, sets); err != nil {
					return fmt.Errorf("clause %d: %w", n, err)
				}
			}
		}
	}
	return nil
}

// consistent lists the sets of k variables on which rows that agree have the same next value: functions of fewer
// variables are functions of such a set too.
func (f *function) consistent(ctx context.Context, k int) (sets [][]int, err error) {
	var against [][2]int // pairs of rows that refuted a set, the last one first
	set := make([]int, k)
	var walk func(i, from int) error
	walk = func(i, from int) error {
		if i < k {
			for v := from; v <= len(f.legal)-(k-i); v++ {
				set[i] = v
				if err := walk(i+1, v+1); err != nil {
					return err
				}
			}
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		for j, pair := range against {
			if f.agree(pair[0], pair[1], set) {
				copy(against[1:j+1], against[:j])
				against[0] = pair
				return nil
			}
		}
		first := map[string]int{}
		for r := range f.points {
			key := f.cell(r, set)
			if other, ok := first[key]; !ok {
				first[key] = r
			} else if f.on[other] != f.on[r] {
				against = slices.Insert(against, 0, [2]int{other, r})
				return nil
			}
		}
		sets = append(sets, slices.Clone(set))
		return nil
	}
	return sets, walk(0, 0)
}

func (f *function) agree(a, b int, set []int) bool {
	return !slices.ContainsFunc(set, func(v int) bool { return f.points[a][v] != f.points[b][v] })
}

func (f *function) cell(r int, set []int) string {
	var b strings.Builder
	for _, v := range set {
		b.WriteString(f.points[r][v])
		b.WriteByte(' ')
	}
	return b.String()
}

// conditions are the values of places in the view of a learned bit where a clause about it holds: those that it names, and
// the only ones that others have.
func (c *checker) conditions(x *Clause, view []int) (map[int]string, error) {
	is := map[int]string{}
	for at, v := range view {
		if len(c.legal[v]) == 1 {
			for only := range c.legal[v] {
				is[at] = only
			}
		}
	}
	for _, f := range x.If {
		at := slices.Index(view, f.Variable)
		if at < 0 || len(f.Is) != len(c.vars[f.Variable]) || strings.Trim(f.Is, "01") != "" {
			return nil, fmt.Errorf("%q is no value of variable %d, or %s does not depend on it", f.Is, f.Variable, x.Next)
		}
		value := f.Is
		if c.r.Variables[f.Variable].Count {
			value = fmt.Sprint(strings.Count(f.Is, "1"))
		}
		if !c.legal[f.Variable][value] {
			return nil, fmt.Errorf("%q is no legal value of variable %d", f.Is, f.Variable)
		}
		is[at] = value
	}
	return is, nil
}

// clause checks that on each set the rows have the clause's next value at all legal values within its condition.
func (c *checker) clause(x *Clause, f *function, i int, sets [][]int) error {
	is, err := c.conditions(x, f.views[i])
	if err != nil {
		return err
	}
	var within []int // rows that have the next value
	for r := range f.points {
		if f.on[r] == x.Value {
			within = append(within, r)
		}
	}
	for _, set := range sets {
		seen, want := map[string]bool{}, 1
		for _, v := range set {
			if _, ok := is[v]; !ok {
				if want *= len(f.legal[v]); want > len(within) {
					break
				}
			}
		}
	rows:
		for _, r := range within {
			for _, v := range set {
				if value, ok := is[v]; ok && f.points[r][v] != value || !ok && !f.legal[v][f.points[r][v]] {
					continue rows
				}
			}
			seen[f.cell(r, set)] = true
		}
		if len(seen) < want {
			return fmt.Errorf("a function of variables %v agrees with the rows and has another next value of %s", set, x.Next)
		}
	}
	return nil
}
