package operator

import (
	"math"
	"testing"
)

// grid has arguments on both sides of every edge of a function's domain.
var grid = []float64{-64, -7, -2.5, -2, -1.5, -1, -0.5, 0, 0.25, 0.5, 1, 1.5, 2, 2.5, 3, 7, 64}

// all are the functions and the operators that have a sign.
func all() map[string]*Operator {
	list := map[string]*Operator{}
	for name, o := range Functions {
		list[name] = o
	}
	for _, o := range []*Operator{Add, Sub, Mul, Div, Neg} {
		list[o.Name] = o
	}
	return list
}

// TestColumns compares the columns of the table: where an operator has a value, its fraction is
// that value, and its interval contains it.
func TestColumns(t *testing.T) {
	for name, o := range all() {
		if (o.Unary == nil) == (o.Binary == nil) {
			t.Errorf("%s: expected one of Unary and Binary", name)
		}
		for _, x := range grid {
			for _, y := range grid {
				args := []float64{x, y}
				if o.Unary != nil {
					args = args[:1]
				}
				if o.IntArgs && (x != math.Trunc(x) || y != math.Trunc(y)) {
					continue
				}
				v, err := o.Call(args...)
				if err != nil {
					continue
				}
				close := 1e-12 * (1 + math.Abs(v))
				if o.Exact != nil {
					fractions := []Rat{Simplest(x), Simplest(y)}[:len(args)]
					if r, ok := o.Fraction(fractions...); ok && math.Abs(r.Float()-v) > close {
						t.Errorf("%s%v is %v, as a fraction %v", name, args, v, r)
					}
				}
				for _, lo := range grid {
					if lo > x {
						continue
					}
					r := o.Over(Interval{Lo: lo, Hi: x + 1}, Interval{Lo: y, Hi: y})
					if v < r.Lo || v > r.Hi {
						t.Errorf("%s%v is %v, for arguments from %v to %v: %v", name, args, v, lo, x+1, r)
					}
				}
			}
		}
	}
}

// TestRelations compares the relations over intervals with those of all their numbers.
func TestRelations(t *testing.T) {
	few := []float64{0, 1, 2, 3}
	for _, r := range []Relation{Eq, Ne, Lt, Le, Gt, Ge} {
		for _, a := range few {
			for _, b := range few {
				for _, c := range few {
					for _, d := range few {
						if a > b || c > d {
							continue
						}
						always, never := r.Over(a, b, c, d)
						every, none := true, true
						for x := a; x <= b; x += 0.5 {
							for y := c; y <= d; y += 0.5 {
								sign := int(math.Copysign(1, x-y))
								if x == y {
									sign = 0
								}
								holds := r.Holds(sign)
								every, none = every && holds, none && !holds
								if r.Not().Holds(sign) == holds || r.Mirrored().Holds(-sign) != holds {
									t.Fatalf("%v: its negation or its mirror image is wrong", r)
								}
							}
						}
						if always != every || never != none {
							t.Errorf("%v of %v..%v and %v..%v: always %t, never %t; expected %t, %t", r, a, b, c, d, always, never, every, none)
						}
					}
				}
			}
		}
	}
}
