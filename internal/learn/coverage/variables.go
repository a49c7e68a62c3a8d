package coverage

import (
	"slices"

	"github.com/fdplan/fdplan/internal/learn/structure"
)

// variable is some input bits that are read together: those of an integer or enumeration, bits
// of which the rules let at most one be true, or a single bit.
type variable struct {
	bits  []int
	apart bool // at most one bit is true
	// values are the joint values that rows have, each as the literals that hold there and in no
	// other legal value.
	values [][]Literal
	others [][]Literal // cover the joint values that no row has
	code   []int32     // by row, the place of its value
}

// variablesOf divides the inputs of a table into variables.
func variablesOf(t *structure.Table) []variable {
	var vars []variable
	grouped := make([]bool, t.Inputs)
	for _, g := range t.Groups {
		vars = append(vars, variable{bits: slices.Clone(g)})
		for _, b := range g {
			grouped[b] = true
		}
	}
	first := len(vars)
	for b := range t.Inputs {
		if grouped[b] {
			continue
		}
		at := -1
		if t.Exclusive != nil {
			at = slices.IndexFunc(vars[first:], func(v variable) bool {
				return !slices.ContainsFunc(v.bits, func(a int) bool { return !t.Exclusive(2*a+1, 2*b+1) })
			})
		}
		if at < 0 {
			vars = append(vars, variable{bits: []int{b}})
			continue
		}
		v := &vars[first+at]
		v.bits, v.apart = append(v.bits, b), true
	}
	for i := range vars {
		slices.Sort(vars[i].bits)
	}
	slices.SortStableFunc(vars, func(a, b variable) int { return a.bits[0] - b.bits[0] })
	return vars
}

// read takes the values that rows have.
func (v *variable) read(t *structure.Table, rows []int32) {
	at := map[string]int32{}
	var key []byte
	var seen [][]uint64 // joint values, packed
	for _, r := range rows {
		in := t.Input(int(r))
		key = key[:0]
		for _, b := range v.bits {
			key = append(key, byte(in[b/64]>>(b%64)&1))
		}
		k, ok := at[string(key)]
		if !ok {
			k = int32(len(seen))
			at[string(key)] = k
			row := make([]uint64, (len(key)+63)/64)
			for i, x := range key {
				row[i/64] |= uint64(x) << (i % 64)
			}
			seen = append(seen, row)
			v.values = append(v.values, v.literals(key))
		}
		v.code = append(v.code, k)
	}
	if v.apart {
		v.readOthers(at)
		return
	}
	Others(len(v.bits), seen, func(path []Literal) {
		cube := make([]Literal, len(path))
		for i, l := range path {
			cube[i] = 2*v.bits[l/2] + l%2
		}
		v.others = append(v.others, cube)
	}, nil)
}

// literals of a joint value, given as a byte a bit.
func (v *variable) literals(key []byte) []Literal {
	if i := slices.Index(key, 1); v.apart && i >= 0 {
		return []Literal{2*v.bits[i] + 1}
	}
	lits := make([]Literal, len(key))
	for i, x := range key {
		lits[i] = 2*v.bits[i] + int(x)
	}
	return lits
}

// readOthers covers the values that no row has where at most one bit is true.
func (v *variable) readOthers(seen map[string]int32) {
	key := make([]byte, len(v.bits))
	take := func() {
		if _, ok := seen[string(key)]; !ok {
			v.others = append(v.others, v.literals(key))
		}
	}
	take()
	for i := range key {
		key[i] = 1
		take()
		key[i] = 0
	}
}
