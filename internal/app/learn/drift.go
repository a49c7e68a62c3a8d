package learn

import (
	"context"
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/outcomes"
	"github.com/fdplan/fdplan/internal/learn/structure"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// DriftLine is a change of the system in the middle of a log.
type DriftLine struct {
	Row  int    `json:"row"`            // from 1: the first that follows the new system
	File string `json:"file,omitempty"` // that the row is from, and its line; absent if unknown
	Line int    `json:"line,omitempty"`
	// Outputs are the values that follow another function after the change, as conditions.
	Outputs []string `json:"outputs"`
	// Old and New count the rows before and after in which the functions differ, and Wrong those
	// of them that follow the function of the other side.
	Old   int `json:"old"`
	New   int `json:"new"`
	Wrong int `json:"wrong"`
	// Again reports that these gather in time, so that the system changes more than once.
	Again bool `json:"again,omitempty"`
}

// driftRows is how many rows a change is looked for in at most; of more, each so many-th.
const driftRows = 6000

// findDrift looks for a change of the system in the order of the rows, and marks the outputs
// that changed.
func findDrift(ctx context.Context, p *load.Problem, sources []train.Source, st *structure.Structure) (*DriftLine, error) {
	t := structure.NewTable(len(p.Problem.Inputs), len(p.Problem.Outputs), groups(p))
	step := max(1, (rowsOf(sources)+driftRows-1)/driftRows)
	type place struct{ row, source, line int }
	var places []place
	n := 0
	pick := func(i int) bool { return (i+1)%step == 0 }
	err := train.EachOf(p.Problem, pick, func(r *train.Row) {
		if n += step; r.InKnown == nil {
			t.Add(bnn.Pack(r.In), bnn.Pack(r.Out), nil, nil)
			places = append(places, place{n, r.Source, r.Line})
		}
	}, sources...)
	if err != nil {
		return nil, err
	}
	found, err := structure.FindDrift(ctx, t, func(o int) bool { return st.Outputs[o].Verdict == structure.Chance })
	if err != nil || found == nil {
		return nil, err
	}
	at := places[found.Row]
	l := &DriftLine{Row: at.row, Old: found.Old, New: found.New, Wrong: found.Wrong, Again: found.Again}
	if name := sources[at.source].Name; name != "" {
		l.File, l.Line = name, at.line
	}
	for _, o := range found.Outputs {
		st.Outputs[o].Verdict = structure.Changed
		v := p.Problem.Condition(factored.Lit{Bit: p.Problem.Outputs[o]})
		if !slices.Contains(l.Outputs, v) {
			l.Outputs = append(l.Outputs, v)
		}
	}
	return l, nil
}

// String is the change in words.
func (l *DriftLine) String() string {
	where := fmt.Sprintf("row %d", l.Row)
	if l.File != "" {
		where += fmt.Sprintf(" (%s:%d)", l.File, l.Line)
	}
	have, again := " have", ""
	if len(l.Outputs) == 1 {
		have = " has"
	}
	if l.Again {
		again = ", and not only there"
	}
	return fmt.Sprintf("the system changes at %s%s: after it %s another function. Of %d rows in which the two differ, %d follow the old one before and the new one after. Nothing is supported of these values; learn from the rows after the change",
		where, again, outcomes.Listed(l.Outputs)+have, l.Old+l.New, l.Old+l.New-l.Wrong)
}
