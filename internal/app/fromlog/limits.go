package fromlog

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/data/rawlog"
)

const (
	// avoidedRows is how many rows would be beyond a limit if actions were taken whatever the state is, at least: so many do not lack by chance.
	avoidedRows = 12
	// leastReached is the number of values of a state, at least, in which rows reach the limit of its sum with an action.
	leastReached = 3
	// lackingRows is how many rows would have an action, for it to be no accident that none has it.
	lackingRows = 3
)

// limited has the task of a log forbid what no row has of a state and an action together, where rows with several values of a whole number go up to the
// same sum with the action, or difference, and none goes further: no one sells more than there is, or orders more than there is room for. Where the state
// decides the action, as where stocks are filled up, rows tell of who acts. What is barred is forbidden, too.
func (x *looked) limited(ctx context.Context, r *Request, s *dataset.Schema, d *dataset.Data) (note string, err error) {
	counts := map[[2]int]map[[2]float64]int{} // by state and action, of their values
	actions, states := x.few(s, dataset.Action, mostOfAction), x.few(s, dataset.State, mostOfState)
	for _, a := range actions {
		for _, q := range states {
			counts[[2]int{q, a}] = map[[2]float64]int{}
		}
	}
	if len(counts) == 0 || len(counts) > mostPairs {
		return "", nil
	}
	err = d.Each(func(i int, row []float64) error {
		if i == comparedRows { // more are counted for what these tell
			maps.DeleteFunc(counts, func(k [2]int, of map[[2]float64]int) bool {
				return x.limits(&s.Columns[k[0]], &s.Columns[k[1]], of) == nil
			})
		}
		for k, of := range counts {
			of[[2]float64{row[k[0]], row[k[1]]}]++
		}
		return ctx.Err()
	})
	if err != nil {
		return "", err
	}
	var rules []string
	for _, a := range actions {
		for _, q := range states {
			if of := counts[[2]int{q, a}]; of != nil {
				rules = append(rules, x.limits(&s.Columns[q], &s.Columns[a], of)...)
			}
		}
	}
	if len(rules) == 0 || len(rules) > mostUntaken {
		return "", nil
	}
	r.Rules = append(r.Rules, rules...)
	x.text, err = document(x, *r)
	return fmt.Sprintf("rules in the task forbid what no row has, though many would if actions were tried anywhere: %s; delete what is too strict", strings.Join(rules, ", ")), err
}

// few lists the columns of a role with few values, of fluents that a rule can name.
func (x *looked) few(s *dataset.Schema, role dataset.Role, most float64) (columns []int) {
	for c := range s.Columns {
		col := &s.Columns[c]
		known := slices.ContainsFunc(x.fluents, func(f rawlog.Fluent) bool { return f.Name == col.Name && f.Kind != rawlog.Real })
		if known && col.Role == role && (col.Type != dataset.Int || col.Hi-col.Lo < most) {
			columns = append(columns, c)
		}
	}
	return columns
}

// limits writes what of an action is not possible in a state, given the rows with each value of both.
func (x *looked) limits(state, action *dataset.Column, counts map[[2]float64]int) (rules []string) {
	c := newCross(counts)
	if c == nil {
		return nil
	}
	if state.Type == dataset.Int && action.Type == dataset.Int {
		for _, sign := range []float64{1, -1} {
			for _, most := range []bool{true, false} {
				if bound, ok := c.limit(sign, most); ok {
					rules = append(rules, limitText(state.Name, action.Name, sign, most, bound))
				}
			}
		}
	}
	if len(rules) == 0 && c.barred() {
		i := slices.IndexFunc(x.fluents, func(f rawlog.Fluent) bool { return f.Name == action.Name })
		rules = c.rules(state, action, x.fluents[i].Default)
	}
	return rules
}

// limit returns the greatest sum of a state and sign times an action, or the least one, if it limits the action: rows with several values of the state reach it, in each value
// with enough rows the action that comes next to it is taken, and there would be many rows beyond it by chance.
func (x *cross) limit(sign float64, most bool) (bound float64, ok bool) {
	way := 1.0
	if !most {
		way = -1
	}
	at := func(i, j int) float64 { return way * (x.states[i] + sign*x.actions[j]) }
	bound = math.Inf(-1)
	rows, ofAction := 0.0, make([]float64, len(x.actions))
	for i := range x.n {
		for j, n := range x.n[i] {
			if n > 0 {
				bound = max(bound, at(i, j))
			}
			rows, ofAction[j] = rows+n, ofAction[j]+n
		}
	}
	if len(x.actions) < leastReached {
		return 0, false
	}
	reached, barred, avoided := 0, 0, 0.0
	for i := range x.n {
		own, next, beyond := math.Inf(-1), -1, 0.0 // next is the possible action that goes furthest
		ofState, different, possible := 0.0, 0, 0
		for j, n := range x.n[i] {
			if ofState += n; n > 0 {
				own, different = max(own, at(i, j)), different+1
			}
			if at(i, j) > bound {
				beyond += ofAction[j]
			} else if possible++; next < 0 || at(i, j) > at(i, next) {
				next = j
			}
		}
		avoided += ofState * beyond / rows
		if own == bound {
			reached++
		}
		if beyond == 0 {
			continue
		}
		barred++
		if next < 0 || own < at(i, next) && ofState*ofAction[next] >= lackingRows*rows || different < min(2, possible) && ofState >= lackingRows {
			return 0, false // another limit, or none
		}
	}
	return way * bound, barred > 1 && reached >= leastReached && avoided >= avoidedRows
}

// limitText writes a limit as a rule.
func limitText(state, action string, sign float64, most bool, bound float64) string {
	op, relation := "+", ">="
	if sign < 0 {
		op = "-"
	}
	if most {
		relation = "<="
	}
	return fmt.Sprintf("%s %s %s %s %v", state, op, action, relation, bound)
}
