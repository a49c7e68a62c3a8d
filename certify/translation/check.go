package translation

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// Report is what a check found.
type Report struct {
	Horizon int
	Rows    int64 // inequalities that were compared; an equation is two
	// The scaled reward of a solution is -(objective + Constant), the reward that
	// divided by Scale, by the problem.
	Constant, Scale int64
}

// Excluded are the plans that begin as Trace does: in its first state, with its first
// Depth joint actions.
type Excluded struct {
	Trace *factored.Trace
	Depth int
}

// Check reads an OPB file and compares it with the problem over the horizon,
// without the plans that are excluded: each has a clause after the other rows. The
// error is a *source.Error about the file called name if it is not the problem's
// translation. The network is nil exactly if p learns nothing.
func Check(p *factored.Problem, net *bnn.Network, horizon int, name string, opb io.Reader, excluded ...Excluded) (Report, error) {
	if err := p.Check(); err != nil {
		return Report{}, err
	}
	if net != nil {
		if err := net.Check(); err != nil {
			return Report{}, err
		}
		if net.Inputs() != len(p.Inputs) || net.Outputs() != len(p.Outputs) {
			return Report{}, fmt.Errorf("the network has %d inputs and %d outputs, the problem %d and %d", net.Inputs(), net.Outputs(), len(p.Inputs), len(p.Outputs))
		}
	}
	if horizon < 1 || horizon > p.MaxHorizon() {
		return Report{}, fmt.Errorf("the horizon is %d; it must lie in 1..%d", horizon, p.MaxHorizon())
	}
	f := &file{name: name, in: bufio.NewReaderSize(opb, 1<<16)}
	c := &comparison{expectation: expect(p, net, horizon), file: f, report: Report{Horizon: horizon}}
	for _, x := range excluded {
		if x.Depth < 0 || x.Depth > horizon || len(x.Trace.Steps) < max(x.Depth, 1) {
			return Report{}, fmt.Errorf("a plan is excluded by its first %d steps of %d, the horizon is %d", x.Depth, len(x.Trace.Steps), horizon)
		}
		c.excluded = append(c.excluded, c.differs(x))
	}
	c.report.Constant, c.report.Scale = c.constant, c.unit
	err := c.run()
	return c.report, err
}

// comparison is one call of Check.
type comparison struct {
	*expectation
	*file
	report   Report
	excluded []inequality
	ahead    []inequality // of the row that was read last
}

func (c *comparison) run() error {
	if err := c.minimised(); err != nil {
		return err
	}
	if c.contradictory {
		// Two rows that exclude each other stand for a constraint that never holds.
		want := []inequality{{map[int64]int64{1: 1}, 1}, {map[int64]int64{1: -1}, 0}}
		if err := c.compare("the contradiction", counted(0, want), 2, 0); err != nil {
			return err
		}
	}
	var middle map[string]int
	var rows int
	for t := 1; t <= c.horizon+1; t++ {
		// Steps 2..H share what is expected of them.
		if t <= 2 || t > c.horizon {
			middle, rows = counted(0, c.step(t)...), 0
			for _, n := range middle {
				rows += n
			}
		}
		want := make(map[string]int, len(middle))
		for k, n := range middle {
			want[k] = n
		}
		if err := c.compare(fmt.Sprintf("step %d", t), want, rows, c.block*int64(t-1)); err != nil {
			return err
		}
	}
	if err := c.compare("the excluded plans", counted(0, c.excluded), len(c.excluded), 0); err != nil {
		return err
	}
	if len(c.ahead) > 0 {
		return c.errorf("half of an equation is left, expected no row more")
	}
	if row, err := c.row(); err != nil || row != nil {
		if err == nil {
			err = c.errorf("the rows of %d steps are complete, expected no row more", c.horizon)
		}
		return err
	}
	return nil
}

// counted is how often each inequality occurs.
func counted(shift int64, lists ...[]inequality) map[string]int {
	out := map[string]int{}
	for _, list := range lists {
		for i := range list {
			out[list[i].key(shift)]++
		}
	}
	return out
}

// compare reads as many rows as are wanted and takes each from want.
func (c *comparison) compare(what string, want map[string]int, rows int, shift int64) error {
	for range rows {
		if len(c.ahead) == 0 {
			row, err := c.row()
			if err != nil {
				return err
			}
			if row == nil {
				return c.errorf("the file ends, expected the rows of %s", what)
			}
			c.ahead = row
		}
		key := c.ahead[0].key(shift)
		if want[key] == 0 {
			return c.errorf("this row is not one of %s", what)
		}
		want[key]--
		c.ahead = c.ahead[1:]
		c.report.Rows++
	}
	return nil
}

