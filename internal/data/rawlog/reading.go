package rawlog

import (
	"fmt"
	"strings"

	"github.com/fdplan/fdplan/internal/data/dataset"
)

// Missing is what is done about a cell without a value.
type Missing string

// What is done.
const (
	MissingDrop     Missing = "drop"     // the transitions that need it are dropped
	MissingPrevious Missing = "previous" // the value of the row before, within an episode
	MissingKeep     Missing = "keep"     // the value is not known: NaN
	MissingError    Missing = "error"
)

// Reading says how rows become transitions.
type Reading struct {
	Column  map[string]string // column by fluent; a fluent without one has its own name
	Episode string            // column; empty for none
	Entity  string            // column of the device that a row is about; empty for one device
	Time    string            // column; empty for none
	Next    map[string]string // column of the next state, by that of the state; those with a prime need none
	Ends    []string          // columns that are true where a row ends its episode
	Missing Missing           // MissingDrop if empty
	// Gap is the longest time between two rows of an episode, in seconds or in the unit of a
	// column of numbers; 0 to infer it.
	Gap float64
	// Outside, where not nil, is told of each value that its fluent does not have; see
	// dataset.Schema.Outside. A cell without a value is then no error either.
	Outside func(dataset.Outside)
	// Refuse drops the transitions that need such a value. Otherwise only those go that need a
	// number and have a text.
	Refuse bool
}

// Drop is a row that gave no transition.
type Drop struct {
	Line int32
	why  int32 // index in Read.reasons
}

// Read is the outcome of Transitions.
type Read struct {
	Data  *dataset.Data
	Drops []Drop
	// Sorted is whether rows stood in no order of their times, and were put in it.
	Sorted bool
	// Refused is the first value that its fluent does not have, where such values are refused;
	// else nil.
	Refused *dataset.Outside

	reasons []string
}

// Why returns the reason why a row was dropped.
func (r *Read) Why(d Drop) string { return r.reasons[d.why] }

// The reasons that are not about a column.
const (
	ended = iota
	last
	early
	again
)

// Summary counts the rows that were dropped by the kinds of reasons.
func (r *Read) Summary() string {
	missing, begins, repeated := 0, 0, 0
	for _, d := range r.Drops {
		switch {
		case d.why > again:
			missing++
		case d.why == early:
			begins++
		case d.why == again:
			repeated++
		}
	}
	var parts []string
	if missing > 0 {
		text := fmt.Sprintf("%d since a cell is missing, unreadable or out of range", missing)
		if o := r.Refused; o != nil {
			text += fmt.Sprintf(" (line %d, column %s: %q, expected %s)", o.Line, o.Column, o.Value, o.Expected)
		}
		parts = append(parts, text)
	}
	if n := len(r.Drops) - missing - begins - repeated; n > 0 {
		parts = append(parts, fmt.Sprintf("%d at the end of an episode or before a gap in time", n))
	}
	if begins > 0 {
		parts = append(parts, fmt.Sprintf("%d at the beginning of an episode, without the rows before for the lags", begins))
	}
	if repeated > 0 {
		parts = append(parts, fmt.Sprintf("%d since the row before says the same", repeated))
	}
	return strings.Join(parts, ", ")
}
