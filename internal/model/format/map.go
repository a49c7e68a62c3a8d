package format

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/problem/factored"
)

// MapSchema is the version of the map's JSON.
const MapSchema = 1

// mapHead is a map without its variables, which are streamed.
type mapHead struct {
	Schema    int       `json:"schema"`
	Problem   string    `json:"problem"`
	Horizon   int       `json:"horizon"`
	Format    string    `json:"format"`
	Encoding  string    `json:"encoding,omitempty"`
	Objective Objective `json:"objective"`
}

// WriteMap relates the variables of the file that Write makes of m to the problem. It writes one
// object as JSON, one variable per line, in memory that does not depend on the horizon:
//
//	{"schema":1,"problem":"navigation/3x3","horizon":4,"format":"lp",
//	 "objective":{"constant":0,"scale":1,"sense":"minimise minus the reward"},
//	 "variables":[
//	  {"file":"x1","step":1,"variable":"robot-at(x14,y20)","kind":"state"},
//	  {"file":"x2","step":1,"variable":"level","kind":"state","bit":0,"weight":-4}]}
//
// The clause formats have "encoding" after "format", and their file variables are numbers.
// The reward of a solution is -(value + constant) / scale, where value is the solver's. The
// variables are those of the problem: each bit of each variable at every step where it
// exists. bit (0 is the most significant) and weight, the bit's weight in the variable's
// value, are present for integers only.
func WriteMap(w io.Writer, m *model.Model, o Options) error {
	if o.Kind >= numKinds {
		return fmt.Errorf("unknown format %v", o.Kind)
	}
	head := mapHead{Schema: MapSchema, Problem: m.Problem.Name, Horizon: m.Horizon, Format: o.Kind.String(), Objective: ObjectiveOf(m, o.Kind)}
	if o.Kind.Clausal() {
		head.Encoding = o.Encoding.String()
	}
	text, err := json.Marshal(head)
	if err != nil {
		return fmt.Errorf("writing the map: %w", err)
	}
	tails, err := mapTails(m.Problem)
	if err != nil {
		return fmt.Errorf("writing the map: %w", err)
	}
	out := newOutput(w)
	out.text(string(text[:len(text)-1]))
	out.text(`,"variables":[`)
	first := true
	for t := 1; t <= m.Horizon+1; t++ {
		for b, tail := range tails {
			if t > m.Horizon && m.Problem.Kind(factored.Bit(b)) == factored.Action {
				continue
			}
			if !first {
				out.byte(',')
			}
			first = false
			out.text("\n" + `{"file":`)
			v := int64(m.Var(t, factored.Bit(b)))
			if o.Kind.Clausal() {
				out.int(v)
			} else {
				out.text(`"x`)
				out.int(v)
				out.byte('"')
			}
			out.text(`,"step":`)
			out.int(int64(t))
			out.text(tail)
		}
		if out.err != nil {
			break
		}
	}
	out.text("]}\n")
	if err := out.flush(); err != nil {
		return fmt.Errorf("writing the map: %w", err)
	}
	return nil
}

// mapTails returns, for each bit, the part of its entries in the map that is common to all
// steps.
func mapTails(p *factored.Problem) ([]string, error) {
	tails := make([]string, p.NumBits())
	for b := range tails {
		v, i := p.Owner(factored.Bit(b))
		var name bytes.Buffer
		enc := json.NewEncoder(&name)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v.Name); err != nil {
			return nil, err
		}
		tail := fmt.Sprintf(`,"variable":%s,"kind":"%v"`, bytes.TrimSpace(name.Bytes()), v.Kind)
		if !v.Bool {
			tail += fmt.Sprintf(`,"bit":%d,"weight":%d`, i, v.Weight(i))
		}
		tails[b] = tail + "}"
	}
	return tails, nil
}
