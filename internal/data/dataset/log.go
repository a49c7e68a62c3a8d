package dataset

import (
	"io"
	"math"
	"strconv"
	"strings"
)

// log converts a CSV's rows to transitions.
type log struct {
	f       *csvFile
	s       *Schema
	columns []int                // of the schema, for each field; or negative, see match
	index   []map[string]float64 // values of enumerations, for each field
	out     *Data
	row     []float64 // by column of the schema
}

// field parses field i into the row. What is missing is NaN: an action in a
// sequence's last row, and anything where the schema allows gaps.
func (l *log) field(i int, text string, optional bool) error {
	c := &l.s.Columns[l.columns[i]]
	if strings.TrimSpace(text) == "" {
		if l.s.Gaps || optional && c.Role == Action {
			l.row[l.columns[i]] = math.NaN()
			return nil
		}
		return l.f.fault(i, "column %s is empty, expected a value", c.Name)
	}
	v, why := c.parse(text, l.index[i])
	if why != "" {
		return l.f.fault(i, "column %s: %q, %s", c.Name, text, why)
	}
	l.row[l.columns[i]] = v
	return nil
}

func (l *log) emit(row []float64) {
	l.out.Values = append(l.out.Values, row...)
	l.out.Rows++
}

func (l *log) triplets() error {
	for {
		fields, err := l.f.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for i, text := range fields {
			if err := l.field(i, text, false); err != nil {
				return err
			}
		}
		l.emit(l.row)
	}
}

// sequences pairs each row with the one before it if that is the previous step of the same
// episode.
func (l *log) sequences() error {
	states := l.s.NumStates()
	last := make([]float64, len(l.row)) // the row before
	var lastStep int64
	lastEpisode, first := "", true
	begun := map[string]bool{}
	for {
		fields, err := l.f.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		episode, step := "", int64(0)
		stepField := 0
		for i, text := range fields {
			switch l.columns[i] {
			case episodeColumn:
				if episode = strings.TrimSpace(text); episode == "" {
					return l.f.fault(i, "the episode is empty, expected its number or name")
				}
			case stepColumn:
				if step, err = strconv.ParseInt(strings.TrimSpace(text), 10, 64); err != nil {
					return l.f.fault(i, "the step is %q, expected an integer", text)
				}
				stepField = i
			case ignoredColumn:
			default:
				if err := l.field(i, text, true); err != nil {
					return err
				}
			}
		}
		switch same := !first && episode == lastEpisode; {
		case !same:
			if begun[episode] {
				return l.f.fault(stepField, "episode %s begins again, expected its rows to stand together", episode)
			}
			begun[episode] = true
		case step == lastStep:
			return l.f.fault(stepField, "step %d occurs twice, expected steps to increase within an episode", step)
		case step < lastStep:
			return l.f.fault(stepField, "step %d comes after step %d, expected steps to increase within an episode", step, lastStep)
		case step == lastStep+1:
			for c := range l.s.Columns {
				if l.s.Columns[c].Role == Action && math.IsNaN(last[c]) && !l.s.Gaps {
					return l.f.fault(stepField, "step %d follows a row without a value of the action %s, expected one", step, l.s.Columns[c].Name)
				}
			}
			copy(last[len(last)-states:], l.row[:states])
			l.emit(last)
		}
		copy(last, l.row)
		lastStep, lastEpisode, first = step, episode, false
	}
}
