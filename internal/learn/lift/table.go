package lift

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/learn/structure"
	"github.com/fdplan/fdplan/problem/factored"
)

// column is an input of the pooled table.
type column struct {
	Test
	rank int
}

// columns lists the tests of the features that vary, those of earlier stages first, and the features that are the same as
// an earlier one for all objects of the rows, by the place of that.
func (p *pool) columns(stages []int) (cols []column, same map[int]int) {
	var all []column
	const most = 40 // thresholds of a feature
	same = map[int]int{}
	known := map[string]int{}
	for f := range p.class.Features {
		x := &p.class.Features[f]
		key := p.signature(f)
		if first, ok := known[key]; ok {
			same[f] = first
			continue
		}
		known[key] = f
		step := (len(x.Seen) + most - 1) / most
		for i := 1; i < len(x.Seen); i += max(1, step) {
			all = append(all, column{Test{Feature: f, AtLeast: x.Seen[i]}, x.rank})
		}
		if n := len(x.Seen); n > 2 && len(x.Fresh) > 0 {
			all = append(all, column{Test{Feature: f, Odd: true}, x.rank + rankOdd})
		}
	}
	least := 0
	for _, most := range stages {
		for _, c := range all {
			if c.rank >= least && c.rank <= most {
				cols = append(cols, c)
			}
		}
		least = most + 1
	}
	return cols, same
}

// signature is equal for features that are grounded alike for all objects.
func (p *pool) signature(f int) string {
	var b strings.Builder
	for k := range p.grounded[f] {
		fmt.Fprintf(&b, "%s;", p.grounded[f][k].key())
	}
	return b.String()
}

// table is the pooled rows in bits.
func (p *pool) table(rows []Row, cols []column) (*structure.Table, error) {
	d := p.w.decls[p.class.Output.Name]
	// A table has an input at least.
	t := structure.NewTable(max(1, len(cols)), d.width, groupsOf(cols, p.class))
	t.Rank = func(_, input int) int {
		if input < len(cols) {
			return cols[input].rank
		}
		return 0
	}
	outs := make([][]int, len(p.objects))
	for k, at := range p.objects {
		var err error
		if outs[k], err = p.w.outputBits(p.class.Output, at); err != nil {
			return nil, err
		}
	}
	words := func(n int) []uint64 { return make([]uint64, (n+63)/64) }
	for i, rc := range p.picked {
		r := &rows[rc[0]]
		in, inKnown, out, outKnown := words(t.Inputs), words(t.Inputs), words(d.width), words(d.width)
		for c, col := range cols {
			v := p.values[col.Feature][i]
			if !math.IsNaN(v) {
				inKnown[c/64] |= 1 << (c % 64)
			}
			if col.holds(v) {
				in[c/64] |= 1 << (c % 64)
			}
		}
		for b, o := range outs[rc[1]] {
			if r.OutKnown == nil || r.OutKnown[o] {
				outKnown[b/64] |= 1 << (b % 64)
			}
			if r.Out[o] {
				out[b/64] |= 1 << (b % 64)
			}
		}
		if r.InKnown == nil {
			inKnown, outKnown = nil, nil
		}
		t.Add(in, out, inKnown, outKnown)
	}
	return t, t.Close()
}

// groupsOf lists the columns of one number: the tests of a feature, and the bits of a
// fluent.
func groupsOf(cols []column, c *Class) [][]int {
	by := map[string][]int{}
	var order []string
	for i, col := range cols {
		f := &c.Features[col.Feature]
		key := fmt.Sprint(col.Feature)
		if f.Static == nil && len(f.Fresh) == 0 {
			key = f.Bits[0].Atom.String()
		}
		if by[key] == nil {
			order = append(order, key)
		}
		by[key] = append(by[key], i)
	}
	var out [][]int
	for _, key := range order {
		if len(by[key]) > 1 {
			out = append(out, by[key])
		}
	}
	return out
}

// outputBits numbers the bits of an output of some objects among the network's outputs.
func (w *World) outputBits(a Atom, at []int) ([]int, error) {
	v, err := w.fluent(a, at)
	if err != nil {
		return nil, err
	}
	var out []int
	for j := range v.Width {
		out = append(out, w.outputs[v.First+factored.Bit(j)])
	}
	return out, nil
}

// actions is what a row does with some objects.
func (p *pool) actions(r *Row, own []int) (string, error) {
	var done []byte
	for _, d := range p.w.order {
		if !d.action || !d.read || !slices.ContainsFunc(d.params, func(o *objects) bool { return o.object }) {
			continue // one without objects is done to all of them
		}
		for _, a := range atoms(d, p.class.Types) {
			v, err := p.w.fluent(a, own)
			if err != nil {
				return "", err
			}
			for j := range v.Width {
				done = append(done, byte(bit64(r.In[p.w.inputs[v.First+factored.Bit(j)]])))
			}
		}
	}
	return string(done), nil
}
