package learned

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/problem/factored"
)

// Reward is what is known of a reward that was only observed: a sum of weights of products of at most Degree bits of a
// step, never more than Most. Rows have a fourth column, the reward. All numbers are in millionths.
type Reward struct {
	Most      int64      `json:"most"`
	Degree    int        `json:"degree"`
	Variables []Variable `json:"variables"` // of a step: each bit of it is in one
	Next      []bool     `json:"next"`      // whether a variable is of the next state
	// Known are regions where all sums that agree with the rows are alike: variables, given by their places, have values.
	Known [][]Condition `json:"known"`
}

// levelName begins the name of the variable that add adds.
const levelName = "reward of the step before"

// origin is that of the constraints that add adds.
const origin = "learned reward"

// rewardScale is that of rewards in a record.
const rewardScale = 1_000_000

// payer checks the reward of a record.
type payer struct {
	*checker
	r         *Reward
	vars      [][]factored.Lit
	legal     [][]string
	all       []factored.Lit
	weights   []weight
	spaces    [][]*big.Rat   // orthogonal to the products of all rows
	features  map[string]int // products that rows have
	constant  *big.Rat
	fractions *big.Int // common denominator of the weights
	unit      int64    // that all rewards are multiples of
}

type weight struct {
	of []factored.Lit
	is *big.Rat
}

// readReward checks what a record says of the reward.
func (c *checker) readReward() error {
	if c.r.Reward == nil {
		return nil
	}
	x := &payer{checker: c, r: c.r.Reward, features: map[string]int{}, constant: new(big.Rat), fractions: big.NewInt(1), unit: rewardScale}
	c.payer = x
	for _, f := range []func() error{x.readVariables, x.units, x.orthogonal, x.regions} {
		if err := f(); err != nil {
			return fmt.Errorf("reward: %w", err)
		}
	}
	return nil
}

func (x *payer) readVariables() error {
	used := map[factored.Lit]bool{}
	if x.r.Most > 1e15 || x.r.Most < -1e15 {
		return fmt.Errorf("the most is %d; expected a number of at most 10^15", x.r.Most)
	}
	if len(x.r.Next) != len(x.r.Variables) || x.r.Degree < 1 {
		return errors.New("expected a degree of at least 1, and for each variable whether it is of the next state")
	}
	for i, v := range x.r.Variables {
		of, err := bits(x.p, v.Bits)
		if err != nil {
			return err
		}
		legal := map[string]bool{}
		for _, text := range v.Legal {
			if _, err := values(text, len(of)); err != nil {
				return err
			}
			legal[text] = true
		}
		if len(of) == 0 || len(legal) == 0 || v.Count || !x.excluded(of, legal) {
			return fmt.Errorf("variable %d: no rule excludes the values that are not listed", i)
		}
		var lits []factored.Lit
		for _, b := range of {
			l := factored.Lit{Bit: b, Next: x.r.Next[i]}
			if used[l] || l.Next && !slices.Contains(x.states, b) {
				return fmt.Errorf("%s is in two variables, or not of the next state", x.p.BitName(b))
			}
			used[l] = true
			lits = append(lits, l)
		}
		x.vars, x.legal, x.all = append(x.vars, lits), append(x.legal, v.Legal), append(x.all, lits...)
	}
	if len(used) != 2*len(x.states)+len(x.actions) {
		return errors.New("not all bits of a step are in a variable")
	}
	return nil
}

// units finds what all rewards are multiples of.
func (x *payer) units() error {
	all := []int64{x.r.Most}
	for i, r := range x.rows {
		if all = append(all, r.reward); r.reward > x.r.Most {
			return fmt.Errorf("row %d has %d; the most is %d", i+1, r.reward, x.r.Most)
		}
	}
	for _, n := range all {
		if n != 0 {
			x.unit = new(big.Int).GCD(nil, nil, big.NewInt(x.unit), new(big.Int).Abs(big.NewInt(n))).Int64()
		}
	}
	return nil
}

func at(l factored.Lit, now, next factored.Valuation) bool {
	if l.Next {
		return next[l.Bit]
	}
	return now[l.Bit]
}

// products lists the products of at most Degree true bits of a step.
func (x *payer) products(now, next factored.Valuation) (all []string) {
	var on []string
	for i, l := range x.all {
		if at(l, now, next) {
			on = append(on, fmt.Sprint(" ", i))
		}
	}
	all = []string{""}
	begin := 0
	for range x.r.Degree {
		end := len(all)
		for _, was := range all[begin:end] {
			from := 0
			if was != "" {
				from = slices.Index(on, was[strings.LastIndex(was, " "):]) + 1
			}
			for _, b := range on[from:] {
				all = append(all, was+b)
			}
		}
		begin = end
	}
	return all
}

