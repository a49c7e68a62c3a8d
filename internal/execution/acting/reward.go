package acting

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/fdplan/fdplan/internal/integer"
	"github.com/fdplan/fdplan/internal/learn/versions"
	"github.com/fdplan/fdplan/problem/factored"
)

// RewardScale is the scale of rewards that are observed: they are rounded to millionths.
const RewardScale = 1_000_000

// mostDegree bounds the bits of a product.
const mostDegree = 3

// Reward is what is known of a reward that is only observed: a sum of weights of products of recorded bits of a state,
// an action and the next state.
type Reward struct {
	Most int64 // no step has more
	// Variables are those of a step; Next tells which are of the next state.
	Variables []Variable
	Next      []bool
	// Known are regions in which all sums that agree with the rows are the same: some variables have values.
	Known []Region

	*versions.Sums
	lits []factored.Lit // of a point
	rows []paid
	unit int64 // that all rewards are multiples of
}

// Region is where variables, given by their places, have values, bit i for the i-th bit.
type Region struct {
	Variables []int
	Is        []uint64
}

type paid struct {
	at []bool
	is int64
}

// Micro is a reward in millionths.
func Micro(x float64) (int64, error) {
	if math.IsNaN(x) || math.Abs(x) > 1e9 {
		return 0, fmt.Errorf("the reward %v; expected a number of at most a thousand million", x)
	}
	return int64(math.Round(x * RewardScale)), nil
}

// newReward is what is known of a reward of which nothing was observed.
func newReward(p *factored.Problem, most int64) *Reward {
	r := &Reward{Most: most, Sums: versions.NewSums(1), unit: integer.GCD(RewardScale, most)}
	q := *p
	for i, bits := range [][]factored.Bit{append(p.Bits(factored.State), p.Bits(factored.Action)...), p.Bits(factored.State)} {
		q.Inputs = bits
		for _, v := range Variables(&q) {
			r.Variables, r.Next = append(r.Variables, v), append(r.Next, i == 1)
			for _, b := range v.Bits {
				r.lits = append(r.lits, factored.Lit{Bit: b, Next: i == 1})
			}
		}
	}
	return r
}

// point has the bits of a step.
func (r *Reward) point(now, next factored.Valuation) []bool {
	at := make([]bool, len(r.lits))
	for i, l := range r.lits {
		if at[i] = now[l.Bit]; l.Next {
			at[i] = next[l.Bit]
		}
	}
	return at
}

// observe takes the reward of a step. It reports whether the degree grew, so that nothing known holds any more, and whether
// the weights changed.
func (r *Reward) observe(now, next factored.Valuation, is int64) (grew, changed bool, err error) {
	row := paid{r.point(now, next), is}
	r.rows, r.unit = append(r.rows, row), integer.GCD(r.unit, is)
	changed = r.worth(row.at).Cmp(new(big.Rat).SetInt64(is)) != 0
	fits, err := r.Add(row.at, is)
	for ; err == nil && !fits; grew = true {
		if r.Degree == mostDegree {
			return grew, true, fmt.Errorf("%w: no sum of weights of products of at most %d recorded bits is the reward; the last one was %v", ErrSystem, mostDegree, float64(is)/RewardScale)
		}
		r.Sums, r.Known = versions.NewSums(r.Degree+1), nil
		fits = true
		for i := 0; i < len(r.rows) && fits && err == nil; i++ {
			fits, err = r.Add(r.rows[i].at, r.rows[i].is)
		}
	}
	return grew, changed || grew, err
}

// worth is the sum at a point by the weights.
func (r *Reward) worth(at []bool) *big.Rat {
	sum := new(big.Rat)
	weights, products := r.Weights()
	for f, w := range weights {
		on := w != nil
		for _, b := range products[f] {
			on = on && at[b]
		}
		if on {
			sum.Add(sum, w)
		}
	}
	return sum
}

// refute adds a region for a step if its reward is known, and reports whether it is.
func (r *Reward) refute(now, next factored.Valuation) bool {
	at := r.point(now, next)
	if _, known, err := r.Value(at); err != nil || !known {
		return false
	}
	var region Region
	var free []int
	first := 0
	places := make([]int, len(r.Variables)) // of the first bit
	for v := range r.Variables {
		places[v], first = first, first+len(r.Variables[v].Bits)
	}
	for v := range r.Variables {
		if r.spans(at, places, append(free, v), r.Degree) {
			free = append(free, v)
			continue
		}
		val := now
		if r.Next[v] {
			val = next
		}
		region.Variables, region.Is = append(region.Variables, v), append(region.Is, r.Variables[v].pattern(val))
	}
	r.Known = append(r.Known, region)
	return true
}

