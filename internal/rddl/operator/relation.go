package operator

// Relation is a comparison of two numbers: whether it holds for a first one that is less
// than, equal to and greater than the second.
type Relation struct{ Less, Equal, Greater bool }

// The relations.
var (
	Eq = Relation{Equal: true}
	Ne = Relation{Less: true, Greater: true}
	Lt = Relation{Less: true}
	Le = Relation{Less: true, Equal: true}
	Gt = Relation{Greater: true}
	Ge = Relation{Equal: true, Greater: true}
)

// Not is the relation that holds where r does not.
func (r Relation) Not() Relation { return Relation{!r.Less, !r.Equal, !r.Greater} }

// Mirrored is the relation with its sides exchanged.
func (r Relation) Mirrored() Relation { return Relation{r.Greater, r.Equal, r.Less} }

// Holds reports whether r holds for numbers whose comparison has this sign.
func (r Relation) Holds(sign int) bool {
	switch {
	case sign < 0:
		return r.Less
	case sign > 0:
		return r.Greater
	}
	return r.Equal
}

// Over compares a number in a..b with one in c..d: always reports that r holds for all of
// them, and never that it holds for none.
func (r Relation) Over(a, b, c, d float64) (always, never bool) {
	less, equal, greater := a < d, a <= d && c <= b, b > c
	always = (r.Less || !less) && (r.Equal || !equal) && (r.Greater || !greater)
	never = !(r.Less && less) && !(r.Equal && equal) && !(r.Greater && greater)
	return always, never
}
