package lift

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Atom is a variable of the domain with its arguments: "?n" for the n-th object, counted
// from 1 (those of the output first, then those that are counted), or a value of an
// enumeration.
type Atom struct {
	Name string
	Args []string
}

func (a Atom) String() string {
	if len(a.Args) == 0 {
		return a.Name
	}
	return a.Name + "(" + strings.Join(a.Args, ",") + ")"
}

// parseAtom reads what String writes.
func parseAtom(text string) (Atom, error) {
	name, rest, found := strings.Cut(text, "(")
	if name == "" || strings.ContainsAny(name, ") ,") {
		return Atom{}, fmt.Errorf("%q is not an atom; expected NAME(ARGUMENT,…)", text)
	}
	if !found {
		return Atom{Name: name}, nil
	}
	inner, ok := strings.CutSuffix(rest, ")")
	if !ok || inner == "" || strings.ContainsAny(inner, "()") {
		return Atom{}, fmt.Errorf("%q is not an atom; expected NAME(ARGUMENT,…)", text)
	}
	return Atom{name, strings.Split(inner, ",")}, nil
}

// object returns the place of an argument among the objects, from 0; -1 for a value of an
// enumeration.
func object(arg string) int {
	digits, ok := strings.CutPrefix(arg, "?")
	if !ok {
		return -1
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > maxObjects {
		return -1
	}
	return n - 1
}

// maxObjects bounds the objects of a feature.
const maxObjects = 32

func objectName(i int) string { return "?" + strconv.Itoa(i+1) }

// Literal is a bit of a fluent, or its negation. Bits are numbered from the least
// significant, as in the names of bits; -1 is the value of a Boolean.
type Literal struct {
	Atom
	Bit int
	Neg bool
}

func (l Literal) String() string {
	s := l.Atom.String()
	if l.Bit >= 0 {
		s += "#" + strconv.Itoa(l.Bit)
	}
	if l.Neg {
		s = "~" + s
	}
	return s
}

// MarshalText writes the literal as String does.
func (l Literal) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (l *Literal) UnmarshalText(text []byte) (err error) {
	rest, neg := strings.CutPrefix(string(text), "~")
	name, bit, ok := strings.Cut(rest, "#")
	n := -1
	if ok {
		const most = 64
		if n, err = strconv.Atoi(bit); err != nil || n < 0 || n >= most {
			return fmt.Errorf("%q is not a bit; expected ATOM, ATOM#BIT, or one of these after ~", text)
		}
	}
	l.Bit, l.Neg = n, neg
	l.Atom, err = parseAtom(name)
	return err
}

// MarshalText writes the atom as String does.
func (a Atom) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (a *Atom) UnmarshalText(text []byte) (err error) {
	*a, err = parseAtom(string(text))
	return err
}

// Feature is a number that the objects of an output determine, in a state and with an
// action. One of these: with Number that of a fluent, or looked up by it; with Static the value of a non-fluent; without Fresh 1 where all
// Bits hold and 0 elsewhere; otherwise the number of choices of the fresh objects for
// which Where, Also and all Bits hold.
type Feature struct {
	Static *Atom    `json:"static,omitempty"`
	Fresh  []string `json:"fresh,omitempty"` // types of the objects that are counted
	Where  *Atom    `json:"where,omitempty"` // a Boolean non-fluent; nil for all objects other than the output's
	// Also are Boolean non-fluents of the fresh objects and the output's that must hold too, or must not: of a cell to the east, that it is free.
	Also []Literal `json:"also,omitempty"`
	Bits []Literal `json:"bits,omitempty"`
	// Number is a fluent of the output's objects whose value it is; with Static and Index instead the value of Static for
	// the one fresh object of which Index has the value of Number, 0 where there is none and a sum where there are several.
	Number *Atom `json:"number,omitempty"`
	Index  *Atom `json:"index,omitempty"`
	// Seen lists the values that the feature had, in increasing order.
	Seen []float64 `json:"seen"`

	rank int // preference; see package structure
}

// String returns the feature in words.
func (f *Feature) String() string {
	switch {
	case f.Index != nil:
		return fmt.Sprintf("(%s where %s == %s)", f.Static, f.Index, f.Number)
	case f.Number != nil:
		return f.Number.String()
	case f.Static != nil:
		return f.Static.String()
	case len(f.Fresh) == 0:
		return f.all()
	}
	var parts []string
	if f.Where != nil {
		parts = append(parts, f.Where.String())
	}
	if len(f.Also)+len(f.Bits) > 0 {
		parts = append(parts, f.all())
	}
	s := "number of " + f.Fresh[0] + "s"
	if len(f.Fresh) > 1 {
		s = "number of " + strings.Join(f.Fresh, ", ")
	}
	if len(parts) == 0 {
		return s + ", others"
	}
	return s + " with " + strings.Join(parts, " ^ ")
}

// all is the conjunction of what must hold beside the relation.
func (f *Feature) all() string {
	var parts []string
	for _, l := range slices.Concat(f.Also, f.Bits) {
		parts = append(parts, l.String())
	}
	return strings.Join(parts, " ^ ")
}

// constant reports whether the objects alone determine the feature.
func (f *Feature) constant() bool { return len(f.Bits) == 0 && f.Number == nil }

// Fixed reports whether the objects alone determine the feature, and all of them alike.
func (f *Feature) Fixed() bool { return f.constant() && len(f.Seen) == 1 }

// feature is a join as a count of objects; ok is false without any but the output's.
func (j *joiner) feature(c []condition) (f Feature, ok bool) {
	types := map[int]string{}
	for _, x := range c {
		p, fresh := &j.predicates[x.predicate], false
		l := Literal{Atom: Atom{Name: p.Name}, Bit: p.bit, Neg: x.neg}
		for k, a := range x.args {
			if a < 0 {
				l.Args = append(l.Args, p.params[k].names[-1-a])
				continue
			}
			if a >= len(j.own) {
				types[a], fresh = p.params[k].typ, true
			}
			l.Args = append(l.Args, objectName(a))
		}
		switch {
		case !p.Static:
			f.Bits = append(f.Bits, l)
		case f.Where == nil && fresh && !x.neg:
			f.Where = &l.Atom
		default:
			f.Also = append(f.Also, l)
		}
	}
	for v := len(j.own); v < len(j.own)+len(types); v++ {
		f.Fresh = append(f.Fresh, types[v])
	}
	f.rank = rankJoin
	return f, len(types) > 0 && len(f.Bits) > 0
}
