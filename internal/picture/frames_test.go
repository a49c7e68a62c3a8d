package picture

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

// wellFormed reports an error in the XML of SVG elements, and style attributes, which a page
// with a strict policy ignores.
func wellFormed(t *testing.T, markup string) {
	t.Helper()
	dec := xml.NewDecoder(strings.NewReader(`<svg xmlns="http://www.w3.org/2000/svg">` + markup + `</svg>`))
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatalf("%v in %s", err, markup)
		}
		if e, ok := tok.(xml.StartElement); ok {
			for _, a := range e.Attr {
				if a.Name.Local == "style" {
					t.Errorf("a style attribute in %s", markup)
				}
			}
		}
	}
}

// TestFrames checks that the parts have the states of the plan in order, and no style of
// their own.
func TestFrames(t *testing.T) {
	for _, s := range samples {
		p := s.plan()
		pic := pictureOf(t, p, s.facts)
		f, err := pic.Frames()
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		if len(f.Frames) != len(p.States) || f.Frames[0].Step != "start" || f.Title != p.Problem {
			t.Errorf("%s: %d frames from %q, title %q", s.name, len(f.Frames), f.Frames[0].Step, f.Title)
		}
		wellFormed(t, f.Base)
		wellFormed(t, f.Whole)
		for k, frame := range f.Frames {
			wellFormed(t, frame.Markup)
			if frame.Text != pic.view.describe(k) {
				t.Errorf("%s, state %d: %q", s.name, k, frame.Text)
			}
		}
	}
}

// TestFramesOfStart checks the picture of an initial state alone, and the cells to choose.
func TestFramesOfStart(t *testing.T) {
	for i, want := range []string{
		"robot-at(x21,y12)=true|robot-at(x14,y12)=true|robot-at(x9,y12)=true|robot-at(x9,y15)=true|robot-at(x21,y20)=true|robot-at(x14,y20)=true|robot-at(x9,y20)=true",
		"cellda-loc(x)=0 cellda-loc(y)=0|cellda-loc(x)=1 cellda-loc(y)=0|cellda-loc(x)=2 cellda-loc(y)=0|cellda-loc(x)=3 cellda-loc(y)=0|cellda-loc(x)=0 cellda-loc(y)=1|cellda-loc(x)=2 cellda-loc(y)=1",
		"", "", "",
	} {
		p := samples[i].plan()
		p.States, p.Actions = p.States[:1], nil
		f, err := pictureOf(t, p, samples[i].facts).Frames()
		if err != nil {
			t.Fatalf("%s: %v", samples[i].name, err)
		}
		var got []string
		for _, c := range f.Choices {
			got = append(got, strings.Join(c.Values, " "))
		}
		if text := strings.Join(got, "|"); len(f.Frames) != 1 || want == "" && text != "" || !strings.HasPrefix(text, want) {
			t.Errorf("%s: %d frames, choices %s; expected %s", samples[i].name, len(f.Frames), text, want)
		}
	}
}

// TestStyleSheet checks that both themes have every colour.
func TestStyleSheet(t *testing.T) {
	sheet := StyleSheet()
	for r := paper; r < roles; r++ {
		for _, within := range []string{"svg ", `[data-theme="dark"] svg `} {
			if rule := within + ".f-" + names[r] + "{fill:#"; !strings.Contains(sheet, rule) {
				t.Errorf("no rule %s", rule)
			}
		}
	}
}