// minimised compares the objective and what the comments say of it.
func (c *comparison) minimised() error {
	q, err := c.head()
	if err != nil {
		return err
	}
	if c.said == nil || c.said[0] != c.constant || c.said[1] != c.unit {
		return c.errorf(`expected the comment "reward = -(objective + %d) / %d"`, c.constant, c.unit)
	}
	for v, w := range c.objective {
		if q[v] != w {
			return c.errorf("the objective has %d x%d, expected %d x%d", q[v], v, w, v)
		}
		delete(q, v)
	}
	for v, w := range q {
		if w != 0 {
			return c.errorf("the objective has %d x%d, expected no such term", w, v)
		}
	}
	return nil
}

// file reads an OPB file row by row.
type file struct {
	name string
	in   *bufio.Reader
	line int
	said []int64 // constant and scale, as a comment has them
}

func (f *file) errorf(format string, args ...any) error {
	return source.Errorf(f.name, f.line, 1, format, args...)
}

// next returns the next line that is no comment; nil at the end.
func (f *file) next() ([]byte, error) {
	for {
		text, err := f.in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("reading %s: %w", f.name, err)
		}
		if len(text) == 0 {
			return nil, nil
		}
		f.line++
		text = bytes.TrimSpace(text)
		switch {
		case len(text) == 0:
		case text[0] == '*':
			if _, rest, ok := bytes.Cut(text, []byte("reward = -(objective + ")); ok && f.said == nil {
				constant, scale, _ := bytes.Cut(rest, []byte(") / "))
				a, err1 := strconv.ParseInt(string(constant), 10, 64)
				b, err2 := strconv.ParseInt(string(scale), 10, 64)
				if err1 == nil && err2 == nil {
					f.said = []int64{a, b}
				}
			}
		default:
			return text, nil
		}
	}
}

// head reads the objective.
func (f *file) head() (map[int64]int64, error) {
	text, err := f.next()
	if err != nil {
		return nil, err
	}
	rest, ok := bytes.CutPrefix(text, []byte("min:"))
	if !ok {
		return nil, f.errorf("expected an objective, \"min:\"")
	}
	rest, ok = bytes.CutSuffix(bytes.TrimSpace(rest), []byte(";"))
	if !ok {
		return nil, f.errorf("expected a semicolon at the end")
	}
	return f.terms(rest)
}

// row reads a constraint: one inequality, or two for an equation; nil at the end.
func (f *file) row() ([]inequality, error) {
	text, err := f.next()
	if err != nil || text == nil {
		return nil, err
	}
	text, ok := bytes.CutSuffix(text, []byte(";"))
	at := bytes.IndexAny(text, "=>")
	if !ok || at < 0 {
		return nil, f.errorf("expected a row with >= or = and a semicolon at its end")
	}
	left, right := text[:at], text[at+1:]
	equation := text[at] == '='
	if !equation {
		if right, ok = bytes.CutPrefix(right, []byte("=")); !ok {
			return nil, f.errorf("expected >= or =")
		}
	}
	coefs, err := f.terms(left)
	if err != nil {
		return nil, err
	}
	bound, err := strconv.ParseInt(string(bytes.TrimSpace(right)), 10, 64)
	if err != nil {
		return nil, f.errorf("expected a number after the relation")
	}
	q := inequality{coefs, bound}
	if equation {
		return []inequality{q, q.reversed()}, nil
	}
	return []inequality{q}, nil
}

// terms reads +1 x1 -2 x2, each variable once.
func (f *file) terms(text []byte) (map[int64]int64, error) {
	words := bytes.Fields(text)
	coefs := make(map[int64]int64, len(words)/2)
	for i := 0; i < len(words); i += 2 {
		c, err := strconv.ParseInt(string(words[i]), 10, 64)
		if err != nil || i+1 == len(words) || len(words[i+1]) < 2 || words[i+1][0] != 'x' {
			return nil, f.errorf("found %.40q, expected a number and a variable", words[i])
		}
		v, err := strconv.ParseInt(string(words[i+1][1:]), 10, 32)
		if err != nil || v < 1 {
			return nil, f.errorf("found %.40q, expected a variable", words[i+1])
		}
		if _, twice := coefs[v]; twice {
			return nil, f.errorf("x%d occurs twice", v)
		}
		coefs[v] = c
	}
	return coefs, nil
}
