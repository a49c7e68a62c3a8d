package measure

import (
	"fmt"
	"io"
	"strings"

	"github.com/fdplan/fdplan/internal/counted"
)

// Legend explains the words of the text.
const Legend = "Wrong: rows with a wrong next state. Floor: the least that any function of these columns can have wrong here. Unchanged: wrong if nothing is predicted to change.\n"

// Percent is a part as text. One that is not 0 is never shown as 0, and one that is not all never as 100.
func Percent(n, of int) string {
	switch x := 100 * float64(n) / float64(max(1, of)); {
	case n == 0:
		return "0 %"
	case n < of && x > 99.99:
		return "over 99.99 %"
	case x < 0.01:
		return fmt.Sprintf("%.1g %%", x)
	default:
		return fmt.Sprintf("%.2f %%", x)
	}
}

// String returns the errors on whole next states.
func (m *Measure) String() string {
	return fmt.Sprintf("%s wrong, floor %s, unchanged %s (%d, %d and %d of %s)", Percent(m.Wrong, m.Rows), Percent(m.Floor, m.Rows), Percent(m.Unchanged, m.Rows),
		m.Wrong, m.Floor, m.Unchanged, counted.Of(m.Rows, "row"))
}

// NoBetter says that the predictions are no better than that nothing changes; empty if they are. on names the rows.
func (m *Measure) NoBetter(on string) string {
	if !m.Useless() {
		return ""
	}
	text := fmt.Sprintf("NO BETTER THAN \"NOTHING CHANGES\" on %s: %s of the predicted next states are wrong, and %s if nothing is predicted to change.", on, Percent(m.Wrong, m.Rows), Percent(m.Unchanged, m.Rows))
	if m.Floor == m.Unchanged {
		text += " No function of these columns is better here: use finer bins, or record what decides."
	}
	return text
}

// WriteFluents writes a table of the fluents that are ever wrong, and of quantities.
func (m *Measure) WriteFluents(w io.Writer) {
	var shown []*Fluent
	var none []string
	distances := false
	for i := range m.Fluents {
		f := &m.Fluents[i]
		if f.Useless() {
			none = append(none, f.Name)
		}
		if f.Wrong > 0 || f.Distance != nil && f.RMS > 0 {
			shown = append(shown, f)
			distances = distances || f.Distance != nil
		}
	}
	if len(none) > 0 && !m.Useless() {
		fmt.Fprintf(w, "  no better than \"nothing changes\" for %s\n", strings.Join(none, ", "))
	}
	if len(shown) == 0 {
		return
	}
	fmt.Fprintf(w, "  %9s %9s %9s", "wrong", "floor", "unchanged")
	if distances {
		fmt.Fprintf(w, " %9s %9s %9s %9s", "rms", "unch. rms", "mean", "95 %")
	}
	fmt.Fprintf(w, "  fluent\n")
	for _, f := range shown {
		fmt.Fprintf(w, "  %9s %9s %9s", Percent(f.Wrong, m.Rows), Percent(f.Floor, m.Rows), Percent(f.Unchanged, m.Rows))
		unit := ""
		switch d := f.Distance; {
		case d != nil:
			fmt.Fprintf(w, " %9.4g %9.4g %9.4g %9.4g", d.RMS, d.RMSUnchanged, d.Mean, d.P95)
			if d.Unit != "" {
				unit = ", " + d.Unit
			}
		case distances:
			fmt.Fprintf(w, " %39s", "")
		}
		fmt.Fprintf(w, "  %s%s\n", f.Name, unit)
	}
}
