package main

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// series is a run of the pump and the level of the lower tank, a number for each sample.
type series struct{ pump, level []float64 }

// readSeries reads a CSV file with a header, whose columns are the pump, the level, and the level a sample later.
func readSeries(r io.Reader) (*series, error) {
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	s := &series{}
	for i, row := range rows {
		if i == 0 {
			continue
		}
		var x [3]float64
		for j := range x {
			if x[j], err = strconv.ParseFloat(row[j], 64); err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
		}
		s.pump, s.level = append(s.pump, x[0]), append(s.level, x[1])
		if i == len(rows)-1 {
			s.level = append(s.level, x[2])
		}
	}
	if len(s.pump) < 100 {
		return nil, fmt.Errorf("%d rows; expected at least 100", len(s.pump))
	}
	return s, nil
}

// tanks are the constants of two tanks, one above the other, by the laws of Bernoulli and Torricelli (Schoukens, Mattsson,
// Wigren, Noël, Cascaded tanks benchmark, 2016): a pump fills the upper one, which runs into the lower one, and
// what the upper one cannot hold runs over, in part into the lower one. Levels are at most 10.
type tanks struct {
	in, out1, in2, out2, over float64
	start                     float64 // level of the upper tank at the begin of the log
	residuals                 []float64
}

const full = 10

// step returns both levels a sample later, in a few small steps.
func (t *tanks) step(upper, lower, pump float64) (float64, float64) {
	const parts = 4
	for range parts {
		r1, r2 := math.Sqrt(max(0, upper)), math.Sqrt(max(0, lower))
		spill := 0.0
		if upper >= full {
			spill = t.over * max(0, t.in*pump-t.out1*r1)
		}
		upper += (t.in*pump - t.out1*r1) / parts
		lower += (t.in2*r1 - t.out2*r2 + spill) / parts
		upper, lower = min(full, max(0, upper)), min(full, max(0, lower))
	}
	return upper, lower
}

func (t *tanks) vector() []float64 { return []float64{t.in, t.out1, t.in2, t.out2, t.over, t.start} }

func fromVector(v []float64) *tanks {
	return &tanks{in: v[0], out1: v[1], in2: v[2], out2: v[3], over: v[4], start: v[5]}
}

// loss is the mean square of the errors of a whole run that sees the pump alone.
func (t *tanks) loss(s *series) float64 {
	sum, upper, lower := 0.0, t.start, s.level[0]
	for _, v := range t.vector() {
		if v < 0 {
			sum += 1e3 * v * v
		}
	}
	for k, u := range s.pump {
		upper, lower = t.step(upper, lower, u)
		e := lower - s.level[k+1]
		sum += e * e
	}
	return sum / float64(len(s.pump))
}

// fit finds the constants by the search of Nelder and Mead, and the errors one sample ahead that are left.
func fit(s *series) *tanks {
	best := nelderMead([]float64{.05, .05, .05, .05, .5, s.level[0]}, 3000, func(v []float64) float64 { return fromVector(v).loss(s) })
	t := fromVector(best)
	upper := t.start
	for k, u := range s.pump {
		_, lower := t.step(upper, s.level[k], u)
		if s.level[k+1] < full-.01 { // at the bound the error is not seen
			t.residuals = append(t.residuals, s.level[k+1]-lower)
		}
		upper, _ = t.step(upper, s.level[k], u)
	}
	return t
}

// nelderMead minimises f.
func nelderMead(x []float64, steps int, f func([]float64) float64) []float64 {
	type point struct {
		x []float64
		f float64
	}
	n := len(x)
	points := []point{{x, f(x)}}
	for i := range n {
		y := slices.Clone(x)
		y[i] *= 1.3
		points = append(points, point{y, f(y)})
	}
	for range steps {
		slices.SortFunc(points, func(a, b point) int { return cmp.Compare(a.f, b.f) })
		mean := make([]float64, n)
		for _, p := range points[:n] {
			for i := range mean {
				mean[i] += p.x[i] / float64(n)
			}
		}
		worst := points[n]
		at := func(l float64) point {
			y := make([]float64, n)
			for i := range y {
				y[i] = mean[i] + l*(worst.x[i]-mean[i])
			}
			return point{y, f(y)}
		}
		next := at(-1)
		switch {
		case next.f < points[0].f:
			if far := at(-2); far.f < next.f {
				next = far
			}
		case next.f >= points[n-1].f:
			next = at(.5)
		}
		if next.f < worst.f {
			points[n] = next
			continue
		}
		for i := 1; i <= n; i++ {
			for j := range points[i].x {
				points[i].x[j] = (points[i].x[j] + points[0].x[j]) / 2
			}
			points[i].f = f(points[i].x)
		}
	}
	slices.SortFunc(points, func(a, b point) int { return cmp.Compare(a.f, b.f) })
	return points[0].x
}

// block is the number of errors that are drawn in a row, as they were in the log.
const block = 10

// plant is a run of the tanks with errors drawn in blocks.
type plant struct {
	*tanks
	rng          *rand.Rand
	upper, lower float64
	at, left     int // in the residuals
}

// reset begins with a level that the lower tank has had for a while, so that as much runs in as out.
func (p *plant) reset(level float64) {
	p.lower, p.left = level, 0
	root := p.out2 * math.Sqrt(level) / p.in2
	p.upper = min(full, root*root)
}

func (p *plant) step(pump float64) {
	if p.left == 0 {
		p.at, p.left = p.rng.IntN(len(p.residuals)-block), block
	}
	p.upper, p.lower = p.tanks.step(p.upper, p.lower, pump)
	p.lower = min(full, max(0, p.lower+p.residuals[p.at]))
	p.at, p.left = p.at+1, p.left-1
}
