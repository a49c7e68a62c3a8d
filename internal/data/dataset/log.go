package dataset

import (
	"math"
	"slices"
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
	reward  float64   // of the row
	line    int32
	lines   []int32 // of the rows of out
}

// field parses field i into the row, or as the reward. What is missing is NaN: an action in a
// sequence's last row, and anything where the schema allows gaps.
func (l *log) field(i int, text string, optional bool) error {
	if l.columns[i] == rewardColumn {
		return l.setReward(i, text)
	}
	c := &l.s.Columns[l.columns[i]]
	if strings.TrimSpace(text) == "" {
		if l.s.Gaps || optional && c.Role == Action {
			l.row[l.columns[i]] = math.NaN()
			return nil
		}
		return l.f.fault(i, "column %s is empty, expected a value", c.Name)
	}
	v, why := c.parse(text, l.index[i])
	switch {
	case why != "" && l.s.Outside == nil:
		return l.f.fault(i, "column %s: %q, %s", c.Name, text, why)
	case why != "":
		v = c.kept(text)
		line, _ := l.f.r.FieldPos(i)
		l.s.Outside(Outside{line, c.Name, strings.TrimSpace(text), strings.TrimPrefix(why, "expected "), math.IsNaN(v)})
	}
	l.row[l.columns[i]] = v
	return nil
}

func (l *log) emit(row []float64, reward float64, line int32) {
	l.out.Add(row)
	l.lines = append(l.lines, line)
	if slices.Contains(l.columns, rewardColumn) {
		l.out.Rewards = append(l.out.Rewards, reward)
	}
}

// setReward reads field i as the reward; NaN if it is empty.
func (l *log) setReward(i int, text string) error {
	text = strings.TrimSpace(text)
	if text == "" {
		l.reward = math.NaN()
		return nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v-v != 0 {
		return l.f.fault(i, "column reward: %q, expected a number", text)
	}
	l.reward = v
	return nil
}

// next reads the cells of a row and notes its line.
func (l *log) next() ([]string, error) {
	cells, err := l.f.next()
	if err == nil {
		line, _ := l.f.r.FieldPos(0)
		l.line = int32(line)
	}
	return cells, err
}

func (l *log) triplets() error {
	for {
		fields, err := l.next()
		if err != nil {
			return err
		}
		for i, text := range fields {
			if err := l.field(i, text, false); err != nil {
				return err
			}
		}
		l.emit(l.row, l.reward, l.line)
	}
}

// sequences pairs each row with the one before it if that is the previous step of the same
// episode.
func (l *log) sequences() error {
	states := l.s.NumStates()
	last := make([]float64, len(l.row)) // the row before
	var lastStep int64
	lastEpisode, first := "", true
	lastReward, lastLine := math.NaN(), int32(0)
	begun := map[string]bool{}
	for {
		fields, err := l.next()
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
			default:
				if err := l.field(i, text, true); err != nil {
					return err
				}
			}
		}
		switch same := !first && episode == lastEpisode; {
		case !same:
			l.out.Begins = append(l.out.Begins, int32(l.out.Rows))
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
			l.emit(last, lastReward, lastLine)
		}
		copy(last, l.row)
		lastReward, lastLine = l.reward, l.line
		lastStep, lastEpisode, first = step, episode, false
	}
}