// spans reports whether the sum is known where the last of some free variables and at most degree-1 others have any
// legal values. A sum of products of at most degree bits that is 0 at these points is 0 for all values of free variables.
func (r *Reward) spans(at []bool, places, free []int, degree int) bool {
	last := free[len(free)-1]
	v := &r.Variables[last]
	was := append([]bool(nil), at[places[last]:places[last]+len(v.Bits)]...)
	defer copy(at[places[last]:], was)
	for _, x := range v.Legal {
		for i := range v.Bits {
			at[places[last]+i] = x>>i&1 == 1
		}
		if _, known, err := r.Value(at); err != nil || !known {
			return false
		}
		for n := len(free) - 1; n > 0 && degree > 1; n-- {
			if !r.spans(at, places, free[:n], degree-1) {
				return false
			}
		}
	}
	return true
}

// open is the bit that says that the reward of the step before is not known. The level of the reward has the bits after it.
func (r *Reward) open(m *Model) factored.Bit { return factored.Bit(m.Free.NumBits()) }

// literals says that the reward is known in a region.
func (r *Reward) literals(m *Model, k *Region) []factored.Lit {
	lits := []factored.Lit{{Bit: r.open(m), Neg: true, Next: true}}
	for i, v := range k.Variables {
		for _, l := range r.Variables[v].differs(k.Is[i]) {
			l.Next = r.Next[v]
			lits = append(lits, l)
		}
	}
	return lits
}

// state adds the reward to a problem: a state variable that pays what the step before paid, at most what the weights say where
// the reward is known. It returns a valuation with its value at first.
func (r *Reward) state(p *factored.Problem, m *Model) (factored.Valuation, error) {
	_, err := p.AddVariable(factored.Variable{Name: "reward is open", Kind: factored.State, Bool: true})
	if err != nil {
		return nil, err
	}
	weights, products := r.Weights()
	by := big.NewInt(1)
	for _, w := range weights {
		if w != nil {
			by.Div(new(big.Int).Mul(by, w.Denom()), new(big.Int).GCD(nil, nil, by, w.Denom()))
		}
	}
	unit := new(big.Int).Mul(by, big.NewInt(r.unit))
	if by.BitLen() > 20 || unit.BitLen() > 40 {
		return nil, errors.New("the weights of the reward have too many digits")
	}
	c := factored.Constraint{Op: factored.LE, Origin: "learned reward"}
	least := int64(0)
	for f, w := range weights {
		if w == nil || w.Sign() == 0 {
			continue
		}
		x := new(big.Int).Div(new(big.Int).Mul(w.Num(), by), w.Denom())
		if x.BitLen() > 50 {
			return nil, errors.New("the weights of the reward are too large")
		}
		if len(products[f]) == 0 {
			c.K, least = c.K+x.Int64(), least+x.Int64()
			continue
		}
		lit, err := r.product(p, products[f])
		if err != nil {
			return nil, err
		}
		c.Terms = append(c.Terms, factored.Term{Coef: -x.Int64(), Lit: lit})
		least += min(x.Int64(), 0)
	}
	u := unit.Int64()
	hi := integer.FloorDiv(r.Most, r.unit)
	v := factored.Variable{Name: "reward of the step before", Kind: factored.State, Lo: min(hi, integer.FloorDiv(least, u)), Hi: hi}
	i, err := p.AddVariable(v)
	if err != nil {
		return nil, err
	}
	v = p.Variables[i]
	p.Reward = factored.Reward{Scale: RewardScale / r.unit}
	for i := range v.Width {
		lit := factored.Lit{Bit: v.First + factored.Bit(i), Next: true}
		c.Terms = append(c.Terms, factored.Term{Coef: u * v.Weight(i), Lit: lit})
		p.Reward.Terms = append(p.Reward.Terms, factored.RewardTerm{Lit: lit, Weight: v.Weight(i)})
	}
	c.K += u - 1 // rounded up to a multiple of the unit
	if slack := hi*u - (least + u - 1); slack > 0 {
		c.Terms = append(c.Terms, factored.Term{Coef: -slack, Lit: factored.Lit{Bit: r.open(m), Next: true}})
	}
	p.Transition = append(p.Transition, c)
	first := make(factored.Valuation, p.NumBits())
	return first, v.Set(first, hi)
}

// product is a literal that is true where some bits of a step are.
func (r *Reward) product(p *factored.Problem, of []int) (factored.Lit, error) {
	if len(of) == 1 {
		return r.lits[of[0]], nil
	}
	name := "product"
	var terms []factored.Term
	for _, i := range of {
		name += fmt.Sprintf(" %s %t", p.BitName(r.lits[i].Bit), r.lits[i].Next)
		terms = append(terms, factored.Term{Coef: 1, Lit: r.lits[i]})
	}
	i, err := p.AddVariable(factored.Variable{Name: name, Kind: factored.Auxiliary, Bool: true})
	if err != nil {
		return factored.Lit{}, err
	}
	z, n := factored.Lit{Bit: p.Variables[i].First}, int64(len(of))
	p.Transition = append(p.Transition,
		factored.Constraint{Terms: append(terms[:n:n], factored.Term{Coef: -n, Lit: z}), Op: factored.GE, Defines: true, Origin: "learned reward"},
		factored.Constraint{Terms: append(terms[:n:n], factored.Term{Coef: -1, Lit: z}), Op: factored.LE, K: n - 1, Defines: true, Origin: "learned reward"})
	return z, nil
}
