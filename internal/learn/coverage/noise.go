package coverage

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fdplan/fdplan/internal/learn/structure"
)

const (
	// Doubt is the most that the odds are, if the assumptions hold, that any value is wrong that
	// rows with errors support.
	Doubt = 1e-3
	// mostRate is the largest share of rows in error with which anything is supported.
	mostRate = 0.1
	// unseenRate is how much more frequent errors may be of a value that no cell has.
	unseenRate = 8
	// noiseWork bounds the rows that are counted by the values of a set of variables, for all outputs.
	noiseWork = 2_000_000_000
	// noiseK is the most variables that functions of an output with errors may have.
	noiseK = 6
	// largeCell is how many rows tell which value of a cell is in error.
	largeCell = 8
)

// noise finds where an output is supported whose rows are in error now and again. Errors are
// taken to be independent of each other, and of anything but the right value. Three tests are then
// each wrong with small odds, for the set of variables that the output truly depends on:
//
//   - Two rows that agree on it differ in the output only if one of them is in error, which bounds
//     the rates of errors. Rows that differ in more make the bound larger.
//   - Its cells have errors at these rates, wherever in the cell. So a set is plausible if no
//     part of a cell has more errors than by chance; one of the plausible sets is part of the true one.
//   - In each of its cells, errors are not more than by chance at these rates. So a cell
//     settles a value if rows with it are more than that.
type noise struct {
	s       *space
	outputs int // that odds are shared by
	rows    []int
	y       []bool
	rate    float64    // of errors, at most
	rates   [2]float64 // by the right value
	odds    float64    // of a cell
	work    int        // rows that are left to count
	needed  [2][]int   // by the value of rows and their number, the fewest with it; 0 for not known yet
}

func (s *space) newNoise(output, outputs int) *noise {
	x := &noise{s: s, outputs: outputs, work: noiseWork / outputs}
	for k, r := range s.rows {
		if s.t.Knows(int(r), output) {
			x.rows = append(x.rows, k)
		}
	}
	// Rows that are alike stand side by side, those with the same next values first.
	rng := rand.New(rand.NewPCG(uint64(len(x.rows)), 0x6e6f697365))
	rng.Shuffle(len(x.rows), func(i, j int) { x.rows[i], x.rows[j] = x.rows[j], x.rows[i] })
	for _, k := range x.rows {
		x.y = append(x.y, s.t.Output(int(s.rows[k]), output))
	}
	return x
}

// share of the odds of a test, for one of so many questions.
func (x *noise) share(questions int) float64 {
	return Doubt / 4 / float64(x.outputs) / float64(max(1, questions))
}

// tally counts the rows of a cell.
type tally struct {
	n, ones    int
	last       int8 // the value of a row without a partner, -1 for none
	differ, of int  // pairs of rows
}

func (c *tally) add(y bool) {
	v := int8(0)
	if y {
		v = 1
		c.ones++
	}
	c.n++
	if c.last < 0 {
		c.last = v
		return
	}
	c.of++
	if c.last != v {
		c.differ++
	}
	c.last = -1
}

// most is the value of most rows, errors the number of the others.
func (c *tally) most() (value bool, errors int) {
	return 2*c.ones > c.n, min(c.ones, c.n-c.ones)
}

// cells counts the rows by the joint value of some variables, of rows that are in parts already.
func (x *noise) cells(part []int32, parts, v int) (code []int32, cells []tally) {
	x.work -= len(x.rows)
	values := len(x.s.vars[v].values)
	at := make([]int32, parts*values) // number of a cell, from 1
	code = make([]int32, len(x.rows))
	for i, r := range x.rows {
		k := int(part[i])*values + int(x.s.vars[v].code[r])
		if at[k] == 0 {
			cells = append(cells, tally{last: -1})
			at[k] = int32(len(cells))
		}
		code[i] = at[k] - 1
		cells[code[i]].add(x.y[i])
	}
	return code, cells
}

