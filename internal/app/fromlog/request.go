package fromlog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/data/rawlog"
)

// Request is what the user says of a log.
type Request struct {
	Log       string         `arg:"" help:"Log with a row for each time step, or for each transition: CSV, Parquet or JSON lines (.jsonl)."`
	Out       string         `short:"o" help:"Folder for task.toml, the data set and a report." required:"" placeholder:"FOLDER"`
	Actions   []string       `http:"yes" help:"Columns that are actions." placeholder:"COLUMN,…"`
	Input     []string       `http:"yes" help:"Columns that the system reads and does not decide, such as the weather: no plan chooses them, and nothing predicts them." placeholder:"COLUMN,…"`
	Derive    []string       `http:"yes" help:"Inputs to make of the stamps of time: hour, weekday (1 is Monday), month." placeholder:"PART,…"`
	Ignore    []string       `http:"yes" help:"Columns to drop." placeholder:"COLUMN,…"`
	Rename    bind.Settings  `http:"yes" help:"Name a column's fluent; repeatable." placeholder:"COLUMN=NAME" sep:"none"`
	Missing   rawlog.Missing `http:"yes" help:"Cells without a value: ${enum}." enum:"drop,previous,keep,error" default:"drop"`
	Bins      bind.Settings  `http:"yes" help:"Cut a quantity into bins, at edges that the log suggests or at these; repeatable." placeholder:"COLUMN[=EDGE,…]" sep:"none"`
	Decimals  bind.Settings  `http:"yes" help:"Keep a quantity as a number, with a step that the log suggests or this number of digits after the point; repeatable." placeholder:"COLUMN[=N]" sep:"none"`
	Delimiter string         `http:"yes" help:"Delimiter of a CSV; inferred if not given." placeholder:"C"`
	Range     bind.Settings  `http:"yes" help:"Range of a number, or its values; repeatable." placeholder:"COLUMN=LO..HI[ by STEP]" sep:"none"`
	Gap       float64        `http:"yes" help:"Longest time between two rows of an episode, in seconds or the unit of the column of times; inferred if not given." placeholder:"TIME"`
	Episode   string         `http:"yes" help:"Column that numbers the episodes." placeholder:"COLUMN"`
	Entity    string         `http:"yes" help:"Column that names the device that a row is about: its rows follow each other, whatever stands between them." placeholder:"COLUMN"`
	Lags      int            `http:"yes" help:"Make states of the values that states and actions had in up to N rows before, for systems that react late." default:"0" min:"0" placeholder:"N"`
	// Of the task.
	Goal    string        `http:"yes" help:"Condition that must hold at the end of a plan." placeholder:"EXPR"`
	Reward  string        `http:"yes" help:"Reward of a step, a sum." placeholder:"EXPR"`
	Rules   []string      `name:"rule" json:"rules" http:"yes" help:"Condition that always holds; repeatable." placeholder:"EXPR" sep:"none"`
	Default bind.Settings `http:"yes" help:"Value of an action that does nothing, so that plans omit it; repeatable." placeholder:"ACTION=VALUE" sep:"none"`
	Initial bind.Settings `http:"yes" help:"First value of a state, else that of the log; repeatable." placeholder:"STATE=VALUE" sep:"none"`

	Progress func(step string, done float64) `name:"-"` // told of the step and its share that is done; may be nil
}

// Delimiter is the character that a text stands for, with \t for a tab; 0 for none.
func Delimiter(text string) (rune, error) {
	switch runes := []rune(strings.ReplaceAll(text, `\t`, "\t")); len(runes) {
	case 0:
		return 0, nil
	case 1:
		return runes[0], nil
	}
	return 0, fmt.Errorf("--delimiter %q; expected one character", text)
}

// apart divides NAME=VALUE,NAME=VALUE into settings.
func apart(settings []string) (out []string) {
	for _, text := range settings {
		parts := strings.Split(text, ",")
		if slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(p, "=") }) {
			parts = []string{text} // a value with a comma
		}
		for _, p := range parts {
			out = append(out, strings.TrimSpace(p))
		}
	}
	return out
}

// spec is what is said of the columns.
func (r *Request) spec() (s rawlog.Spec, err error) {
	s = rawlog.Spec{Actions: r.Actions, Inputs: slices.Clone(r.Input), Ignore: r.Ignore, Episode: r.Episode, Entity: r.Entity, Rename: map[string]string{}, Bins: map[string][]float64{}, Ranges: map[string]rawlog.Range{}, Decimals: map[string]int{}, Steps: true, Complete: r.Missing == "" || r.Missing == rawlog.MissingDrop}
	for _, text := range r.Rename {
		column, name, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return s, fmt.Errorf("--rename %s; expected COLUMN=NAME", text)
		}
		if name == rawlog.RewardColumn {
			return s, fmt.Errorf("--rename %s names a fluent; a column that has the reward of a step is given by --reward %s", text, column)
		}
		s.Rename[column] = name
	}
	for _, text := range r.Bins {
		column, list, ok := strings.Cut(text, "=")
		if !ok {
			s.Binned = append(s.Binned, text)
			continue
		}
		for _, e := range strings.Split(list, ",") {
			x, err := strconv.ParseFloat(strings.TrimSpace(e), 64)
			if err != nil {
				return s, fmt.Errorf("--bins %s: %q is not a number; expected COLUMN=EDGE,EDGE,…", text, e)
			}
			s.Bins[column] = append(s.Bins[column], x)
		}
	}
	for _, text := range r.Decimals {
		column, digits, ok := strings.Cut(text, "=")
		if !ok {
			s.Decimals[column] = -1
			continue
		}
		n, err := strconv.Atoi(digits)
		if err != nil || n < 0 || n > 6 {
			return s, fmt.Errorf("--decimals %s; expected COLUMN, or COLUMN=N with 0 to 6 digits", text)
		}
		s.Decimals[column] = n
	}
	for _, text := range r.Range {
		column, bounds, ok := strings.Cut(text, "=")
		if !ok {
			return s, fmt.Errorf("--range %s; expected COLUMN=LO..HI[ by STEP]", text)
		}
		if s.Ranges[column], err = rawlog.ParseRange(bounds); err != nil {
			return s, fmt.Errorf("--range %s: %w", text, err)
		}
	}
	for _, name := range r.Derive {
		if s.Ranges[name], err = rawlog.Derived(name); err != nil {
			return s, fmt.Errorf("--derive: %w", err)
		}
		s.Inputs = append(s.Inputs, name)
	}
	return s, nil
}
