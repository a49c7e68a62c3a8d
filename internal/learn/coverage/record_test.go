package coverage

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// logged is a random log of few bits, whose outputs depend on the inputs but for some rows.
type logged struct {
	inputs, outputs, moreIn, moreOut int
	rows                             []loggedRow
}

type loggedRow struct {
	in, moreIn, out, moreOut []bool
	file, line               int
}

func drawLog(seed uint64) *logged {
	r := rand.New(rand.NewPCG(seed, 3))
	l := &logged{inputs: 1 + r.IntN(9), outputs: 1 + r.IntN(4), moreIn: r.IntN(2) * r.IntN(10), moreOut: r.IntN(2) * r.IntN(3)}
	bits := func(n int) []bool {
		x := make([]bool, n)
		for i := range x {
			x[i] = r.IntN(2) == 0
		}
		return x
	}
	for i := range 1 + r.IntN(60) {
		row := loggedRow{in: bits(l.inputs), moreIn: bits(l.moreIn), out: bits(l.outputs), moreOut: bits(l.moreOut), file: r.IntN(2), line: i + 2}
		if r.IntN(8) > 0 { // as the network has it
			row.out = make([]bool, l.outputs)
			row.out[0] = row.in[0]
		}
		l.rows = append(l.rows, row)
	}
	return l
}

func (l *logged) record() *Record {
	var moreIn, moreOut []string
	for i := range l.moreIn {
		moreIn = append(moreIn, fmt.Sprint("a", i))
	}
	for i := range l.moreOut {
		moreOut = append(moreOut, fmt.Sprint("b", i))
	}
	b := NewRecorder(l.inputs, l.outputs, moreIn, moreOut)
	b.File("one.csv")
	b.File("two.csv")
	for _, r := range l.rows {
		b.Add(r.in, r.moreIn, r.out, r.moreOut, r.file, r.line)
	}
	return b.Record()
}

func packed(bits []bool) []uint64 {
	words := make([]uint64, (len(bits)+63)/64)
	for i, x := range bits {
		if x {
			words[i/64] |= 1 << (i % 64)
		}
	}
	return words
}

// forward is the network of the random logs.
func forward(out, in []uint64) { clear(out); out[0] = in[0] & 1 }

// parsed writes and reads a record.
func parsed(t *testing.T, r *Record) *Record {
	t.Helper()
	back, err := ParseRecord(r.String(), r.Inputs, r.Outputs, r.MoreInputs, r.MoreOutputs, r.Files)
	if err != nil {
		t.Fatal(err)
	}
	if again := back.String(); again != r.String() {
		t.Errorf("%s was read as %s", r, again)
	}
	return back
}

// check holds a record against a log: it has exactly the rows of the inputs that keep tells.
func (l *logged) check(t *testing.T, r *Record, places int, keep func(in string) bool) {
	t.Helper()
	type counted struct {
		rows   int
		places []Place
	}
	want := map[string]*counted{}
	for _, row := range l.rows {
		if !keep(fmt.Sprint(row.in)) {
			continue
		}
		key := fmt.Sprint(row.in, row.moreIn, row.out, row.moreOut)
		if want[key] == nil {
			want[key] = &counted{}
		}
		want[key].rows++
		if len(want[key].places) < places {
			want[key].places = append(want[key].places, Place{int32(row.file), int32(row.line)})
		}
	}
	if r.Len() != len(want) || r.Rows != len(l.rows) {
		t.Fatalf("%d outcomes of %d rows, want %d of %d", r.Len(), r.Rows, len(want), len(l.rows))
	}
	take := func(bit func(int) bool, from, n int) []bool {
		x := make([]bool, n)
		for i := range x {
			x[i] = bit(from + i)
		}
		return x
	}
	for i := range r.Len() {
		o := r.Outcome(i)
		in := take(o.Input, 0, l.inputs)
		key := fmt.Sprint(in, take(o.Input, l.inputs, l.moreIn), take(o.Output, 0, l.outputs), take(o.Output, l.outputs, l.moreOut))
		w := want[key]
		if w == nil || o.Count() != w.rows || !slices.Equal(o.Places(), w.places) {
			t.Errorf("%s: %d times at %v, want %+v", key, o.Count(), o.Places(), w)
		}
		if from, to := r.Of(packed(in)); i < from || i >= to {
			t.Errorf("outcome %d is not among %d to %d of its input", i, from, to)
		}
	}
}

var logs = flag.Int("logs", 40, "random logs whose records are compared with their rows")

