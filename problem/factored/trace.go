package factored

import (
	"fmt"
	"strconv"
)

// Valuation assigns a value to every bit of a problem at one step.
type Valuation []bool

// Pack sets words to the values of some bits: that of the i-th is bit i%64 of word i/64, as networks
// read it.
func (val Valuation) Pack(words []uint64, bits []Bit) {
	clear(words)
	for i, b := range bits {
		if val[b] {
			words[i/64] |= 1 << (i % 64)
		}
	}
}

// Key is the values of some bits as a key of maps.
func (val Valuation) Key(bits []Bit) string {
	key := make([]byte, (len(bits)+7)/8)
	for i, b := range bits {
		if val[b] {
			key[i/8] |= 1 << (i % 8)
		}
	}
	return string(key)
}

// Fix returns the constraints that some bits have their values in val.
func (val Valuation) Fix(bits []Bit, origin string) (all []Constraint) {
	for _, b := range bits {
		c := Constraint{Terms: []Term{{Coef: 1, Lit: Lit{Bit: b}}}, Op: EQ, Origin: origin}
		if val[b] {
			c.K = 1
		}
		all = append(all, c)
	}
	return all
}

// Bits lists the variable's bits.
func (v *Variable) Bits() (all []Bit) {
	for b := range Bit(v.Width) {
		all = append(all, v.First+b)
	}
	return all
}

// Keep adds the transition in which a variable has the value that another one, of as many bits, had before.
func (p *Problem) Keep(v, of *Variable, origin string) {
	for k, b := range v.Bits() {
		p.Transition = append(p.Transition, Constraint{
			Terms: []Term{{Coef: 1, Lit: Lit{Bit: b, Next: true}}, {Coef: -1, Lit: Lit{Bit: of.First + Bit(k)}}}, Op: EQ, Origin: origin,
		})
	}
}

// Value returns the variable's value in val: 0 or 1 for a Boolean.
func (v *Variable) Value(val Valuation) int64 {
	var x int64
	for i := range v.Width {
		if val[int(v.First)+i] {
			x += v.Weight(i)
		}
	}
	return x
}

// Parse reads a value as Show writes it, or a quantity as a number, rounded to the nearest value of one of fixed decimals: true or false of a Boolean, an integer of an integer or, as
// 0 or 1, of a Boolean. It does not compare it with the range, as Set does.
func (v *Variable) Parse(text string) (int64, error) {
	if v.View != nil {
		return v.parseView(text)
	}
	switch text {
	case "true", "false":
		if !v.Bool {
			return 0, fmt.Errorf("%s is an integer; expected a number from %d to %d, found %s", v.Name, v.Lo, v.Hi, text)
		}
		if text == "true" {
			return 1, nil
		}
		return 0, nil
	}
	x, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a value for %s; expected true, false or an integer", text, v.Name)
	}
	return x, nil
}

// Set writes x into the variable's bits of val. A value outside Lo..Hi is an
// error.
func (v *Variable) Set(val Valuation, x int64) error {
	if x < v.Lo || x > v.Hi {
		return fmt.Errorf("%s cannot be %s; its range is %s", v.Name, v.text(x), v.text(v.Lo)+".."+v.text(v.Hi))
	}
	for i := range v.Width {
		val[int(v.First)+i] = x>>(v.Width-1-i)&1 == 1
	}
	return nil
}

// Trace is a plan with the states that it visits: the valuations of steps 1..H+1, so that
// Steps[t-1] is step t. The action bits of the last are false. Auxiliary bits are not part of
// it and are false.
type Trace struct {
	Steps []Valuation
}

// Horizon returns the number of joint actions.
func (t *Trace) Horizon() int { return len(t.Steps) - 1 }

// holds evaluates l over step valuations now and next.
func (l Lit) holds(now, next Valuation) bool {
	if l.Next {
		return next[l.Bit] != l.Neg
	}
	return now[l.Bit] != l.Neg
}

// StepReward returns the scaled reward of one step: actions and unprimed states in now,
// primed states in next.
func (r *Reward) StepReward(now, next Valuation) int64 {
	sum := r.Constant
	for _, t := range r.Terms {
		if t.Lit.holds(now, next) {
			sum += t.Weight
		}
	}
	return sum
}

// Holds evaluates c over a step: unprimed literals in now, primed ones in next, which may be
// nil if c has none.
func (c *Constraint) Holds(now, next Valuation) bool {
	var sum int64
	for _, t := range c.Terms {
		if t.Lit.holds(now, next) {
			sum += t.Coef
		}
	}
	return (c.Op == GE || sum <= c.K) && (c.Op == LE || sum >= c.K)
}
