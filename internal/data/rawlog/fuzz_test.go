package rawlog

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/data/dataset"
)

// FuzzLog: no text makes the reader panic, in any format, nor what is inferred of the log
// that it gives: types, bins and transitions, whose rows are complete.
func FuzzLog(f *testing.F) {
	f.Add("time,load,door,up\n1,1.5,open,true\n2,7,shut,no\n3,,open,true\n", uint8(0))
	f.Add("load;door;up\n1,5;open;1\nNaN;closed;0\n2,5;\"open\";1\n", uint8(0))
	f.Add("a\tup\ta'\n1\t0\t2\n3\t1\t5\n", uint8('\t'))
	f.Add(`{"load":1.5,"door":"open","up":true}`+"\n\n"+`{"up":false,"door":"closed","load":null}`+"\n", uint8(1))
	for _, text := range []string{
		",state,action,reward,next_state,done\n0,0,1,0.0,4,False\n1,4,2,0.0,8,True\n2,8,1,1.0,8,False\n",
		"Station: 5;;;\nwhen;Temp [°C];valve;\n;[°C];-;\n31.10.2024 13:05:00;20,5;on;\n31.10.2024 13:05:10;1.020,5;off;\n",
		"time,obs_0,next_obs_0,truncated,a\n10/31/2024 1:05 PM,1,2,0,x\n10/31/2024 1:06 PM,2,3,1,y\n",
		"t,id,x,a\n2011-10-11 13:45:40.276000+02:00,1,900000,0\n2011-10-11 13:45:41.276000+02:00,2,7,1\n2011-10-11 13:45:42+02:00,1,1 lb,0\n",
	} {
		f.Add(text, uint8(0))
	}
	f.Fuzz(func(t *testing.T, text string, format uint8) {
		if len(text) > 1<<10 {
			return
		}
		x, delimiter := &Table{File: "log.csv"}, rune(0)
		switch {
		case format == 1:
			x.File = "log.jsonl"
		case format > 1:
			delimiter = rune(format)
		}
		if err := x.readText(t.Context(), strings.NewReader(text), delimiter); err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("an error of more than one line: %q", err)
			}
			return
		}
		if len(x.Columns) < 2 || x.Rows() == 0 {
			return
		}
		for i := range x.Columns {
			x.Columns[i].settle()
			if n := x.Columns[i].cells.rows; n != x.Rows() {
				t.Fatalf("%d cells in %d rows", n, x.Rows())
			}
		}
		infersWell(t, x)
	})
}

// infersWell takes the last column for the action. Errors are as good as transitions.
func infersWell(t *testing.T, x *Table) {
	spec := Spec{Actions: []string{x.Columns[len(x.Columns)-1].Name}}
	shape := x.Shape(spec)
	fluents, err := Infer(t.Context(), x, spec, shape)
	if err != nil {
		return
	}
	r := Reading{Column: map[string]string{}, Next: shape.Next, Ends: shape.Ends()}
	Outcomes(t.Context(), x, fluents, r)
	Hours(x, r)
	if shape.Terminal != "" {
		x.EndsByAction(shape.Terminal, fluents, shape.Next)
	}
	if _, err := Entities(t.Context(), x, fluents, r); err != nil {
		t.Error(err)
	}
	var states, actions []dataset.Column
	for i := range fluents {
		g := &fluents[i]
		c := dataset.Column{Name: g.Name, Values: g.Values}
		switch g.Kind {
		case Bool:
			c.Type = dataset.Bool
		case Int:
			c.Type = dataset.Int
		case Real:
			c.Type = dataset.Real
		case Enum:
			c.Type = dataset.Enum
		}
		r.Column[g.Name] = g.Column
		switch g.Use {
		case AsState:
			states = append(states, c)
		case AsAction:
			actions = append(actions, c)
		case AsTime:
			r.Time = g.Column
		case AsEpisode:
			r.Episode = g.Column
		}
	}
	if err := Quantify(t.Context(), x, fluents, r, &Spec{}); err != nil {
		return
	}
	for i := range fluents {
		if e := fluents[i].Edges; !slices.IsSorted(e) {
			t.Errorf("the edges %v", e)
		}
	}
	s, err := dataset.NewSchema("fuzz", states, actions)
	if err != nil {
		return
	}
	read, err := Transitions(t.Context(), x, s, r)
	if err != nil {
		return
	}
	err = read.Data.Each(func(i int, row []float64) error {
		if slices.ContainsFunc(row, math.IsNaN) || read.Data.Line(i) < 1 {
			return fmt.Errorf("row %d: line %d, values %v", i, read.Data.Line(i), row)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if n := read.Data.Rows + len(read.Drops); n != x.Rows() {
		t.Errorf("%d rows became %d transitions, and %d were dropped", x.Rows(), read.Data.Rows, len(read.Drops))
	}
}

// TestTooMuch: a log that has more values than are read is refused before it takes the
// memory of them.
func TestTooMuch(t *testing.T) {
	x := &Table{File: "log.jsonl"}
	x.lines.rows = 1 << 20
	for range 511 {
		x.Columns = append(x.Columns, Column{})
	}
	text := []byte(`{"a":1,"b":2}`)
	err := x.readText(t.Context(), bytes.NewReader(text), 0)
	if err == nil || !strings.Contains(err.Error(), "at most 536870912 values are read") {
		t.Error(err)
	}
}
