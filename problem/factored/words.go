package factored

import (
	"fmt"
	"slices"
	"strings"
)

// Words returns c as a rule in plain English, such as
//
//	load_kg must be below 200 kg
//	if open is chosen, then next floor must be 0
//	at most 2 of reboot(c1), reboot(c2), reboot(c3) can be chosen
//
// States are true or false, actions are chosen or not. "next" is the value at the following
// step. A quantity in bins in a sum of several is the number of its bin. The sentence has the truth of
// c for all values in the ranges of the variables. It is "" if c mentions an auxiliary variable
// without a meaning, unless c says what it was written as.
func (p *Problem) Words(c *Constraint) string {
	if p.obscure(c.Terms) {
		if c.Written == nil {
			return ""
		}
		return c.Written.String() + " " + verbs[must][1]
	}
	s := p.statement(c)
	s.constant()
	premises := s.premises()
	var ifs []string
	when := ""
	for i := range premises {
		a := &premises[i].atom
		if a.v.Clock > 0 && premises[i].holds && !a.next && when == "" {
			when = fmt.Sprintf("at step %d, ", a.v.Clock)
			continue
		}
		ifs = append(ifs, a.phrase(fact, premises[i].holds))
	}
	text, ok := s.choice()
	if !ok {
		text = s.compare()
	}
	if len(ifs) > 0 {
		text = "if " + strings.Join(ifs, " and ") + ", then " + text
	}
	return when + text
}

// premise is an atom that has to be true or false for a rule to say anything.
type premise struct {
	atom
	holds bool
}

// constant drops parts of one value.
func (s *statement) constant() {
	s.parts = slices.DeleteFunc(s.parts, func(x part) bool {
		least, most := x.bounds()
		if least == most {
			s.k -= least
		}
		return least == most
	})
}

// premises takes out parts of which one value satisfies the statement, whatever the others
// are. It leaves what a single sentence can say: one part, or Booleans that are counted.
func (s *statement) premises() []premise {
	var out []premise
	for len(s.parts) > 1 {
		i, holds := -1, false
		if !s.countable() || s.parts[0].v.Clock > 0 {
			i, holds = s.premise()
		}
		if i < 0 {
			return out
		}
		x := s.parts[i]
		if holds {
			s.k -= x.coef
		}
		if x.neg {
			x.neg, holds = false, !holds
		}
		out = append(out, premise{x.atom, holds})
		s.parts = slices.Delete(s.parts, i, i+1)
	}
	return out
}

// premise finds the next part to take out, and the value with which the statement does not
// hold by itself. Numbers of steps come first, then what is at the same step and has to be
// true; -1 if there is none.
func (s *statement) premise() (at int, holds bool) {
	at = -1
	best := 0
	for i := range s.parts {
		x := &s.parts[i]
		if x.counts() {
			continue
		}
		least, most := s.bounds(i)
		without, with := s.certain(least, most), s.certain(least+x.coef, most+x.coef)
		if without == with {
			continue
		}
		rank := 1
		if !x.next {
			rank += 4
		}
		if without != x.neg { // it has to be true
			rank += 2
		}
		if x.v.Clock > 0 {
			rank += 8
		}
		if rank > best {
			at, holds, best = i, without, rank
		}
	}
	return at, holds
}

// countable reports whether s counts Booleans of one kind, which are all negated or all not.
func (s *statement) countable() bool {
	for i := range s.parts {
		x, first := &s.parts[i], &s.parts[0]
		if !x.v.Bool || x.coef != first.coef || x.neg != first.neg || x.v.Kind != first.v.Kind || x.v.Meaning != "" || x.v.Clock > 0 {
			return false
		}
	}
	return true
}