// TestRecordAgainstRows compares records of random logs, written and read, with the rows.
func TestRecordAgainstRows(t *testing.T) {
	for seed := range uint64(*logs) {
		l := drawLog(seed)
		r := l.record()
		disputed := map[string]bool{}
		for _, row := range l.rows {
			out := make([]uint64, 1)
			forward(out, packed(row.in))
			if out[0] != packed(row.out)[0] {
				disputed[fmt.Sprint(row.in)] = true
			}
		}
		all := func(string) bool { return true }
		some := func(in string) bool { return disputed[in] }
		l.check(t, parsed(t, r), mostPlaces, all)
		l.check(t, parsed(t, r.Disputed(forward)), mostPlaces, some)
		size, one := len(r.pack()), len(r.cut(1).pack())
		l.check(t, parsed(t, r.fit(forward, size)), mostPlaces, all)
		if one < size {
			l.check(t, parsed(t, r.fit(forward, one)), 1, all)
		}
		least := r.fit(forward, 1)
		if least.Whole {
			t.Fatal("all rows are in one byte")
		}
		l.check(t, parsed(t, least), 1, some)
		seen := r.Seen()
		distinct := map[string]bool{}
		for _, row := range l.rows {
			distinct[fmt.Sprint(row.in)] = true
			if !seen.Has(packed(row.in)) {
				t.Errorf("%v is not among the inputs", row.in)
			}
		}
		if seen.Rows() != len(distinct) || !seen.Exact() {
			t.Errorf("%d inputs, want %d", seen.Rows(), len(distinct))
		}
	}
}

// TestParseRecord reads malformed records.
func TestParseRecord(t *testing.T) {
	b := NewRecorder(3, 2, nil, nil)
	b.File("log.csv")
	b.Add([]bool{true, false, true}, nil, []bool{true, true}, nil, 0, 2)
	b.Add([]bool{true, false, true}, nil, []bool{true, false}, nil, 0, 3)
	good := b.Record().String()
	for _, c := range []struct{ text, want string }{
		{good, ""},
		{"", `"" of 1 words is not a record of rows`},
		{"whole 2 2", `"whole" of 3 words is not a record of rows`},
		{strings.Replace(good, "whole", "part", 1), `"part" of 4 words is not a record`},
		{strings.Replace(good, "whole 2", "whole 02", 1), `"02" is not a number of rows`},
		{strings.Replace(good, "whole 2", "whole 3", 1), "the outcomes were seen 2 times; expected 3"},
		{strings.Replace(good, "whole 2 2", "whole 2 0", 1), `"0" is not a number of outcomes; expected 1..2`},
		{strings.Replace(good, "whole 2 2", "whole 2 3", 1), `"3" is not a number of outcomes; expected 1..2`},
		{strings.Replace(good, "whole 2 2", "whole 2 1", 1), "outcome 1"},
		{strings.Replace(good, "whole 2 2", "whole 9 9", 1), "the rows end early"},
		{strings.Replace(good, "whole", "disputed", 1), ""},
		{"disputed 2 0 AwA=", ""},
		{"disputed 2 0 *", "the rows are not base64"},
		{good[:len(good)-4], "the rows"},
	} {
		_, err := ParseRecord(c.text, 3, 2, nil, nil, []string{"log.csv"})
		if got := fmt.Sprint(err); c.want == "" && err != nil || !strings.Contains(got, c.want) {
			t.Errorf("%s: %v, want %q", c.text, err, c.want)
		}
	}
	if _, err := ParseRecord(good, 3, 2, nil, nil, nil); err == nil {
		t.Error("a file that is not named is accepted")
	}
	if _, err := ParseRecord(good, 2, 2, nil, nil, []string{"log.csv"}); err == nil {
		t.Error("a bit that rows do not have is accepted")
	}
}

// FuzzParseRecord reads any text, and what it accepts again.
func FuzzParseRecord(f *testing.F) {
	for seed := range uint64(8) {
		r := drawLog(seed).record()
		f.Add(r.String(), r.Inputs, r.Outputs, len(r.MoreInputs), len(r.MoreOutputs))
		f.Add(r.Disputed(forward).String(), r.Inputs, r.Outputs, len(r.MoreInputs), len(r.MoreOutputs))
	}
	f.Fuzz(func(t *testing.T, text string, inputs, outputs, moreIn, moreOut int) {
		if inputs < 1 || inputs > 100 || outputs < 1 || outputs > 100 || moreIn < 0 || moreIn > 100 || moreOut < 0 || moreOut > 100 {
			return
		}
		files := []string{"a", "b"}
		r, err := ParseRecord(text, inputs, outputs, make([]string, moreIn), make([]string, moreOut), files)
		if err != nil {
			return
		}
		back, err := ParseRecord(r.String(), inputs, outputs, make([]string, moreIn), make([]string, moreOut), files)
		if err != nil || back.String() != r.String() {
			t.Fatalf("%q is accepted, and what is written of it is %v", text, err)
		}
		for i := range r.Len() {
			in := make([]uint64, (inputs+63)/64)
			for b := range inputs {
				if r.Outcome(i).Input(b) {
					in[b/64] |= 1 << (b % 64)
				}
			}
			if from, to := r.Of(in); i < from || i >= to {
				t.Fatalf("outcome %d is not among those of its input", i)
			}
		}
	})
}
