package lift

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/learn/coverage"
)

// Model has a function for each learned fluent of a domain.
type Model struct {
	Classes []Class
	Met     *Met // nil if that is not recorded
}

// Class is the function of a fluent's next value, for all objects of its types.
type Class struct {
	Output Atom     `json:"output"` // its objects are ?1, ?2, …
	Types  []string `json:"types"`  // of these
	// Lo and Hi are the range of the fluent; 0 and 1 of a Boolean.
	Lo int64 `json:"lo"`
	Hi int64 `json:"hi"`
	// Ranges has the range of each integer fluent whose bits are read.
	Ranges map[string][2]int64 `json:"ranges,omitempty"`
	// Features are those that Bits read, then those that objects alone determine and that
	// were the same for all of them, and then others that Tests compare.
	Features []Feature `json:"features"`
	// Same lists features that always were equal to one of Features, by its place.
	Same []Same  `json:"same,omitempty"`
	Bits []*Node `json:"bits"` // the next value, most significant first
	// Support has the lines of a coverage.Support, whose inputs are Tests: which joint values
	// the rows of all objects together settle. It is empty if that is not recorded.
	Tests   []Test   `json:"tests,omitempty"`
	Support []string `json:"support,omitempty"`

	// Formula tells what follows values of constants that no row has; nil for none.
	Formula *Formula `json:"formula,omitempty"`
	Lookups []Lookup `json:"lookups,omitempty"`

	settled *coverage.Support // that of Support
}

// Same is a feature that was always equal to another.
type Same struct {
	As      int     `json:"as"` // the place of the other
	Feature Feature `json:"feature"`
}

// Node is a decision tree over features: a leaf where No is nil.
type Node struct {
	Feature int     `json:"feature,omitempty"`
	AtLeast float64 `json:"at_least,omitempty"` // what the feature is compared with
	Odd     bool    `json:"odd,omitempty"`      // instead: the count is odd
	No      *Node   `json:"no,omitempty"`
	Yes     *Node   `json:"yes,omitempty"`
	Value   bool    `json:"value,omitempty"` // of a leaf
}

// ErrModel is wrapped where the text of a lifted model is malformed.
var ErrModel = errors.New("no lifted function")

// ReadClass reads what json.Marshal writes of a Class, and checks it.
func ReadClass(text string) (*Class, error) {
	c := new(Class)
	if err := decode(text, c); err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	return c, nil
}

// decode reads one JSON object with no other fields than those of to.
func decode(text string, to any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return fmt.Errorf("%w: %v", ErrModel, err)
	}
	if d.More() {
		return fmt.Errorf("%w: expected one object and nothing after it", ErrModel)
	}
	return nil
}

// check reports a class whose parts do not fit together, as far as that is seen without an
// instance.
func (c *Class) check() error {
	if c.Output.Name == "" || len(c.Types) > maxObjects || len(c.Bits) == 0 || c.Lo > c.Hi {
		return errors.New("expected an output with its types, range and bits")
	}
	if err := checkObjects(c.Output, len(c.Types)); err != nil {
		return err
	}
	for i := range c.Features {
		if err := c.Features[i].check(len(c.Types)); err != nil {
			return err
		}
	}
	for i := range c.Same {
		s := &c.Same[i]
		if s.As < 0 || s.As >= len(c.Features) {
			return fmt.Errorf("there is no feature %d", s.As)
		}
		if err := s.Feature.check(len(c.Types)); err != nil {
			return err
		}
	}
	for _, n := range c.Bits {
		if n == nil {
			return errors.New("a bit has no tree")
		}
		if err := n.check(len(c.Features)); err != nil {
			return err
		}
	}
	for i := range c.Lookups {
		if f := &c.Lookups[i].Feature; f.Index == nil || f.check(len(c.Types)) != nil {
			return errors.New("what a fluent looks up is no feature with an index")
		}
	}
	if c.Formula != nil {
		if err := c.Formula.check(len(c.Types)); err != nil {
			return err
		}
	}
	return c.readSupport()
}

// readSupport reads what the rows settle.
func (c *Class) readSupport() (err error) {
	for _, t := range c.Tests {
		if t.Feature < 0 || t.Feature >= len(c.Features) {
			return fmt.Errorf("there is no feature %d to test", t.Feature)
		}
	}
	if len(c.Support) > 0 {
		if c.settled, _, err = coverage.ParseSupport(c.Support, len(c.Tests), len(c.Bits)); err != nil {
			return fmt.Errorf("what the rows settle: %w", err)
		}
	}
	return nil
}

