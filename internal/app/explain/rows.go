package explain

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/support"
	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// LogLines is what the rows of a log show about a property.
type LogLines struct {
	// Lines are those of the rows that refute it, in increasing order, of equal rows the first
	// few; absent if none does. In files without lines they are the numbers of rows, from 1.
	Lines []int32 `json:"lines,omitempty"`
	// Data is the log that was given for it; absent for the rows that the network's file keeps.
	Data string `json:"data,omitempty"`
	// Rows counts those that the property was held against; absent for none.
	Rows int `json:"rows,omitempty"`
	// RefutingRows counts those that refute it, and Refuting describes them.
	RefutingRows int            `json:"refuting_rows,omitempty"`
	Refuting     []RefutingLine `json:"refuting,omitempty"`
	// Model is whether the property that rows refute holds in the model; absent if unknown.
	Model string `json:"model,omitempty"`
}

// RefutingLine is a row that refutes a property, as often as it was seen.
type RefutingLine struct {
	File  string  `json:"file,omitempty"`
	Lines []int32 `json:"lines,omitempty"` // the first few
	Rows  int     `json:"rows"`
	Witness
	// Forbidden is the rule that the next state breaks; absent for a legal one.
	Forbidden string `json:"forbidden,omitempty"`
}

// mostRefuting bounds the kinds of rows that are described.
const mostRefuting = 100

// compare holds the property against the rows of a log, or those of the network's file: what
// counts are rows with a legal state and action, wherever they lead.
func (w *Property) compare(ctx context.Context, p *load.Problem, log *coverage.Record, e *expr.Expr) error {
	r := log
	if log == nil {
		if r = p.Record; !w.known(p) || r == nil {
			return nil
		}
	}
	bits, err := newRowBits(p.Problem, r)
	if err != nil {
		w.Warnings = append(w.Warnings, fmt.Sprintf("no row was compared with it: %v; --data LOG compares those of the log", err))
		return nil
	}
	w.Rows = r.Rows
	legal := map[string]bool{} // by input
	var found []coverage.Outcome
	for i := range r.Len() {
		if ctx.Err() != nil {
			return fmt.Errorf("comparing the rows: %w", context.Cause(ctx))
		}
		o := r.Outcome(i)
		bits.read(o)
		if e.Eval(bits.now, bits.next) {
			continue
		}
		key := fmt.Sprint(bits.now)
		is, ok := legal[key]
		if !ok {
			is = validate.CheckPart(p.Problem, validate.Action, bits.now) == nil
			legal[key] = is
		}
		if is {
			found = append(found, o)
		}
	}
	if len(found) > 0 {
		w.refute(p, r, found, bits)
	}
	return nil
}

// refute notes the rows that refute the property.
func (w *Property) refute(p *load.Problem, r *coverage.Record, rows []coverage.Outcome, bits *rowBits) {
	w.Lines = []int32{} // rows may have no lines
	sort.SliceStable(rows, func(i, j int) bool { return slices.CompareFunc(rows[i].Places(), rows[j].Places(), earlier) < 0 })
	for _, o := range rows {
		w.RefutingRows += o.Count()
		for _, at := range o.Places() {
			w.Lines = append(w.Lines, at.Line)
		}
	}
	slices.Sort(w.Lines)
	w.Lines = slices.Compact(w.Lines)
	for _, o := range rows[:min(mostRefuting, len(rows))] {
		bits.read(o)
		line := RefutingLine{Rows: o.Count(), Witness: *witnessOf(p.Problem, bits.now, bits.next)}
		for _, at := range o.Places() {
			if line.Lines == nil {
				line.File = r.Files[at.File]
			}
			if r.Files[at.File] == line.File {
				line.Lines = append(line.Lines, at.Line)
			}
		}
		if f := validate.CheckPart(p.Problem, validate.State, bits.next); f != nil {
			line.Forbidden = f.What
		}
		w.Refuting = append(w.Refuting, line)
	}
	w.Witness = &w.Refuting[0].Witness
}

// earlier compares places by file and line.
func earlier(a, b coverage.Place) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
}

// known warns where the network's file does not keep all that its rows could show, and reports
// whether it keeps some.
func (w *Property) known(p *load.Problem) bool {
	switch {
	case p.Network == nil || p.Record != nil && p.Record.Whole:
		return true
	case p.Alone != nil:
		w.Warnings = append(w.Warnings, "each row of the log is of one entity, so that none could refute this; ask it of one, with its name alone in --entity")
		return false
	case p.Record == nil && p.Seen != nil && p.Seen.AllLegal() && p.Errors == 0:
		// The network is right on all rows, and these do not contradict each other.
		return true
	case p.Record == nil:
		w.Warnings = append(w.Warnings, "the network's file does not keep the rows of its log, so that they could refute this; "+giveLog)
		return false
	case len(p.Record.MoreInputs)+len(p.Record.MoreOutputs) > 0:
		w.Warnings = append(w.Warnings, noRoom)
	}
	// Other rows agree with the network, in all that they have.
	return true
}

// What an answer warns of where rows are not known.
const (
	giveLog = "give it with --data LOG to compare all of its rows"
	noRoom  = "the network's file has no room for all rows of its log, of which it keeps those that dispute next values; " + giveLog
)

// rowBits are the bits of a problem that rows of a record have.
type rowBits struct {
	now, next factored.Valuation
	in, out   []factored.Bit
}

// newRowBits matches the bits of rows with a problem's; the error names what is missing.
func newRowBits(p *factored.Problem, r *coverage.Record) (*rowBits, error) {
	b := &rowBits{now: make(factored.Valuation, p.NumBits()), next: make(factored.Valuation, p.NumBits())}
	var missing []string
	for _, side := range []struct {
		bits  []factored.Bit
		more  []string
		to    *[]factored.Bit
		kinds []factored.Kind
	}{{p.Inputs, r.MoreInputs, &b.in, []factored.Kind{factored.State, factored.Action}}, {p.Outputs, r.MoreOutputs, &b.out, []factored.Kind{factored.State}}} {
		var unknown string
		if *side.to, unknown = support.RecordBits(p, side.bits, side.more); unknown != "" {
			return nil, fmt.Errorf("its file has rows of another problem, with %s", unknown)
		}
		for _, kind := range side.kinds {
			for _, bit := range p.Bits(kind) {
				if v, _ := p.Owner(bit); !slices.Contains(*side.to, bit) && !slices.Contains(missing, v.Name) {
					missing = append(missing, v.Name)
				}
			}
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("its rows are without %s", strings.Join(missing, ", "))
	}
	return b, nil
}

// read takes the bits of a row.
func (b *rowBits) read(o coverage.Outcome) {
	for i, bit := range b.in {
		b.now[bit] = o.Input(i)
	}
	for i, bit := range b.out {
		b.next[bit] = o.Output(i)
	}
}

// String is the row as text: where it was seen, and what happened.
func (r *RefutingLine) String() string {
	text := fmt.Sprintf("%sfrom %v with %v to %v", r.place(), r.State, r.Action, r.Next)
	if r.Forbidden != "" {
		text += ", which the rules forbid: " + r.Forbidden
	}
	return text
}

// place is where a row was seen.
func (r *RefutingLine) place() string {
	if len(r.Lines) == 0 {
		return ""
	}
	var numbers []string
	for _, n := range r.Lines {
		numbers = append(numbers, fmt.Sprint(n))
	}
	if r.Rows > len(r.Lines) {
		numbers = append(numbers, "…")
	}
	return fmt.Sprintf("%s:%s: ", r.File, strings.Join(numbers, ","))
}