// orthogonal finds a basis of the vectors that are orthogonal to the products of all rows, and weights whose sums are the rewards of the
// rows: a vector that is orthogonal to the products with the negated rewards and has 1 where these are. The sum at a step is known if its
// products are orthogonal to the basis too.
func (x *payer) orthogonal() error {
	var rows [][]string
	var names []string
	for _, r := range x.rows {
		list := x.products(r.now, r.next)
		for _, f := range list {
			if _, ok := x.features[f]; !ok {
				x.features[f] = len(names)
				names = append(names, f)
			}
		}
		rows = append(rows, list)
	}
	for i := range len(names) + 1 { // the last is that of rewards
		unit := make([]*big.Rat, len(names)+1)
		for j := range unit {
			unit[j] = new(big.Rat)
		}
		unit[i].SetInt64(1)
		x.spaces = append(x.spaces, unit)
	}
	for i, list := range rows {
		var pivot []*big.Rat
		by := new(big.Rat)
		var rest [][]*big.Rat
		for _, v := range x.spaces {
			d := x.dot(list, v)
			d.Sub(d, new(big.Rat).Mul(v[len(names)], new(big.Rat).SetInt64(x.rows[i].reward)))
			switch {
			case d.Sign() == 0:
			case pivot == nil:
				pivot, by = v, d
				continue
			default:
				d.Quo(d, by)
				for j := range v {
					if pivot[j].Sign() != 0 {
						v[j].Sub(v[j], new(big.Rat).Mul(d, pivot[j]))
					}
				}
			}
			rest = append(rest, v)
		}
		if x.spaces = rest; pivot != nil && pivot[len(names)].Sign() != 0 {
			return fmt.Errorf("row %d has %d, which no sum is that has the rewards of the rows before", i+1, x.rows[i].reward)
		}
	}
	last := len(x.spaces) - 1
	weights := x.spaces[last]
	x.spaces = x.spaces[:last]
	return x.weigh(names, weights)
}

// weigh takes the weights of products.
func (x *payer) weigh(names []string, weights []*big.Rat) error {
	for i, name := range names {
		is := weights[i]
		if is.Sign() == 0 {
			continue
		}
		g := new(big.Int).GCD(nil, nil, x.fractions, is.Denom())
		if x.fractions.Div(new(big.Int).Mul(x.fractions, is.Denom()), g); x.fractions.BitLen() > 20 || is.Num().BitLen() > 50 {
			return fmt.Errorf("the weight %v has too many digits", is)
		}
		if name == "" {
			x.constant = is
			continue
		}
		w := weight{is: is}
		for _, text := range strings.Fields(name) {
			place, _ := strconv.Atoi(text) // as products wrote it
			w.of = append(w.of, x.all[place])
		}
		x.weights = append(x.weights, w)
	}
	return nil
}

func (x *payer) dot(list []string, v []*big.Rat) *big.Rat {
	sum := new(big.Rat)
	for _, f := range list {
		sum.Add(sum, v[x.features[f]])
	}
	return sum
}

// known reports whether all sums that agree with the rows are alike at a step.
func (x *payer) known(now, next factored.Valuation) bool {
	list := x.products(now, next)
	for _, f := range list {
		if _, ok := x.features[f]; !ok {
			return false
		}
	}
	return !slices.ContainsFunc(x.spaces, func(v []*big.Rat) bool { return x.dot(list, v).Sign() != 0 })
}

// regions checks each region at one of its points and all others that differ from it in at most Degree variables: the difference of two
// sums is a sum of functions of at most so many variables, and is 0 in the region if it is 0 there.
func (x *payer) regions() error {
	for i, region := range x.r.Known {
		now, next := make(factored.Valuation, x.p.NumBits()), make(factored.Valuation, x.p.NumBits())
		set := func(v int, text string) {
			for j, l := range x.vars[v] {
				if val := now; text[j] == '1' || text[j] == '0' {
					if l.Next {
						val = next
					}
					val[l.Bit] = text[j] == '1'
				}
			}
		}
		var free []int
		for v := range x.vars {
			set(v, x.legal[v][0])
			at := slices.IndexFunc(region, func(c Condition) bool { return c.Variable == v })
			if at < 0 {
				free = append(free, v)
			} else if set(v, region[at].Is); !slices.Contains(x.legal[v], region[at].Is) {
				return fmt.Errorf("region %d: %q is no legal value", i, region[at].Is)
			}
		}
		var near func(free []int, left int) bool
		near = func(free []int, left int) bool {
			if !x.known(now, next) {
				return false
			}
			for n, v := range free {
				for _, text := range x.legal[v] {
					if set(v, text); left > 0 && !near(free[n+1:], left-1) {
						return false
					}
				}
				set(v, x.legal[v][0])
			}
			return true
		}
		if len(free)+len(region) != len(x.vars) || !near(free, x.r.Degree) {
			return fmt.Errorf("region %d: the rows do not tell the reward there", i)
		}
	}
	return nil
}

