package dataset

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/packed"
	"github.com/fdplan/fdplan/internal/source"
)

// Read reads a data set of this project with its schema: Parquet and NPZ, and a manifest with its parts. Errors are
// *source.Error and name the row.
func Read(name string) (*Data, error) {
	if IsManifest(name) {
		return readParts(name)
	}
	format, err := FormatOf(name)
	if err != nil {
		return nil, err
	}
	if format == CSV {
		return nil, source.Errorf(name, 0, 0, "a CSV has no schema; expected a Parquet or NPZ file, or a manifest")
	}
	f, err := source.OpenRegular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	d, err := readBinary(f, format)
	if err != nil {
		return nil, source.Errorf(name, 0, 0, "%v", err)
	}
	err = d.Each(func(row int, values []float64) error {
		for i, v := range values {
			c := &d.Schema.Columns[i]
			if why := c.admits(v); why != "" {
				return source.Errorf(name, 0, 0, "row %d, column %s: %s, %s", row+1, c.Name, number(v), why)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for row, y := range d.Rewards {
		if math.IsInf(y, 0) {
			return nil, source.Errorf(name, 0, 0, "row %d, column %s: %s, expected a number, or NaN for none", row+1, rewardName, number(y))
		}
	}
	return d, nil
}

// readBinary turns panics of the libraries, which broken files can cause, into errors.
func readBinary(f *os.File, format Format) (d *Data, err error) {
	defer func() {
		if p := recover(); p != nil {
			d, err = nil, fmt.Errorf("the file is broken: %v", p)
		}
	}()
	if format == Parquet {
		return readParquet(f)
	}
	return readNPZ(f)
}

// ReadAs reads a data set with the columns of s: a data set of this project in any format, or
// a CSV log as triplets or sequences (see the package comment). Names are compared without
// spaces and with round brackets. The result has the schema s. If s has levels, the file
// contains the quantities, see Schema.Discretize. Errors are *source.Error and name the row.
func ReadAs(name string, s *Schema) (*Data, error) {
	format := Parquet // of parts
	if !IsManifest(name) {
		var err error
		if format, err = FormatOf(packed.Plain(name)); err != nil {
			return nil, err
		}
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	if stored := s.Stored(); stored != s {
		d, err := ReadAs(name, stored)
		if err != nil {
			return nil, err
		}
		return s.Quantise(d), nil
	}
	if format == CSV {
		return readCSV(name, s)
	}
	d, err := Read(name)
	if err != nil {
		return nil, err
	}
	return conform(name, d, s)
}

// conform converts d to the order and the types of s.
func conform(name string, d *Data, s *Schema) (*Data, error) {
	header := make([]string, len(d.Schema.Columns))
	for i := range header {
		header[i] = d.Schema.Columns[i].Name
	}
	from, _, err := match(header, s, false)
	if err != nil {
		return nil, source.Errorf(name, 0, 0, "%v", err)
	}
	n := len(s.Columns)
	back := make([]int, n) // column of d for each of s
	translate := make([][]float64, n)
	for i, to := range from {
		back[to] = i
		have, want := &d.Schema.Columns[i], &s.Columns[to]
		if whole := have.Type == Int && want.Type == Real; have.Type != want.Type && !whole || have.Role != want.Role {
			return nil, source.Errorf(name, 0, 0, "column %s is for %s, of type %s, expected %s, of type %s",
				have.Name, have.Role, have.Type, want.Role, want.Type)
		}
		if have.Type == Enum && !slices.Equal(have.Values, want.Values) {
			for _, v := range have.Values {
				k := slices.Index(want.Values, v)
				if k < 0 && s.Outside != nil {
					translate[to] = append(translate[to], Unseen(v))
					continue
				}
				if k < 0 {
					return nil, source.Errorf(name, 0, 0, "column %s has the value %s, expected one of %s", have.Name, v, strings.Join(want.Values, ", "))
				}
				translate[to] = append(translate[to], float64(k))
			}
		}
	}
	out, to := &Data{Schema: s, Rewards: d.Rewards}, make([]float64, n)
	err = d.Each(func(row int, in []float64) error {
		for i := range s.Columns {
			v := in[back[i]]
			text := d.Schema.Columns[back[i]].Text
			if t := translate[i]; t != nil {
				v = t[int(v)]
			}
			switch why := s.Columns[i].admits(v); {
			case why != "" && s.Outside != nil:
				s.Outside(Outside{row + 1, s.Columns[i].Name, text(in[back[i]]), strings.TrimPrefix(why, "expected "), false})
			case why != "":
				return source.Errorf(name, 0, 0, "row %d, column %s: %s, %s", row+1, s.Columns[i].Name, number(v), why)
			}
			to[i] = v
		}
		out.Add(to)
		return nil
	})
	return out, err
}

// rewardName is the name of the column of rewards.
const rewardName = "reward"

// Columns of a log besides those of the schema.
const (
	episodeColumn = -1 - iota
	stepColumn
	rewardColumn
)

// match finds the schema's column for each column of a header, or one of the above. sequence
// reports whether the log contains sequences.
func match(header []string, s *Schema, log bool) (columns []int, sequence bool, err error) {
	byName := map[string]int{}
	for i := range s.Columns {
		byName[canonical(s.Columns[i].Name)] = i
	}
	if log {
		for _, h := range header {
			if _, own := byName["step"]; !own && canonical(h) == "step" {
				sequence = true
			}
		}
	}
	seen := map[int]bool{}
	for _, h := range header {
		name := canonical(h)
		i, ok := byName[name]
		switch {
		case !ok && sequence && name == "episode":
			i = episodeColumn
		case !ok && sequence && name == "step":
			i = stepColumn
		case !ok && log && name == rewardName:
			i = rewardColumn
		case !ok:
			hint := ""
			if strings.Count(name, "(") != strings.Count(name, ")") {
				hint = "; a name with a comma needs quotes"
			}
			return nil, false, fmt.Errorf("column %s is not a fluent of the problem, expected its states, actions and next states%s", h, hint)
		case sequence && s.Columns[i].Role == Next:
			return nil, false, fmt.Errorf("column %s is a next state, expected none in a log of sequences", h)
		}
		if seen[i] {
			return nil, false, fmt.Errorf("column %s occurs twice in the header", h)
		}
		seen[i] = true
		columns = append(columns, i)
	}
	for i := range s.Columns {
		if c := &s.Columns[i]; !seen[i] && !(sequence && c.Role == Next) {
			return nil, false, fmt.Errorf("column %s is missing, expected one for each state, action%s", c.Name,
				map[bool]string{true: "", false: " and next state"}[sequence])
		}
	}
	return columns, sequence, nil
}
