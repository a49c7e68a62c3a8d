package fdsat

import (
	"errors"
	"io"
	"math/big"
	"sort"
	"strings"

	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
)

// DefaultReward is the reward of a problem whose reward file is missing or empty: minus the
// number of true action bits.
func DefaultReward(p *factored.Problem) factored.Reward {
	r := factored.Reward{Scale: 1}
	for _, b := range p.Bits(factored.Action) {
		r.Terms = append(r.Terms, factored.RewardTerm{Lit: factored.Lit{Bit: b}, Weight: -1})
	}
	return r
}

// ReadReward reads lines VARIABLE,WEIGHT, split at the last comma. The weight counts in every
// step where the variable is true or, with ~ before it, false. Actions count at the step t at
// which they are taken, state variables at t+1, as in the paper. Weights are decimal numbers
// and are kept exactly. An empty file gives DefaultReward.
//
// The layout has no integer variables, but a problem from elsewhere may. The weight of such a
// variable multiplies its value, and NAME#i is one bit of it.
func ReadReward(p *factored.Problem, name string, r io.Reader) (factored.Reward, error) {
	lines, err := readLines(name, r)
	if err != nil {
		return factored.Reward{}, err
	}
	if len(lines) == 0 {
		return DefaultReward(p), nil
	}
	seen := make([]bool, p.NumBits())
	terms := make([][]factored.RewardTerm, len(lines)) // weights are those of the bits alone
	weights := make([]string, len(lines))
	for i, text := range lines {
		at := strings.LastIndexByte(text, ',')
		if at < 0 {
			return factored.Reward{}, source.Errorf(name, i+1, 1, "%s has no comma; expected VARIABLE,WEIGHT", source.Quote(text))
		}
		if terms[i], err = rewardTerms(p, text[:at], seen); err != nil {
			return factored.Reward{}, source.Errorf(name, i+1, 1, "%v", err)
		}
		weights[i] = text[at+1:]
		if _, _, err := factored.ScaleWeights(weights[i : i+1]); err != nil {
			return factored.Reward{}, source.Errorf(name, i+1, at+2, "%s", weightFault(weights[i], err))
		}
	}
	scaled, scale, err := factored.ScaleWeights(weights)
	if err != nil {
		// The scale and the sum only grow with more weights, so binary search finds the first
		// line at which they are too large.
		i := sort.Search(len(weights)-1, func(n int) bool {
			_, _, err := factored.ScaleWeights(weights[:n+1])
			return err != nil
		})
		return factored.Reward{}, source.Errorf(name, i+1, strings.LastIndexByte(lines[i], ',')+2, "%s", weightFault(weights[i], err))
	}
	return sumTerms(name, terms, scaled, scale)
}

// weightFault describes in one short line what is wrong with a weight.
func weightFault(weight string, err error) string {
	msg := strings.TrimPrefix(err.Error(), factored.ErrWeights.Error()+": ")
	if strings.HasSuffix(msg, "is not a decimal number") {
		return source.Quote(weight) + " is not a decimal number; expected a weight"
	}
	const most = 160 // a common denominator may have a thousand digits
	if len(msg) > most {
		msg = "they do not fit 60 bits"
	}
	return "with the weight " + source.Quote(weight) + " the weights are too large or too fine: " + msg
}

// rewardTerms returns the terms for a weight of 1 on text, one per bit.
func rewardTerms(p *factored.Problem, text string, seen []bool) ([]factored.RewardTerm, error) {
	name, neg := strings.CutPrefix(text, "~")
	if strings.HasSuffix(name, "'") {
		if _, known := p.Lookup(name); !known {
			return nil, errors.New(source.Quote(text) + ": no ' is needed: state variables count after the step, actions during it")
		}
	}
	if name == "" {
		return nil, errEmpty
	}
	var terms []factored.RewardTerm
	if v, ok := p.Lookup(name); ok && !v.Bool {
		if neg {
			return nil, errors.New(source.Quote(name) + " is an integer variable, which has no negation; expected a Boolean after ~")
		}
		for i := range v.Width {
			terms = append(terms, factored.RewardTerm{Lit: factored.Lit{Bit: v.First + factored.Bit(i)}, Weight: v.Weight(i)})
		}
	} else {
		b, err := findBit(p, name)
		if err != nil {
			return nil, err
		}
		terms = append(terms, factored.RewardTerm{Lit: factored.Lit{Bit: b, Neg: neg}, Weight: 1})
	}
	for i := range terms {
		lit := &terms[i].Lit
		switch p.Kind(lit.Bit) {
		case factored.Auxiliary:
			return nil, errors.New(source.Quote(name) + " is an auxiliary variable; a reward is on state and action variables")
		case factored.State:
			lit.Next = true
		}
		if seen[lit.Bit] {
			return nil, errors.New(source.Quote(name) + " occurs twice in the reward")
		}
		seen[lit.Bit] = true
	}
	return terms, nil
}

// sumTerms multiplies the weights of the bits by those of the lines. Only integer variables
// can make the sum too large here.
func sumTerms(name string, terms [][]factored.RewardTerm, scaled []int64, scale int64) (factored.Reward, error) {
	r := factored.Reward{Scale: scale}
	limit, sum := big.NewInt(maxBound), new(big.Int)
	for i := range terms {
		for _, t := range terms[i] {
			w := new(big.Int).Mul(big.NewInt(t.Weight), big.NewInt(scaled[i]))
			if sum.Add(sum, new(big.Int).Abs(w)).Cmp(limit) > 0 {
				return factored.Reward{}, source.Errorf(name, i+1, 1, "the weights of the bits, scaled to integers, sum to more than 2^60")
			}
			if t.Weight = w.Int64(); t.Weight != 0 { // a weight of 0 has no effect
				r.Terms = append(r.Terms, t)
			}
		}
	}
	return r, nil
}
