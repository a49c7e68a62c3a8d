// Package element reads and writes small XML documents as trees. It knows no namespaces and no entities but
// those of XML itself, and a document is in UTF-8 whatever it declares (Extensible Markup Language 1.0, W3C, 2008).
package element

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Element is an element with what is in it.
type Element struct {
	Name       string
	Attributes []Attribute
	Text       string // its own, without that of the elements in it
	Elements   []*Element
}

// Attribute is an attribute of an element.
type Attribute struct{ Name, Value string }

// Attribute returns the value of an attribute; "" where there is none.
func (e *Element) Attribute(name string) string {
	for _, a := range e.Attributes {
		if a.Name == name {
			return a.Value
		}
	}
	return ""
}

// Add adds an element with a text.
func (e *Element) Add(name, text string) *Element {
	x := &Element{Name: name, Text: text}
	e.Elements = append(e.Elements, x)
	return x
}

var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "\t", "&#x9;", "\n", "&#xA;", "\r", "&#xD;")

// Append appends the element as XML, without its attributes.
func (e *Element) Append(b []byte) []byte {
	b = append(append(append(b, '<'), e.Name...), '>')
	b = append(b, escape.Replace(e.Text)...)
	for _, x := range e.Elements {
		b = x.Append(b)
	}
	return append(append(append(b, "</"...), e.Name...), '>')
}

// ErrSyntax is wrapped by errors of text that is no XML.
var ErrSyntax = errors.New("XML syntax error")

// maxDepth bounds how deep elements are nested.
const maxDepth = 100

// parser reads elements.
type parser struct {
	r    io.ByteReader
	open []*Element
	text [][]byte // of open
}

// Read reads the first element, and nothing that follows it. begin is told the name of each element before what is in it is
// read, with the number of those that it is in; its error ends reading.
func Read(r io.ByteReader, begin func(name string, depth int) error) (*Element, error) {
	p := &parser{r: r}
	for {
		raw, err := p.until("<")
		if err == nil {
			err = p.say(raw)
		}
		if err != nil {
			return nil, err
		}
		b, err := p.r.ReadByte()
		if err != nil {
			return nil, err
		}
		var done *Element
		switch b {
		case '?':
			_, err = p.until("?>")
		case '!':
			err = p.mark()
		case '/':
			done, err = p.end()
		default:
			done, err = p.begin(b, begin)
		}
		if err != nil || done != nil {
			return done, err
		}
	}
}

// until reads up to a text, which is not returned.
func (p *parser) until(end string) (string, error) {
	var s []byte
	for {
		b, err := p.r.ReadByte()
		if err != nil {
			return "", err
		}
		if s = append(s, b); strings.HasSuffix(string(s[max(0, len(s)-len(end)):]), end) {
			return string(s[:len(s)-len(end)]), nil
		}
	}
}

// say adds text with entities to the innermost element.
func (p *parser) say(raw string) error {
	text, err := plain(raw)
	if err == nil && len(p.open) > 0 {
		p.text[len(p.open)-1] = append(p.text[len(p.open)-1], text...)
	}
	return err
}

// plain replaces entities.
func plain(raw string) (string, error) {
	if !utf8.ValidString(raw) {
		return "", fmt.Errorf("%w: invalid UTF-8", ErrSyntax)
	}
	for _, r := range raw {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' {
			return "", fmt.Errorf("%w: illegal character code %U", ErrSyntax, r)
		}
	}
	before, rest, found := strings.Cut(raw, "&")
	out := before
	for found {
		name, after, ok := strings.Cut(rest, ";")
		r := map[string]rune{"lt": '<', "gt": '>', "amp": '&', "quot": '"', "apos": '\''}[name]
		if number, is := strings.CutPrefix(name, "#"); is {
			if hex, is := strings.CutPrefix(number, "x"); is {
				number = "0x" + hex
			} else {
				number = strings.TrimLeft(number, "0")
			}
			n, err := strconv.ParseInt(number, 0, 32)
			if err == nil && utf8.ValidRune(rune(n)) {
				r = rune(n)
			}
		}
		if !ok || r == 0 {
			return "", fmt.Errorf("%w: invalid character entity &%.20s", ErrSyntax, rest)
		}
		before, rest, found = strings.Cut(after, "&")
		out += string(r) + before
	}
	return out, nil
}

