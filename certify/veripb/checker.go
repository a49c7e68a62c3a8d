package veripb

import (
	"errors"
	"io"
	"math/big"
)

// Kind is what a proof establishes.
type Kind uint8

// The possible results of a proof.
const (
	None        Kind = iota // nothing
	Satisfiable             // a solution exists; the problem has no objective, or the proof establishes nothing more
	Unsat                   // no solution exists
	Optimal                 // Lower = Upper is the least objective value
	Bounds                  // the least objective value is between Lower and Upper, if there is any solution
)

func (k Kind) String() string {
	return [...]string{"none", "satisfiable", "unsatisfiable", "optimal", "bounds"}[k]
}

// Verdict is what an accepted proof establishes. Bounds are values of the objective as the
// file writes it; nil means no bound.
type Verdict struct {
	Kind  Kind
	Lower *big.Int // every solution has at least this value
	Upper *big.Int // some solution has at most this value
}

func (v Verdict) String() string {
	bound := func(b *big.Int) string {
		if b == nil {
			return "INF"
		}
		return b.String()
	}
	switch v.Kind {
	case Optimal:
		return v.Kind.String() + " " + bound(v.Lower)
	case Bounds:
		return v.Kind.String() + " " + bound(v.Lower) + " " + bound(v.Upper)
	}
	return v.Kind.String()
}

// Check reads a problem in OPB and a proof about it, both to their ends, and returns what the
// proof establishes. The error is a *source.Error whose File is "formula" or "proof"; it
// contains the line that could not be read or was refused.
func Check(opb, proof io.Reader) (Verdict, error) {
	p, err := readOPB(opb)
	if err != nil {
		return Verdict{}, err
	}
	return check(func(version) *problem { return p }, proof)
}

// check reads a proof about a problem, which may depend on the version of the proof.
func check(about func(version) *problem, proof io.Reader) (Verdict, error) {
	c := &checker{}
	read := newLines("proof", proof)
	w, err := read.next()
	if errors.Is(err, io.EOF) {
		w, err = words{file: "proof", line: 1}, nil
	}
	if err != nil {
		return Verdict{}, err
	}
	if err := c.header(&w, about); err != nil {
		return Verdict{}, err
	}
	next := read.next
	if c.version == version30 {
		next = read.statement
	}
	for !c.ended {
		w, err := next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return Verdict{}, err
		}
		if err := c.step(&w); err != nil {
			return Verdict{}, err
		}
	}
	end := words{file: "proof", line: read.line + 1}
	if c.version != version12 {
		if !c.ended {
			return Verdict{}, end.errorf("the proof ends, expected \"end pseudo-Boolean proof\"")
		}
		return c.verdict, nil
	}
	return c.established(), nil
}

type version uint8

const (
	version12 version = 1 << iota
	version20
	version30
)

// checker is the state between two rules.
type checker struct {
	*problem
	propagator
	version version

	loaded     bool          // the problem's constraints were made before
	byID       []*constraint // number i at i-1; nil once deleted
	level      int           // present level, -1 before the first
	levels     map[int][]int // numbers of the constraints made at each level
	strength   bool          // a red rule was used
	terms      dense         // empty between uses
	stack      stack
	assignment []lit

	solved       bool // the proof showed a solution
	best         num  // its objective value
	contradicted bool // a contradiction was derived (version 1.2)

	output  bool // output line seen
	verdict Verdict
	stated  bool // conclusion seen
	ended   bool
}

func (c *checker) header(w *words, about func(version) *problem) error {
	for _, want := range []string{"pseudo-Boolean", "proof", "version"} {
		if err := w.expect(want); err != nil {
			return err
		}
	}
	switch got := w.next(); string(got) {
	case "1.0", "1.1", "1.2":
		c.version = version12
	case "2.0":
		c.version = version20
	case "3.0":
		c.version = version30
	default:
		return w.errorf("%s, expected version 1.2, 2.0 or 3.0", found(got))
	}
	c.problem = about(c.version)
	c.level = -1
	c.grow(len(c.names.all))
	if c.version != version12 {
		c.load()
	}
	return w.finish()
}

// load makes the problem's constraints. The first to be made of each shares its terms, whose
// order means nothing to those who read the problem afterwards.
func (c *checker) load() {
	for _, k := range c.constraints {
		if c.loaded {
			k = k.copy()
		} else {
			k = &constraint{lits: k.lits, coefs: k.coefs, degree: k.degree}
		}
		c.insert(k)
	}
	c.loaded = true
}

// copy returns a new constraint with the same terms.
func (c *constraint) copy() *constraint {
	return &constraint{lits: append([]lit(nil), c.lits...), coefs: append([]num(nil), c.coefs...), degree: c.degree}
}

// insert numbers a verified constraint and adds it.
func (c *checker) insert(k *constraint) {
	c.propagator.grow(len(c.names.all))
	c.byID = append(c.byID, k)
	if c.level >= 0 {
		c.levels[c.level] = append(c.levels[c.level], len(c.byID))
	}
	c.add(k)
}

// drop deletes the constraint with an existing number.
func (c *checker) drop(id int) {
	c.remove(c.byID[id-1])
	c.byID[id-1] = nil
}

// resolve turns a number as written, which counts back from the last if negative, into the
// number of a present or deleted constraint.
func (c *checker) resolve(w *words, n num) (int, error) {
	id := n.small
	if id < 0 {
		id += int64(len(c.byID)) + 1
	}
	if n.big != nil || id < 1 || id > int64(len(c.byID)) {
		return 0, w.errorf("there is no constraint %v, the last is %d", n, len(c.byID))
	}
	return int(id), nil
}

// get returns the constraint with a number as written.
func (c *checker) get(w *words, n num) (*constraint, error) {
	id, err := c.resolve(w, n)
	if err != nil {
		return nil, err
	}
	k := c.byID[id-1]
	if k == nil {
		return nil, w.errorf("constraint %d was deleted", id)
	}
	return k, nil
}

// reference parses the number of a constraint.
func (c *checker) reference(w *words) (*constraint, error) {
	n, err := w.number("the number of a constraint")
	if err != nil {
		return nil, err
	}
	return c.get(w, n)
}

// argument reports whether a rule has something after its constraint. In version 3.0 that is
// after a colon.
func (c *checker) argument(w *words) bool {
	if c.version != version30 {
		return w.peek() != nil
	}
	if string(w.peek()) != ":" {
		return false
	}
	w.next()
	return true
}

// inequality parses a constraint with >= up to and with its semicolon; in version 3.0, where
// constraints have none, up to the semicolon or colon.
func (c *checker) inequality(w *words) (*constraint, error) {
	s := statement{problem: c.problem, terms: &c.terms}
	s.begin()
	defer c.terms.reset()
	for {
		done := c.version == version30 && w.ends()
		var word []byte
		if !done {
			word = w.next()
		}
		if word == nil && !done {
			return nil, w.errorf("the line ends, expected \";\" after the constraint")
		}
		if string(word) == "=" {
			return nil, w.errorf("found \"=\", expected \">=\"")
		}
		if done || string(word) == ";" {
			if s.hasCoef || !s.hasRHS {
				return nil, w.errorf("the constraint ends early, expected terms, \">=\" and an integer")
			}
			break
		}
		if _, err := s.take(w, word); err != nil {
			return nil, err
		}
	}
	c.terms.degree = c.terms.degree.add(s.rhs)
	c.propagator.grow(len(c.names.all))
	return c.terms.constraint(), nil
}
