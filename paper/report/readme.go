package report

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/fdplan/fdplan/internal/engine/registry"
	"github.com/fdplan/fdplan/internal/experiment/journal"
	"github.com/fdplan/fdplan/internal/source"
)

// The lines of a Markdown file between which Paste puts the main table.
const (
	pasteBegin = "<!-- fdplan report: begin -->"
	pasteEnd   = "<!-- fdplan report: end -->"
)

// Paste replaces the text between the lines "<!-- fdplan report: begin -->" and
// "<!-- fdplan report: end -->" of a Markdown file by the report's main table. If they are not
// there, each once and in this order, the error is a *source.Error with the file's name.
func (r *Report) Paste(name string, text []byte) ([]byte, error) {
	for _, line := range []string{pasteBegin, pasteEnd} {
		if n := bytes.Count(text, []byte(line+"\n")); n != 1 {
			return nil, source.Errorf(name, 0, 0, "the line %s is there %d times; expected it once, for the table to be put after %s", line, n, pasteBegin)
		}
	}
	before, rest, _ := bytes.Cut(text, []byte(pasteBegin+"\n"))
	_, after, ordered := bytes.Cut(rest, []byte(pasteEnd+"\n"))
	if !ordered {
		return nil, source.Errorf(name, 0, 0, "the line %s is before %s; expected it after", pasteEnd, pasteBegin)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s%s\n%s%s\n%s", before, pasteBegin, r.Main, pasteEnd, after)
	return out.Bytes(), nil
}

// mainColumns are the runs of the main table: a column of engineRuns, and its head.
var mainColumns = [][2]string{
	{satPlanner, satPlanner}, {blpPlanner, blpPlanner}, {blpPlanner + ", scip-cp", "the same, SCIP"}, {registry.PB + ", clasp", "clasp"},
	{registry.Search, "`search`"}, {registry.PB, "`pb`"}, {registry.MaxSAT, "`maxsat`"}, {registry.BLP, "`blp`"},
}

// main is the main table as Markdown: the paper's 27 instances on the learned problem, the
// paper's seconds and ours with one family of networks.
func (b *book) main(f family) string {
	var w strings.Builder
	g := b.engineRuns(f)
	heads := []string{"instance", "states", "paper: " + satPlanner, "paper: " + blpPlanner}
	rule := []string{"---", "---:", "---:", "---:"}
	for _, c := range mainColumns {
		heads, rule = append(heads, c[1]), append(rule, "---:")
	}
	rows := [][]string{heads, rule}
	for _, p := range b.paper.instances {
		row := []string{p.name, cmp.Or(b.states(g, p.instance).Text, "–"), plain(brief(p.sat)), plain(brief(p.blp))}
		for _, c := range mainColumns {
			k, ok := g.by[c[0]]
			if at := g.at(p.instance, k); ok && at >= 0 {
				row = append(row, plain(beyond(&b.records[at])))
			} else {
				row = append(row, "–")
			}
		}
		rows = append(rows, row)
	}
	fmt.Fprintf(&w, "%s\nSeconds to the proof; `> N` is a run without one within N seconds, of which the paper had 3600. Our runs are with %s. %s", lines(rows), f.name, b.clock(f))
	if m := b.machine(f); m != "" {
		fmt.Fprintf(&w, " Machine: %s.", plain(m))
	}
	w.WriteString("\n\n")
	fmt.Fprintf(&w, "- states: that the problem reaches within the horizon, which `search` enumerates\n- paper: MaxHS and CPLEX 12.7.1, on the paper's machine\n")
	for _, c := range mainColumns {
		if k, ok := g.by[c[0]]; ok {
			if text := b.formula(g, k); text != "" {
				fmt.Fprintf(&w, "- %s: %s\n", c[1], text)
			}
		}
	}
	return w.String()
}

// formula tells what a column's runs solve, with what help, and by which solver.
func (b *book) formula(g *grid, column int) string {
	for _, p := range b.paper.instances {
		k := g.at(p.instance, column)
		if k < 0 {
			continue
		}
		r := &b.records[k]
		solver := "fdplan's solver"
		if r.Version != "" {
			solver = r.Version
		}
		switch {
		case r.Engine == registry.Search:
			return "no formula; states forward from the first, by passes of the network"
		case r.Engine == registry.PB && r.Solver == "":
			return "neurons as they are, conflict-driven; " + solver
		case r.Engine == registry.PB:
			return "pseudo-Boolean rows, two for a neuron; " + solver
		case r.Engine == registry.MaxSAT && r.Encoding == "paper":
			return "the paper's clauses, all of them; " + solver
		case r.Engine == registry.MaxSAT:
			return "fewer clauses, encoding `default`; " + solver
		case r.Help == "none":
			text := "the paper's linear program, with no help; " + solver
			if r.Solver == "scip-cp" {
				text += ", by propagation and conflicts instead of relaxations"
			}
			return text
		case r.Engine == registry.BLP:
			return "the linear program with all of fdplan's help, which includes a flow over the reachable states; " + solver
		}
		return ""
	}
	return ""
}

// brief is a time of the paper, or that it was not enough.
func brief(text string) string {
	if _, in := paperSeconds(text); !in {
		return fmt.Sprintf("> %d", paperLimit)
	}
	return text
}

// beyond is the time of a run, or that the limit was not enough.
func beyond(r *Record) string {
	switch {
	case r.Status == "infeasible":
		return seconds(r.Seconds) + " (no plan)"
	case proved(r):
		return seconds(r.Seconds)
	case !drawable(r):
		return r.Status
	case late(r):
		return "> " + limit(r.TimeLimit)
	}
	return "> " + seconds(r.Seconds) + " (other limit)"
}

// machine describes the machine of the first run with a family of networks, with the revision of the program.
func (b *book) machine(f family) string {
	var session *Record
	for i := range b.records {
		switch r := &b.records[i]; {
		case r.Kind == journal.KindMachine:
			session = r
		case r.Model == f.key && session != nil:
			var out []string
			for _, part := range [][3]string{{"processor", "", ""}, {"cores", "", " cores"}, {"memory", "", " of memory"}, {"revision", "fdplan at revision ", ""}} {
				if v := session.Machine[part[0]]; v != "" {
					out = append(out, part[1]+v+part[2])
				}
			}
			return strings.Join(out, ", ")
		}
	}
	return ""
}