// add adds the reward to a problem: a state variable that has what the step before paid. It is at most what the weights
// say, rounded up, in the regions, and the most elsewhere.
func (x *payer) add(q *factored.Problem) error {
	open, err := q.AddVariable(factored.Variable{Name: "reward is open", Kind: factored.State, Bool: true})
	if err != nil {
		return err
	}
	is := factored.Lit{Bit: q.Variables[open].First, Next: true}
	scaled := func(w *big.Rat) int64 {
		return new(big.Int).Div(new(big.Int).Mul(w.Num(), x.fractions), w.Denom()).Int64()
	}
	c := factored.Constraint{Op: factored.LE, Origin: origin}
	least := scaled(x.constant)
	for i, w := range x.weights {
		lit := w.of[0]
		if len(w.of) > 1 {
			if lit, err = product(q, fmt.Sprint("product ", i), w.of); err != nil {
				return err
			}
		}
		c.Terms = append(c.Terms, factored.Term{Coef: -scaled(w.is), Lit: lit})
		least += min(0, scaled(w.is))
	}
	unit := x.fractions.Int64() * x.unit
	most := x.r.Most / x.unit
	name := levelName
	if x.unit != rewardScale {
		name += fmt.Sprintf(" in units of %v", float64(x.unit)/rewardScale)
	}
	level, err := q.AddVariable(factored.Variable{Name: name, Kind: factored.State, Lo: min(most, least/unit-1), Hi: most})
	if err != nil {
		return err
	}
	v := &q.Variables[level]
	q.Reward = factored.Reward{Scale: rewardScale / x.unit}
	for i := range v.Width {
		lit := factored.Lit{Bit: v.First + factored.Bit(i), Next: true}
		c.Terms = append(c.Terms, factored.Term{Coef: unit * v.Weight(i), Lit: lit})
		q.Reward.Terms = append(q.Reward.Terms, factored.RewardTerm{Lit: lit, Weight: v.Weight(i)})
	}
	c.K = scaled(x.constant) + unit - 1
	c.Terms = append(c.Terms, factored.Term{Coef: -max(0, most*unit-least), Lit: is})
	q.Transition = append(q.Transition, c)
	x.addRegions(q, is)
	first := make(factored.Valuation, q.NumBits())
	if err := v.Set(first, most); err != nil {
		return err
	}
	for _, l := range []int{open, level} {
		for b := range q.Variables[l].Width {
			q.Initial = append(q.Initial, first.Fix([]factored.Bit{q.Variables[l].First + factored.Bit(b)}, "start")...)
		}
	}
	return nil
}

// addRegions says where the reward is not open.
func (x *payer) addRegions(q *factored.Problem, open factored.Lit) {
	for _, region := range x.r.Known {
		y := factored.Constraint{Op: factored.GE, K: 1, Origin: origin, Terms: []factored.Term{{Coef: 1, Lit: factored.Lit{Bit: open.Bit, Neg: true, Next: true}}}}
		for _, f := range region {
			for j, l := range x.vars[f.Variable] {
				l.Neg = f.Is[j] == '1'
				y.Terms = append(y.Terms, factored.Term{Coef: 1, Lit: l})
			}
		}
		q.Transition = append(q.Transition, y)
	}
}

// product adds a Boolean that is true where some literals are.
func product(q *factored.Problem, name string, of []factored.Lit) (factored.Lit, error) {
	i, err := q.AddVariable(factored.Variable{Name: name, Kind: factored.Auxiliary, Bool: true})
	if err != nil {
		return factored.Lit{}, err
	}
	lit := factored.Lit{Bit: q.Variables[i].First}
	all := []factored.Term{{Coef: -1, Lit: lit}}
	for _, l := range of {
		all = append(all, factored.Term{Coef: 1, Lit: l})
		q.Transition = append(q.Transition, factored.Constraint{Terms: []factored.Term{{Coef: 1, Lit: l}, {Coef: -1, Lit: lit}}, Op: factored.GE, Defines: true, Origin: origin})
	}
	q.Transition = append(q.Transition, factored.Constraint{Terms: all, Op: factored.LE, K: int64(len(of) - 1), Defines: true, Origin: origin})
	return lit, nil
}

// extend gives a state of a plan the reward of the step before it, the most at first.
func (x *payer) extend(q *factored.Problem, state factored.Valuation, reward int64) factored.Valuation {
	out := make(factored.Valuation, q.NumBits())
	copy(out, state)
	for i := range q.Variables {
		if v := &q.Variables[i]; strings.HasPrefix(v.Name, levelName) {
			_ = v.Set(out, reward/x.unit) // within its range, since the weights say it
		}
	}
	return out
}
