package coverage

import (
	"bytes"
	"slices"
	"sort"

	"github.com/fdplan/fdplan/internal/integer"
)

// Record keeps the rows that were seen: for each input its outcomes, how often each was seen,
// and where. The bits of a row are those of the network, and further ones that it does not
// read or write.
type Record struct {
	Inputs, Outputs         int      // bits of the network
	MoreInputs, MoreOutputs []string // names of the further bits
	Files                   []string // that the rows are from
	Rows                    int      // that it was made of, each as often as it was seen
	// Whole reports whether it has all rows. Otherwise it has those of inputs that Disputed
	// keeps, all of each.
	Whole bool

	// Keys are packed as those of a Set, the network's bits and the further ones each padded to
	// whole bytes. Inputs increase, and so do the outputs of an input.
	in, out  []byte
	outcomes []seenAs
}

// seenAs is how often a row was seen, and where.
type seenAs struct {
	count  int32
	places []Place
}

// Place is a line of a file.
type Place struct {
	File int32 // its index among the record's files
	Line int32
}

// mostPlaces bounds the places of an outcome that are kept: the first ones.
const mostPlaces = 8

// Outcome is what was seen after an input.
type Outcome struct {
	r *Record
	i int
}

// Count is how often it was seen.
func (o Outcome) Count() int { return int(o.r.outcomes[o.i].count) }

// Places are where it was seen first, in the order of the rows; of many the first few, and
// none where rows have no lines.
func (o Outcome) Places() []Place { return o.r.outcomes[o.i].places }

// Input is bit i of the input: one of the network's, then the further ones.
func (o Outcome) Input(i int) bool {
	n := o.r.inBytes()
	return bitOf(o.r.in[o.i*n:(o.i+1)*n], o.r.Inputs, i)
}

// Output is bit i of what followed: one of the network's, then the further ones.
func (o Outcome) Output(i int) bool {
	n := o.r.outBytes()
	return bitOf(o.r.out[o.i*n:(o.i+1)*n], o.r.Outputs, i)
}

// Agrees reports whether the outcome has these outputs of the network, packed as in package
// bnn.
func (o Outcome) Agrees(out []uint64) bool {
	for i := range o.r.Outputs {
		if o.Output(i) != (out[i/64]>>(i%64)&1 == 1) {
			return false
		}
	}
	return true
}

// bitOf is bit i of a key whose first part has so many bits.
func bitOf(key []byte, first, i int) bool {
	if i >= first {
		i += 8*bytesOf(first) - first
	}
	return key[i/8]&(0x80>>(i%8)) != 0
}

func bytesOf(bits int) int { return (bits + 7) / 8 }

func (r *Record) inBytes() int  { return bytesOf(r.Inputs) + bytesOf(len(r.MoreInputs)) }
func (r *Record) outBytes() int { return bytesOf(r.Outputs) + bytesOf(len(r.MoreOutputs)) }

// Len is the number of outcomes.
func (r *Record) Len() int { return len(r.outcomes) }

// Outcome is outcome i, in increasing order of inputs and then of outputs.
func (r *Record) Outcome(i int) Outcome { return Outcome{r, i} }

// Of returns the outcomes from one index to before another whose inputs of the network are
// these, packed as in package bnn.
func (r *Record) Of(in []uint64) (from, to int) {
	key := (&Set{inputs: r.Inputs}).key(in)
	n := r.inBytes()
	at := func(i int) int { return bytes.Compare(r.in[i*n:i*n+len(key)], key) }
	from = sort.Search(r.Len(), func(i int) bool { return at(i) >= 0 })
	for to = from; to < r.Len() && at(to) == 0; to++ {
	}
	return from, to
}

// each calls do with the range of outcomes of each input of the network.
func (r *Record) each(do func(from, to int)) {
	n, k := r.inBytes(), bytesOf(r.Inputs)
	for from := 0; from < r.Len(); {
		to := from + 1
		for to < r.Len() && bytes.Equal(r.in[to*n:to*n+k], r.in[from*n:from*n+k]) {
			to++
		}
		do(from, to)
		from = to
	}
}

// Seen is the set of the inputs of the network.
func (r *Record) Seen() *Set {
	s := &Set{kind: list, inputs: r.Inputs}
	n, k := r.inBytes(), bytesOf(r.Inputs)
	r.each(func(from, _ int) {
		s.rows++
		s.data = append(s.data, r.in[from*n:from*n+k]...)
	})
	return s
}

