package versions

import "math/bits"

// Set is a set of variables.
type Set [MaxVariables / 64]uint64

// Add adds a variable.
func (m *Set) Add(v int) { m[v/64] |= 1 << (v % 64) }

// Has reports whether a variable is in the set.
func (m Set) Has(v int) bool { return m[v/64]>>(v%64)&1 == 1 }

// And is the intersection.
func (m Set) And(n Set) Set {
	for i := range m {
		m[i] &= n[i]
	}
	return m
}

// Or is the union.
func (m Set) Or(n Set) Set {
	for i := range m {
		m[i] |= n[i]
	}
	return m
}

// Without is the difference.
func (m Set) Without(n Set) Set {
	for i := range m {
		m[i] &^= n[i]
	}
	return m
}

// Not is the complement, up to MaxVariables.
func (m Set) Not() Set {
	for i := range m {
		m[i] = ^m[i]
	}
	return m
}

// Meets reports whether the sets have a variable in common.
func (m Set) Meets(n *Set) bool {
	for i := range m {
		if m[i]&n[i] != 0 {
			return true
		}
	}
	return false
}

// Count is the number of variables.
func (m Set) Count() (n int) {
	for _, w := range m {
		n += bits.OnesCount64(w)
	}
	return n
}

// List lists the variables in ascending order.
func (m Set) List() (vars []int) {
	for i, w := range m {
		for ; w != 0; w &= w - 1 {
			vars = append(vars, 64*i+bits.TrailingZeros64(w))
		}
	}
	return vars
}
