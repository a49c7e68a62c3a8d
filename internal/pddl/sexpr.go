package pddl

import (
	"strings"

	"github.com/fdplan/fdplan/internal/source"
)

// pos is a place in a file: line and byte column, from 1.
type pos struct {
	file      string
	line, col int
}

func (p pos) errorf(format string, args ...any) error {
	return source.Errorf(p.file, p.line, p.col, format, args...)
}

// tree is a word, or a list in brackets.
type tree struct {
	pos
	word string // in small letters; empty for a list
	list []*tree
	open bool // it is a list
}

// head is the first word of a list; empty if there is none.
func (t *tree) head() string {
	if len(t.list) == 0 {
		return ""
	}
	return t.list[0].word
}

func (t *tree) String() string {
	if !t.open {
		return t.word
	}
	var parts []string
	for _, x := range t.list {
		parts = append(parts, x.String())
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// mostNested bounds the depth of brackets.
const mostNested = 1000

// parseTrees reads all lists of a text.
func parseTrees(file string, text []byte) ([]*tree, error) {
	r := &treeReader{text: text, at: pos{file, 1, 1}}
	var out []*tree
	for {
		t, err := r.next(0)
		if err != nil || t == nil {
			return out, err
		}
		if !t.open {
			return nil, t.errorf("%q stands outside of brackets; expected (define …)", t.word)
		}
		out = append(out, t)
	}
}

type treeReader struct {
	text []byte
	i    int
	at   pos
}

// step goes on by one byte.
func (r *treeReader) step() {
	if r.text[r.i] == '\n' {
		r.at.line, r.at.col = r.at.line+1, 0
	}
	r.at.col++
	r.i++
}

// blank skips white space and comments.
func (r *treeReader) blank() {
	for r.i < len(r.text) {
		switch c := r.text[r.i]; {
		case c == ';':
			for r.i < len(r.text) && r.text[r.i] != '\n' {
				r.step()
			}
		case c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f':
			r.step()
		default:
			return
		}
	}
}

// next reads a word or a list; nil at the end of the text.
func (r *treeReader) next(depth int) (*tree, error) {
	r.blank()
	if r.i == len(r.text) {
		return nil, nil
	}
	t := &tree{pos: r.at}
	switch r.text[r.i] {
	case ')':
		return nil, r.at.errorf("this ) closes nothing")
	case '(':
		if depth > mostNested {
			return nil, r.at.errorf("brackets are nested more than %d times", mostNested)
		}
		r.step()
		t.open = true
		for {
			r.blank()
			if r.i == len(r.text) {
				return nil, t.errorf("this ( is not closed")
			}
			if r.text[r.i] == ')' {
				r.step()
				return t, nil
			}
			x, err := r.next(depth + 1)
			if err != nil {
				return nil, err
			}
			t.list = append(t.list, x)
		}
	}
	start := r.i
	r.step()
	for r.i < len(r.text) && !strings.ContainsRune(" \t\r\n\f();?", rune(r.text[r.i])) { // a ? begins a word, also behind another one
		r.step()
	}
	word := string(r.text[start:r.i])
	if err := writable(word); err != nil {
		return nil, t.errorf("%v", err)
	}
	t.word = strings.ToLower(word)
	return t, nil
}
