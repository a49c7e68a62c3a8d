package part

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/paper/bench"
)

// comparisons is the answer of bench --again as JSON.
type comparisons struct {
	Schema int          `json:"schema"`
	Runs   []comparison `json:"runs"`
}

// comparison is a run that was made again.
type comparison struct {
	ID       string  `json:"id"`
	Status   string  `json:"status"`
	Error    string  `json:"error,omitempty"`
	Equal    bool    `json:"equal"`
	Within   bool    `json:"within"`
	CPU      float64 `json:"cpu_seconds"`
	CPUAgain float64 `json:"cpu_seconds_again"`
	Pace     float64 `json:"pace"` // how much longer the yardstick took
}

func newComparisons(list []bench.Comparison) *comparisons {
	c := &comparisons{Schema: 1, Runs: []comparison{}}
	for _, x := range list {
		c.Runs = append(c.Runs, comparison{x.Kept.ID, x.Now.Status, x.Now.Error, x.Equal, x.Within, x.Kept.CPU, x.Now.CPU, x.Pace})
	}
	return c
}

// No reports whether some run was not repeated.
func (c *comparisons) No() bool {
	return slices.ContainsFunc(c.Runs, func(r comparison) bool { return !r.Equal || !r.Within })
}

// write writes the answer as text.
func (c *comparisons) write(w io.Writer) error {
	var b strings.Builder
	equal, within := 0, 0
	for _, r := range c.Runs {
		says := "the same answer"
		if r.Equal {
			equal++
		} else if says = "ANOTHER ANSWER, " + r.Status; r.Error != "" {
			says += ": " + r.Error
		}
		if r.Within {
			within++
		} else {
			says += ", LONGER"
		}
		fmt.Fprintf(&b, "%s: %s, %.3f s of CPU, then %.3f; the yardstick took %.2f times as long\n", r.ID, says, r.CPU, r.CPUAgain, r.Pace)
	}
	fmt.Fprintf(&b, "%s made again: %d with the same answer, %d within 1.3 times the CPU time, by the yardstick\n", counted.Of(len(c.Runs), "run"), equal, within)
	_, err := io.WriteString(w, b.String())
	return err
}