// choice writes a statement on one part, or on the number of Booleans that are true; false
// for any other.
func (s *statement) choice() (string, bool) {
	least, most := s.bounds(-1)
	if s.certain(least, most) {
		return always, true
	}
	if s.never(least, most) {
		return impossible, true
	}
	if len(s.parts) != 1 {
		if !s.countable() {
			return "", false
		}
		return s.count()
	}
	x := &s.parts[0]
	if !x.counts() {
		holds := s.certain(x.coef, x.coef)
		if !holds && !s.certain(0, 0) {
			return impossible, true
		}
		if x.neg {
			x.neg, holds = false, !holds
		}
		return x.phrase(must, holds), true
	}
	if x.v.Hi-x.v.Lo >= maxDescribed {
		return "", false
	}
	allowed := make([]bool, x.v.Hi-x.v.Lo+1)
	for i := range allowed {
		sum := x.coef * (x.v.Lo + int64(i))
		allowed[i] = s.certain(sum, sum)
	}
	if !slices.Contains(allowed, true) {
		return impossible, true
	}
	return x.v.describeWords(x.spoken(), allowed, must), true
}

// count writes how many of several Booleans must be true.
func (s *statement) count() (string, bool) {
	f, n := s.parts[0].coef, int64(len(s.parts))
	op, k := s.op, s.k
	if f < 0 {
		f, op, k = -f, mirrored[op], -k
	}
	switch {
	case op == GE:
		k = -floorDiv(-k, f)
	case op == EQ && k%f != 0:
		return impossible, true
	default:
		k = floorDiv(k, f)
	}
	if s.parts[0].neg {
		op, k = mirrored[op], n-k
	}
	yes, no := "be true", "be false"
	if s.parts[0].v.Kind == Action {
		yes, no = "be chosen", "not be chosen"
	}
	all, some := s.names(" and "), s.names(", ")
	switch {
	case k == 0: // and not at least 0, which is certain
		return all + " must " + no, true
	case k == n:
		return all + " must " + yes, true
	case op == GE:
		return "at least " + numeral(k) + " of " + some + " must " + yes, true
	case op == EQ:
		return "exactly " + numeral(k) + " of " + some + " must " + yes, true
	case k == 1 && n == 2:
		return all + " cannot both " + yes, true
	}
	return "at most " + numeral(k) + " of " + some + " can " + yes, true
}

// mirrored is the relation after a change of sign.
var mirrored = [...]Op{LE: GE, GE: LE, EQ: EQ}

// impossible and always are the sentences of rules that nothing and everything satisfies.
const (
	impossible = "this cannot be"
	always     = "anything can be"
)

func numeral(n int64) string {
	if n == 1 {
		return "one"
	}
	return fmt.Sprint(n)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}

// compare writes a sum of several parts, those with negative coefficients on the right side.
func (s *statement) compare() string {
	s.toUnits()
	left, right, k, op := statement{p: s.p}, statement{p: s.p}, s.k, s.op
	for _, x := range s.parts {
		if x.coef > 0 {
			left.parts = append(left.parts, x)
			continue
		}
		x.coef = -x.coef
		right.parts = append(right.parts, x)
	}
	if len(left.parts) == 0 {
		left, right, k, op = right, left, -k, mirrored[op]
	}
	text := left.addends() + [...]string{LE: " must be at most ", GE: " must be at least ", EQ: " must equal "}[op]
	switch {
	case len(right.parts) == 0:
		return text + s.ratio(k)
	case k > 0:
		return text + right.addends() + " + " + s.ratio(k)
	case k < 0:
		return text + right.addends() + " - " + s.ratio(-k)
	}
	return text + right.addends()
}

// addends writes a sum with positive coefficients.
func (s *statement) addends() string {
	var list []string
	for i := range s.parts {
		x := &s.parts[i]
		text := x.spoken()
		switch {
		case !x.counts() && (!x.v.Bool || x.v.Meaning != "" || x.v.Clock > 0 || x.neg):
			text = "(" + x.phrase(fact, !x.neg) + ")"
		case x.v.Quantity():
			text = "(bin of " + text + ")"
		case x.counts() && !x.inUnits:
			text = x.v.Steps(text)
		}
		if x.coef != 1 {
			text = fmt.Sprintf("%d*%s", x.coef, text)
		}
		list = append(list, text)
	}
	return strings.Join(list, " + ")
}
