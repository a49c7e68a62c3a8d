package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/experiment/journal"
)

// Kind is the origin of a cell.
type Kind uint8

// The kinds of cells.
const (
	Label  Kind = iota // a name
	Paper              // a figure of the paper
	Ours               // made from records
	NotRun             // there is no record
	None               // not applicable in this table
)

// Cell is one cell of a table.
type Cell struct {
	Kind  Kind
	Text  string
	Note  string // additional information, such as why a run failed
	Bad   bool   // an error, or a limit reached
	Plain bool   // its text is a word, not a number
	// Records are the indices, in the listing of the records, of those that it was made from.
	Records []int
}

func label(format string, args ...any) Cell {
	return Cell{Text: fmt.Sprintf(format, args...), Plain: true}
}

func theirs(text string) Cell {
	if text == "" {
		return Cell{Kind: None}
	}
	return Cell{Kind: Paper, Text: paperText(text)}
}

var absent = Cell{Kind: NotRun, Text: "not run"}

func ours(text string, records ...int) Cell { return Cell{Kind: Ours, Text: text, Records: records} }

// seconds formats a time for tables: three digits if it is short.
func seconds(s float64) string {
	switch {
	case s >= 100:
		return strconv.FormatFloat(s, 'f', 1, 64)
	case s >= 1:
		return strconv.FormatFloat(s, 'f', 2, 64)
	}
	return strconv.FormatFloat(s, 'f', 3, 64)
}

// limit formats a time limit as briefly as possible.
func limit(s float64) string { return strconv.FormatFloat(s, 'f', -1, 64) }

// count groups the digits of large numbers.
func count(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return sign + s
}

// percent formats a fraction in percent.
func percent(f float64) string { return strconv.FormatFloat(100*f, 'g', 4, 64) }

// proved reports whether a run answered its question: an optimum, or that there is no plan.
func proved(r *Record) bool { return answered(r.Status) }

// answered is proved for a status.
func answered(status string) bool { return status == "optimal" || status == "infeasible" }

// timed formats how long a run took, as in the paper's appendix: seconds if it was answered,
// otherwise the limit with the gap of its plan.
func timed(r *Record, at int) Cell {
	c := ours("", at)
	c.Note = r.Error
	switch r.Status {
	case "optimal":
		c.Text = seconds(r.Seconds)
		return c
	case "infeasible":
		c.Text = seconds(r.Seconds) + ", no plan"
		return c
	case "feasible", "unknown":
	default:
		c.Text, c.Bad, c.Plain = r.Status, true, true
		if c.Text == "" {
			c.Text = "no status"
		}
		return c
	}
	c.Bad = true
	// A run may stop before its time is over, for example if its memory is full.
	spent := seconds(r.Seconds)
	if late(r) {
		spent = limit(r.TimeLimit)
	}
	switch {
	case r.Status == "unknown":
		c.Text = spent + "<, no sol."
	case r.Gap == nil:
		c.Text = spent + "<, gap unknown"
	default:
		c.Text = spent + "<, " + percent(*r.Gap) + " %"
	}
	return c
}

// limitShare is the part of its limit from which a run was ended by it: limits are of wall-clock
// time, of which a recorded run may have waited an eighth.
const limitShare = 0.85

// late reports whether a run was ended by its time limit.
func late(r *Record) bool { return r.TimeLimit > 0 && r.Seconds >= limitShare*r.TimeLimit }

// cost returns the time by which a run counts in means: its own, or the limit.
func cost(r *Record) float64 {
	if proved(r) || r.TimeLimit == 0 {
		return r.Seconds
	}
	return r.TimeLimit
}

// what names the runs of a column: planner or engine, encoding, solver, model.
func what(r *Record) string {
	name := r.Planner
	if name == "" {
		name = r.Engine
		if r.Encoding != "" && r.Encoding != "default" {
			name += ", " + r.Encoding
		}
	}
	if r.Solver != "" {
		name += ", " + r.Solver
	}
	switch r.Model {
	case "", "bundled":
	case "published", "trained":
		name += ", " + r.Model + " networks"
	default:
		name += ", " + r.Model
	}
	return strings.TrimPrefix(name, ", ")
}

// better reports whether b replaces a in a cell that both belong to.
func better(a, b *Record) bool { return b.TimeLimit >= a.TimeLimit }

func isPlan(r *Record) bool { return r.Kind == journal.KindPlan }
