package chart

import (
	"fmt"
	"math"
	"strconv"
)

// tick is a mark on an axis; minor ones have no label.
type tick struct {
	value float64
	label string
}

// scale places the values of an axis in the drawing.
type scale struct {
	log      bool
	lo, hi   float64 // values
	from, to float64 // their places
	ticks    []tick
}

func (a *Axis) scale(r [2]float64) scale {
	s := scale{log: a.Log, lo: r[0], hi: r[1]}
	if a.Log {
		s.ticks = logTicks(s.lo, s.hi)
	} else {
		s.ticks = linearTicks(s.lo, s.hi)
	}
	return s
}

// place is where a value is.
func (s *scale) place(v float64) float64 {
	share := (v - s.lo) / (s.hi - s.lo)
	if s.log {
		share = (math.Log(v) - math.Log(s.lo)) / (math.Log(s.hi) - math.Log(s.lo))
	}
	return s.from + share*(s.to-s.from)
}

// widest is the width of the widest label of a tick.
func (s *scale) widest() float64 {
	var w float64
	for _, t := range s.ticks {
		w = max(w, width(t.label, tickSize))
	}
	return w
}

// linearTicks labels four to ten multiples of 1, 2 or 5 times a power of ten.
func linearTicks(lo, hi float64) []tick {
	step := math.Pow10(int(math.Floor(math.Log10((hi - lo) / 4))))
	for _, m := range []float64{5, 2} {
		if (hi-lo)/(m*step) >= 4 {
			step *= m
			break
		}
	}
	var ticks []tick
	for k := math.Ceil(lo / step); k*step <= hi; k++ {
		v := k * step
		ticks = append(ticks, tick{v, strconv.FormatFloat(v, 'g', 6, 64)})
	}
	return ticks
}

// logTicks labels powers of ten, or where the range holds less than two of them
// also their multiples by 2 and 5, and marks all multiples.
func logTicks(lo, hi float64) []tick {
	var ticks []tick
	first, last := int(math.Floor(math.Log10(lo))), int(math.Ceil(math.Log10(hi)))
	step := 1 + (last-first)/10
	for e := first; e <= last; e++ {
		for m := 1; m <= 9; m++ {
			v := float64(m) * math.Pow10(e)
			if v < lo*(1-1e-9) || v > hi*(1+1e-9) {
				continue
			}
			t := tick{value: v}
			if m == 1 && (e-first)%step == 0 || (m == 2 || m == 5) && last-first <= 2 {
				t.label = power(m, e)
			}
			if m == 1 || last-first <= 10 {
				ticks = append(ticks, t)
			}
		}
	}
	return ticks
}

// power is m times a power of ten, written out where that is short.
func power(m, e int) string {
	if e < -4 || e > 5 {
		return fmt.Sprintf("%de%d", m, e)
	}
	return strconv.FormatFloat(float64(m)*math.Pow10(e), 'f', max(0, -e), 64)
}
