package synthesis

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/fdplan/fdplan/internal/cubes"
	"github.com/fdplan/fdplan/internal/learn/integers"
	"github.com/fdplan/fdplan/internal/learn/rules"
	"github.com/fdplan/fdplan/internal/learn/structure"
)

// Cube is a set of cells of a function: those whose bits in Care equal Value.
// Bit i stands for the function's i-th input.
type Cube = cubes.Cube

// MaxInputs is the most inputs of a Function.
const MaxInputs = structure.MaxInputs

// Function is a Boolean function of some inputs of a network: true in the cells
// of On, false in those of Off, of no interest elsewhere. No cell is in both. With Sum the
// function is that sum, and the network has its units.
type Function struct {
	Inputs  []int // numbers of the network's inputs, in increasing order
	On, Off []Cube
	Sum     *rules.Sum
	// Form, if it is not nil, is an integer whose bit of weight 2^Bit is the function, written as adders and comparators.
	Form *integers.Expr
	Bit  int
}

// ErrInputs is wrapped where a function has too many inputs.
var ErrInputs = errors.New("a function has too many inputs")

// check reports a function that cannot be synthesised.
func (f *Function) check(inputs int) error {
	if len(f.Inputs) > MaxInputs {
		return fmt.Errorf("%w: %d, expected at most %d", ErrInputs, len(f.Inputs), MaxInputs)
	}
	for i, b := range f.Inputs {
		if b < 0 || b >= inputs || i > 0 && b <= f.Inputs[i-1] {
			return fmt.Errorf("the inputs %v of a function are not in increasing order in 0..%d", f.Inputs, inputs-1)
		}
	}
	return nil
}

// cell is a cube as units see it: the inputs that are surely 1, and surely 0.
type cell struct{ one, zero uint64 }

func cells(cubes []Cube) []cell {
	out := make([]cell, len(cubes))
	for i, c := range cubes {
		out[i] = cell{c.Care & c.Value, c.Care &^ c.Value}
	}
	return out
}

// target is one output in one phase: the cells that units must cover and those
// that they must keep out.
type target struct {
	inputs     []int
	local      map[int]int
	cover, out []cell
	negated    bool // the disjunction of the units is the negation of the output
}

func newTarget(f *Function, negated bool) *target {
	t := &target{inputs: f.Inputs, local: make(map[int]int, len(f.Inputs)), cover: cells(f.On), out: cells(f.Off), negated: negated}
	if negated {
		t.cover, t.out = t.out, t.cover
	}
	for i, b := range f.Inputs {
		t.local[b] = i
	}
	return t
}

// literals is a set of literals over the inputs of a target: pos asks for ones,
// neg for zeros.
type literals struct{ pos, neg uint64 }

func (l literals) count() int { return bits.OnesCount64(l.pos) + bits.OnesCount64(l.neg) }

// sure is the number of literals that hold throughout c.
func (l literals) sure(c cell) int {
	return bits.OnesCount64(l.pos&c.one) + bits.OnesCount64(l.neg&c.zero)
}

// fail is the number of literals that fail throughout c.
func (l literals) fail(c cell) int {
	return bits.OnesCount64(l.pos&c.zero) + bits.OnesCount64(l.neg&c.one)
}

// threshold is the least that keeps all cells of out away.
func (l literals) threshold(out []cell) int {
	n := l.count()
	least := n + 1
	for _, c := range out {
		least = min(least, l.fail(c))
	}
	return max(0, n-least+1)
}

// unit is a hidden unit: at least threshold of its literals hold. A literal is
// twice an input of the network, plus 1 where it asks for a zero.
type unit struct {
	lits      []int // in increasing order
	threshold int
}

// unit returns the literals the numbers of the network.
func (t *target) unit(l literals, threshold int) unit {
	u := unit{threshold: threshold}
	for i, b := range t.inputs {
		switch {
		case l.pos>>i&1 == 1:
			u.lits = append(u.lits, 2*b)
		case l.neg>>i&1 == 1:
			u.lits = append(u.lits, 2*b+1)
		}
	}
	return u
}

// project returns the literals of u that are over the inputs of t, and how many others it
// has.
func (t *target) project(u *unit) (l literals, others int) {
	for _, x := range u.lits {
		i, ok := t.local[x/2]
		switch {
		case !ok:
			others++
		case x%2 == 0:
			l.pos |= 1 << i
		default:
			l.neg |= 1 << i
		}
	}
	return l, others
}

// covers returns the cells that u covers, as a bit set; ok is false where it lets a cell in
// that must stay out.
func (t *target) covers(u *unit) (set []uint64, ok bool) {
	l, others := t.project(u)
	n := l.count() + others
	for _, c := range t.out {
		if n-l.fail(c) >= u.threshold {
			return nil, false
		}
	}
	set = make([]uint64, (len(t.cover)+63)/64)
	for i, c := range t.cover {
		if l.sure(c) >= u.threshold {
			set[i/64] |= 1 << (i % 64)
		}
	}
	return set, true
}
