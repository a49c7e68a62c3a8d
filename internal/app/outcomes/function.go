package outcomes

import (
	"slices"

	"github.com/fdplan/fdplan/internal/learn/structure"
	"github.com/fdplan/fdplan/problem/chance"
	"github.com/fdplan/fdplan/problem/factored"
)

// mostLeaves bounds the leaves of the trees that a network gives the next value of a number by. Such networks have a neuron for each leaf and take
// minutes to be made smaller, where a function has a part for each context.
const mostLeaves = 2_000

// replace makes the functions of a structure those of the most likely outcomes. It drops groups that
// depend on too many bits for that.
func (l *Line) replace(p *factored.Problem, t *structure.Table, st *structure.Structure, sure structure.Verdict) error {
	var err error
	use := func(groups []chance.Group, verdict structure.Verdict) (kept []chance.Group) {
		for _, g := range groups {
			trees, ok, failed := treesOf(p, g)
			if failed != nil {
				err = failed
			}
			if text := l.function(trees, ok, g); text != "" {
				kept, l.Functions = append(kept, g), append(l.Functions, text)
				continue
			}
			if !ok {
				continue
			}
			kept = append(kept, g)
			for o, tree := range trees {
				out := &st.Outputs[o]
				*out = structure.Output{Kind: structure.ByContexts, Tree: tree, Inputs: tree.Inputs(), Verdict: verdict, Held: out.Held, Literals: tree.Leaves()}
				count(out, t, o)
			}
		}
		return kept
	}
	l.groups = use(l.groups, structure.Drawn)
	l.sure = use(l.sure, sure)
	l.of = nil // it has all rows
	return err
}

// function returns the function of the most likely outcomes of a group if trees of bits are none, or too large; else it is empty.
func (l *Line) function(trees map[int]*structure.Tree, ok bool, g chance.Group) string {
	leaves := 0
	for _, t := range trees {
		leaves += t.Leaves()
	}
	of, known := l.of[g.Outputs[0]]
	if !known || ok && leaves <= mostLeaves {
		return ""
	}
	text, parts, err := of.from.Function(of.group)
	if err != nil || ok && parts >= leaves {
		return "" // the trees do
	}
	return text
}

// count counts the rows that an output is wrong in.
func count(out *structure.Output, t *structure.Table, o int) {
	out.Rows, out.Wrong = t.Rows(), 0
	for r := range t.Rows() {
		if out.Eval(t.Input(r)) != t.Output(r, o) {
			out.Wrong++
		}
	}
}

// mostTabled bounds the bits that the most likely outcomes of a group may depend on.
const mostTabled = 20

// treesOf returns, by output bit, the most likely next value as a tree; ok is false if it depends on too many bits.
func treesOf(p *factored.Problem, g chance.Group) (trees map[int]*structure.Tree, ok bool, err error) {
	m, _, _, err := chance.New(p, []chance.Group{g})
	if err != nil {
		return nil, false, err
	}
	var bits []factored.Bit
	var inputs []int
	reads := m.Groups[0].Reads()
	// What the contexts ask for first, so that a tree branches on them.
	slices.SortStableFunc(reads, func(a, b int) int { return drawnBy(g, a) - drawnBy(g, b) })
	for _, v := range reads {
		for i := range p.Variables[v].Width {
			b := p.Variables[v].First + factored.Bit(i)
			bits, inputs = append(bits, b), append(inputs, slices.Index(p.Inputs, b))
		}
	}
	if len(bits) > mostTabled || slices.Contains(inputs, -1) || m.Groups[0].Predicts() {
		return nil, false, nil
	}
	val := make(factored.Valuation, p.NumBits())
	next := make(factored.Valuation, p.NumBits())
	values := make([]int64, len(p.Variables))
	leaves := make([][]structure.Tree, len(p.Outputs))
	for cell := range 1 << len(bits) {
		free := false
		for i, b := range bits {
			val[b] = cell>>(len(bits)-1-i)&1 == 1
		}
		for _, v := range reads {
			values[v] = p.Variables[v].Value(val)
			free = free || values[v] < p.Variables[v].Lo || values[v] > p.Variables[v].Hi
		}
		if !free {
			m.Likely(values, values, nil)
			for _, v := range g.Outputs {
				if err := p.Variables[v].Set(next, values[v]); err != nil {
					return nil, false, err
				}
			}
		}
		for o, b := range p.Outputs {
			if v, _ := p.Owner(b); slices.Contains(g.Outputs, p.Index(v)) {
				leaves[o] = append(leaves[o], structure.Tree{Free: free, Value: next[b]})
			}
		}
	}
	trees = map[int]*structure.Tree{}
	for o := range leaves {
		if leaves[o] != nil {
			trees[o] = treeOf(leaves[o], inputs)
		}
	}
	return trees, true, nil
}

// drawnBy is 1 for a variable that a group draws, else 0.
func drawnBy(g chance.Group, v int) int {
	if slices.Contains(g.Outputs, v) {
		return 1
	}
	return 0
}

// treeOf makes a tree from its values, the first input being the most significant.
func treeOf(leaves []structure.Tree, inputs []int) *structure.Tree {
	if len(inputs) == 0 {
		return &leaves[0]
	}
	half := len(leaves) / 2
	zero, one := treeOf(leaves[:half], inputs[1:]), treeOf(leaves[half:], inputs[1:])
	switch {
	case zero.Zero == nil && zero.Free:
		return one
	case one.Zero == nil && one.Free:
		return zero
	case zero.Zero == nil && one.Zero == nil && zero.Value == one.Value:
		return zero
	}
	return &structure.Tree{Input: inputs[0], Zero: zero, One: one}
}
