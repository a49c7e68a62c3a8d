package act

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/fdplan/fdplan/problem/factored"
)

// readStarts reads the states that the system may be reset to.
func (x *run) readStarts(ctx context.Context) error {
	name := x.r.Starts
	switch {
	case name == "":
		return nil
	case x.r.Resets == ResetsNo || x.r.Resets == ResetsAny:
		return fmt.Errorf("--start-states: expected --resets yes; it is %s", x.r.Resets)
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	rows := csv.NewReader(f)
	header, err := rows.Read()
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s is empty; expected a column for each state variable", name)
	}
	var columns []*factored.Variable
	if err == nil {
		columns, err = x.stateColumns(header)
	}
	if err != nil {
		return fmt.Errorf("%s:1: %w", name, err)
	}
	for ctx.Err() == nil {
		cells, err := rows.Read()
		if errors.Is(err, io.EOF) && len(x.starts) == 0 {
			return fmt.Errorf("%s has no states", name)
		} else if errors.Is(err, io.EOF) {
			return nil
		}
		var state factored.Valuation
		if err == nil {
			state, err = stateOf(x.p.Problem, columns, cells)
		}
		if err != nil {
			line, _ := rows.FieldPos(0)
			if bad := (*csv.ParseError)(nil); errors.As(err, &bad) {
				err = bad.Err
			}
			return fmt.Errorf("%s:%d: %w", name, line, err)
		}
		x.starts = append(x.starts, state)
	}
	return context.Cause(ctx)
}

// stateColumns finds the variables of a header: each state variable once.
func (x *run) stateColumns(header []string) (columns []*factored.Variable, err error) {
	p := x.p.Problem
	have := map[string]bool{}
	for _, name := range header {
		v, ok := p.Find(strings.TrimSpace(name))
		if !ok || v.Kind != factored.State || have[v.Name] {
			return nil, fmt.Errorf("column %s is no state variable, or stands there twice%s", name, p.Hint(name, factored.State))
		}
		have[v.Name] = true
		columns = append(columns, v)
	}
	for i := range p.Variables {
		if v := &p.Variables[i]; v.Kind == factored.State && !have[v.Name] {
			return nil, fmt.Errorf("there is no column %s; expected one for each state variable", v.Name)
		}
	}
	return columns, nil
}

// stateOf is the state of a row.
func stateOf(p *factored.Problem, columns []*factored.Variable, cells []string) (factored.Valuation, error) {
	state := make(factored.Valuation, p.NumBits())
	for i, v := range columns {
		x, err := v.Parse(strings.TrimSpace(cells[i]))
		if err == nil {
			err = v.Set(state, x)
		}
		if err != nil {
			return nil, err
		}
	}
	return state, nil
}
