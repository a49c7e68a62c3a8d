package milp

import "math"

// finest is the finest unit that multipliers of rows are rounded to parts of.
const finest = 1 << 32

// bounds are what rounded multipliers of the rows show: in whole parts of a unit of cost.
type bounds struct {
	d     []int64   // by variable: reduced costs
	size  []float64 // by column: of what was added to its cost
	value int64     // no point within the variables' bounds that keeps all rows costs less
}

// chooseUnit chooses into how many parts a unit of cost is divided, so that sums stay inside 64 bits.
func (s *Search) chooseUnit() {
	total, most := float64(s.p.Step), s.p.Step
	s.least = -s.p.Step
	for j, c := range s.p.Cost {
		total += math.Abs(float64(c)) * max(1, math.Abs(float64(s.low[j])), math.Abs(float64(s.high[j])))
		most += max(c*s.low[j], c*s.high[j])
		s.least += min(c*s.low[j], c*s.high[j])
	}
	s.cutoff = max(min(s.cutoff, most), s.least)
	for s.unit = finest; s.unit > 1 && total*float64(s.unit) > 1<<58; {
		s.unit /= 2
	}
	for _, c := range s.p.Cost {
		s.scaled = append(s.scaled, c*s.unit)
	}
}

// exact computes the bound of multipliers of the rows, for the variables' bounds at hand. It is false where numbers are too large.
func (s *Search) exact(y []float64) bool {
	b := &s.bounds
	b.d, b.size = append(b.d[:0], s.scaled...), append(b.size[:0], make([]float64, s.lp.n)...)
	for i, v := range y {
		r := math.Round(v * float64(s.unit))
		if math.Abs(r) > 1<<60 || math.IsNaN(r) {
			return false
		}
		k := int64(r)
		b.d = append(b.d, k)
		if k == 0 {
			continue
		}
		for _, t := range s.p.Rows[i].Terms {
			b.size[t.Column] += math.Abs(r * float64(t.Coef))
			b.d[t.Column] -= k * t.Coef
		}
	}
	for _, size := range b.size {
		if size > 1<<61 {
			return false
		}
	}
	b.value = 0
	total := 0.0
	for v, d := range b.d {
		at := s.low[v]
		if d < 0 {
			at = s.high[v]
		}
		b.value += d * at
		total += math.Abs(float64(d)) * math.Abs(float64(at))
	}
	s.lp.work += int64(2 * len(b.d))
	return total < 1<<62
}

// multipliers are those of the relaxation's basis, with so much of its ray.
func (s *Search) multipliers(ray float64) []float64 {
	y := s.y[:0]
	for i := range s.lp.m {
		v := s.lp.d[s.lp.n+i] - s.lp.cost[s.lp.n+i]
		if ray > 0 {
			v += ray * s.lp.raySign * s.lp.ray[i]
		}
		y = append(y, v)
	}
	s.y = y
	return y
}

// limit is what no solution that is looked for costs more than.
func (s *Search) limit() int64 { return s.cutoff - s.p.Step }

// refuted reports whether multipliers show that no solution within the bounds at hand is wanted. Where it is false, bounds are those of the
// basis, or value is least.
func (s *Search) refuted(st status) bool {
	if st == infeasible {
		for _, ray := range []float64{1, 100, 10_000} {
			if s.exact(s.multipliers(ray)) && s.bounds.value > s.limit()*s.unit {
				return true
			}
		}
	}
	if !s.exact(s.multipliers(0)) {
		s.bounds.value = math.MinInt64
		return false
	}
	return s.bounds.value > s.limit()*s.unit
}

// tighten narrows the bounds of variables outside of which no solution is wanted, as reduced costs show.
func (s *Search) tighten() {
	slack := s.limit()*s.unit - s.bounds.value
	if s.bounds.value == math.MinInt64 || slack < 0 {
		return
	}
	for v, d := range s.bounds.d {
		low, high := s.low[v], s.high[v]
		switch {
		case low == high || d == 0:
		case d > 0:
			if most := slack / d; most < high-low {
				s.narrow(int32(v), low, low+most)
			}
		default:
			if most := slack / -d; most < high-low {
				s.narrow(int32(v), high-most, high)
			}
		}
	}
}
