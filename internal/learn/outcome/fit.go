package outcome

import (
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
	"github.com/fdplan/fdplan/problem/chance"
)

const (
	maxEffects = 32   // of a leaf
	rounds     = 25   // of expectation maximisation
	fewRounds  = 6    // of it where splits are compared
	priorRows  = 1.0  // how many rows the prior of the noise counts as
	firstNoise = 0.01 // before any leaf was fitted
)

// fit is a distribution over joint effects that was fitted to some rows.
type fit struct {
	rows    float64
	effects []int32   // of the view
	p       []float64 // of each
	noise   []float64 // the share of wrong values of each output
	based   float64   // rows that p was estimated from
	counts  []float64 // of these, by effect
	uniform bool      // all effects are equally likely
	bits    float64   // of the rows, given the fit
	cost    float64   // with what describes the fit
}

// fitter fits leaves of a view for one way to treat blocked effects.
type fitter struct {
	x       *view
	blocked chance.Blocked
	prior   []float64 // noise of each output
	weight  float64   // rows that the prior counts as
	fixed   bool      // the noise is the prior everywhere
	most    int       // effects
	rounds  int       // of expectation maximisation
	least   float64   // probability of an effect
	free    int       // effects of a leaf whose share takes no bits: that of a single one is known
}

// fit finds effects for cells by a greedy cover, estimates them, and drops those that do not pay.
func (f *fitter) fit(cells []cell) *fit {
	if f.most == 1 && len(f.x.outputs) == 1 {
		return f.single(cells)
	}
	effects := f.cover(cells)
	cells = f.alike(cells, effects)
	best := f.estimate(cells, effects)
	for len(best.effects) > 1 {
		// The rarest effects are asked first.
		order := integer.Below[int](len(best.effects))
		slices.SortStableFunc(order, func(a, b int) int {
			switch {
			case best.p[a] < best.p[b]:
				return -1
			case best.p[a] > best.p[b]:
				return 1
			}
			return 0
		})
		dropped := false
		for _, i := range order[:min(3, len(order))] {
			less := f.estimate(cells, slices.Delete(slices.Clone(best.effects), i, i+1))
			if less.cost < best.cost || best.p[i] < f.least {
				best, dropped = less, true
				break
			}
		}
		if !dropped {
			break
		}
	}
	return f.level(cells, best)
}

// single fits the effect that explains the most rows, of one output. What it makes of a pair is certain, so that nothing is estimated but
// the noise.
func (f *fitter) single(cells []cell) *fit {
	x, best := f.x, f.likeliest(cells)
	m := &fit{effects: []int32{best}, p: []float64{1}, noise: []float64{f.prior[0]}}
	var right, wrong, blockedRight, blockedWrong float64
	for _, c := range cells {
		match, blocked := f.gives(&x.pairs[c.pair], x.effects[best][0])
		switch {
		case blocked && match:
			blockedRight += c.n
		case blocked:
			blockedWrong += c.n
		case match:
			right += c.n
		default:
			wrong += c.n
		}
	}
	right, wrong, m.rows = right+blockedRight, wrong+blockedWrong, right+wrong+blockedRight+blockedWrong
	if m.based = m.rows; f.blocked != chance.Keep && m.rows > blockedRight+blockedWrong {
		m.based -= blockedRight + blockedWrong
	} else {
		blockedRight, blockedWrong = 0, 0
	}
	m.counts = []float64{m.based}
	if !f.fixed {
		q := m.noise[0] / x.size[0]
		seen := wrong - blockedWrong + (right-blockedRight)*q/(1-m.noise[0]+q)
		m.noise[0] = min(.9, (seen+f.weight*f.prior[0])/(m.based+f.weight))
	}
	if m.bits = 0; right > 0 {
		m.bits -= right * math.Log2(f.chanceOf(m, 0, true))
	}
	if wrong > 0 {
		m.bits -= wrong * math.Log2(max(f.chanceOf(m, 0, false), 1e-300))
	}
	m.cost = m.bits + math.Log2(x.possible) + float64(max(0, 1-f.free))*.5*math.Log2(max(1, m.rows))
	return m
}

