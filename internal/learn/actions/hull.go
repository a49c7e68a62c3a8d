package actions

import (
	"math/big"
	"slices"
)

// cone is the set of all (b, a) with b + a·p >= 0 for all points p so far, by the double description method: lines can be added with either sign,
// rays are its edges, which are the facets of the points' convex hull.
type cone struct {
	lines  [][]*big.Int
	rays   []ray
	points [][]*big.Int // homogeneous, each once
}

type ray struct {
	at    []*big.Int
	tight []uint64 // points on it
}

func newCone(dim int) *cone {
	c := &cone{}
	for i := range dim + 1 {
		x := make([]*big.Int, dim+1)
		for k := range x {
			x[k] = new(big.Int)
		}
		x[i].SetInt64(1)
		c.lines = append(c.lines, x)
	}
	return c
}

func dot(x, y []*big.Int) *big.Int {
	sum, p := new(big.Int), new(big.Int)
	for i := range x {
		sum.Add(sum, p.Mul(x[i], y[i]))
	}
	return sum
}

// mix is s x - t y, divided by what all numbers have in common.
func mix(s *big.Int, x []*big.Int, t *big.Int, y []*big.Int) []*big.Int {
	out, p := make([]*big.Int, len(x)), new(big.Int)
	common := new(big.Int)
	for i := range x {
		out[i] = new(big.Int).Mul(s, x[i])
		out[i].Sub(out[i], p.Mul(t, y[i]))
		common.GCD(nil, nil, common, new(big.Int).Abs(out[i]))
	}
	if common.Sign() > 0 {
		for i := range out {
			out[i].Quo(out[i], common)
		}
	}
	return out
}

// add takes a point in.
func (c *cone) add(point []*big.Int) {
	p := append([]*big.Int{big.NewInt(1)}, point...)
	n := len(c.points)
	c.points = append(c.points, p)
	for i, line := range c.lines {
		v := dot(p, line)
		if v.Sign() == 0 {
			continue
		}
		if v.Sign() < 0 {
			v.Neg(v)
			line = mix(big.NewInt(-1), line, new(big.Int), line)
		}
		c.lines = slices.Delete(c.lines, i, i+1)
		for k, other := range c.lines {
			c.lines[k] = mix(v, other, dot(p, other), line)
		}
		for k := range c.rays {
			c.rays[k].at = mix(v, c.rays[k].at, dot(p, c.rays[k].at), line)
			c.rays[k].mark(n)
		}
		c.rays = append(c.rays, c.ray(line, n))
		return
	}
	c.cut(p, n)
}

// ray marks the points before point n that are on a facet.
func (c *cone) ray(at []*big.Int, n int) ray {
	r := ray{at: at}
	for k, p := range c.points[:n] {
		if dot(p, at).Sign() == 0 {
			r.mark(k)
		}
	}
	return r
}

func (r *ray) mark(n int) {
	for len(r.tight) <= n/64 {
		r.tight = append(r.tight, 0)
	}
	r.tight[n/64] |= 1 << (n % 64)
}

// cut removes the rays that a point is outside of. Neighbours on both sides make new ones.
func (c *cone) cut(p []*big.Int, n int) {
	var in, out []int
	var kept []ray
	values := make([]*big.Int, len(c.rays))
	for i := range c.rays {
		values[i] = dot(p, c.rays[i].at)
		switch values[i].Sign() {
		case 1:
			in = append(in, i)
		case -1:
			out = append(out, i)
			continue
		default:
			c.rays[i].mark(n)
		}
		kept = append(kept, c.rays[i])
	}
	for _, i := range in {
		for _, k := range out {
			if c.neighbours(i, k) {
				r := c.ray(mix(values[i], c.rays[k].at, values[k], c.rays[i].at), n)
				r.mark(n)
				kept = append(kept, r)
			}
		}
	}
	c.rays = kept
}

// neighbours reports whether no third ray has all points that two share.
func (c *cone) neighbours(i, k int) bool {
	a, b := c.rays[i].tight, c.rays[k].tight
	both := make([]uint64, min(len(a), len(b)))
	for w := range both {
		both[w] = a[w] & b[w]
	}
	for x := range c.rays {
		if x == i || x == k {
			continue
		}
		has := true
		for w, set := range both {
			if set != 0 && (w >= len(c.rays[x].tight) || c.rays[x].tight[w]&set != set) {
				has = false
				break
			}
		}
		if has {
			return false
		}
	}
	return true
}

// reduce brings equations into the form in which each has a variable that no other has.
func reduce(lines [][]*big.Int, width int) [][]*big.Int {
	done := 0
	for col := width - 1; col > 0 && done < len(lines); col-- {
		at := -1
		for i := done; i < len(lines); i++ {
			if lines[i][col].Sign() != 0 {
				at = i
				break
			}
		}
		if at < 0 {
			continue
		}
		lines[done], lines[at] = lines[at], lines[done]
		for i := range lines {
			if i != done && lines[i][col].Sign() != 0 {
				lines[i] = mix(lines[done][col], lines[i], lines[i][col], lines[done])
			}
		}
		done++
	}
	return lines
}
