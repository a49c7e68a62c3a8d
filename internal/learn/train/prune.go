package train

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/fdplan/fdplan/problem/bnn"
)

// prune returns a network with fewer weights and units that is wrong in no more bits of e
// than net. It makes hidden units constant and weights 0, with the threshold lowered by one
// if that helps, as long as possible, and removes units that nothing reads. Then, rounds
// times, it randomly changes weights and thresholds without cost and removes what has become
// removable; a round that ends with more weights is undone. Behaviour outside of e may
// change: e should contain all rows that matter. The random choices depend on seed.
func prune(ctx context.Context, net *bnn.Network, e *Examples, seed uint64, rounds int, report func(rounds, edges int)) (*bnn.Network, error) {
	if _, err := Test(net, e); err != nil {
		return nil, err
	}
	p := newPolisher(net, e)
	rng := rand.New(rand.NewPCG(seed, streamPolish))
	if err := p.drop(ctx, rng); err != nil {
		return nil, err
	}
	for round := range rounds {
		// Compact networks are faster to change, and equivalent.
		before := compact(p.net)
		p = newPolisher(before, e)
		p.shake(rng)
		if err := p.drop(ctx, rng); err != nil {
			return nil, err
		}
		if after := compact(p.net); after.Edges() > before.Edges() || after.Edges() == before.Edges() && after.Hidden() > before.Hidden() {
			p.net = before
		}
		if report != nil {
			report(round+1, p.net.Edges())
		}
	}
	return compact(p.net), nil
}

// drop makes units constant and weights 0 wherever possible.
func (p *polisher) drop(ctx context.Context, rng *rand.Rand) error {
	if err := p.dropUnits(ctx, rng); err != nil {
		return err
	}
	for {
		cut, err := p.dropWeights(ctx, rng)
		if err != nil || cut == 0 {
			return err
		}
	}
}

// shakes is the number of changes tried per unit.
const shakes = 6

// shake makes changes without cost, at most one in each of some units.
func (p *polisher) shake(rng *rand.Rand) {
	flips := make([]uint64, p.words)
	for i := range p.net.Layers {
		l := &p.net.Layers[i]
		for j := range l.Units() {
			if rng.IntN(3) == 0 {
				continue
			}
			p.look(i, j)
			for range shakes {
				c := change{i, j, rng.IntN(l.Inputs), int8(rng.IntN(3) - 1), l.Thresholds[j] + int32(rng.IntN(3)-1)}
				if !p.legal(c, l.FanIn(j)) {
					continue
				}
				p.flips(flips, c)
				if p.cost(i, j, flips, 0) <= 0 {
					p.apply(c, flips)
					break
				}
			}
		}
	}
}

// dropUnits makes hidden units constant, starting from the last layer: whatever only a
// constant unit read is then removed too.
func (p *polisher) dropUnits(ctx context.Context, rng *rand.Rand) error {
	flips := make([]uint64, p.words)
	for i := len(p.net.Layers) - 2; i >= 0; i-- {
		l := &p.net.Layers[i]
		for _, j := range rng.Perm(l.Units()) {
			if err := ctx.Err(); err != nil {
				return err
			}
			for _, t := range []int32{int32(l.FanIn(j) + 1), 0} {
				copy(flips, p.acts[i+1][j*p.words:])
				if t == 0 {
					for k := range flips {
						flips[k] = ^flips[k]
					}
					if rest := p.rows % 64; rest != 0 {
						flips[p.words-1] &= 1<<rest - 1
					}
				}
				if p.cost(i, j, flips, 0) <= 0 {
					p.apply(change{i, j, 0, l.Row(j)[0], t}, flips)
					break
				}
			}
		}
	}
	return nil
}

// dropWeights makes weights 0 and returns how many.
func (p *polisher) dropWeights(ctx context.Context, rng *rand.Rand) (cut int, err error) {
	flips := make([]uint64, p.words)
	for i := len(p.net.Layers) - 1; i >= 0; i-- {
		l := &p.net.Layers[i]
		for _, j := range rng.Perm(l.Units()) {
			if err := ctx.Err(); err != nil {
				return cut, err
			}
			p.look(i, j)
			for _, k := range rng.Perm(l.Inputs) {
				if l.Row(j)[k] == 0 {
					continue
				}
				for d := int32(-1); d <= 0; d++ {
					c := change{i, j, k, 0, l.Thresholds[j] + d}
					if !p.legal(c, l.FanIn(j)) {
						continue
					}
					p.flips(flips, c)
					if p.cost(i, j, flips, 0) <= 0 {
						p.apply(c, flips)
						p.look(i, j)
						cut++
						break
					}
				}
			}
		}
	}
	return cut, nil
}

// compact removes hidden units that nothing reads; each layer keeps at least one.
func compact(net *bnn.Network) *bnn.Network {
	out := cloneNetwork(net)
	for i := len(out.Layers) - 2; i >= 0; i-- {
		l, above := &out.Layers[i], &out.Layers[i+1]
		var kept []int
		for j := range l.Units() {
			for k := range above.Units() {
				if above.Row(k)[j] != 0 {
					kept = append(kept, j)
					break
				}
			}
		}
		if len(kept) == 0 {
			kept = []int{0}
		}
		below := bnn.Layer{Inputs: l.Inputs}
		for _, j := range kept {
			below.Weights = append(below.Weights, l.Row(j)...)
			below.Thresholds = append(below.Thresholds, l.Thresholds[j])
		}
		top := bnn.Layer{Inputs: len(kept), Thresholds: slices.Clone(above.Thresholds)}
		for k := range above.Units() {
			for _, j := range kept {
				top.Weights = append(top.Weights, above.Row(k)[j])
			}
		}
		out.Layers[i], out.Layers[i+1] = below, top
	}
	return out
}
