package act

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/fdplan/fdplan/internal/atomicfile"
	"github.com/fdplan/fdplan/internal/experiment/chart"
)

// DrawingFile shows how plan and bound met, over all steps of the journal.
const DrawingFile = "learn.svg"

// draw draws the journal, which ends with what the answer says.
func (f *folder) draw(d *Document) error {
	text, err := os.ReadFile(filepath.Join(f.dir, JournalFile))
	if err != nil {
		return err
	}
	plan := chart.Series{Name: "best plan that was seen", Style: chart.Steps}
	bound := chart.Series{Name: "bound for all plans", Style: chart.Steps}
	add := func(s *chart.Series, step int, y *float64) {
		if y != nil {
			s.X, s.Y = append(s.X, float64(step)), append(s.Y, *y)
		}
	}
	steps, before, last := 0, 0, 0 // before are those of earlier runs
	for line := range bytes.Lines(text) {
		var s journalLine
		if json.Unmarshal(line, &s) != nil {
			continue // cut short by the end of a run
		}
		if s.Step < last || s.Step == last && d.Chance == nil {
			before += last
		}
		last = s.Step
		steps = before + last
		add(&plan, steps, s.Reward)
		add(&bound, steps, s.Bound)
	}
	add(&plan, steps, d.Reward)
	add(&bound, steps, d.Bound)
	c := chart.Chart{
		Title: fmt.Sprintf("%s, horizon %d: %s", d.Problem, d.Horizon, d.Status),
		X:     chart.Axis{Label: "steps in the system"}, Y: chart.Axis{Label: "reward"}, Series: []chart.Series{bound, plan},
	}
	return atomicfile.Write(filepath.Join(f.dir, DrawingFile), func(w io.Writer) error { return chart.WriteSVG(w, c) })
}
