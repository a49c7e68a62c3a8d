package element

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

func every(string, int) error { return nil }

// node is an element as the standard library reads it.
type node struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Text     string     `xml:",chardata"`
	Elements []node     `xml:",any"`
}

func (n *node) element() *Element {
	e := &Element{Name: n.XMLName.Local, Text: n.Text}
	for _, a := range n.Attrs {
		e.Attributes = append(e.Attributes, Attribute{a.Name.Local, a.Value})
	}
	for i := range n.Elements {
		e.Elements = append(e.Elements, n.Elements[i].element())
	}
	return e
}

// TestRead compares what is read with what the standard library reads.
func TestRead(t *testing.T) {
	for _, text := range []string{
		`<a/>`, `<a></a >`, `<a b="1" c = '2 " &lt;'>x<d>y</d>z</a>`, "<?xml version=\"1.0\"?>\n<!-- <b> -- -->\n<a>1 &amp; &#50;&#x33;</a>",
		`<a><![CDATA[<b>&lt;]]></a>`, `<!DOCTYPE a [<!ELEMENT a (b)> <!-- x -->]><a><b/><b>2</b></a>`, "<a\n b=\"\"\n/>", "<a>\t\r\n</a>",
	} {
		e, err := Read(strings.NewReader(text), every)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var n node
		text = strings.Replace(text, "-- -->", "-->", 1) // the standard library refuses the first
		d := xml.NewDecoder(strings.NewReader(text))
		if err := d.Decode(&n); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		n.Text = strings.ReplaceAll(n.Text, "\n\n", "\r\n")
		if want := n.element(); !reflect.DeepEqual(strings.ReplaceAll(e.Text, "\r\n", "\n"), want.Text) || !reflect.DeepEqual(e.Attributes, want.Attributes) || !reflect.DeepEqual(e.Elements, want.Elements) {
			t.Errorf("%s: %+v; want %+v", text, e, want)
		}
	}
}

// TestReadFaults reads what is no XML, and what ends too early.
func TestReadFaults(t *testing.T) {
	for _, text := range []string{
		"<a></b>", "</a>", "<>", "< a/>", "<a b></a>", "<a b=1></a>", "<a b='1></a>'/", "<a>\x01</a>", "<a>\xff</a>", "<a>&b;</a>", "<a>&lt</a>", "<a>&#xD800;</a>", "<a>&#0;</a>",
		"<a b='&c;'/>", strings.Repeat("<a>", 200), "<!" + strings.Repeat("x", 1<<17),
	} {
		if e, err := Read(strings.NewReader(text), every); !errors.Is(err, ErrSyntax) && !errors.Is(err, io.EOF) {
			t.Errorf("%.60q: %v, %v", text, e, err)
		}
	}
	if _, err := Read(strings.NewReader("<a><b>"), every); !errors.Is(err, io.EOF) {
		t.Errorf("the end: %v", err)
	}
}

// TestAppend reads random elements again that were written, with the standard library too, and nothing that follows them.
func TestAppend(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	letters := []rune("ab <>&\"'\n\r\té€;#")
	var make func(depth int) *Element
	make = func(depth int) *Element {
		e := &Element{Name: string(rune('a' + rng.IntN(3)))}
		for range rng.IntN(6) {
			e.Text += string(letters[rng.IntN(len(letters))])
		}
		for range rng.IntN(3) * min(depth, 1) {
			e.Elements = append(e.Elements, make(depth-1))
		}
		return e
	}
	for range 500 {
		e := make(3)
		text := e.Append(nil)
		r := bytes.NewReader(append(text, "<rest"...))
		got, err := Read(r, every)
		if err != nil || !reflect.DeepEqual(got, e) || r.Len() != len("<rest") {
			t.Fatalf("%s: %+v, %v, %d bytes left", text, got, err, r.Len())
		}
		var n node
		if err := xml.Unmarshal(text, &n); err != nil || !reflect.DeepEqual(n.element(), e) {
			t.Fatalf("%s: the standard library: %+v, %v", text, n, err)
		}
	}
}