// likeliest is the effect that explains the most rows.
func (f *fitter) likeliest(cells []cell) int32 {
	x := f.x
	best, most := int32(-1), 0.0
	count := func(effects []int32, n float64) {
		for _, e := range effects {
			x.tally[e] += n
		}
	}
	for _, c := range cells {
		count(x.shows[c.pair], c.n)
		if f.free > 0 {
			count(x.bumps[c.pair], c.n)
		}
	}
	choose := func(effects []int32) {
		for _, e := range effects {
			if n := x.tally[e]; n > most || n == most && n > 0 && x.before(e, best) {
				best, most = e, n
			}
		}
	}
	for _, c := range cells {
		choose(x.shows[c.pair])
		if f.free > 0 {
			choose(x.bumps[c.pair])
		}
	}
	for _, c := range cells {
		for _, e := range x.shows[c.pair] {
			x.tally[e] = 0
		}
		for _, e := range x.bumps[c.pair] {
			x.tally[e] = 0
		}
	}
	return best
}

// gives reports whether an effect, the only one, explains a pair of one output, and whether it is blocked there: then the value is kept.
func (f *fitter) gives(p *pair, e chance.Effect) (match, blocked bool) {
	if match, blocked = f.makes(p, 0, e); blocked {
		match = p.now[0] == p.next[0]
	}
	return match, blocked
}

// level makes all effects equally likely where that shortens the description.
func (f *fitter) level(cells []cell, m *fit) *fit {
	k := len(m.effects)
	if k < 2 {
		return m
	}
	even := *m
	even.uniform, even.p = true, make([]float64, k)
	for i := range even.p {
		even.p[i] = 1 / float64(k)
	}
	f.measure(&even, cells, f.results(cells, m.effects), make([]float64, k+1))
	if even.cost -= float64(k-1) * .5 * math.Log2(max(1, m.rows)); even.cost < m.cost {
		return &even
	}
	return m
}

// cover chooses effects that explain the most rows which none before explains.
func (f *fitter) cover(cells []cell) []int32 {
	x := f.x
	counts := x.tally
	var shown []int32 // with a count
	count := func(effects []int32, n float64) {
		for _, e := range effects {
			if counts[e] == 0 {
				shown = append(shown, e)
			}
			counts[e] += n
		}
	}
	for _, c := range cells {
		count(x.shows[c.pair], c.n)
		if f.free > 0 {
			count(x.bumps[c.pair], c.n)
		}
	}
	open := slices.Clone(cells)
	var chosen []int32
	for len(chosen) < f.most && len(open) > 0 {
		best, most := int32(-1), 0.0
		for _, e := range shown {
			if n := counts[e]; n > most || n == most && best >= 0 && x.before(e, best) {
				best, most = e, n
			}
		}
		if best < 0 || len(chosen) > 0 && most < 2 {
			break
		}
		chosen = append(chosen, best)
		rest := open[:0]
		for _, c := range open {
			if !slices.Contains(x.shows[c.pair], best) {
				rest = append(rest, c)
				continue
			}
			for _, e := range x.shows[c.pair] {
				counts[e] -= c.n
			}
		}
		open = rest
	}
	for _, e := range shown {
		counts[e] = 0
	}
	return chosen
}

// before reports whether an effect is preferred to another that explains as many rows.
func (x *view) before(a, b int32) bool {
	if p, q := complexity(x.effects[a]), complexity(x.effects[b]); p != q {
		return p < q
	}
	return a < b
}

// shares sets w to the probability of each effect in a pair, and then that all values are
// kept, as chance.Group divides it.
func (f *fitter) shares(w, p []float64, rs []result) {
	free, likely := 0.0, 0
	for j, q := range p {
		w[j] = 0
		if q > p[likely] {
			likely = j
		}
		if !rs[j].blocked {
			w[j] = q
			free += q
		}
	}
	lost := 1 - free
	if w[len(p)] = 0; lost <= 1e-12 {
		return
	}
	gain, but := free, -1
	if f.blocked == chance.Rest && !rs[likely].blocked && p[likely] < free {
		gain, but = gain-p[likely], likely
	}
	if f.blocked == chance.Keep || free <= 1e-12 {
		w[len(p)] = lost
		return
	}
	for j := range p {
		if j != but {
			w[j] *= (gain + lost) / gain
		}
	}
}

