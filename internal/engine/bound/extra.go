package bound

import "github.com/fdplan/fdplan/internal/model"

// Amount is an integer variable that stands for a weighted sum at every step: the sum of
// Terms, whose coefficients are positive, is the number of Bits, least first. The
// bits are no variables of the model: their numbers follow those of the one-step model.
type Amount struct {
	Terms []model.Term
	Bits  []model.Lit
}

// Derived is a constraint of every step that the groups have in place of others: Sum is what
// From adds up to, and Amounts, by amount, how often the equation "terms - bits = 0" is added.
//
// Where Room is positive, Sum says that terms are at most Room times the literal Need: the first of From says that they are at most Room, and the others that each of
// them needs it.
type Derived struct {
	Sum     model.Sum
	From    []Weighted
	Amounts []int64
	Room    int64
	Need    model.Lit
}

// Weighted is a constraint of the problem that is counted Factor times.
type Weighted struct {
	Sum    model.Sum
	Factor int64
}

// Amounts lists the amounts; one without bits is not used.
func (x *Relaxation) Amounts() []Amount {
	var out []Amount
	for i := range x.f.r.amounts {
		a := &x.f.r.amounts[i]
		if !a.used {
			out = append(out, Amount{})
			continue
		}
		out = append(out, Amount{a.terms, lits(a.bits)})
	}
	return out
}

// Derived lists the constraints that the groups have in place of others.
func (x *Relaxation) Derived() []Derived { return x.f.r.derived }

// AmountPrices are the prices, by amount, of the equations "terms - bits = 0" at step t.
func (x *Relaxation) AmountPrices(t int) []int64 {
	out := make([]int64, len(x.f.r.amounts))
	for e := range x.f.rels {
		if id := x.f.amountOf(e); id >= 0 {
			out[id] += x.t.Price[t-1][e]
		}
	}
	return out
}

// Payments are what each amount pays for a unit in the place of its terms.
func (x *Relaxation) Payments() []int64 {
	out := make([]int64, len(x.f.r.amounts))
	for i := range x.f.r.amounts {
		out[i] = x.f.r.amounts[i].pays
	}
	return out
}

// amountOf is the amount that a relation defines, -1 for none.
func (f *Factors) amountOf(rel int) int {
	if f.rels[rel].rule < 0 {
		return -1
	}
	for i, k := range f.r.defining {
		if sameTerms(f.r.rows[k].sum, f.s.rules[f.rels[rel].rule]) {
			return f.r.definedBy[i]
		}
	}
	return -1
}

// sameTerms reports whether two sums have one list of terms.
func sameTerms(a, b model.Sum) bool {
	return len(a.Terms) == len(b.Terms) && &a.Terms[0] == &b.Terms[0]
}
