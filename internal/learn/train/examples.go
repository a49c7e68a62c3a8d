package train

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"

	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/factored"
)

// Examples are distinct rows of input and output bits, packed as package bnn
// packs them, in increasing order of their inputs. No two have the same inputs.
type Examples struct {
	Inputs, Outputs int      // bits of a row
	In              []uint64 // row by row, bnn.Words(Inputs) words each
	Out             []uint64 // row by row, bnn.Words(Outputs) words each
	Count           []int32  // how often each row was seen
	// Weight is how much more than others a row counts in the loss; 0 means no extra weight.
	// Rows with a weight are never held out. Nil if no row has one.
	Weight    []int32
	Conflicts Conflicts
}

// Conflicts measures how far the examples contradict each other. Among rows with the same
// inputs, the most frequent outputs are kept, where a row with a weight counts that many
// times.
type Conflicts struct {
	Inputs  int // distinct inputs that were seen with different outputs
	Dropped int // rows, with multiplicity, whose outputs were discarded
}

// Rows is the number of distinct rows.
func (e *Examples) Rows() int { return len(e.Count) }

// Total returns the number of rows with their multiplicities.
func (e *Examples) Total() int {
	n := 0
	for _, c := range e.Count {
		n += int(c)
	}
	return n
}

// Digest identifies a data set: the first 16 hexadecimal digits of the SHA-256 of the numbers
// of bits and, row by row, inputs, outputs and count, each as 64 bits, the least significant
// byte first.
func (e *Examples) Digest() string {
	h := sha256.New()
	put := func(words ...uint64) {
		for _, w := range words {
			h.Write(binary.LittleEndian.AppendUint64(nil, w)) // cannot fail
		}
	}
	put(uint64(e.Inputs), uint64(e.Outputs))
	for i, c := range e.Count {
		put(e.Input(i)...)
		put(e.Output(i)...)
		put(uint64(c))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Input returns the packed inputs of row i.
func (e *Examples) Input(i int) []uint64 {
	w := bnn.Words(e.Inputs)
	return e.In[i*w : (i+1)*w]
}

// Output returns the packed outputs of row i.
func (e *Examples) Output(i int) []uint64 {
	w := bnn.Words(e.Outputs)
	return e.Out[i*w : (i+1)*w]
}

// ErrEmpty is wrapped if examples have no row.
var ErrEmpty = errors.New("there are no rows to learn from")

// Check reports examples whose parts do not fit together.
func (e *Examples) Check() error {
	switch n := e.Rows(); {
	case e.Inputs < 1 || e.Outputs < 1:
		return fmt.Errorf("examples with %d input bits and %d output bits, expected at least 1 of each", e.Inputs, e.Outputs)
	case len(e.In) != n*bnn.Words(e.Inputs) || len(e.Out) != n*bnn.Words(e.Outputs):
		return fmt.Errorf("%d rows with %d and %d words of bits, expected %d and %d", n, len(e.In), len(e.Out), n*bnn.Words(e.Inputs), n*bnn.Words(e.Outputs))
	case e.Weight != nil && len(e.Weight) != n:
		return fmt.Errorf("%d rows with %d weights", n, len(e.Weight))
	case n == 0:
		return ErrEmpty
	}
	return nil
}

// Repeated returns the examples with every row repeated as often as it was seen, as in
// training without merging duplicates. Its rows are not distinct.
func (e *Examples) Repeated() *Examples {
	out := &Examples{Inputs: e.Inputs, Outputs: e.Outputs, Conflicts: e.Conflicts}
	for i, c := range e.Count {
		for range c {
			out.In = append(out.In, e.Input(i)...)
			out.Out = append(out.Out, e.Output(i)...)
			out.Count = append(out.Count, 1)
			if e.Weight != nil {
				out.Weight = append(out.Weight, e.Weight[i])
			}
		}
	}
	return out
}

// mapping relates the columns of rows of values to the bits of a problem.
type mapping struct {
	p          *factored.Problem
	now, next  []*factored.Variable // by column; nil if the column is not used
	val, after factored.Valuation
	in, out    []bool
}

func newMapping(p *factored.Problem) (*mapping, error) {
	if len(p.Inputs) == 0 || len(p.Outputs) == 0 {
		return nil, fmt.Errorf("%s has nothing to learn, expected a problem with learned state fluents", p.Name)
	}
	return &mapping{
		p: p, val: make(factored.Valuation, p.NumBits()), after: make(factored.Valuation, p.NumBits()),
		in: make([]bool, len(p.Inputs)), out: make([]bool, len(p.Outputs)),
	}, nil
}

// set writes a column's value into val.
func set(v *factored.Variable, val factored.Valuation, x float64) error {
	if x != math.Trunc(x) || math.Abs(x) > 1<<53 {
		return fmt.Errorf("%s cannot be %v, expected a whole number in %d..%d", v.Name, x, v.Lo, v.Hi)
	}
	return v.Set(val, int64(x))
}

// add takes the row that stands in val and after.
func (m *mapping) add(b *Builder) {
	m.read()
	b.Add(m.in, m.out)
}

// read takes the bits of the row from val and after.
func (m *mapping) read() {
	for i, bit := range m.p.Inputs {
		m.in[i] = m.val[bit]
	}
	for i, bit := range m.p.Outputs {
		m.out[i] = m.after[bit]
	}
}

// Source is a data set with the weight of its rows; see Examples.Weight.
type Source struct {
	Data   *dataset.Data
	Name   string // of its file; empty for none
	Weight int32  // 0 for ordinary rows
}

// FromData returns the examples in d for problem p: its Inputs before the step, its Outputs
// after it. Columns are matched by the names of fluents. It is an error if a fluent that the network reads or writes has no column, or
// if a value is outside its fluent's range. Rows are counted from 1 in errors.
func FromData(d *dataset.Data, p *factored.Problem) (*Examples, error) {
	return FromSources(p, Source{Data: d})
}

// FromSources returns the examples in several data sets together. Rows with a value
// that is not known are left out.
func FromSources(p *factored.Problem, sources ...Source) (*Examples, error) {
	b := NewBuilder(len(p.Inputs), len(p.Outputs))
	err := EachRow(p, func(r *Row) {
		if r.InKnown == nil {
			b.AddWeighted(r.In, r.Out, r.Weight)
		}
	}, sources...)
	if err != nil {
		return nil, err
	}
	e := b.Examples()
	return e, e.Check()
}

// Row is a transition as the problem's network reads and writes it.
type Row struct {
	In, Out []bool
	// InKnown and OutKnown tell which of the bits are known; nil where all are.
	InKnown, OutKnown []bool
	Weight            int32 // of the source
	// Now and Next are the state and the action, and the state after it, as far as the data
	// have columns for them.
	Now, Next factored.Valuation
	Source    int // its number, from 0
	Line      int // in its file, or its number from 1; 0 if that is unknown
}

// EachRow calls row for each row of several data sets in turn; the next row
// overwrites it. Errors are those of FromData.
func EachRow(p *factored.Problem, row func(*Row), sources ...Source) error {
	m, err := newMapping(p)
	if err != nil {
		return err
	}
	for i, s := range sources {
		if err := m.addAll(row, s, i); err != nil {
			return err
		}
	}
	return nil
}

// addAll takes all rows of a data set.
func (m *mapping) addAll(row func(*Row), s Source, number int) error {
	d := s.Data
	width := len(d.Schema.Columns)
	m.now, m.next = make([]*factored.Variable, width), make([]*factored.Variable, width)
	have := map[*factored.Variable][2]bool{}
	for i := range d.Schema.Columns {
		col := &d.Schema.Columns[i]
		name, side, dst := col.Name, 0, m.now
		if col.Role == dataset.Next {
			name, side, dst = name[:len(name)-1], 1, m.next
		}
		v, ok := m.p.Find(name)
		if !ok || v.Kind == factored.Auxiliary {
			continue
		}
		dst[i] = v
		sides := have[v]
		sides[side] = true
		have[v] = sides
	}
	for side, bits := range [2][]factored.Bit{m.p.Inputs, m.p.Outputs} {
		for _, bit := range bits {
			v, _ := m.p.Owner(bit)
			if !have[v][side] {
				return fmt.Errorf("the data has no column %s%s, expected one for each fluent that the network reads or writes", v.Name, "'"[:side])
			}
		}
	}
	r := &Row{In: m.in, Out: m.out, Weight: s.Weight, Now: m.val, Next: m.after, Source: number}
	return d.Each(func(i int, values []float64) (err error) {
		r.InKnown, r.OutKnown = nil, nil
		if r.Line = i + 1; d.Line != nil {
			r.Line = d.Line(i)
		}
		for k, x := range values {
			if math.IsNaN(x) && (m.now[k] != nil || m.next[k] != nil) {
				m.gap(r, m.now[k], m.next[k])
				continue
			}
			if v := m.now[k]; v != nil {
				err = set(v, m.val, x)
			} else if v = m.next[k]; v != nil {
				err = set(v, m.after, x)
			}
			if err != nil {
				return fmt.Errorf("row %d: column %s: %w", i+1, d.Schema.Columns[k].Name, err)
			}
		}
		m.read()
		row(r)
		return nil
	})
}

// gap marks the bits of a variable before or after the step as unknown.
func (m *mapping) gap(r *Row, now, next *factored.Variable) {
	if r.InKnown == nil {
		r.InKnown, r.OutKnown = all(len(m.in)), all(len(m.out))
	}
	mark := func(known []bool, bits []factored.Bit, v *factored.Variable) {
		for i, b := range bits {
			if v != nil && b >= v.First && b < v.First+factored.Bit(v.Width) {
				known[i] = false
			}
		}
	}
	mark(r.InKnown, m.p.Inputs, now)
	mark(r.OutKnown, m.p.Outputs, next)
}

func all(n int) []bool {
	out := make([]bool, n)
	for i := range out {
		out[i] = true
	}
	return out
}
