package learn

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/outcomes"
	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/internal/learn/measure"
	"github.com/fdplan/fdplan/internal/learn/structure"
	"github.com/fdplan/fdplan/problem/factored"
)

// FoundLine is what the structure recipe found about an output bit.
type FoundLine struct {
	Bit    string   `json:"bit"`
	Values string   `json:"values"` // the values that have the bit, as a condition on its fluent
	Inputs []string `json:"inputs"` // bits
	How    string   `json:"how"`    // "table", "sum", "tree", "contexts", "rules", "count", "integer" or "dense"
	// Function is that of the whole fluent where How is "integer", in RDDL's syntax; empty elsewhere.
	Function string `json:"function,omitempty"`
	// Cells counts the joint values of the inputs that rows have, of Possible; a
	// number beyond 2^53 is given as 0.
	Cells    int   `json:"cells"`
	Possible int64 `json:"possible"`
	// Wrong counts the rows that do not follow the function, of Rows; Held those
	// held out that did not follow what was learned without them.
	Wrong   int    `json:"wrong"`
	Rows    int    `json:"rows"`
	Held    int    `json:"held_out_wrong"`
	Verdict string `json:"verdict"` // "exact", "noise", "hidden state", "chance", "drawn" or "drift"
	// Alike counts the outputs of other objects that have the same function, learned from
	// the rows of all of them.
	Alike int `json:"alike,omitempty"`
	// Errors bounds the share of rows in error, of an output that is supported in spite of them.
	Errors float64 `json:"errors,omitempty"`
}

// Found is what the structure recipe found.
type Found struct {
	Noisy   bool        `json:"noisy"` // exceptions were expected
	Outputs []FoundLine `json:"outputs"`
	// Drift is a change of the system in the middle of the log, absent if none was found.
	Drift *DriftLine `json:"drift,omitempty"`

	links []structure.Link
}

func foundOf(p *load.Problem, st *structure.Structure) *Found {
	f := &Found{Noisy: st.Noisy}
	seen := map[structure.Link]bool{}
	for i := range st.Outputs {
		o := &st.Outputs[i]
		to, _ := p.Problem.Owner(p.Problem.Outputs[i])
		l := FoundLine{Bit: p.Problem.BitName(p.Problem.Outputs[i]), Values: p.Problem.Condition(factored.Lit{Bit: p.Problem.Outputs[i]}), Inputs: []string{}, How: string(o.Kind), Cells: o.Cells, Wrong: o.Wrong, Rows: o.Rows, Held: o.Held, Verdict: string(o.Verdict), Alike: o.Alike}
		l.Function = o.Formula(func(input int) string {
			of, _ := p.Problem.Owner(p.Problem.Inputs[input])
			return of.Name
		})
		if n := len(o.Inputs); n <= 53 {
			l.Possible = 1 << n
		}
		for _, k := range o.Inputs {
			b := p.Problem.Inputs[k]
			from, _ := p.Problem.Owner(b)
			l.Inputs = append(l.Inputs, p.Problem.BitName(b))
			if x := (structure.Link{From: from.Name, To: to.Name + "'"}); !seen[x] {
				seen[x] = true
				f.links = append(f.links, x)
			}
		}
		f.Outputs = append(f.Outputs, l)
	}
	return f
}

// writeText writes a line an output.
func (f *Found) writeText(w io.Writer) error {
	var b strings.Builder
	if f.Noisy {
		b.WriteString("The rows have exceptions: inputs were chosen by the shortest description.\n")
	}
	fmt.Fprintf(&b, "%-14s %-6s %16s %16s %10s  output: inputs\n", "verdict", "by", "cells seen", "rows wrong", "held out")
	for _, o := range f.Outputs {
		possible := "2^" + fmt.Sprint(len(o.Inputs))
		if len(o.Inputs) < 14 {
			possible = fmt.Sprint(o.Possible)
		}
		alike := ""
		if o.Alike > 0 {
			alike = fmt.Sprintf("; one function for %d outputs", o.Alike+1)
		}
		fmt.Fprintf(&b, "%-14s %-6s %16s %16s %10d  %s: %s%s\n", o.Verdict, o.How, fmt.Sprintf("%d of %s", o.Cells, possible),
			fmt.Sprintf("%d of %d", o.Wrong, o.Rows), o.Held, o.Values, strings.Join(fluentsOf(o.Inputs), ", "), alike)
	}
	for i, o := range f.Outputs {
		if o.Function != "" && (i == 0 || o.Function != f.Outputs[i-1].Function) {
			name, _, _ := strings.Cut(o.Bit, "#")
			fmt.Fprintf(&b, "%s' = %s\n", name, o.Function)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// warnings say, in one per line, which verdicts need a look.
func (f *Found) warnings() []string {
	var lines []string
	if f.Drift != nil {
		lines = append(lines, f.Drift.String())
	}
	for _, v := range []structure.Verdict{structure.Noise, structure.Hidden, structure.Chance} {
		var bits []string
		sure, most := 0, 0.0        // of those supported, errors
		least := FoundLine{Rows: 1} // the one that fewest rows follow
		for _, o := range f.Outputs {
			if o.Verdict == string(v) {
				bits = append(bits, o.Values)
				if most = max(most, o.Errors); o.Errors > 0 {
					sure++
				}
				if o.Wrong*least.Rows > least.Wrong*o.Rows {
					least = o
				}
			}
		}
		if len(bits) == 0 {
			continue
		}
		what := "some rows are exceptions, as often whatever the inputs: single values were recorded wrongly, or chance decides"
		switch v {
		case structure.Chance:
			what = "no column tells the next value, tested against chance for all outputs together; the network has the most frequent one"
		case structure.Hidden:
			what = "exceptions gather at some values of the inputs: chance decides there, or something that is not recorded (hidden state), or inputs were recorded wrongly"
		}
		supported := "none of them is"
		if sure > 0 {
			supported = fmt.Sprintf("%d of them are, where enough rows agree for errors by chance in at most %s of them,", sure, coverage.Percent(most))
		}
		lines = append(lines, fmt.Sprintf("%d of %d outputs (%s): %s; %s supported; the function found agrees with %s of the rows or more",
			len(bits), len(f.Outputs), outcomes.Listed(bits), what, supported, measure.Percent(least.Rows-least.Wrong, least.Rows)))
	}
	return lines
}

// fluentsOf returns the fluents of bits, each once.
func fluentsOf(bits []string) []string {
	var names []string
	for _, bit := range bits {
		if name, _, _ := strings.Cut(bit, "#"); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// writeSVG draws the structure.
func (f *Found) writeSVG(p *factored.Problem) func(io.Writer) error {
	return func(w io.Writer) error {
		return structure.WriteSVG(w, variablesOf(p, p.Inputs, ""), variablesOf(p, p.Outputs, "'"), f.links)
	}
}

// variablesOf lists the variables of bits, each once, in order.
func variablesOf(p *factored.Problem, bits []factored.Bit, suffix string) []string {
	var names []string
	for _, b := range bits {
		v, _ := p.Owner(b)
		if name := v.Name + suffix; len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
	}
	return names
}
