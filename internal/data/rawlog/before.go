package rawlog

import (
	"math"

	"github.com/fdplan/fdplan/internal/data/dataset"
)

// ahead says of an input that its next value is that of the next row, if that follows, since the row has none of its own.
const ahead = -2

// isLag reports whether column k of the schema is read from rows before.
func (x *reader) isLag(k int) bool {
	return x.back[k] > 0 || x.back[k] == 0 && x.s.Columns[k].Role == dataset.Next
}

// early returns the reason why the transition that begins at place k has no value of a lag, or none.
func (x *reader) early(k int) int {
	if k-x.start < x.reach {
		return early
	}
	for c, back := range x.back {
		if back <= 0 {
			continue
		}
		value, bad := x.values[c].at(x.row(k - back))
		switch unreadable := math.IsNaN(value); {
		case bad && (x.r.Refuse || unreadable && x.r.Missing != MissingKeep):
			return reasonOf(c, true)
		case unreadable && !bad && x.r.Missing != MissingKeep:
			return reasonOf(c, false)
		}
	}
	return none
}

// goesOn reports whether row i, with next states of its own, begins in the next states of the row before.
func (x *reader) goesOn(i int) bool {
	states := x.s.NumStates()
	next := len(x.s.Columns) - states
	for c := range states {
		if x.isLag(c) || x.back[next+c] == ahead {
			continue
		}
		then, _ := x.values[next+c].at(i - 1)
		now, _ := x.values[c].at(i)
		if then != now {
			return false
		}
	}
	return true
}
