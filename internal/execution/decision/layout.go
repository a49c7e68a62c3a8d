package decision

import (
	"errors"
	"math/bits"

	"github.com/fdplan/fdplan/internal/engine/bracket"
	"github.com/fdplan/fdplan/problem/factored"
)

// layout is where packed states have their variables.
type layout struct {
	fields        []field
	place         map[int]int // of a variable among the fields, by its number
	words         int
	start, broken []uint64 // broken is in place of a state with a value that its variable does not have
}

// field is where a packed state has a variable.
type field struct {
	bracket.Field
	number int // of the fluent, or the variable
	of     *factored.Variable
	mask   uint64
}

// newLayout lays out variables, given by their numbers. The first bit is that of broken.
func newLayout(numbers []int, of func(number int) *factored.Variable) layout {
	l := layout{place: map[int]int{}, words: 1}
	used := uint(1)
	for k, i := range numbers {
		f := field{number: i, of: of(i)}
		f.Most = uint64(f.of.Hi - f.of.Lo)
		width := uint(bits.Len64(f.Most))
		if used+width > 64 {
			l.words++
			used = 0
		}
		f.Word, f.Shift, f.mask = l.words-1, used, 1<<width-1
		used += width
		l.fields, l.place[i] = append(l.fields, f), k
	}
	l.broken = make([]uint64, l.words)
	l.broken[0] = 1
	return l
}

// value is that of a variable in a state; the greatest for more, as a state may have where it does not matter.
func (f *field) value(state []uint64) int64 {
	return f.of.Lo + int64(min(f.Most, state[f.Word]>>f.Shift&f.mask))
}

// put sets the value in a state that has none there, unless it is out of range.
func (f *field) put(state []uint64, value int64) bool {
	z := uint64(value - f.of.Lo)
	if z <= f.Most {
		state[f.Word] |= z << f.Shift
	}
	return z <= f.Most
}

// Words implements policy.Process.
func (l *layout) Words() int { return l.words }

// MostStates implements policy.Bounded.
func (l *layout) MostStates() float64 {
	n := 1.0
	for _, f := range l.fields {
		n *= float64(f.Most) + 1
	}
	return n
}

// Start implements policy.Process.
func (l *layout) Start(state []uint64) { copy(state, l.start) }

// First is the state in which runs begin.
func (l *layout) First() []uint64 { return l.start }

// Fields implements bracket.Model.
func (l *layout) Fields() (list []bracket.Field) {
	for _, f := range l.fields {
		list = append(list, f.Field)
	}
	return list
}

// Pack packs the states of a valuation.
func (l *layout) Pack(val factored.Valuation) ([]uint64, error) {
	out := make([]uint64, l.words)
	for i := range l.fields {
		if f := &l.fields[i]; !f.put(out, f.of.Value(val)) {
			return nil, errors.New("a state has a value outside its range")
		}
	}
	return out, nil
}

// Variable returns the variable of a field.
func (l *layout) Variable(field int) *factored.Variable { return l.fields[field].of }

// Unpack sets the states in a valuation.
func (l *layout) Unpack(val factored.Valuation, state []uint64) error {
	for i := range l.fields {
		if err := l.fields[i].of.Set(val, l.fields[i].value(state)); err != nil {
			return err
		}
	}
	return nil
}