// estimate finds the probabilities of effects and the noise by expectation maximisation.
func (f *fitter) estimate(cells []cell, effects []int32) *fit {
	k := len(f.x.outputs)
	m := &fit{effects: effects, noise: slices.Clone(f.prior), p: make([]float64, len(effects)), counts: make([]float64, len(effects))}
	rs := f.results(cells, effects)
	// Where the weight of blocked effects goes to others, the rows in which nothing is blocked tell
	// the probabilities, if there are any.
	use := make([]bool, len(cells))
	for i, c := range cells {
		m.rows += c.n
		use[i] = f.blocked == chance.Clamp || f.blocked == chance.Keep || !slices.ContainsFunc(rs[i], func(r result) bool { return r.blocked })
		if use[i] {
			m.based += c.n
		}
	}
	if m.based == 0 {
		for i, c := range cells {
			use[i] = true
			m.based += c.n
		}
	}
	for j := range m.p {
		m.p[j] = 1 / float64(len(m.p))
	}
	w, wrong := make([]float64, len(effects)+1), make([]float64, k)
	likely := make([]float64, len(effects)+1)
	for range f.rounds {
		clear(m.counts)
		clear(wrong)
		for i, c := range cells {
			if !use[i] {
				continue
			}
			f.shares(w, m.p, rs[i])
			f.expect(m, &c, rs[i], w, likely, wrong)
		}
		sum := 0.0
		for _, n := range m.counts {
			sum += n
		}
		moved := 0.0
		for j := range m.p {
			q := m.counts[j] / max(sum, 1e-9)
			moved = max(moved, math.Abs(q-m.p[j]))
			m.p[j] = q
		}
		for o := range m.noise {
			if f.fixed {
				break
			}
			m.noise[o] = min(.9, (wrong[o]+f.weight*f.prior[o])/(m.based+f.weight))
		}
		if moved < 1e-5 {
			break
		}
	}
	m.whole()
	f.measure(m, cells, rs, w)
	return m
}

// whole drops the effects that hardly one row shows: contexts count rows, and such an effect would be none of theirs, though the weight of
// blocked ones went to it.
func (m *fit) whole() {
	sum := 0.0
	for j, n := range m.counts {
		if n < .5 {
			m.counts[j], m.p[j] = 0, 0
		}
		sum += m.p[j]
	}
	for j := range m.p {
		if sum > 0 {
			m.p[j] /= sum
		}
	}
}

// expect adds what a cell tells: how often each effect happened, and how many values are wrong.
func (f *fitter) expect(m *fit, c *cell, rs []result, w, likely, wrong []float64) {
	total := 0.0
	for j := range w {
		likely[j] = w[j]
		for o, match := range rs[j].match {
			likely[j] *= f.chanceOf(m, o, match)
		}
		total += likely[j]
	}
	if total <= 0 {
		return
	}
	for j := range w {
		q := likely[j] / total * c.n
		if q == 0 {
			continue
		}
		for o, match := range rs[j].match {
			uniform := m.noise[o] / f.x.size[o]
			wrong[o] += q * uniform / f.chanceOf(m, o, match)
		}
		if j < len(m.counts) {
			m.counts[j] += q
			continue
		}
		// All values are kept since an effect was blocked: one of these happened.
		lost := 0.0
		for e, r := range rs[:len(m.counts)] {
			if r.blocked {
				lost += m.p[e]
			}
		}
		for e, r := range rs[:len(m.counts)] {
			if r.blocked && lost > 0 {
				m.counts[e] += q * m.p[e] / lost
			}
		}
	}
}

// chanceOf is the probability of a recorded value that an effect gives, or does not.
func (f *fitter) chanceOf(m *fit, o int, match bool) float64 {
	q := m.noise[o] / f.x.size[o]
	if match {
		q += 1 - m.noise[o]
	}
	return q
}

// bitsOf is what a row of a cell takes, given a fit.
func (f *fitter) bitsOf(m *fit, rs []result, w []float64) float64 {
	f.shares(w, m.p, rs)
	total := 0.0
	for j := range w {
		q := w[j]
		for o, match := range rs[j].match {
			q *= f.chanceOf(m, o, match)
		}
		total += q
	}
	return -math.Log2(max(total, 1e-300))
}

// eachBits is what a row of each cell takes, given a fit.
func (f *fitter) eachBits(m *fit, cells []cell) []float64 {
	out, w := make([]float64, len(cells)), make([]float64, len(m.effects)+1)
	for i, rs := range f.results(cells, m.effects) {
		out[i] = f.bitsOf(m, rs, w)
	}
	return out
}

// measure sets the bits of the rows and the cost of a fit.
func (f *fitter) measure(m *fit, cells []cell, rs [][]result, w []float64) {
	m.bits = 0
	for i, c := range cells {
		m.bits += c.n * f.bitsOf(m, rs[i], w)
	}
	m.cost = m.bits + float64(len(m.effects))*math.Log2(f.x.possible) + float64(max(0, len(m.effects)-f.free))*.5*math.Log2(max(1, m.rows))
}
