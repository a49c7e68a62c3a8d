package bound

import (
	"math"
	"slices"
)

// path is a way of a group through its values: what it costs, and what it uses of relations at all steps.
type path struct {
	arcs   []int32 // by step
	cost   float64
	at     []int32 // [k]: (t-1)*rels+rel, ascending
	uses   []float64
	weight float64 // in the mixture
	age    int     // turns since it had a weight
	value  float64 // its cost with prices
	change float64 // of the weight
}

// paths are those of a chain that are kept, of which some are mixed: their weights add up to one.
type paths struct {
	list []*path
	dots [][]float64 // products of uses
}

// Paths without a weight are kept for maxAge turns, and maxPaths of a chain, unless more have a weight.
const (
	maxAge   = 15
	maxPaths = 60
)

// priced is what a path costs with prices.
func (p *path) priced(price []float64) float64 {
	sum := p.cost
	uses := p.uses
	for k, i := range p.at {
		sum += uses[k] * price[i]
	}
	return sum
}

// add adds a multiple of what the path uses.
func (p *path) add(to []float64, times float64) {
	for k, i := range p.at {
		to[i] += times * p.uses[k]
	}
}

// keep puts a path to the others, of which old ones are left out.
func (c *paths) keep(p *path) {
	for k := len(c.list) - 1; k >= 0; k-- {
		q := c.list[k]
		if q.age++; q.weight > 0 {
			q.age = 0
		}
		if q.age > maxAge || q.age > 0 && len(c.list) >= maxPaths {
			c.list = slices.Delete(c.list, k, k+1)
			c.dots = slices.Delete(c.dots, k, k+1)
			for i := range c.dots {
				c.dots[i] = slices.Delete(c.dots[i], k, k+1)
			}
		}
	}
	for _, q := range c.list {
		if q.cost == p.cost && slices.Equal(q.at, p.at) && slices.Equal(q.uses, p.uses) {
			return
		}
	}
	row := make([]float64, 0, len(c.list)+1)
	c.list = append(c.list, p)
	for k, q := range c.list {
		x := p.dot(q)
		row = append(row, x)
		if q != p {
			c.dots[k] = append(c.dots[k], x)
		}
	}
	c.dots = append(c.dots, row)
}

// dot is the product of what two paths use; places are in ascending order.
func (p *path) dot(q *path) (sum float64) {
	for i, j := 0, 0; i < len(p.at) && j < len(q.at); {
		switch x, y := p.at[i], q.at[j]; {
		case x == y:
			sum += p.uses[i] * q.uses[j]
			i++
			j++
		case x < y:
			i++
		default:
			j++
		}
	}
	return sum
}

// A turn mixes the paths of all chains up to maxSweeps times, until that gains less than a tenth of what it did at first or has
// taken mixWork times as much work as a look at all moves, each chain by up to maxShifts shifts of weight.
const (
	maxSweeps = 8
	maxShifts = 5
	mixWork   = 7
)

// mix mixes the paths of each chain at the prices that follow from the mixture.
func (o *optimizer) mix() {
	var first float64
	o.work = 0
	most := int64(mixWork) * int64(o.d.moves) * int64(o.f.horizon)
	for n := range maxSweeps {
		var gain float64
		for _, c := range o.d.chains {
			gain += o.shift(c)
		}
		if n == 0 {
			first = gain
		}
		if gain <= .1*first || o.work > most {
			return
		}
	}
}

// shift shifts weight of a chain to its cheapest path from its dearest, and gives what that gains, about.
func (o *optimizer) shift(c *chain) (gain float64) {
	if len(c.list) < 2 {
		return 0
	}
	for _, p := range c.list {
		p.value, p.change = p.priced(o.point), 0
		o.work += int64(len(p.at))
	}
	for range maxShifts {
		low, high := -1, -1
		for k, p := range c.list {
			if low < 0 || p.value < c.list[low].value {
				low = k
			}
			if p.weight > 0 && (high < 0 || p.value > c.list[high].value) {
				high = k
			}
		}
		p, q := c.list[low], c.list[high]
		gap := q.value - p.value
		if gap < 1e-9*(1+math.Abs(p.value)) {
			break
		}
		moved := q.weight
		if norm := c.dots[low][low] - 2*c.dots[low][high] + c.dots[high][high]; norm > 0 {
			moved = min(moved, gap/(o.reach*c.mult*norm))
		}
		gain += c.mult * moved * gap
		p.weight, p.change = p.weight+moved, p.change+moved
		if q.weight, q.change = q.weight-moved, q.change-moved; q.weight < 1e-12 {
			q.weight = 0
		}
		for k, x := range c.list {
			x.value += o.reach * c.mult * moved * (c.dots[k][low] - c.dots[k][high])
		}
	}
	for _, p := range c.list {
		if p.change != 0 {
			o.cost += c.mult * p.change * p.cost
			p.add(o.excess, c.mult*p.change)
		}
	}
	for _, p := range c.list {
		if p.change != 0 {
			for _, i := range p.at {
				o.set(i)
			}
		}
	}
	return gain
}
