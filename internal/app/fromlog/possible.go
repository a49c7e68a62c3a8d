package fromlog

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/data/rawlog"
)

// activityNames are those of the column of event logs with what was done, without signs. Such a log has what was possible and nothing else.
var activityNames = []string{"activity", "activityname", "conceptname", "concept:name", "event", "eventname"}

// isEventLog reports whether a log has cases and one column of activities.
func (x *looked) isEventLog() bool {
	n, cases := 0, false
	for i := range x.fluents {
		switch f := &x.fluents[i]; f.Use {
		case rawlog.AsAction:
			if n++; f.Kind != rawlog.Enum || !slices.Contains(activityNames, strings.NewReplacer("_", "", " ", "", "-", "").Replace(strings.ToLower(f.Column))) {
				return false
			}
		case rawlog.AsEpisode:
			cases = true
		}
	}
	return n == 1 && cases
}

const (
	// mostUntaken bounds the values of an action that no row has and rules forbid.
	mostUntaken = 8
	// takenRows is how many rows each value of an action would have, if all were taken as often, for it to be no accident that one has none.
	takenRows = 12
)

// untaken has the task of a log forbid the values of integer actions within their range that no row has, but for a value that does nothing: rows with the settings 0, 1, 2
// and 4 say nothing of 3.
func (x *looked) untaken(ctx context.Context, r *Request, s *dataset.Schema, d *dataset.Data) (note string, err error) {
	seen := map[int]map[float64]bool{} // by column
	for c := range s.Columns {
		col := &s.Columns[c]
		i := slices.IndexFunc(x.fluents, func(f rawlog.Fluent) bool {
			return f.Name == col.Name && f.Use == rawlog.AsAction && f.Kind == rawlog.Int
		})
		if i < 0 || d.Rows < takenRows*int(col.Hi-col.Lo+1) {
			continue
		}
		seen[c] = map[float64]bool{}
		if v, err := strconv.ParseFloat(x.fluents[i].Default, 64); err == nil {
			seen[c][v] = true
		}
	}
	if len(seen) == 0 {
		return "", nil
	}
	err = d.Each(func(i int, row []float64) error {
		for c, values := range seen {
			values[row[c]] = true
		}
		return ctx.Err()
	})
	var names []string
	for c, col := range s.Columns {
		var rules []string
		for v := col.Lo; seen[c] != nil && v <= col.Hi; v++ {
			if !seen[c][v] {
				rules = append(rules, fmt.Sprintf("%s ~= %v", col.Name, v))
			}
		}
		if len(rules) > 0 && len(rules) <= mostUntaken {
			r.Rules, names = append(r.Rules, rules...), append(names, rules...)
		}
	}
	if len(names) == 0 || err != nil {
		return "", err
	}
	x.text, err = document(x, *r)
	return fmt.Sprintf("rules in the task forbid what no row has between values that rows have: %s; delete what is too strict", strings.Join(names, ", ")), err
}

// possible has the task of an event log say which values the states had whenever an activity was taken: all that every conjunction of sets of values
// allows that no row contradicts. Rules of the user's own are left alone.
func (x *looked) possible(ctx context.Context, r *Request, s *dataset.Schema, d *dataset.Data) (note string, err error) {
	if len(r.Rules) > 0 || !x.isEventLog() {
		return "", nil
	}
	at := slices.IndexFunc(s.Columns, func(c dataset.Column) bool { return c.Role == dataset.Action })
	action := &s.Columns[at]
	seen := make([][]map[float64]bool, len(action.Values)) // by activity and column
	all := make([]map[float64]bool, len(s.Columns))
	for c := range all {
		all[c] = map[float64]bool{}
	}
	err = d.Each(func(i int, row []float64) error {
		a := int(row[at])
		if !(row[at] >= 0) || a >= len(seen) {
			return ctx.Err()
		}
		if seen[a] == nil {
			seen[a] = make([]map[float64]bool, len(row))
		}
		for c, v := range row {
			if seen[a][c] == nil {
				seen[a][c] = map[float64]bool{}
			}
			seen[a][c][v], all[c][v] = true, true
		}
		return ctx.Err()
	})
	if err != nil {
		return "", err
	}
	for a, columns := range seen {
		for c := range columns {
			col := &s.Columns[c]
			if col.Role == dataset.State && col.Type == dataset.Enum && len(columns[c]) < len(all[c]) {
				r.Rules = append(r.Rules, onlyIn(action, a, col, columns[c]))
			}
		}
	}
	if len(r.Rules) == 0 {
		return "", nil
	}
	x.text, err = document(x, *r)
	return fmt.Sprintf("an event log has what was possible and nothing else: %s in the task let each activity be taken where some row has it; delete what is too strict", counted.Of(len(r.Rules), "rule")), err
}

// onlyIn is the rule that an activity is taken in some values of a state only.
func onlyIn(action *dataset.Column, a int, state *dataset.Column, values map[float64]bool) string {
	var some []string
	for v := range state.Values {
		if values[float64(v)] {
			some = append(some, is(state, float64(v)))
		}
	}
	return is(action, float64(a)) + " => " + strings.Join(some, " | ")
}
