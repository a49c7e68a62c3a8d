package factored

import (
	"fmt"
	"slices"
	"strings"
)

// mood tells a fact from a requirement.
type mood bool

const (
	fact mood = false
	must mood = true
)

// verbs say of a condition that it does not hold, or that it holds.
var verbs = map[mood][2]string{fact: {"does not hold", "holds"}, must: {"must not hold", "must hold"}}

// is returns the verb of a sentence, negated if not.
func (m mood) is(not bool) string {
	switch {
	case m == must && not:
		return "must not be "
	case m == must:
		return "must be "
	case not:
		return "is not "
	}
	return "is "
}

// manyNames is the number of names from which they are replaced by what they have in common.
const manyNames = 5

// names lists the variables of the parts. Many that are all actions, or all variables with one
// name before the bracket, are written as that.
func (s *statement) names(last string) string {
	var list []string
	seen := map[*Variable]bool{}
	first := &s.parts[0]
	base := baseName(first.v.Name)
	same, next := true, ""
	if first.next {
		next = "next "
	}
	for i := range s.parts {
		x := &s.parts[i]
		seen[x.v] = true
		same = same && x.next == first.next && baseName(x.v.Name) == base
		list = append(list, x.spoken())
	}
	if n := len(seen); n >= manyNames && n == len(list) {
		named, kind := 0, 0
		for i := range s.p.Variables {
			v := &s.p.Variables[i]
			if v.Kind == first.v.Kind && v.Clock == 0 {
				kind++
				if baseName(v.Name) == base {
					named++
				}
			}
		}
		switch {
		case first.v.Kind == Action && n == kind:
			return fmt.Sprintf("the %d actions", n)
		case same && n == named && base != first.v.Name:
			return fmt.Sprintf("the %d %s%s(…)", n, next, base)
		}
	}
	if last == ", " || len(list) < 2 {
		return strings.Join(list, ", ")
	}
	return strings.Join(list[:len(list)-1], ", ") + last + list[len(list)-1]
}

// baseName returns the name of a fluent without its objects.
func baseName(name string) string {
	base, _, _ := strings.Cut(name, "(")
	return base
}

// spoken returns the variable of a as sentences name it.
func (a *atom) spoken() string {
	if a.next {
		return "next " + a.v.Name
	}
	return a.v.Name
}

// phrase writes that a holds, or that it does not.
func (a *atom) phrase(m mood, holds bool) string {
	switch {
	case a.v.Clock > 0 && a.next:
		return fmt.Sprintf("the next step %s%d", m.is(!holds), a.v.Clock)
	case a.v.Clock > 0:
		return fmt.Sprintf("it %sstep %d", m.is(!holds), a.v.Clock)
	case a.v.Meaning != "":
		return a.v.Meaning + " " + verbs[m][truth(holds)]
	case a.v.Bool && a.v.Kind == Action:
		return a.spoken() + " " + m.is(!holds) + "chosen"
	case a.v.Bool:
		return a.spoken() + " " + m.is(false) + fmt.Sprint(holds)
	case a.digit == a.v.Width && a.v.Lo < 0:
		return a.spoken() + " " + m.is(false) + [...]string{"at least 0", "below 0"}[truth(holds)]
	case a.digit > 0:
		return fmt.Sprintf("%s mod %d %s%s %d", a.v.Steps(a.spoken()), int64(1)<<a.digit, m.is(false), [...]string{"below", "at least"}[truth(holds)], int64(1)<<(a.digit-1))
	}
	return a.v.describeWords(a.spoken(), a.where(holds), m)
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// describeWords writes which values of v are allowed; some are.
func (v *Variable) describeWords(name string, allowed []bool, m mood) string {
	runs := v.runs(allowed)
	n := int64(0)
	for _, r := range runs {
		n += r.hi - r.lo + 1
	}
	is, lo, hi := name+" "+m.is(false), runs[0].lo, runs[0].hi
	switch {
	case n == v.Hi-v.Lo+1:
		return is + "any of its values"
	case n == v.Hi-v.Lo && n > 1 && !v.Quantity() && len(runs) > 1 || n == v.Hi-v.Lo && n > 1 && v.Enumeration():
		return name + " " + m.is(true) + fmt.Sprint(v.Show(v.Lo+int64(slices.Index(allowed, false)))) + v.unit()
	case v.Enumeration():
		return is + alternatives(v.listed(allowed))
	case len(runs) > 1:
		if w, rest, ok := v.periodic(allowed); ok && len(runs) > maxRuns {
			return w.describeWords(fmt.Sprintf("%s mod %d", name, w.Hi+1), rest, m)
		}
		in := ""
		if v.Quantity() {
			in = "in "
		}
		return is + in + alternatives(v.showRuns(runs, " to "))
	case v.Quantity():
		return is + v.binWords(lo, hi)
	case lo == hi:
		return is + v.text(lo) + v.unit()
	case lo == v.Lo:
		return is + "at most " + v.text(hi) + v.unit()
	case hi == v.Hi:
		return is + "at least " + v.text(lo) + v.unit()
	}
	return is + v.text(lo) + " to " + v.text(hi) + v.unit()
}

// binWords writes the quantities in the bins lo..hi, which are not all of them.
func (v *Variable) binWords(lo, hi int64) string {
	from, to := v.View.Edges[lo-v.Lo], v.View.Edges[hi-v.Lo+1]
	switch {
	case lo == v.Lo:
		return "below " + number(to) + v.unit()
	case hi == v.Hi:
		return "at least " + number(from) + v.unit()
	}
	return "in " + v.interval(from, to, "–")
}

// alternatives joins values by commas and "or".
func alternatives(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}