// whole is the only part of all rows.
func (x *noise) whole() (code []int32, cells []tally) {
	cells = []tally{{last: -1}}
	for _, y := range x.y {
		cells[0].add(y)
	}
	return make([]int32, len(x.rows)), cells
}

// candidate is a set of variables.
type candidate struct {
	set                mask
	errors, differ, of int
}

// all lists the sets of at most k variables; nil where they are too many.
func (x *noise) all(k int) []candidate {
	sets, combinations := 1, 1
	for i := range k {
		combinations = combinations * (len(x.s.vars) - i) / (i + 1)
		if sets += combinations; sets*len(x.rows) > x.work {
			return nil
		}
	}
	var list []candidate
	var walk func(set mask, from, left int, code []int32, cells []tally)
	walk = func(set mask, from, left int, code []int32, cells []tally) {
		c := candidate{set: set}
		for i := range cells {
			_, errors := cells[i].most()
			c.errors, c.differ, c.of = c.errors+errors, c.differ+cells[i].differ, c.of+cells[i].of
		}
		list = append(list, c)
		if left == 0 {
			return
		}
		for v := from; v < len(x.s.vars); v++ {
			next := set
			next.Add(v)
			code, cells := x.cells(code, len(cells), v)
			walk(next, v+1, left-1, code, cells)
		}
	}
	code, cells := x.whole()
	walk(mask{}, 0, k, code, cells)
	return list
}

// rateOf is the rate of errors at which pairs of rows differ as often.
func rateOf(pairs float64) float64 {
	if pairs >= 0.5 {
		return 0.5
	}
	return (1 - math.Sqrt(1-2*pairs)) / 2
}

// sets lists the least plausible sets of at most k variables, and bounds the rate of errors; nil
// where nothing is plausible or it takes too long.
func (x *noise) sets(k int) []mask {
	all := x.all(k)
	if len(all) == 0 {
		return nil
	}
	x.rate = 1
	for _, c := range all {
		if c.of > 0 {
			x.rate = min(x.rate, rateOf(upperRate(c.of, c.differ, x.share(2*len(all)))))
		}
	}
	if x.rate > mostRate {
		return nil
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return a.set.Count() - b.set.Count() })
	most := 0 // errors
	for AtLeast(len(x.rows), most, x.rate) > x.share(4) {
		most++
	}
	var found []mask
	for _, c := range all {
		if x.work < 0 {
			return nil
		}
		if c.errors > most || slices.ContainsFunc(found, func(m mask) bool { return m.Without(c.set) == mask{} }) {
			continue
		}
		if x.even(c.set) {
			if found = append(found, c.set); len(found) > mostSets {
				return nil
			}
		}
	}
	return found
}

// partition counts the rows by the joint value of a set.
func (x *noise) partition(set mask) (code []int32, cells []tally) {
	code, cells = x.whole()
	for _, v := range set.List() {
		code, cells = x.cells(code, len(cells), v)
	}
	return code, cells
}

// even reports whether no part of a cell, by the values of one or two other variables, has a
// value more often than by chance; false where it takes too long to find.
func (x *noise) even(set mask) bool {
	code, cells := x.partition(set)
	var others []int
	for v := range x.s.vars {
		if !set.Has(v) {
			others = append(others, v)
		}
	}
	questions := len(others) * (len(others) + 1) / 2
	test := func(part []int32, parts []tally) bool {
		whole := make([]int32, len(parts))
		for i, p := range part {
			whole[p] = code[i]
		}
		odds := x.share(4 * 2 * questions * len(parts))
		for p := range parts {
			c := &cells[whole[p]]
			if Drawn(c.n, c.ones, parts[p].n, parts[p].ones) < odds || Drawn(c.n, c.n-c.ones, parts[p].n, parts[p].n-parts[p].ones) < odds {
				return false
			}
		}
		return true
	}
	for i, v := range others {
		part, parts := x.cells(code, len(cells), v)
		if !test(part, parts) {
			return false
		}
		for _, w := range others[i+1:] {
			if x.work < 0 || !test(x.cells(part, len(parts), w)) {
				return false
			}
		}
	}
	return true
}

