package fdsat

import (
	"io"
	"strings"

	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
)

// role is the meaning of a KIND in the file.
type role struct {
	kind          factored.Kind
	input, output bool // read or determined by the network
}

func roleOf(kind string) (role, bool) {
	switch kind {
	case "action":
		return role{kind: factored.Action}, true
	case "action_data":
		return role{kind: factored.Action, input: true}, true
	case "state":
		return role{kind: factored.State}, true
	case "state_data":
		return role{kind: factored.State, input: true}, true
	case "state_label":
		return role{kind: factored.State, output: true}, true
	case "state_data_label":
		return role{kind: factored.State, input: true, output: true}, true
	case "auxiliary":
		return role{kind: factored.Auxiliary}, true
	}
	return role{}, false
}

const kinds = "action, action_data, state, state_data, state_label, state_data_label or auxiliary"

// readVariables adds the variables of a pvariables file to p, and sets the inputs and outputs
// of the network. columns contains where each variable is declared.
func readVariables(p *factored.Problem, name string, r io.Reader) (columns []int, err error) {
	lines, err := readLines(name, r)
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, source.Errorf(name, 1, 0, "the file is empty; expected KIND: NAME,KIND: NAME,...")
	}
	if len(lines) > 1 {
		return nil, source.Errorf(name, 2, 1, "a second line; expected all variables on the first")
	}
	var actions, states []factored.Bit // the network reads the actions first
	col := 1
	for _, field := range strings.Split(lines[0], ",") {
		kind, v, found := strings.Cut(field, ":")
		ro, known := roleOf(kind)
		if !known {
			return nil, source.Errorf(name, 1, col, "%s is not a kind of variable; expected %s", source.Quote(kind), kinds)
		}
		if !found || !strings.HasPrefix(v, " ") {
			return nil, source.Errorf(name, 1, col+len(kind), "%s declares no variable; expected %s, a colon, a blank and a name", source.Quote(field), kind)
		}
		v = v[1:]
		at := col + len(kind) + 2
		switch {
		case v == "":
			return nil, source.Errorf(name, 1, at, "the name is missing; expected %s: NAME", kind)
		case v[0] == '~' || v[len(v)-1] == '\'':
			// Constraints could not tell such a name from a literal of another variable.
			return nil, source.Errorf(name, 1, at, "the name %s starts with ~ or ends with ', which constraints use as signs", source.Quote(v))
		}
		if _, twice := p.Lookup(v); twice {
			return nil, source.Errorf(name, 1, at, "%s is declared twice", source.Quote(v))
		}
		i, err := p.AddVariable(factored.Variable{Name: v, Kind: ro.kind, Bool: true})
		if err != nil {
			return nil, source.Errorf(name, 1, at, "%v", err)
		}
		columns = append(columns, at)
		bit := p.Variables[i].First
		switch {
		case ro.input && ro.kind == factored.Action:
			actions = append(actions, bit)
		case ro.input:
			states = append(states, bit)
		}
		if ro.output {
			p.Outputs = append(p.Outputs, bit)
		}
		col += len(field) + 1
	}
	p.Inputs = append(actions, states...)
	return columns, nil
}
