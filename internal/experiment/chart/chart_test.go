package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata anew, to be looked at")

// sample has a chart of each use.
func sample() []Chart {
	var epochs, loss, wrong []float64
	for e := range 40 {
		epochs, loss = append(epochs, float64(e+1)), append(loss, math.Exp(-float64(e)/10))
		wrong = append(wrong, math.Max(0, math.Round(500*math.Exp(-float64(e)/4))))
	}
	return []Chart{
		{Title: "Training <a & b>", X: Axis{Label: "epoch"}, Y: Axis{Label: "loss, wrong rows", Log: true}, Series: []Series{
			{Name: "loss", X: epochs, Y: loss}, {Name: "wrong rows", X: epochs, Y: wrong},
		}},
		{Title: "Seconds", X: Axis{Label: "this", Log: true}, Y: Axis{Label: "that", Log: true}, Diagonal: true, Series: []Series{
			{Name: "solved by both", X: []float64{0.01, 1, 30, 500}, Y: []float64{0.1, 1, 2, 900}, Style: Points,
				Titles: []string{"", "a <b> & \"c\"", "d", "e"}},
		}},
		{Title: "Solved", X: Axis{Label: "seconds", Zero: true}, Y: Axis{Label: "problems", Zero: true}, Series: []Series{
			{Name: "first", X: []float64{1, 2, 5, 60}, Y: []float64{1, 2, 3, 4}, Style: Steps},
			{Name: "second", X: []float64{3, 4, 6}, Y: []float64{1, 2, 3}, Style: Steps},
		}},
	}
}

// drawn returns the file, and the texts and the number of paths in it.
func drawn(t *testing.T, charts ...Chart) (file []byte, words []string, paths int) {
	t.Helper()
	var b bytes.Buffer
	if err := WriteSVG(&b, charts...); err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(bytes.NewReader(b.Bytes()))
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return b.Bytes(), words, paths
		}
		if err != nil {
			t.Fatalf("no XML: %v", err)
		}
		switch x := tok.(type) {
		case xml.StartElement:
			if x.Name.Local == "path" {
				paths++
			}
			for _, a := range x.Attr {
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Fatalf("%s of %s is %s", a.Name.Local, x.Name.Local, a.Value)
				}
			}
		case xml.CharData:
			if s := strings.TrimSpace(string(x)); s != "" {
				words = append(words, s)
			}
		}
	}
}

// TestWriteSVG: the same bytes each time, well-formed, with the texts in place, and equal to
// testdata, which was inspected visually.
func TestWriteSVG(t *testing.T) {
	file, words, _ := drawn(t, sample()...)
	again, _, _ := drawn(t, sample()...)
	if !bytes.Equal(file, again) {
		t.Error("the same data give other bytes")
	}
	text := strings.Join(words, "\n") + "\n"
	for _, want := range []string{"Training <a & b>", "epoch", "loss, wrong rows", "loss", "wrong rows", "0.1", "100", "solved by both", "Solved", "second", "a <b> & \"c\"", "d", "e"} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("there is no text %q in %q", want, words)
		}
	}
	const kept = "testdata/sample.svg"
	if *update {
		if err := os.WriteFile(kept, file, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(file, want) {
		t.Errorf("the sample differs from %s; look at what -update writes", kept)
	}
}

// TestRuns: points that cannot be drawn on a logarithmic axis break lines.
func TestRuns(t *testing.T) {
	c := Chart{Y: Axis{Log: true}, Series: []Series{{X: []float64{0, 1, 2, 3, 4, 5, 6}, Y: []float64{0, 5, 4, 0, -1, 3, 0}}}}
	runs := c.runs(&c.Series[0])
	if len(runs) != 2 || len(runs[0]) != 2 || len(runs[1]) != 1 || runs[1][0] != 5 {
		t.Errorf("%v", runs)
	}
	if x, y := c.ranges(); x != [2]float64{1, 5} || y[0] > 3 || y[1] < 5 || y[1]/y[0] < 5 || y[1]/y[0] > 10 {
		t.Errorf("ranges %v %v", x, y)
	}
}

// TestEdges draws what leaves little to draw, or much.
func TestEdges(t *testing.T) {
	one := func(x, y float64) []Series { return []Series{{Name: "s", X: []float64{x}, Y: []float64{y}}} }
	for name, c := range map[string]Chart{
		"nothing":                        {},
		"an empty series":                {Series: []Series{{Name: "s"}}},
		"nothing logarithmic":            {X: Axis{Log: true}, Y: Axis{Log: true}, Diagonal: true},
		"one point":                      {Series: one(3, 4)},
		"one point at 0":                 {Series: one(0, 0)},
		"one point, logarithmic":         {X: Axis{Log: true}, Y: Axis{Log: true}, Series: one(3, 1e-90)},
		"only what is left out":          {Y: Axis{Log: true}, Series: one(3, 0)},
		"a constant":                     {Y: Axis{Log: true}, Series: []Series{{X: []float64{1, 2}, Y: []float64{7, 7}}}},
		"a large constant":               {Series: []Series{{X: []float64{1, 2}, Y: []float64{1e99, 1e99}}}},
		"wide":                           {X: Axis{Log: true}, Y: Axis{Log: true}, Series: []Series{{X: []float64{1e-100, 1e100}, Y: []float64{-1e100, 1e100}}}},
		"a diagonal outside of the data": {Diagonal: true, Series: []Series{{X: []float64{1, 2}, Y: []float64{50, 60}, Style: Points}}},
	} {
		t.Run(name, func(t *testing.T) { drawn(t, c) })
	}
	paths := func(y float64) int {
		frame := Series{X: []float64{0, 2}, Y: []float64{1, 10}}
		_, _, n := drawn(t, Chart{Y: Axis{Log: true}, Series: []Series{frame, {X: []float64{1}, Y: []float64{y}}}})
		return n
	}
	if without, with := paths(0), paths(5); with <= without {
		t.Errorf("a point alone is not drawn: %d and %d paths", without, with)
	}
}

func TestRefused(t *testing.T) {
	for name, s := range map[string]Series{
		"NaN": {X: []float64{1}, Y: []float64{math.NaN()}}, "infinite": {X: []float64{math.Inf(-1)}, Y: []float64{0}},
		"too large": {X: []float64{1e200}, Y: []float64{0}}, "uneven": {X: []float64{1}}, "style": {Style: 9}, "titles": {X: []float64{1}, Y: []float64{1}, Titles: []string{}},
	} {
		if err := WriteSVG(io.Discard, Chart{Series: []Series{s}}); !errors.Is(err, ErrValue) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := WriteSVG(io.Discard); !errors.Is(err, ErrValue) {
		t.Errorf("no chart: %v", err)
	}
}