// alike reports whether rows are in error as often wherever they are, by their right value: in each
// cell of the set, with any values of one or two variables, and whether the right value is that of
// some input or not, as where chance decides whether a value changes. Otherwise chance
// decides there, or something that is not recorded.
func (x *noise) alike(set mask) bool {
	code, cells := x.partition(set)
	e := &errorCount{x: x, right: make([]int8, len(x.rows)), wrong: make([]bool, len(x.rows))}
	for i := range x.rows {
		if value, _ := cells[code[i]].most(); value {
			e.right[i] = 1
		}
		e.wrong[i] = x.y[i] != (e.right[i] == 1)
	}
	e.all = e.count(make([]int32, len(x.rows)), 1)
	others := 2 * (len(x.s.vars)*(len(x.s.vars)+1)/2 + 1)
	if !e.even(code, len(cells), others) {
		return false
	}
	same := make([]int32, len(x.rows))
	for b := range x.s.t.Inputs {
		for i, k := range x.rows {
			in := x.s.t.Input(int(x.s.rows[k]))
			same[i] = int32(in[b/64]>>(b%64)&1) ^ int32(e.right[i])
		}
		if !e.even(same, 2, 2*x.s.t.Inputs) {
			return false
		}
	}
	all, _ := x.whole()
	for v := range x.s.vars {
		part, parts := x.cells(all, 1, v)
		if !e.even(part, len(parts), others) {
			return false
		}
		for w := v + 1; w < len(x.s.vars); w++ {
			if part, parts := x.cells(part, len(parts), w); x.work < 0 || !e.even(part, len(parts), others) {
				return false
			}
		}
	}
	return true
}

// errorCount counts errors by parts of the rows.
type errorCount struct {
	x     *noise
	right []int8
	wrong []bool
	all   [][2]tally
}

// count counts rows by part and right value, the errors as ones.
func (e *errorCount) count(part []int32, parts int) [][2]tally {
	list := make([][2]tally, parts)
	for i, p := range part {
		list[p][e.right[i]].add(e.wrong[i])
	}
	return list
}

// even reports whether no part has more errors than by chance, nor fewer, as one of so many questions. A mistake costs support
// alone, so that its odds need not be small.
func (e *errorCount) even(part []int32, parts, questions int) bool {
	const odds = 0.01
	list := e.count(part, parts)
	least := odds / float64(2*parts*questions*e.x.outputs)
	for p := range list {
		more, fewer := 1.0, 1.0
		for v := range 2 {
			a, c := &e.all[0][v], &list[p][v]
			more *= Drawn(a.n, a.ones, c.n, c.ones)
			fewer *= Drawn(a.n, a.ones, a.n-c.n, a.ones-c.ones)
		}
		if both(more) < least || both(fewer) < least {
			return false
		}
	}
	return true
}

// both are the odds that two tests have odds whose product is so small (Fisher, 1932).
func both(product float64) float64 {
	if product == 0 {
		return 0
	}
	return product * (1 - math.Log(product))
}

// bound takes the rates of errors by the right value, from the pairs of large cells of a set.
func (x *noise) bound(set mask) {
	_, cells := x.partition(set)
	var differ, of [2]int
	for i := range cells {
		c := &cells[i]
		for v := range 2 {
			if value, _ := c.most(); c.n < largeCell || value == (v == 1) {
				differ[v], of[v] = differ[v]+c.differ, of[v]+c.of
			}
		}
	}
	for v := range 2 {
		rate := min(0.5, unseenRate*x.rate) // where no cell has the value
		if of[v] > 0 {
			rate = rateOf(upperRate(of[v], differ[v], x.share(4*mostSets)))
		}
		x.rates[v] = max(x.rates[v], rate)
	}
}

