package translate

import (
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/rddl/ground"
)

// Limits of products by cases.
const (
	caseWires = 8    // of a factor
	casePairs = 8192 // of values that are multiplied
)

// cases are the values that a number can have. In each row of the table over the number's
// wires it has one of them.
type cases struct {
	values []rat // distinct, in ascending order
	table  *table
}

// casesOf lists the values of a number over few wires; nil if there are too many.
func casesOf(x number) *cases {
	if len(x.terms) > caseWires {
		return nil
	}
	rows := 1 << len(x.terms)
	out := &cases{table: &table{care: make([]bool, rows), values: make([]value, rows)}}
	for _, t := range x.terms {
		out.table.inputs = append(out.table.inputs, lit(t.wire))
	}
	for r := range rows {
		sum := x.k
		for i, t := range x.terms {
			if r>>i&1 == 1 {
				sum = sum.add(t.coef)
			}
		}
		// The bounds may exclude combinations of the wires.
		if sum.cmp(x.lo) < 0 || sum.cmp(x.hi) > 0 {
			continue
		}
		out.table.care[r], out.table.values[r] = true, exact(sum)
		out.values = append(out.values, sum)
	}
	out.values = distinct(out.values)
	return out
}

func distinct(values []rat) []rat {
	if !slices.IsSortedFunc(values, rat.cmp) {
		slices.SortStableFunc(values, rat.cmp)
	}
	return slices.Compact(values)
}

// is returns a literal that holds where the number has one of its values.
func (c *compiler) is(x *cases, v rat) lit {
	f, ok := x.table.minimise(func(y value) bool { return y.rat == v }, nothing)
	if !ok {
		// At most 2^caseWires rows: each that has the value is a cube.
		var rows []lit
		for r, care := range x.table.care {
			if care && x.table.values[r].rat == v {
				rows = append(rows, c.and(0, x.table.row(r)...))
			}
		}
		return c.or(0, rows...)
	}
	return c.realise(0, x.table, f)
}

// row returns the literals that hold in a row.
func (t *table) row(r int) []lit {
	out := slices.Clone(t.inputs)
	for i := range out {
		if r>>i&1 == 0 {
			out[i] = -out[i]
		}
	}
	return out
}

// productByCases compiles a product of several factors by the values that the products of the
// first factors can have: each is a condition. It multiplies out what would be exponentially many
// products of wires, if the values are few. ok is false if they are not, or if wires are as good.
func (c *compiler) productByCases(factors []number) (out number, ok bool) {
	var all []*cases
	wires, pairs := 1, 0
	values := []rat{whole(1)}
	for _, x := range factors {
		f := casesOf(x)
		if f == nil {
			return out, false
		}
		all = append(all, f)
		wires = min(wires*(len(x.terms)+1), 1<<30)
		pairs += len(values) * len(f.values)
		if pairs > casePairs {
			return out, false
		}
		values = products(values, f.values)
	}
	if pairs >= wires || len(values) == 0 {
		return out, false
	}
	done, when := []rat{whole(1)}, []lit{yes}
	for _, f := range all {
		done, when = c.multiply(done, when, f)
	}
	out = constant(whole(0))
	for i, v := range done {
		out = out.plus(literalNumber(when[i]), v)
	}
	for _, x := range factors {
		out.rounded = out.rounded || x.rounded
	}
	out.vec = nil
	out.lo, out.hi = out.lo.max(done[0]), out.hi.min(done[len(done)-1])
	if out.lo.cmp(out.hi) > 0 { // never in a legal step
		return constant(whole(0)), true
	}
	out.tighten()
	return out, true
}

// products returns the distinct products of two lists.
func products(a, b []rat) []rat {
	out := make([]rat, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			out = append(out, x.mul(y))
		}
	}
	return distinct(out)
}

// multiply returns the values of a product and when it has them, given those of the factors
// before.
func (c *compiler) multiply(before []rat, when []lit, f *cases) ([]rat, []lit) {
	is := make([]lit, len(f.values))
	for i, v := range f.values {
		is[i] = c.is(f, v)
	}
	values := products(before, f.values)
	ways := make([][]lit, len(values))
	for i, x := range before {
		for j, y := range f.values {
			k, _ := slices.BinarySearchFunc(values, x.mul(y), rat.cmp)
			switch {
			case x.N == 0 && j > 0: // zero, whatever the factor is
			case x.N == 0:
				ways[k] = append(ways[k], when[i])
			default:
				ways[k] = append(ways[k], c.and(0, when[i], is[j]))
			}
		}
	}
	out := make([]lit, len(values))
	for k := range values {
		out[k] = c.or(0, ways[k]...)
	}
	return values, out
}

// maxValues bounds the values of a function that are told apart.
const maxValues = 256

// byValues compiles a function over few bits by its values: the sum of all of them, each times the
// literal that the function has it. Values that are not fractions are rounded. ok is false if
// the values, or the bits, are too many.
func (c *compiler) byValues(n *ground.Node) (out number, ok bool) {
	for _, of := range []func(*ground.Node) *table{c.tableOf, c.leafTable} {
		t := of(n)
		if t == nil {
			continue
		}
		x := &cases{table: t}
		rounded := false
		for r, care := range t.care {
			if !care {
				continue
			}
			if v := &t.values[r]; v.inexact {
				rounded = true
				*v = exact(nearest(v.float))
			}
			x.values = append(x.values, t.values[r].rat)
		}
		if x.values = distinct(x.values); len(x.values) > maxValues {
			continue
		}
		if len(x.values) == 0 {
			return constant(whole(0)), true // never in a legal step
		}
		least, most := x.values[0], x.values[len(x.values)-1]
		out = constant(least)
		for _, v := range x.values[1:] {
			out = out.plus(literalNumber(c.is(x, v)), v.sub(least))
		}
		out.lo, out.hi, out.vec, out.rounded = least, most, nil, rounded
		out.tighten()
		return out, true
	}
	return out, false
}

// precision is the denominator to which values that are not fractions are rounded.
const precision = 1_000_000_000

// nearest rounds a value to a multiple of 1/precision.
func nearest(f float64) rat {
	f = math.Round(f * precision)
	if math.Abs(f) > ratLimit {
		panic(errTooLarge)
	}
	return fraction(int64(f), precision)
}

// product compiles a product.
func (c *compiler) product(n *ground.Node) number {
	if c.hard(n) { // rounded once, and not each factor
		if x, ok := c.byValues(n); ok {
			return x
		}
	}
	var nodes []*ground.Node
	// The order of factors matters in floating point, and products keep it; not in fractions.
	var gather func(n *ground.Node)
	gather = func(n *ground.Node) {
		for _, a := range n.Args {
			if a.Op == ground.Mul {
				gather(a)
			} else {
				nodes = append(nodes, a)
			}
		}
	}
	gather(n)
	open := 0
	for _, a := range nodes {
		if a.Op != ground.Const {
			open++
		}
	}
	var factors []number
	for _, a := range nodes {
		if open > 1 {
			factors = append(factors, c.factor(a))
		} else { // a multiple of a sum is one
			factors = append(factors, c.number(a))
		}
	}
	if len(factors) > 2 {
		if out, ok := c.productByCases(factors); ok {
			return out
		}
	}
	out := factors[0]
	for _, f := range factors[1:] {
		out = c.times2(n, out, f)
	}
	return out
}
