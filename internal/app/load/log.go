package load

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/data/rawlog"
)

// ReadLog reads the transitions in a data set, or in a log for a task that declares its
// fluents, whose [log] says how; with quantities as numbers, and the schema with their levels.
func (p *Problem) ReadLog(ctx context.Context, name string) (*rawlog.Read, *dataset.Schema, error) {
	return p.readLog(ctx, name, nil)
}

// readLog is ReadLog with values allowed that their fluents do not have; see rawlog.Reading.
func (p *Problem) readLog(ctx context.Context, name string, outside func(dataset.Outside)) (*rawlog.Read, *dataset.Schema, error) {
	s, err := dataset.OfProblem(p.Problem)
	if err != nil {
		return nil, nil, err
	}
	s.Outside = outside
	if p.Declared == nil || strings.EqualFold(filepath.Ext(name), ".npz") {
		d, err := dataset.ReadAs(name, s.Stored())
		if err != nil {
			return nil, nil, err
		}
		if d.Line == nil {
			d.Line = func(i int) int { return i + 1 }
		}
		return &rawlog.Read{Data: d}, s, nil
	}
	l := &p.Declared.Log
	t, err := rawlog.Open(ctx, name, rawlog.Options{Delimiter: l.DelimiterRune()})
	if err != nil {
		return nil, nil, err
	}
	if err := t.Derive(l.Derive); err != nil {
		return nil, nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(l.Unused)) {
		u := l.Unused[name]
		t.SetUnused(rawlog.Unused{Column: name, Of: u.Of, Uses: u.Uses, None: u.None})
	}
	if len(l.Reward) > 0 && t.Column(rawlog.RewardColumn) < 0 { // a data set has the sum
		if err := t.AddReward(l.Reward); err != nil {
			return nil, nil, err
		}
	}
	r := rawlog.Reading{
		Column: l.Columns, Episode: l.Episode, Entity: l.Entity, Next: l.Next, Ends: l.Ends, Time: l.Time, Gap: l.Gap, Missing: rawlog.Missing(l.Missing), Outside: outside,
	}
	if outside == nil && r.Missing != rawlog.MissingError { // as init reads the log
		r.Refuse, r.Outside = true, func(dataset.Outside) {}
	}
	read, err := rawlog.Transitions(ctx, t, s.Stored(), r)
	return read, s, err
}

// ErrNoRows is wrapped if a log has no rows.
var ErrNoRows = rawlog.ErrNoRows

// ReadRows is ReadLog where a file is read as a log: for a task that declares its fluents, and
// JSON lines for a task with RDDL, whose data have the columns s. Otherwise the log is nil.
func (p *Problem) ReadRows(ctx context.Context, name string, s *dataset.Schema) (*rawlog.Read, *dataset.Schema, error) {
	switch {
	case p.Declared != nil:
		return p.readLog(ctx, name, s.Outside)
	case rawlog.IsJSON(name):
		read, err := readLines(ctx, name, s)
		return read, s, err
	}
	return nil, s, nil
}

// readLines reads JSON lines with the columns of s: its rows have next states, or are those of a
// log with steps and, where they are there, episodes.
func readLines(ctx context.Context, name string, s *dataset.Schema) (*rawlog.Read, error) {
	t, err := rawlog.Open(ctx, name, rawlog.Options{})
	if err != nil {
		return nil, err
	}
	r := rawlog.Reading{Missing: rawlog.MissingError, Outside: s.Outside}
	for column, to := range map[string]*string{"episode": &r.Episode, "step": &r.Time} {
		if t.Column(column) >= 0 {
			*to = column
		}
	}
	return rawlog.Transitions(ctx, t, s.Stored(), r)
}
