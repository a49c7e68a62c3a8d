package lift

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/counted"
)

// WriteText writes the outcome for people: a line for each function, and one for each
// feature that it reads.
func (t *Trained) WriteText(w io.Writer) error {
	var b strings.Builder
	if text := t.NoBetter(); text != "" {
		fmt.Fprintln(&b, text)
	}
	fmt.Fprintf(&b, "%s: %s, %s\n", t.Problem, t.Network, counted.Of(t.Edges, "edge"))
	fmt.Fprintf(&b, "data: %s, %d distinct states and actions, %d contradictory", counted.Of(t.Rows, "row"), t.Unique, t.Contradictory)
	if t.Incomplete > 0 {
		fmt.Fprintf(&b, ", %d more with empty cells", t.Incomplete)
	}
	fmt.Fprintln(&b)
	t.WriteErrors(&b)
	for i := range t.Functions {
		t.Functions[i].write(&b)
	}
	app.WriteStopped(&b, t.Stopped)
	_, err := io.WriteString(w, b.String())
	return err
}

func (f *FunctionLine) write(b *strings.Builder) {
	wrong, verdict := 0, "exact"
	reads := make([]bool, len(f.Features))
	for _, bit := range f.Bits {
		wrong += bit.Wrong
		if bit.Verdict != "exact" {
			verdict = bit.Verdict
		}
		for _, k := range bit.Features {
			reads[k] = true
		}
	}
	fmt.Fprintf(b, "%s: one function for %d outputs, %s; %s, %d bits wrong\n", f.Output, f.Objects, verdict, counted.Of(f.Rows, "distinct row"), wrong)
	var fixed []string
	for k, x := range f.Features {
		if reads[k] {
			fmt.Fprintf(b, "  reads %s; seen %s\n", x.Feature, numbers(x.Seen))
		} else {
			fixed = append(fixed, fmt.Sprintf("%s = %s", x.Feature, numbers(x.Seen)))
		}
	}
	if f.Formula != "" {
		fmt.Fprintf(b, "  for other constants: %s\n", f.Formula)
	}
	if len(fixed) > 0 {
		fmt.Fprintf(b, "  the same in all rows: %s\n", strings.Join(fixed, "; "))
	}
}

// numbers lists values, of many the first and the last.
func numbers(values []float64) string {
	const most = 8
	var parts []string
	for i, v := range values {
		if len(values) > most && i == most-2 {
			parts = append(parts, "…")
		}
		if len(values) > most && i >= most-2 && i < len(values)-1 {
			continue
		}
		parts = append(parts, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return strings.Join(parts, ", ")
}

// unseenLines returns a line for each fluent with unseen outputs and each reason.
func (l *Lifted) unseenLines() []string {
	var lines []string
	written := map[string]bool{}
	for _, u := range l.Unseen {
		fluent, _, _ := strings.Cut(u.Output, "#")
		if line := fluent + ": " + u.Reason; !written[line] {
			lines, written[line] = append(lines, line), true
		}
	}
	return lines
}

// WriteText writes the outcome for people.
func (l *Lifted) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %d edges; %d output bits of %d lifted functions\n", l.Problem, l.Network, l.Edges, l.Outputs, l.Functions)
	if l.Wrong > 0 {
		fmt.Fprintf(&b, "The functions are wrong on %s that they were learned from, and so is the network in what is like them.\n", counted.Of(l.Wrong, "row"))
	}
	always := 0
	for _, u := range l.Unseen {
		if u.Always {
			always++
		}
	}
	if always > 0 {
		fmt.Fprintf(&b, "%d output bits are unseen: the rows have nothing like them, and the network is a guess there.\n", always)
	}
	if n := len(l.Unseen) - always; n > 0 {
		fmt.Fprintf(&b, "%d output bits are unseen in some cases.\n", n)
	}
	const most = 10
	lines := l.unseenLines()
	for i, line := range lines {
		if i == most {
			fmt.Fprintf(&b, "  and %d more\n", len(lines)-i)
			break
		}
		fmt.Fprintf(&b, "  %s\n", line)
	}
	app.WriteStopped(&b, l.Stopped)
	_, err := io.WriteString(w, b.String())
	return err
}