func (f *Feature) check(own int) error {
	objects := own + len(f.Fresh)
	if objects > maxObjects || !slices.IsSorted(f.Seen) {
		return fmt.Errorf("the feature %s has too many objects, or its values are not in order", f)
	}
	switch {
	case f.Number != nil && f.Index == nil && (f.Static != nil || len(f.Fresh) > 0), f.Number != nil && (f.Where != nil || len(f.Bits) > 0),
		f.Index != nil && (f.Number == nil || f.Static == nil || len(f.Fresh) != 1):
		return errors.New("a number is neither that of a fluent nor looked up by one")
	case f.Number != nil:
	case f.Static != nil && (len(f.Fresh) > 0 || f.Where != nil || len(f.Bits) > 0),
		len(f.Also) > 0 && len(f.Fresh) == 0,
		f.Static == nil && len(f.Fresh) == 0 && (f.Where != nil || len(f.Bits) == 0),
		len(f.Fresh) > 0 && f.Where == nil && len(f.Bits) == 0:
		return errors.New("a feature is neither the value of a non-fluent, nor bits, nor a count")
	}
	for _, a := range []*Atom{f.Static, f.Where, f.Number, f.Index} {
		if a != nil {
			if err := checkObjects(*a, objects); err != nil {
				return err
			}
		}
	}
	for _, l := range slices.Concat(f.Also, f.Bits) {
		if err := checkObjects(l.Atom, objects); err != nil {
			return err
		}
	}
	return nil
}

// checkObjects reports an atom over objects that there are not.
func checkObjects(a Atom, objects int) error {
	for _, arg := range a.Args {
		if o := object(arg); o >= objects || o < 0 && strings.HasPrefix(arg, "?") {
			return fmt.Errorf("%s has an argument without an object", a)
		}
	}
	return nil
}

func (n *Node) check(features int) error {
	switch {
	case n.No == nil && n.Yes == nil:
		return nil
	case n.No == nil || n.Yes == nil || n.Feature < 0 || n.Feature >= features:
		return errors.New("a node of a tree lacks a branch, or asks for a feature that there is not")
	}
	if err := n.No.check(features); err != nil {
		return err
	}
	return n.Yes.check(features)
}

// reads marks the features that the tree asks for.
func (n *Node) reads(used []bool) {
	if n.No != nil {
		used[n.Feature] = true
		n.No.reads(used)
		n.Yes.reads(used)
	}
}

// Reads reports, for each of so many features, whether the tree asks for it.
func (n *Node) Reads(features int) []bool {
	used := make([]bool, features)
	n.reads(used)
	return used
}

// fits reports where a class does not fit an instance, with features and others that were equal to them: its types, and the
// ranges of what it reads and writes.
func (c *Class) fits(w *World, features []Feature, same []Same) error {
	d := w.decls[c.Output.Name]
	if d == nil || d.Static || !d.learned || d.lo != c.Lo || d.hi != c.Hi || d.width != len(c.Bits) {
		return fmt.Errorf("it has no learned fluent %s with values %d..%d", c.Output.Name, c.Lo, c.Hi)
	}
	if err := w.typedAs(c.Output, c.Types); err != nil {
		return err
	}
	for i := range features {
		if err := c.fitsFeature(w, &features[i]); err != nil {
			return err
		}
	}
	for i := range c.Lookups {
		if err := c.fitsFeature(w, &c.Lookups[i].Feature); err != nil {
			return err
		}
	}
	for i := range same {
		if err := c.fitsFeature(w, &same[i].Feature); err != nil {
			return err
		}
	}
	return nil
}

// fitsFeature reports where a feature does not fit an instance.
func (c *Class) fitsFeature(w *World, f *Feature) error {
	types := slices.Concat(c.Types, f.Fresh)
	for _, a := range []*Atom{f.Static, f.Where, f.Number, f.Index} {
		if a != nil {
			if err := w.typedAs(*a, types); err != nil {
				return err
			}
		}
	}
	for _, l := range slices.Concat(f.Also, f.Bits) {
		if err := w.typedAs(l.Atom, types); err != nil {
			return err
		}
		d := w.decls[l.Name]
		if r, ok := c.Ranges[l.Name]; ok && (r[0] != d.lo || r[1] != d.hi) {
			err := fmt.Errorf("%s has values %d..%d; expected %d..%d", l.Name, d.lo, d.hi, r[0], r[1])
			if d.hi > r[1] {
				err = fmt.Errorf("%w: no row shows what follows %s = %d; one of that problem would", err, l.Name, r[1]+1)
			}
			return err
		}
	}
	return nil
}

// typedAs reports an atom that the instance does not have, or whose objects are of other
// types.
func (w *World) typedAs(a Atom, types []string) error {
	d := w.decls[a.Name]
	if d == nil || len(d.params) != len(a.Args) {
		return fmt.Errorf("it has no %s with %d arguments", a.Name, len(a.Args))
	}
	for k, arg := range a.Args {
		o := object(arg)
		switch {
		case o >= 0 && (o >= len(types) || types[o] != d.Params[k]):
			return fmt.Errorf("%s has objects of other types", a)
		case o < 0:
			if _, ok := d.params[k].place[arg]; !ok {
				return fmt.Errorf("%s is not a value of %s", arg, d.Params[k])
			}
		}
	}
	for _, t := range types {
		if _, err := w.typed(t); err != nil {
			return err
		}
	}
	return nil
}
