package versions

import (
	"math/rand/v2"
	"testing"
)

// TestSums compares with random sums: what is said to be known is right, and after enough rows everything is.
func TestSums(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		n, degree := 2+r.IntN(4), 1+r.IntN(2)
		weights := map[[2]int]int64{}
		for a := range n {
			for b := range n {
				if weights[[2]int{a, b}] = r.Int64N(5) - 2; degree == 1 && a != b {
					weights[[2]int{a, b}] = 0
				}
			}
		}
		sum := func(at []bool) (is int64) {
			for p, w := range weights {
				if at[p[0]] && at[p[1]] {
					is += w
				}
			}
			return is + 3
		}
		s, points := NewSums(degree), [][]bool{}
		for x := range 1 << n {
			at := make([]bool, n)
			for i := range at {
				at[i] = x>>i&1 == 1
			}
			points = append(points, at)
		}
		for _, i := range r.Perm(len(points)) {
			was, known, err := s.Value(points[i])
			if err != nil || known && (!was.IsInt() || was.Num().Int64() != sum(points[i])) {
				t.Fatalf("seed %d: %v at %v, is %d; %v", seed, was, points[i], sum(points[i]), err)
			}
			if ok, err := s.Add(points[i], sum(points[i])); !ok || err != nil {
				t.Fatalf("seed %d: a row of the sum does not agree: %v", seed, err)
			}
			if ok, _ := s.Add(points[i], sum(points[i])+1); ok {
				t.Fatalf("seed %d: two numbers at a point agree", seed)
			}
		}
		if most := 1 + n + (degree-1)*n*(n-1)/2; len(s.rows) > most {
			t.Errorf("seed %d: %d equations of %d weights", seed, len(s.rows), most)
		}
	}
}
