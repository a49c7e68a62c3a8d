package synthesis

import (
	"slices"

	"github.com/fdplan/fdplan/internal/learn/structure"
)

// tabled is how many inputs a function may have for its cells to be listed one
// by one where not all of them were seen.
const tabled = 10

// Describe returns the functions of a structure that was learned from t. With complete,
// values of a function's inputs that no row has are of no interest; otherwise they have the
// values of the output's tree, but for those with two values that exclude each other.
func Describe(t *structure.Table, s *structure.Structure, complete bool) []Function {
	functions := make([]Function, len(s.Outputs))
	for i := range s.Outputs {
		o := &s.Outputs[i]
		f := &functions[i]
		f.Inputs = o.Inputs
		switch {
		case o.Form != nil:
			f.Form, f.Bit = o.Form, o.Bit
			continue
		case o.Sum != nil:
			f.Sum = o.Sum
		case complete:
			f.seen(t, o.Tree)
		case len(o.Inputs) <= tabled:
			f.table(o.Tree)
		default:
			f.leaves(o.Tree, Cube{})
		}
		if !complete && t.Exclusive != nil {
			f.feasible(t.Exclusive)
		}
	}
	return functions
}

// feasible drops the cells in which two values exclude each other.
func (f *Function) feasible(exclusive func(a, b int) bool) {
	// By input and its value, the inputs that are then never 0, and never 1.
	never := make([][2][2]uint64, len(f.Inputs))
	some := false
	for i, a := range f.Inputs {
		for j, b := range f.Inputs {
			for v := range 4 {
				if i != j && exclusive(2*a+v/2, 2*b+v%2) {
					never[i][v/2][v%2] |= 1 << j
					some = true
				}
			}
		}
	}
	if !some {
		return
	}
	impossible := func(c Cube) bool {
		for i := range f.Inputs {
			n := &never[i][c.Value>>i&1]
			if c.Care>>i&1 == 1 && c.Care&(n[0]&^c.Value|n[1]&c.Value) != 0 {
				return true
			}
		}
		return false
	}
	f.On, f.Off = slices.DeleteFunc(f.On, impossible), slices.DeleteFunc(f.Off, impossible)
}

// take adds a set of cells with one value.
func (f *Function) take(c Cube, value bool) {
	if value {
		f.On = append(f.On, c)
	} else {
		f.Off = append(f.Off, c)
	}
}

// seen takes the cells that rows have.
func (f *Function) seen(t *structure.Table, tree *structure.Tree) {
	care := mask(len(f.Inputs))
	var values []uint64
	known := map[uint64]bool{}
	for r := range t.Rows() {
		in := t.Input(r)
		v := structure.Cell(in, f.Inputs)
		if _, ok := known[v]; !ok {
			known[v] = tree.Eval(in)
			values = append(values, v)
		}
	}
	slices.Sort(values)
	for _, v := range values {
		f.take(Cube{Care: care, Value: v}, known[v])
	}
}

// table takes all cells that are possible.
func (f *Function) table(tree *structure.Tree) {
	care := mask(len(f.Inputs))
	words := 1
	if n := len(f.Inputs); n > 0 {
		words = f.Inputs[n-1]/64 + 1
	}
	in := make([]uint64, words)
	for v := uint64(0); v>>len(f.Inputs) == 0; v++ {
		clear(in)
		for i, b := range f.Inputs {
			in[b/64] |= v >> i & 1 << (b % 64)
		}
		if leaf := tree.Leaf(in); !leaf.Free {
			f.take(Cube{Care: care, Value: v}, leaf.Value)
		}
	}
}

// leaves takes a cube a leaf that is possible.
func (f *Function) leaves(n *structure.Tree, path Cube) {
	if n.Zero == nil {
		if !n.Free {
			f.take(path, n.Value)
		}
		return
	}
	i, _ := slices.BinarySearch(f.Inputs, n.Input)
	path.Care |= 1 << i
	f.leaves(n.Zero, path)
	path.Value |= 1 << i
	f.leaves(n.One, path)
}

func mask(n int) uint64 {
	if n == 0 {
		return 0
	}
	return ^uint64(0) >> (64 - n)
}
