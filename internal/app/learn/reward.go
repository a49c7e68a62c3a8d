package learn

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/learn/reward"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/factored"
)

// RewardLine is the reward of a step as it was learned from the rows.
type RewardLine struct {
	Reward string `json:"reward"` // as an expression
	Exact  bool   `json:"exact"`  // it is right on all rows but the wrong ones
	Rows   int    `json:"rows"`   // that have a reward
	// Error is the mean absolute error over them, the wrong ones of an exact reward apart.
	Error float64 `json:"error"`
	// Wrong lists the lines of the rows with another reward; null if it is not exact.
	Wrong []int32 `json:"wrong_lines"`
	// Contradictory lists the lines of rows with the states and action of another and another
	// reward.
	Contradictory []int32 `json:"contradictory_lines"`
}

// learnReward learns the reward of a step, if the data have rewards and the task gives none
// or it is asked for; nil otherwise.
func learnReward(ctx context.Context, p *load.Problem, from []train.Source, t Training) (*RewardLine, error) {
	own := p.Declared != nil && p.Declared.Reward != ""
	var rows []rewardRow
	for _, s := range from {
		rows = append(rows, rewardRows(s.Data)...)
	}
	switch {
	case t.LearnReward && own:
		return nil, fmt.Errorf("the task gives a reward already: %s; expected none there with --learn-reward", p.Declared.Reward)
	case t.LearnReward && len(rows) == 0:
		return nil, fmt.Errorf("the data have no column reward with numbers; expected one with --learn-reward")
	case len(rows) == 0 || own || p.Declared == nil && !t.LearnReward:
		return nil, nil
	}
	table := &reward.Table{}
	for i := range rows {
		table.Rewards = append(table.Rewards, rows[i].reward)
	}
	addAtoms(table, p.Problem, rows)
	f, err := reward.Learn(ctx, table, t.Config.Seed)
	if err != nil {
		return nil, err
	}
	l := &RewardLine{Reward: table.Text(f), Exact: f.Exact, Rows: len(rows), Error: f.Error, Contradictory: contradictoryRewards(rows)}
	if f.Exact {
		l.Wrong = []int32{}
		for _, r := range table.Wrong(f) {
			l.Wrong = append(l.Wrong, rows[r].line)
		}
	}
	return l, nil
}

// rewardRow is a row with a reward.
type rewardRow struct {
	values []float64
	schema *dataset.Schema
	reward float64
	line   int32 // or its number, if the file has no lines
}

// rewardRows lists the rows of which all is known.
func rewardRows(d *dataset.Data) []rewardRow {
	var rows []rewardRow
	for i, y := range d.Rewards {
		if math.IsNaN(y) {
			continue
		}
		values := d.Row(i)
		if slices.ContainsFunc(values, math.IsNaN) {
			continue
		}
		line := int32(i + 1)
		if d.Line != nil {
			line = int32(d.Line(i))
		}
		rows = append(rows, rewardRow{values, d.Schema, y, line})
	}
	return rows
}

// contradictoryRewards lists the lines of the rows that are equal to another one but for the
// reward, except those with the most frequent reward.
func contradictoryRewards(rows []rewardRow) []int32 {
	groups := map[string]map[float64][]int32{}
	var order []string
	for i := range rows {
		k := fmt.Sprint(rows[i].values)
		if groups[k] == nil {
			groups[k] = map[float64][]int32{}
			order = append(order, k)
		}
		groups[k][rows[i].reward] = append(groups[k][rows[i].reward], rows[i].line)
	}
	lines := []int32{}
	for _, k := range order {
		g := groups[k]
		if len(g) < 2 {
			continue
		}
		most := math.NaN()
		for y, l := range g {
			if n := len(g[most]); n < len(l) || n == len(l) && y < most {
				most = y
			}
		}
		for y, l := range g {
			if y != most {
				lines = append(lines, l...)
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// most values of an integer for each of which there is a condition.
const mostBounds = 16

// addAtoms adds the features of the variables: before the step also conditions that can be
// joined, and after it the values of Boolean variables and integers.
func addAtoms(t *reward.Table, p *factored.Problem, rows []rewardRow) {
	s := rows[0].schema
	for i := range s.Columns {
		c := &s.Columns[i]
		if c.Role == dataset.Next {
			continue
		}
		v, ok := p.Find(c.Name)
		if !ok {
			continue
		}
		add := func(text, negation string, value func(x float64) float64) {
			column := make([]float64, len(rows))
			for r := range rows {
				column[r] = value(rows[r].values[i])
			}
			t.Atoms = append(t.Atoms, reward.Atom{Text: text, Negation: negation, Variable: i, Plain: text == v.Name})
			t.Columns = append(t.Columns, column)
		}
		atomsOf(v, add)
	}
	for i := range s.Columns {
		c := &s.Columns[i]
		v, ok := p.Find(strings.TrimSuffix(c.Name, "'"))
		if c.Role != dataset.Next || !ok || v.View != nil {
			continue
		}
		column := make([]float64, len(rows))
		for r := range rows {
			column[r] = rows[r].values[i]
		}
		t.Atoms = append(t.Atoms, reward.Atom{Text: v.Name + "'", Variable: i, Plain: true})
		t.Columns = append(t.Columns, column)
	}
}

// atomsOf adds the features of a variable before the step.
func atomsOf(v *factored.Variable, add func(text, negation string, value func(float64) float64)) {
	holds := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	bound := func(level int64, edge string) {
		add(v.Name+" >= "+edge, v.Name+" < "+edge, func(x float64) float64 { return holds(x >= float64(level)) })
	}
	switch {
	case v.Bool:
		add(v.Name, "~"+v.Name, func(x float64) float64 { return x })
	case v.Enumeration():
		for k, name := range v.View.Names {
			value := "@" + strings.TrimPrefix(name, "@")
			add(v.Name+" == "+value, v.Name+" ~= "+value, func(x float64) float64 { return holds(x == float64(v.Lo)+float64(k)) })
		}
	case v.Quantity():
		for k := 1; k+1 < len(v.View.Edges); k++ {
			bound(v.Lo+int64(k), strconv.FormatFloat(v.View.Edges[k], 'f', -1, 64))
		}
	default:
		add(v.Name, "", func(x float64) float64 { return x })
		for k := v.Lo + 1; k <= v.Hi && v.Hi-v.Lo < mostBounds; k++ {
			bound(k, strconv.FormatInt(k, 10))
		}
	}
}

// String is the line as text.
func (l *RewardLine) String() string {
	if !l.Exact {
		return fmt.Sprintf("%s; no sum gives all rewards exactly, the mean error is %.4g", l.Reward, l.Error)
	}
	text := fmt.Sprintf("%s; %d of %d rows have another", l.Reward, len(l.Wrong), l.Rows)
	if len(l.Wrong) > 0 {
		text += " (" + someLines(l.Wrong) + ")"
	}
	if len(l.Contradictory) > 0 {
		text += "; in contradiction to others: " + someLines(l.Contradictory)
	}
	return text
}

func someLines(lines []int32) string {
	const most = 10
	var b strings.Builder
	b.WriteString("line")
	if len(lines) > 1 {
		b.WriteByte('s')
	}
	b.WriteByte(' ')
	for i, n := range lines[:min(most, len(lines))] {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, n)
	}
	if len(lines) > most {
		b.WriteString(", …")
	}
	return b.String()
}