// Disputed is the part of a record with the inputs after which rows have different outputs of
// the network, or others than the network: forward computes these from the inputs, both packed
// as in package bnn.
func (r *Record) Disputed(forward func(out, in []uint64)) *Record {
	d := &Record{Inputs: r.Inputs, Outputs: r.Outputs, MoreInputs: r.MoreInputs, MoreOutputs: r.MoreOutputs, Files: r.Files, Rows: r.Rows}
	in, out := make([]uint64, (r.Inputs+63)/64), make([]uint64, (r.Outputs+63)/64)
	n, m := r.inBytes(), r.outBytes()
	r.each(func(from, to int) {
		clear(in)
		for i := range r.Inputs {
			if r.Outcome(from).Input(i) {
				in[i/64] |= 1 << (i % 64)
			}
		}
		forward(out, in)
		for i := from; i < to; i++ {
			if !r.Outcome(i).Agrees(out) {
				d.in = append(d.in, r.in[from*n:to*n]...)
				d.out = append(d.out, r.out[from*m:to*m]...)
				d.outcomes = append(d.outcomes, r.outcomes[from:to]...)
				return
			}
		}
	})
	return d
}

// Recorder collects the rows of a Record.
type Recorder struct {
	r     *Record
	index map[string]int32 // of keys: input, then output
	rows  [][]int          // by outcome, the numbers of the rows of its places
	key   []byte
}

// NewRecorder returns a recorder of rows with these bits.
func NewRecorder(inputs, outputs int, moreInputs, moreOutputs []string) *Recorder {
	r := &Record{Inputs: inputs, Outputs: outputs, MoreInputs: moreInputs, MoreOutputs: moreOutputs, Whole: true}
	return &Recorder{r: r, index: map[string]int32{}}
}

// File adds a file, whose index it returns.
func (b *Recorder) File(name string) int {
	b.r.Files = append(b.r.Files, name)
	return len(b.r.Files) - 1
}

// Add adds a row; the bits are copied. Line is 0 for a row without one.
func (b *Recorder) Add(in, moreIn, out, moreOut []bool, file, line int) {
	var seen []Seen
	if line > 0 {
		seen = []Seen{{b.r.Rows, Place{int32(file), int32(line)}}}
	}
	b.AddAlike(in, moreIn, out, moreOut, 1, seen)
}

// Seen is a place and the number of its row.
type Seen struct {
	Row int
	Place
}

// AddAlike adds so many equal rows, with the places of the first of them.
func (b *Recorder) AddAlike(in, moreIn, out, moreOut []bool, rows int, seen []Seen) {
	b.key = b.key[:0]
	for _, bits := range [][]bool{in, moreIn, out, moreOut} {
		b.key = appendBits(b.key, bits)
	}
	i, ok := b.index[string(b.key)]
	if !ok {
		i = int32(len(b.r.outcomes))
		b.index[string(b.key)] = i
		n := b.r.inBytes()
		b.r.in, b.r.out = append(b.r.in, b.key[:n]...), append(b.r.out, b.key[n:]...)
		b.r.outcomes, b.rows = append(b.r.outcomes, seenAs{}), append(b.rows, nil)
	}
	o := &b.r.outcomes[i]
	o.count += int32(rows)
	b.r.Rows += rows
	for _, x := range seen {
		at, _ := slices.BinarySearch(b.rows[i], x.Row)
		if at < mostPlaces {
			b.rows[i], o.places = slices.Insert(b.rows[i], at, x.Row), slices.Insert(o.places, at, x.Place)
		}
		n := min(mostPlaces, len(o.places))
		b.rows[i], o.places = b.rows[i][:n], o.places[:n]
	}
}

// appendBits appends bits padded to whole bytes, the first one most significant.
func appendBits(key []byte, bits []bool) []byte {
	start := len(key)
	key = append(key, make([]byte, bytesOf(len(bits)))...)
	for i, x := range bits {
		if x {
			key[start+i/8] |= 0x80 >> (i % 8)
		}
	}
	return key
}

// Record returns the record of the rows that were added. The recorder is not to be used
// afterwards.
func (b *Recorder) Record() *Record {
	r := b.r
	n, m := r.inBytes(), r.outBytes()
	order := integer.Below[int](r.Len())
	slices.SortStableFunc(order, func(x, y int) int {
		if c := bytes.Compare(r.in[x*n:(x+1)*n], r.in[y*n:(y+1)*n]); c != 0 {
			return c
		}
		return bytes.Compare(r.out[x*m:(x+1)*m], r.out[y*m:(y+1)*m])
	})
	sorted := *r
	sorted.in, sorted.out, sorted.outcomes = make([]byte, 0, len(r.in)), make([]byte, 0, len(r.out)), make([]seenAs, 0, r.Len())
	for _, i := range order {
		sorted.in = append(sorted.in, r.in[i*n:(i+1)*n]...)
		sorted.out = append(sorted.out, r.out[i*m:(i+1)*m]...)
		sorted.outcomes = append(sorted.outcomes, r.outcomes[i])
	}
	return &sorted
}
