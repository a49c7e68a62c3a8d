package measure

import (
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/data/distinct"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// Predict sets out to the output bits that are predicted for some input bits, both packed as
// package bnn packs them. It is called once for each different input.
type Predict func(out, in []uint64)

// Network is the prediction of a network.
func Network(net *bnn.Network) Predict {
	e := bnn.NewEvaluator(net)
	scratch := e.NewScratch()
	return func(out, in []uint64) { e.Forward(out, in, scratch) }
}

// Counter measures predictions row by row.
type Counter struct {
	m       Measure
	inputs  int // bits
	outputs int
	isInput map[*factored.Variable]bool
	fluents []fluent
	predict Predict
	seen    *distinct.Set // inputs
	answers []uint64      // what is predicted for each of seen
	bits    []int         // rows that are wrong in each output bit
	pairs   *distinct.Set // of inputs and outputs, with their values outside
	counts  []int         // of each of pairs
	ids     map[outsideKey]uint64
	outside []outsideKey
	in, out []uint64
	before  []uint64
	row     []uint64
}

// fluent is a variable that is predicted.
type fluent struct {
	v    *factored.Variable
	bits []int // among the outputs
	d    *distances
}

// outsideKey stands for a value outside after others.
type outsideKey struct {
	before uint64 // the identity of the others, 0 for none
	v      *factored.Variable
	value  float64
}

// NewCounter returns a counter of the errors of predicting the outputs of a problem from its
// inputs.
func NewCounter(p *factored.Problem, predict Predict) *Counter {
	c := &Counter{inputs: len(p.Inputs), outputs: len(p.Outputs), predict: predict, isInput: map[*factored.Variable]bool{}, ids: map[outsideKey]uint64{}}
	for _, b := range p.Inputs {
		v, _ := p.Owner(b)
		c.isInput[v] = true
	}
	for i, b := range p.Outputs {
		v, _ := p.Owner(b)
		if n := len(c.fluents); n == 0 || c.fluents[n-1].v != v {
			c.fluents = append(c.fluents, fluent{v: v})
		}
		f := &c.fluents[len(c.fluents)-1]
		f.bits = append(f.bits, i)
		if f.d == nil && !v.Bool && !v.Enumeration() {
			f.d = &distances{v: v}
		}
	}
	wi, wo := bnn.Words(c.inputs), bnn.Words(c.outputs)
	c.in, c.out, c.before = make([]uint64, wi), make([]uint64, wo), make([]uint64, wo)
	c.row, c.bits = make([]uint64, wi+wo+2), make([]int, c.outputs)
	c.seen, c.pairs = distinct.New(wi), distinct.New(len(c.row))
	return c
}

// Variables returns the variables that are predicted, in order.
func (c *Counter) Variables() []*factored.Variable {
	var all []*factored.Variable
	for i := range c.fluents {
		all = append(all, c.fluents[i].v)
	}
	return all
}

// Values are those of Variables in their own units, before and after a step.
type Values struct{ Now, Next []float64 }

// Add takes rows that are alike, of which all is known. The values in own units may be nil if there are no quantities
// in bins. outside reports that a value of the row is not one that its fluent has.
func (c *Counter) Add(r *train.Row, units *Values, outside bool) {
	bnn.PackInto(c.in, r.In)
	bnn.PackInto(c.out, r.Out)
	bnn.PackInto(c.before, r.Before)
	n := r.Count
	c.m.Rows += n
	known := true // an input for the network
	for _, x := range r.Outside {
		known = known && (x.Next || !c.isInput[x.Variable])
	}
	var predicted []uint64
	if known {
		predicted = c.answer(c.input())
	}
	wrong, unchanged := !known, false
	for i := range c.fluents {
		f := &c.fluents[i]
		now, next := outsideOf(r.Outside, f.v, false), outsideOf(r.Outside, f.v, true)
		bad := predicted == nil || next != nil || number(predicted, f.bits) != number(c.out, f.bits)
		moved := number(c.before, f.bits) != number(c.out, f.bits)
		if now != nil || next != nil {
			moved = now == nil || next == nil || *now != *next
		}
		if bad {
			c.m.fluent(i).Wrong += n
			c.wrongBits(f, predicted, next, n)
		}
		if moved {
			c.m.fluent(i).Unchanged += n
		}
		wrong, unchanged = wrong || bad, unchanged || moved
		f.add(c, i, predicted, now, next, units, n)
	}
	if wrong {
		c.m.Wrong += n
	}
	if unchanged {
		c.m.Unchanged += n
	}
	if outside {
		c.m.OutOfRange += n
	}
	c.count(r)
}

// fluent returns the errors of fluent i.
func (m *Measure) fluent(i int) *Fluent {
	for len(m.Fluents) <= i {
		m.Fluents = append(m.Fluents, Fluent{})
	}
	return &m.Fluents[i]
}

// input returns the number of the row's input, for which something is predicted.
func (c *Counter) input() int {
	i, added := c.seen.Add(c.in)
	if added {
		c.answers = append(c.answers, make([]uint64, len(c.out))...)
		c.predict(c.answer(i), c.in)
	}
	return i
}

// answer returns what is predicted for input i.
func (c *Counter) answer(i int) []uint64 {
	wo := len(c.out)
	return c.answers[i*wo : (i+1)*wo]
}

// wrongBits counts the wrong bits of a fluent in n rows: all of them where nothing is predicted, or nothing can
// be right.
func (c *Counter) wrongBits(f *fluent, predicted []uint64, next *float64, n int) {
	for _, b := range f.bits {
		if predicted == nil || next != nil || (predicted[b/64]^c.out[b/64])>>(b%64)&1 == 1 {
			c.bits[b] += n
		}
	}
}

// add takes the error of a quantity or an integer in n rows.
func (f *fluent) add(c *Counter, i int, predicted []uint64, now, next *float64, units *Values, n int) {
	if f.d == nil || predicted == nil {
		return
	}
	value := func(bits []uint64, outside *float64) float64 {
		if outside != nil {
			return *outside
		}
		return f.value(number(bits, f.bits))
	}
	a, b := value(c.before, now), value(c.out, next)
	if units != nil && f.v.Real() {
		a, b = units.Now[i], units.Next[i]
	}
	for range n {
		f.d.add(b, a, f.value(number(predicted, f.bits)))
	}
}

// value is what some bits stand for, in the variable's own unit. Bits of no value of a quantity
// stand for its highest.
func (f *fluent) value(x uint64) float64 {
	level := f.level(x)
	if !f.v.Real() {
		return float64(level)
	}
	return f.v.Center(min(max(level, f.v.Lo), f.v.Hi))
}

// level is the integer that some bits stand for.
func (f *fluent) level(x uint64) (level int64) {
	for i := range f.bits {
		if x>>(len(f.bits)-1-i)&1 == 1 {
			level += f.v.Weight(i)
		}
	}
	return level
}

// count counts the pair of inputs and outputs for the floor.
func (c *Counter) count(r *train.Row) {
	wi := len(c.in)
	copy(c.row, c.in)
	copy(c.row[wi+1:], c.out)
	c.row[wi], c.row[len(c.row)-1] = c.identity(r, false), c.identity(r, true)
	i, added := c.pairs.Add(c.row)
	if added {
		c.counts = append(c.counts, 0)
	}
	c.counts[i] += r.Count
}

// identity identifies the values outside before or after the step: 0 if there are none.
func (c *Counter) identity(r *train.Row, next bool) (id uint64) {
	for _, x := range r.Outside {
		if x.Next != next || !next && !c.isInput[x.Variable] || next && !c.predicts(x.Variable) {
			continue
		}
		k := outsideKey{id, x.Variable, x.Value}
		known, ok := c.ids[k]
		if !ok {
			c.outside = append(c.outside, k)
			known = uint64(len(c.outside))
			c.ids[k] = known
		}
		id = known
	}
	return id
}

func (c *Counter) predicts(v *factored.Variable) bool {
	return slices.ContainsFunc(c.fluents, func(f fluent) bool { return f.v == v })
}

// Measure returns the errors on the rows that were added.
func (c *Counter) Measure() *Measure {
	m := c.m
	m.Fluents = make(Fluents, len(c.fluents))
	copy(m.Fluents, c.m.Fluents)
	for i := range c.fluents {
		f := &c.fluents[i]
		m.Fluents[i].Name, m.Fluents[i].Distance = f.v.Name, f.d.distance()
	}
	m.Floor = m.Rows
	for i := range m.Fluents {
		m.Fluents[i].Floor = m.Rows
	}
	wi := len(c.in) + 1
	order := c.pairs.Order()
	for i, j := 0, 0; i < len(order); i = j {
		m.Distinct++
		most := 0
		for j = i; j < len(order) && slices.Equal(c.pairs.At(int(order[j]))[:wi], c.pairs.At(int(order[i]))[:wi]); j++ {
			most = max(most, c.counts[order[j]])
		}
		m.Floor -= most
		for k := range c.fluents {
			m.Fluents[k].Floor -= c.mostOf(order[i:j], k)
		}
	}
	return &m
}

// mostOf returns the number of rows with the most frequent value of a fluent, among pairs with one input.
func (c *Counter) mostOf(pairs []int32, k int) int {
	if len(pairs) == 1 {
		return c.counts[pairs[0]]
	}
	type value struct {
		bits    uint64
		outside uint64 // the bits of a value outside
		is      bool
	}
	counts, most := map[value]int{}, 0
	f := &c.fluents[k]
	for _, i := range pairs {
		row := c.pairs.At(int(i))
		v := value{bits: number(row[len(c.in)+1:], f.bits)}
		for id := row[len(row)-1]; id != 0; id = c.outside[id-1].before {
			if x := &c.outside[id-1]; x.v == f.v {
				v.outside, v.is = math.Float64bits(x.value), true
			}
		}
		counts[v] += c.counts[i]
		most = max(most, counts[v])
	}
	return most
}

// outsideOf returns the value of a variable before or after the step, if it is outside.
func outsideOf(all []train.Outside, v *factored.Variable, next bool) *float64 {
	for i := range all {
		if all[i].Variable == v && all[i].Next == next {
			return &all[i].Value
		}
	}
	return nil
}

// number reads bits of a row as a number, the first of them the most significant.
func number(row []uint64, bits []int) uint64 {
	var x uint64
	for _, b := range bits {
		x = x<<1 | row[b/64]>>(b%64)&1
	}
	return x
}
