package command

import (
	"fmt"
	"io"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/execution/simulator"
)

// shownOutside is how many values out of range are listed as text; --json has all.
const shownOutside = 5

// writeOutside lists the values of a simulator that their variables do not have.
func writeOutside(w io.Writer, all []simulator.Outside) {
	if len(all) == 0 {
		return
	}
	fmt.Fprintf(w, "values out of range that the simulator sent: %d\n", len(all))
	for _, o := range all[:min(len(all), shownOutside)] {
		fmt.Fprintf(w, "  after %v\n", o)
	}
	if more := len(all) - shownOutside; more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
}

// differing describes how a state differs from the expected one.
func differing(d *app.Difference) string {
	parts := make([]string, len(d.Observed))
	for i, e := range d.Observed {
		parts[i] = fmt.Sprintf("%s=%v, not %v", e.Name, e.Value, d.Expected[i].Value)
	}
	return strings.Join(parts, "; ")
}
