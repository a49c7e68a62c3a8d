package translation

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
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
	ahead    []row  // what is left of the row that was read last
	buffer   []byte // of keys
}

func (c *comparison) run() error {
	if err := c.minimised(); err != nil {
		return err
	}
	if c.contradictory {
		// Two rows that exclude each other stand for a constraint that never holds.
		want := []inequality{{map[int64]int64{1: 1}, 1}, {map[int64]int64{1: -1}, 0}}
		if err := c.compare("the contradiction", listed(want), 0); err != nil {
			return err
		}
	}
	var want *list
	for t := 1; t <= c.horizon+1; t++ {
		// Steps 2..H share what is expected of them.
		if t <= 2 || t > c.horizon {
			want = listed(c.step(t)...)
		}
		if err := c.compare(fmt.Sprintf("step %d", t), want, c.block*int64(t-1)); err != nil {
			return err
		}
	}
	if err := c.compare("the excluded plans", listed(c.excluded), 0); err != nil {
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

// list is inequalities, each as often as it is expected.
type list struct {
	place map[string]int // of a key in count
	count []int
	rows  int
}

// listed is the list of some inequalities.
func listed(lists ...[]inequality) *list {
	out := &list{place: map[string]int{}}
	var key []byte
	for _, l := range lists {
		for i := range l {
			key = l[i].row().key(key[:0], 0)
			at, ok := out.place[string(key)]
			if !ok {
				at = len(out.count)
				out.place[string(key)], out.count = at, append(out.count, 0)
			}
			out.count[at]++
			out.rows++
		}
	}
	return out
}

// compare reads as many rows as are wanted, and each as often.
func (c *comparison) compare(what string, want *list, shift int64) error {
	left := slices.Clone(want.count)
	for range want.rows {
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
		c.buffer = c.ahead[0].key(c.buffer[:0], shift)
		at, ok := want.place[string(c.buffer)]
		if !ok || left[at] == 0 {
			return c.errorf("this row is not one of %s", what)
		}
		left[at]--
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
	has := map[int64]int64{}
	for _, t := range q {
		has[t.v] = t.c
		if t.c != c.objective[t.v] {
			return c.errorf("the objective has %d x%d, expected %d", t.c, t.v, c.objective[t.v])
		}
	}
	for v, w := range c.objective {
		if has[v] != w {
			return c.errorf("the objective has no x%d, expected %d x%d", v, w, v)
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

	read []term // of the row that was read last
	rows [2]row
}

func (f *file) errorf(format string, args ...any) error {
	return source.Errorf(f.name, f.line, 1, format, args...)
}

// next returns the next line that is no comment, which is valid until the next call; nil at the end.
func (f *file) next() ([]byte, error) {
	for {
		text, err := f.in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			var rest []byte
			text = slices.Clone(text)
			rest, err = f.in.ReadBytes('\n')
			text = append(text, rest...)
		}
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
func (f *file) head() ([]term, error) {
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

// row reads a constraint: one inequality, or two for an equation; nil at the end. They are
// valid until the next call.
func (f *file) row() ([]row, error) {
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
	if f.read, err = f.terms(left); err != nil {
		return nil, err
	}
	bound, err := strconv.ParseInt(string(bytes.TrimSpace(right)), 10, 64)
	if err != nil {
		return nil, f.errorf("expected a number after the relation")
	}
	f.rows[0] = row{f.read, bound}
	if !equation {
		return f.rows[:1], nil
	}
	f.rows[1] = row{slices.Clone(f.read), -bound}
	for i := range f.rows[1].terms {
		f.rows[1].terms[i].c *= -1
	}
	return f.rows[:], nil
}

// terms reads +1 x1 -2 x2, each variable once, and sorts them by variable.
func (f *file) terms(text []byte) ([]term, error) {
	out, sorted := f.read[:0], true
	for {
		var first, second []byte
		if first, text = word(text); first == nil {
			break
		}
		second, text = word(text)
		c, ok := number(first)
		if !ok || len(second) < 2 || second[0] != 'x' {
			return nil, f.errorf("found %.40q, expected a number and a variable", first)
		}
		v, ok := number(second[1:])
		if !ok || v < 1 || v > math.MaxInt32 {
			return nil, f.errorf("found %.40q, expected a variable", second)
		}
		sorted = sorted && (len(out) == 0 || out[len(out)-1].v < v)
		out = append(out, term{v, c})
	}
	if sorted {
		return out, nil
	}
	sort.Slice(out, func(i, j int) bool { return out[i].v < out[j].v })
	for i := range out[1:] {
		if out[i].v == out[i+1].v {
			return nil, f.errorf("x%d occurs twice", out[i].v)
		}
	}
	return out, nil
}

// number reads a whole number of 64 bits.
func number(text []byte) (n int64, ok bool) {
	digits := text
	if len(text) > 0 && (text[0] == '+' || text[0] == '-') {
		digits = text[1:]
	}
	if len(digits) > 18 { // which may be more than 64 bits have
		n, err := strconv.ParseInt(string(text), 10, 64)
		return n, err == nil
	}
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	if len(text) > 0 && text[0] == '-' {
		n = -n
	}
	return n, len(digits) > 0
}

// word cuts off the first word of a text; it is nil if there is none.
func word(text []byte) (first, rest []byte) {
	blank := func(c byte) bool { return c == ' ' || c == '\t' }
	from := 0
	for from < len(text) && blank(text[from]) {
		from++
	}
	to := from
	for to < len(text) && !blank(text[to]) {
		to++
	}
	if from == to {
		return nil, nil
	}
	return text[from:to], text[to:]
}
