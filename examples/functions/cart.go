package main

// node is a decision tree: a leaf where no is nil.
type node struct {
	input   int
	no, yes *node
	value   bool
}

// cart grows a decision tree by the Gini impurity until leaves are pure (Breiman and others,
// Classification and Regression Trees, 1984), without pruning.
func cart(s *sample, rows []int) *node {
	on := 0
	for _, r := range rows {
		if s.out[r] {
			on++
		}
	}
	leaf := &node{value: 2*on > len(rows)}
	if on == 0 || on == len(rows) {
		return leaf
	}
	best, at := -1.0, -1
	for b := range s.in[0] {
		n, k := 0, 0
		for _, r := range rows {
			if s.in[r][b] == 1 {
				n++
				if s.out[r] {
					k++
				}
			}
		}
		if n == 0 || n == len(rows) {
			continue
		}
		purity := func(n, k int) float64 { return (float64(k)*float64(k) + float64(n-k)*float64(n-k)) / float64(n) }
		if p := purity(n, k) + purity(len(rows)-n, on-k); p > best {
			best, at = p, b
		}
	}
	if at < 0 {
		return leaf
	}
	var no, yes []int
	for _, r := range rows {
		if s.in[r][at] == 1 {
			yes = append(yes, r)
		} else {
			no = append(no, r)
		}
	}
	return &node{input: at, no: cart(s, no), yes: cart(s, yes)}
}

func (n *node) eval(x []int) bool {
	for n.no != nil {
		if x[n.input] == 1 {
			n = n.yes
		} else {
			n = n.no
		}
	}
	return n.value
}
