package task

import (
	"slices"
	"strconv"

	"github.com/fdplan/fdplan/problem/factored"
)

// setLags gives the states that are lags the type of what they are lags of and, where the file says nothing else, its
// first value: then nothing has moved before the first step.
func (t *Task) setLags(from []fluentTable) error {
	for i := range from {
		lag, f := from[i].Lag, &t.States[i]
		if lag == nil {
			continue
		}
		fail := func(format string, args ...any) error {
			for _, key := range [][]string{{"lag"}, {"lag", "of"}} {
				if at := append([]string{stateTables, strconv.Itoa(i)}, key...); t.at(at...).line > 0 {
					return t.errorAt(at, format, args...)
				}
			}
			return t.errorAt([]string{stateTables, strconv.Itoa(i), "name"}, format, args...)
		}
		by := 1
		if lag.By != nil {
			by = *lag.By
		}
		named := func(o Fluent) bool { return o.Name == factored.Canonical(lag.Of) && o.Lag == (factored.Lag{}) }
		of := slices.IndexFunc(t.States, named)
		act := slices.IndexFunc(t.Actions, named)
		switch {
		case by < 1:
			return fail("%s is a lag by %d steps; expected at least 1", f.Name, by)
		case of < 0 && act < 0, of == i:
			return fail("%s is a lag of %q, and there is no such state or action; expected lag = {of = \"FLUENT\", by = STEPS}", f.Name, lag.Of)
		case f.Range != nil || f.Values != nil || f.Bins != nil:
			return fail("%s is a lag, and has the type of %s; expected no other one", f.Name, lag.Of)
		case by > 1 && !slices.ContainsFunc(from, func(o fluentTable) bool {
			return o.Lag != nil && o.Lag.Of == lag.Of && (by == 2 && o.Lag.By == nil || o.Lag.By != nil && *o.Lag.By == by-1)
		}):
			return fail("%s is a lag of %s by %d steps; expected a state that is one by %d too", f.Name, lag.Of, by, by-1)
		}
		var like Fluent
		if of >= 0 {
			like = t.States[of]
		} else {
			like = t.Actions[act]
			if like.Initial = like.Default; like.Initial == nil && like.Range == nil && like.Values == nil && like.Bins == nil && !like.Listed {
				like.Initial = false
			}
		}
		if f.Initial != nil {
			like.Initial = f.Initial
		}
		like.Name, like.Default, like.Listed, like.Lag = f.Name, nil, false, factored.Lag{Of: like.Name, By: by}
		*f = like
	}
	return nil
}
