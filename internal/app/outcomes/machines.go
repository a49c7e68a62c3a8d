package outcomes

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/codelength"
	"github.com/fdplan/fdplan/internal/learn/quantity"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/factored"
)

// machines tell which machine each row of a log with several is about.
type machines struct {
	column int // of the series, which tells it; -1 for none
	names  []string
	of     []int // by row; -1 where it is not known
}

// tells returns the input that tells the machine of a log: the one whose column names them; -1 for none.
func tells(p *load.Problem, vars []*factored.Variable) int {
	if p.Declared == nil || p.Declared.Log.Entity == "" {
		return -1
	}
	log := &p.Declared.Log
	return slices.IndexFunc(vars, func(v *factored.Variable) bool {
		column, renamed := log.Columns[v.Name]
		return v.Given && v.Enumeration() && (column == log.Entity || !renamed && v.Name == log.Entity)
	})
}

// add takes the machine of a row, whose values are these; name is nil if only these may tell it.
func (m *machines) add(row int, now []float64, name func(row int) string) {
	k := -1
	switch {
	case m.column >= 0:
		if at := int(now[m.column]); at >= 0 && at < len(m.names) {
			k = at
		}
	case name != nil:
		text := name(row)
		if k = slices.Index(m.names, text); k < 0 {
			k, m.names = len(m.names), append(m.names, text)
		}
	}
	m.of = append(m.of, k)
}

// apart divides errors by the machines of their rows; nil where these are not known.
func (m *machines) apart(errors []float64, rows []int) [][]float64 {
	if len(m.names) < 2 {
		return nil
	}
	out := make([][]float64, len(m.names))
	for k, e := range errors {
		if of := m.of[rows[k]]; of >= 0 {
			out[of] = append(out[of], e)
		}
	}
	return out
}

// leastOwn is the number of errors from which a machine that an input tells has a band of its own: with fewer, 99 % of them are no other than all.
const leastOwn = 100

// errorsIf are errors where a condition holds; it is empty for all that no other is for.
type errorsIf struct {
	when   string
	errors []float64
}

// own divides errors so many steps ahead: those of machines that an input tells and whose errors are others than those of the rest, and the rest.
func (x *series) own(errors []float64, rows []int, steps int) (out []errorsIf) {
	if x.column < 0 {
		return []errorsIf{{"", errors}}
	}
	of := x.apart(errors, rows)
	least := float64(steps) * (UnlikeBits + math.Log2(float64(len(of))))
	for left := len(of); ; left-- {
		most, at := least, -1
		for k := range of {
			if len(of[k]) < leastOwn || left < 2 {
				continue
			}
			if bits := unlike(of[k], joined(of, k)); bits > most {
				most, at = bits, k
			}
		}
		if at < 0 {
			return append(out, errorsIf{"", joined(of, -1)})
		}
		v := x.vars[x.column]
		out = append(out, errorsIf{load.Machine(v, v.Lo+int64(at)), of[at]})
		of[at] = nil
	}
}

// joined puts the parts of errors one after the other, but for one part.
func joined(of [][]float64, but int) (all []float64) {
	for k := range of {
		if k != but {
			all = append(all, of[k]...)
		}
	}
	return all
}

// unlike is how many bits fewer describe which errors are in ranges that hold parts of all, for some by themselves.
func unlike(some, rest []float64) (bits float64) {
	var all []float64
	for _, e := range joined([][]float64{some, rest}, -1) {
		all = append(all, math.Abs(e))
	}
	slices.Sort(all)
	for _, share := range []float64{.5, .9, bandShare} {
		edge := all[int(share*float64(len(all)))]
		count := func(errors []float64) (in, out int) {
			for _, e := range errors {
				if math.Abs(e) > edge {
					out++
				}
			}
			return len(errors) - out, out
		}
		a, b := count(some)
		c, d := count(rest)
		bits += codelength.KT(a+c, b+d) - codelength.KT(a, b) - codelength.KT(c, d)
	}
	return bits
}

// Refuted is a machine whose rows are outside a band far more often than it says.
type Refuted struct {
	Machine string  `json:"machine"`
	Steps   int     `json:"steps"` // ahead
	Outside int     `json:"outside"`
	Rows    int     `json:"rows"`
	Share   float64 `json:"share"` // that the band should hold
}

func (r *Refuted) String() string {
	return fmt.Sprintf("of %s %d of %d rows are outside the band of %g %% %d ahead", r.Machine, r.Outside, r.Rows, 100*r.Share, r.Steps)
}

// UnlikeBits is the evidence, in bits, that machines differ: as much as chance takes for a context of its own.
const UnlikeBits = 12

// refuted finds the machines of which more errors are outside the band for them than chance would have.
func (x *series) refuted(fluent string, bands []load.Band, steps int, errors []float64, rows []int) (out []Refuted) {
	for k, own := range x.apart(errors, rows) {
		band := x.bandOf(fluent, bands, steps, k)
		if band == nil {
			continue
		}
		n := 0
		for _, e := range own {
			if !within(band.Low, e, band.High) {
				n++
			}
		}
		in := len(own) - n
		bits := -float64(n)*math.Log2(1-band.Share) - float64(in)*math.Log2(band.Share) - codelength.KT(in, n)
		// Predictions of which each has most of its steps from the one before have errors that follow each other.
		if float64(n) > (1-band.Share)*float64(len(own)) && bits/float64(steps) > UnlikeBits+math.Log2(float64(len(x.names))) {
			out = append(out, Refuted{x.names[k], steps, n, len(own), band.Share})
		}
	}
	return out
}

// bandOf is the band of a fluent so many steps ahead for a machine, which is -1 for all; nil for none.
func (x *series) bandOf(fluent string, bands []load.Band, steps, machine int) (found *load.Band) {
	when := ""
	if x.column >= 0 && machine >= 0 {
		v := x.vars[x.column]
		when = load.Machine(v, v.Lo+int64(machine))
	}
	for i := range bands {
		b := &bands[i]
		if b.Fluent == fluent && b.Steps == steps && (b.When == when || b.When == "" && found == nil) {
			found = b
		}
	}
	return found
}

// Unlike says in which quantity which machine of a log is not like the others, and how sure that is; "" where none differs.
func Unlike(ctx context.Context, p *load.Problem, from train.Source, threads int) (string, error) {
	x := newSeries(p)
	if !slices.ContainsFunc(x.t.Columns, func(c quantity.Column) bool { return c.Learn }) {
		return "", nil
	}
	x.fill([]train.Source{from}, false)
	if x.t.Of = x.of; len(x.names) < 2 {
		return "", nil
	}
	tests := 0
	for _, c := range x.t.Columns {
		if c.Learn {
			tests += 2 * len(x.names)
		}
	}
	u, err := quantity.Unlike(ctx, x.t, quantity.Options{Lags: lagsAt, Threads: threads}, UnlikeBits+math.Log2(float64(tests)))
	if u == nil || err != nil {
		return "", err
	}
	of, name := x.vars[u.Column].Name, x.names[u.Machine]
	if u.Errors {
		return fmt.Sprintf("errors of %s are of another size in %d held-out rows of %s: %.3g (root mean square)", of, u.Rows, name, u.All), nil
	}
	return fmt.Sprintf("in %d held-out rows of %s a function of all machines is wrong by %.3g of %s (root mean square), with corrections for %s by %.3g", u.Rows, name, u.All, of, name, u.Own), nil
}

// lagsAt is the number of earlier rows that the comparison of machines reads.
const lagsAt = 3