// mark reads a comment, text that is quoted, or a declaration.
func (p *parser) mark() error {
	var raw []byte
	for depth := 0; ; {
		b, err := p.r.ReadByte()
		if err != nil {
			return err
		}
		switch raw = append(raw, b); {
		case string(raw) == "--":
			_, err := p.until("-->")
			return err
		case string(raw) == "[CDATA[":
			text, err := p.until("]]>")
			if err == nil && len(p.open) > 0 {
				p.text[len(p.open)-1] = append(p.text[len(p.open)-1], text...)
			}
			return err
		case b == '[' || b == '<':
			depth++
		case b == ']':
			depth--
		case b == '>' && depth <= 0:
			return nil
		case b == '>':
			depth-- // of a declaration within
		}
		if len(raw) > 1<<16 {
			return fmt.Errorf("%w: a declaration of more than %d bytes", ErrSyntax, 1<<16)
		}
	}
}

// end reads the end of an element, and returns the outermost one.
func (p *parser) end() (*Element, error) {
	name, err := p.until(">")
	if err != nil {
		return nil, err
	}
	name = strings.TrimSpace(name)
	if len(p.open) == 0 || p.open[len(p.open)-1].Name != name {
		return nil, fmt.Errorf("%w: unexpected end element </%.40s>", ErrSyntax, name)
	}
	return p.close(), nil
}

// close ends the innermost element, and returns the outermost one.
func (p *parser) close() *Element {
	k := len(p.open) - 1
	e := p.open[k]
	e.Text = string(p.text[k])
	if p.open, p.text = p.open[:k], p.text[:k]; k == 0 {
		return e
	}
	return nil
}

// begin reads the rest of the begin of an element.
func (p *parser) begin(b byte, begin func(name string, depth int) error) (*Element, error) {
	raw, quote := []byte{b}, byte(0)
	for b != '>' || quote != 0 {
		var err error
		if b, err = p.r.ReadByte(); err != nil {
			return nil, err
		}
		switch {
		case quote == 0 && (b == '"' || b == '\''):
			quote = b
		case b == quote:
			quote = 0
		}
		raw = append(raw, b)
	}
	text, empty := strings.CutSuffix(string(raw[:len(raw)-1]), "/")
	place := strings.IndexAny(text+" ", " \t\r\n")
	e := &Element{Name: text[:place]}
	if e.Name == "" || !utf8.ValidString(e.Name) || strings.ContainsAny(e.Name, "<>&\"'=") {
		return nil, fmt.Errorf("%w: expected an element name after <", ErrSyntax)
	}
	for rest := strings.TrimSpace(text[place:]); rest != ""; {
		name, value, ok := strings.Cut(rest, "=")
		if value = strings.TrimSpace(value); !ok || value == "" || value[0] != '"' && value[0] != '\'' {
			return nil, fmt.Errorf("%w: expected an attribute with its value in quotes in <%.40s>", ErrSyntax, e.Name)
		}
		end := strings.IndexByte(value[1:], value[0])
		if end < 0 {
			return nil, fmt.Errorf("%w: expected the end of the quoted value in <%.40s>", ErrSyntax, e.Name)
		}
		said, err := plain(value[1 : 1+end])
		if err != nil {
			return nil, err
		}
		e.Attributes, rest = append(e.Attributes, Attribute{strings.TrimSpace(name), said}), strings.TrimSpace(value[end+2:])
	}
	if len(p.open) == maxDepth {
		return nil, fmt.Errorf("%w: elements are nested more than %d deep", ErrSyntax, maxDepth)
	}
	if err := begin(e.Name, len(p.open)); err != nil {
		return nil, err
	}
	if k := len(p.open); k > 0 {
		p.open[k-1].Elements = append(p.open[k-1].Elements, e)
	}
	if p.open, p.text = append(p.open, e), append(p.text, nil); empty {
		return p.close(), nil
	}
	return nil, nil
}
