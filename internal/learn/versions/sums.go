package versions

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
)

// Sums is the version space of a number that is a sum of weights of products of at most Degree bits: the solutions of a
// linear equation for each row. It belongs to one goroutine.
type Sums struct {
	Degree   int
	features map[string]int
	products [][]int    // of bits, by feature
	rows     []equation // each without the leading features of those before
	weights  []*big.Rat // of a solution, by feature; nil after another row
}

// equation says that a sum of weights is a number. Its leading feature has the coefficient 1.
type equation struct {
	lead  int
	coefs map[int]*big.Rat
	is    *big.Rat
}

// maxFeatures bounds the products of one point.
const maxFeatures = 1 << 14

// ErrFeatures is wrapped where too many products of bits are true at once.
var ErrFeatures = errors.New("too many products of bits")

// NewSums returns the version space of which no row was seen.
func NewSums(degree int) *Sums { return &Sums{Degree: degree, features: map[string]int{}} }

// Add takes a row, the number at a point of bits. It reports whether the row agrees with those before.
func (s *Sums) Add(at []bool, is int64) (bool, error) {
	e, err := s.reduced(at)
	if err != nil {
		return false, err
	}
	e.is.Add(e.is, new(big.Rat).SetInt64(is)) // what is left of it
	if len(e.coefs) == 0 {
		return e.is.Sign() == 0, nil
	}
	e.lead = -1
	for f := range e.coefs {
		if e.lead < 0 || f < e.lead {
			e.lead = f
		}
	}
	by := new(big.Rat).Inv(e.coefs[e.lead])
	for _, c := range e.coefs {
		c.Mul(c, by)
	}
	e.is.Mul(e.is, by)
	s.rows, s.weights = append(s.rows, e), nil
	return true, nil
}

// Value is the number at a point, if all sums that agree with the rows have the same there.
func (s *Sums) Value(at []bool) (*big.Rat, bool, error) {
	e, err := s.reduced(at)
	if err != nil || len(e.coefs) > 0 {
		return nil, false, err
	}
	return e.is.Neg(e.is), true, nil
}

// Weights returns the weights of a sum that agrees with the rows, those of most products 0, with the bits of the products.
func (s *Sums) Weights() ([]*big.Rat, [][]int) {
	if s.weights == nil {
		s.weights = make([]*big.Rat, len(s.products))
		for _, e := range slices.Backward(s.rows) {
			w := new(big.Rat).Set(e.is)
			for f, c := range e.coefs {
				if s.weights[f] != nil {
					w.Sub(w, new(big.Rat).Mul(c, s.weights[f]))
				}
			}
			s.weights[e.lead] = w
		}
	}
	return s.weights, s.products
}

// reduced is the equation that the number at a point is 0, less multiples of the rows that leave none of their leading features.
func (s *Sums) reduced(at []bool) (equation, error) {
	var on []int
	for b, v := range at {
		if v {
			on = append(on, b)
		}
	}
	e := equation{coefs: map[int]*big.Rat{}, is: new(big.Rat)}
	if err := s.list(e.coefs, nil, on); err != nil {
		return e, err
	}
	for _, r := range s.rows {
		by, ok := e.coefs[r.lead]
		if !ok {
			continue
		}
		by = new(big.Rat).Set(by)
		for f, c := range r.coefs {
			x, ok := e.coefs[f]
			if !ok {
				x = new(big.Rat)
				e.coefs[f] = x
			}
			if x.Sub(x, new(big.Rat).Mul(by, c)); x.Sign() == 0 {
				delete(e.coefs, f)
			}
		}
		e.is.Sub(e.is, new(big.Rat).Mul(by, r.is))
	}
	return e, nil
}

// list adds the products of a set of bits with others, each once.
func (s *Sums) list(to map[int]*big.Rat, product, others []int) error {
	key := fmt.Sprint(product)
	f, ok := s.features[key]
	if !ok {
		f = len(s.products)
		s.features[key], s.products = f, append(s.products, slices.Clone(product))
	}
	if to[f] = big.NewRat(1, 1); len(to) > maxFeatures {
		return fmt.Errorf("%w: more than %d of at most %d bits", ErrFeatures, maxFeatures, s.Degree)
	}
	if len(product) == s.Degree {
		return nil
	}
	for i, b := range others {
		if err := s.list(to, append(product, b), others[i+1:]); err != nil {
			return err
		}
	}
	return nil
}
