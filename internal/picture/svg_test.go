package picture

import (
	"encoding/xml"
	"html"
	"io"
	"strings"
	"testing"
)

// TestMarkup reads SVG and HTML back: they are well-formed, load nothing, and names from the
// plan are escaped.
func TestMarkup(t *testing.T) {
	for _, s := range samples {
		p := s.plan()
		p.Problem = `<script>alert("x")</script> & co`
		p.Actions[0] = append(p.Actions[0], Value{`<b onload="x">'&`, 1, true})
		pic := pictureOf(t, p, s.facts)
		svg := written(t, pic.SVG)
		dec := xml.NewDecoder(strings.NewReader(svg))
		shown := ""
		for {
			tok, err := dec.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", s.name, err)
			}
			if e, ok := tok.(xml.StartElement); ok && (e.Name.Local == "script" || e.Name.Local == "b" || e.Name.Local == "image") {
				t.Errorf("%s: the SVG has an element %s", s.name, e.Name.Local)
			}
			if c, ok := tok.(xml.CharData); ok {
				shown += string(c)
			}
		}
		if !strings.Contains(shown, p.Problem) {
			t.Errorf("%s: the SVG does not show the name %s", s.name, p.Problem)
		}
		hostile := `</pre><b onload="x">'&{{Style}}<!--drawn-->`
		pic.summary = hostile
		pic.With(&Report{Verdict: "x" + hostile, Text: hostile, Settings: [][2]string{{hostile, hostile}}, Checks: []string{hostile}, Files: []File{{Name: hostile, What: hostile, Data: []byte(hostile)}}})
		page := written(t, pic.HTML)
		if n := strings.Count(html.UnescapeString(page), hostile); n != 9 {
			t.Errorf("%s: the page shows %q %d times, expected 9", s.name, hostile, n)
		}
		for _, no := range []string{"<script>alert", "<b onload", "</pre><b", "{{Notes}}", "<!--", "http:", "https:", "src=", "@import", "url("} {
			if strings.Contains(page, no) {
				t.Errorf("%s: the page has %q", s.name, no)
			}
		}
		if n := strings.Count(page, `<g class="frame`); n != len(p.States) {
			t.Errorf("%s: %d frames, expected %d", s.name, n, len(p.States))
		}
	}
}