// settles reports whether n rows settle a value that so many have: the other value would make
// more of them errors than chance does.
func (x *noise) settles(n, with int, value bool) bool {
	if n <= 0 {
		return false
	}
	v, other := 0, 1
	if value {
		v, other = 1, 0
	}
	for len(x.needed[v]) <= n {
		x.needed[v] = append(x.needed[v], 0)
	}
	if x.needed[v][n] == 0 {
		k := int(float64(n)*x.rates[other]) + 1
		for k <= n && AtLeast(n, k, x.rates[other]) > x.odds {
			k++
		}
		x.needed[v][n] = k
	}
	return with >= x.needed[v][n]
}

// most is how many events there are at most, but for the odds of a cell, of a Poisson distribution.
func (x *noise) most(mean float64) int {
	k, term := 0, math.Exp(-mean)
	for left := 1 - term; left > x.odds && term > 0; left -= term {
		k++
		term *= mean / float64(k)
	}
	return k
}

// table lists the cells that rows settle.
func (x *noise) table(output int, inputs []int) Table {
	out := Table{Inputs: inputs}
	for _, c := range x.s.t.Cases(output, inputs) {
		switch n := c.Zeros + c.Ones; {
		case x.settles(n, c.Ones, true):
			out.On = append(out.On, c.Cell)
		case x.settles(n, c.Zeros, false):
			out.Off = append(out.Off, c.Cell)
		}
	}
	return out
}

// addNoisy makes the tables and exceptions of an output whose rows are in error now and again. It
// reports whether all that is missing is that other outputs have errors at such a rate, as the
// errors of one that does not depend on anything need to differ from chance.
func (b *spaceBuilder) addNoisy(output int, o *structure.Output, others float64) (constant bool) {
	s, out := b.s, b.out
	x := s.newNoise(output, out.Outputs)
	if len(x.rows) == 0 {
		return false
	}
	_, whole := x.whole()
	_, errors := whole[0].most()
	if o.Verdict == structure.Chance && float64(errors) > mostRate*float64(len(x.rows)) {
		return false
	}
	var sets []mask
	k, fit := min(LeastK, len(s.vars)), 0
	for ; k <= min(noiseK, len(s.vars)); k++ {
		if sets = x.sets(k); len(sets) == 0 {
			continue
		}
		if fit = sets[0].Count(); k >= min(len(s.vars), fit+marginK) {
			break
		}
	}
	if k > noiseK || len(sets) == 0 {
		return false
	}
	if fit == 0 && AtLeast(len(x.rows), errors, others) < x.share(1) {
		return true
	}
	for _, set := range sets {
		if !x.alike(set) {
			return false
		}
		x.bound(set)
	}
	x.odds = x.share(x.mostCells(k))
	tables := []Table{settledBy{margin: 1}.table(s.t, output, o.Inputs, o.Eval)}
	var except [][]Literal
	for _, set := range sets {
		inputs := s.bits(set.List())
		if len(inputs) > structure.MaxInputs {
			return false
		}
		tables = append(tables, x.table(output, inputs))
		cubes, ok := s.exceptions(x.rows, set, k-set.Count(), x)
		if !ok {
			return false
		}
		except = append(except, cubes...)
	}
	out.Tables[output], out.Classes[output] = tables, Class{K: k, Fit: fit, Rate: x.rate}
	if len(except) > 0 {
		slices.SortStableFunc(except, slices.Compare)
		out.Except = append(out.Except, Exception{Outputs: []int{output}, Cubes: slices.CompactFunc(except, slices.Equal)})
	}
	return false
}

// mostCells is the most joint values that rows have of k variables.
func (x *noise) mostCells(k int) int {
	var values []int
	for i := range x.s.vars {
		values = append(values, -len(x.s.vars[i].values))
	}
	slices.Sort(values)
	n := 1
	for _, v := range values[:k] {
		n = min(len(x.rows), n*-v)
	}
	return n
}
