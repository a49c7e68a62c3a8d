package format

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/randprob"
	"github.com/fdplan/fdplan/problem/factored"
)

// mapEntry is a bit of a problem's variable in a map.
type mapEntry struct {
	File     json.RawMessage // 12 or "x12"
	Step     int
	Variable string
	Bit      int
	Weight   int64
}

// number is that of the file variable.
func (e *mapEntry) number() int32 {
	n, err := strconv.ParseInt(strings.Trim(string(e.File), `"x`), 10, 32)
	if err != nil {
		panic(err)
	}
	return int32(n)
}

// mapOf is a map as it is read.
type mapOf struct {
	mapHead
	Variables []mapEntry
}

func readMap(r io.Reader) (*mapOf, error) {
	var m mapOf
	return &m, json.NewDecoder(r).Decode(&m)
}

// trace is the solution in which file variables are true.
func (m *mapOf) trace(p *factored.Problem, isTrue map[int32]bool) *factored.Trace {
	trace := &factored.Trace{}
	for range m.Horizon + 1 {
		trace.Steps = append(trace.Steps, make(factored.Valuation, p.NumBits()))
	}
	for i := range m.Variables {
		e := &m.Variables[i]
		v, _ := p.Lookup(e.Variable)
		trace.Steps[e.Step-1][int(v.First)+e.Bit] = isTrue[e.number()]
	}
	return trace
}

// TestMap reads a map back.
func TestMap(t *testing.T) {
	m := lamp(t)
	var b bytes.Buffer
	if err := WriteMap(&b, m, Options{Kind: OPB}); err != nil {
		t.Fatal(err)
	}
	names, err := readMap(&b)
	if err != nil {
		t.Fatal(err)
	}
	isTrue := map[int32]bool{999: true}
	for _, v := range names.Variables {
		// Step 1 switches, and the charge falls from 1 to 0 and stays there.
		isTrue[v.number()] = v.Step == 1 && (v.Variable == "switch" || v.Variable == "charge" && v.Weight == 1) || v.Step > 1 && v.Variable == "on"
	}
	trace := names.trace(m.Problem, isTrue)
	if reward, err := randprob.Replay(m.Problem, m.Network, trace.Steps); err != nil || reward != 30+30-12+5+5 {
		t.Errorf("reward %d, %v; expected 58", reward, err)
	}
}
