package outcome

import (
	"github.com/fdplan/fdplan/problem/chance"
)

// result is what an effect makes of a pair.
type result struct {
	blocked bool
	match   []bool // by output: the value after the step is what the effect gives
}

// results applies effects to the pairs of cells. The last entry of each is that all values are kept.
func (f *fitter) results(cells []cell, effects []int32) [][]result {
	x := f.x
	k := len(x.outputs)
	flat := make([]bool, len(cells)*(len(effects)+1)*k)
	all := make([][]result, len(cells))
	for i, c := range cells {
		all[i] = make([]result, len(effects)+1)
		for j := range all[i] {
			r := &all[i][j]
			r.match, flat = flat[:k:k], flat[k:]
			for o := range k {
				match, blocked := f.makes(&x.pairs[c.pair], o, x.effect(effects, j, o))
				r.match[o], r.blocked = match, r.blocked || blocked
			}
		}
	}
	return all
}

// effect is the j-th of effects on an output; that after the last is that its value is kept.
func (x *view) effect(effects []int32, j, output int) chance.Effect {
	if j == len(effects) {
		return chance.Effect{}
	}
	return x.effects[effects[j]][output]
}

// makes reports whether the value of an output after the step of a pair is what an effect gives, and whether that is blocked.
func (f *fitter) makes(p *pair, output int, e chance.Effect) (match, blocked bool) {
	v := p.now[output]
	switch e.Kind {
	case chance.Add:
		if e.Sum > 0 {
			v = p.from[output]
		}
		v += int32(e.By)
	case chance.Set:
		v = int32(e.By)
	}
	if last := int32(f.x.size[output]) - 1; v < 0 || v > last {
		blocked = f.blocked != chance.Clamp
		v = min(max(v, 0), last)
	}
	return v == p.next[output], blocked
}

// alike joins the cells of which effects make the same: where a number has many values, few of the cells differ in that.
func (f *fitter) alike(cells []cell, effects []int32) (out []cell) {
	at := map[string]int{}
	var key []byte
	for _, c := range cells {
		key = key[:0]
		for j := range len(effects) + 1 {
			for o := range f.x.outputs {
				match, blocked := f.makes(&f.x.pairs[c.pair], o, f.x.effect(effects, j, o))
				b := byte(0)
				if match {
					b = 1
				}
				if blocked {
					b |= 2
				}
				key = append(key, b)
			}
		}
		i, ok := at[string(key)]
		if !ok {
			i = len(out)
			at[string(key)] = i
			out = append(out, cell{pair: c.pair})
		}
		out[i].n += c.n
	}
	return out
}
