package translate

import "github.com/fdplan/fdplan/internal/rddl/operator"

// rat is a fraction whose arithmetic ends the translation where a number becomes too large.
// The zero value is invalid; use whole(0).
type rat operator.Rat

// ratLimit bounds numerators and denominators.
const ratLimit = operator.Limit

// errTooLarge is thrown by arithmetic that leaves ratLimit.
const errTooLarge = refusalText("its numbers need more than 56 bits; expected smaller constants, ranges or denominators")

func checked(r operator.Rat) rat {
	if !r.Valid() {
		panic(errTooLarge)
	}
	return rat(r)
}

func whole(n int64) rat       { return rat{n, 1} }
func fraction(n, d int64) rat { return checked(operator.Fraction(n, d)) }

// simplest returns the fraction that a constant of the source stands for.
func simplest(f float64) rat { return checked(operator.Simplest(f)) }

func (a rat) add(b rat) rat  { return checked(operator.Rat(a).Add(operator.Rat(b))) }
func (a rat) sub(b rat) rat  { return checked(operator.Rat(a).Sub(operator.Rat(b))) }
func (a rat) mul(b rat) rat  { return checked(operator.Rat(a).Mul(operator.Rat(b))) }
func (a rat) div(b rat) rat  { return checked(operator.Rat(a).Div(operator.Rat(b))) }
func (a rat) neg() rat       { return rat{-a.N, a.D} }
func (a rat) min(b rat) rat  { return rat(operator.Rat(a).Min(operator.Rat(b))) }
func (a rat) max(b rat) rat  { return rat(operator.Rat(a).Max(operator.Rat(b))) }
func (a rat) cmp(b rat) int  { return operator.Rat(a).Cmp(operator.Rat(b)) }
func (a rat) sign() int      { return operator.Rat(a).Sign() }
func (a rat) isWhole() bool  { return a.D == 1 }
func (a rat) floor() int64   { return operator.Rat(a).Floor() }
func (a rat) ceil() int64    { return operator.Rat(a).Ceil() }
func (a rat) float() float64 { return operator.Rat(a).Float() }
func (a rat) String() string { return operator.Rat(a).String() }

func product64(a, b int64) int64 { return whole(a).mul(whole(b)).N }
