package command

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/explain"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/app/policy"
	"github.com/fdplan/fdplan/internal/app/support"
	"github.com/fdplan/fdplan/internal/counted"
	outcome "github.com/fdplan/fdplan/internal/engine/explain"
)

// writeExplanation writes the answer as text, with constraints if they are asked for.
func writeExplanation(b io.Writer, d *explain.Explanation, constraints bool) {
	fmt.Fprintf(b, "%s: %s", d.Problem, d.Status)
	if d.Reward != nil {
		fmt.Fprintf(b, ", reward %v", *d.Reward)
	}
	fmt.Fprintf(b, ", horizon %d\n", d.Horizon)
	writeSentence(b, d.Altered.Note())
	switch {
	case d.Failure != nil:
		fmt.Fprintf(b, "The plan %s.\n", broken(d.Failure, constraints))
	case d.Conflict != nil:
		writeConflict(b, d.Conflict, constraints)
	case d.Best != nil && *d.Best != *d.Reward:
		fmt.Fprintf(b, "It is not optimal: the best reward is %v.\n", *d.Best)
	case d.Best == nil && d.Reward != nil:
		fmt.Fprintf(b, "Whether it is optimal is not known.\n")
	}
	for i := range d.Steps {
		s := &d.Steps[i]
		fmt.Fprintf(b, "%4d  %s\n", s.Step, actions(s.Action))
		if e := s.Evidence; e != nil && (e.Kind != support.Seen || e.Rows != nil) {
			fmt.Fprintf(b, "        evidence: %v\n", e)
		}
		if k := s.Break; k != nil {
			fmt.Fprintf(b, "        breaks: %s\n", broke(k, d.Chance))
		}
		for j := range s.Alternatives {
			alt := &s.Alternatives[j]
			what := "instead " + actions(alt.Action)
			if alt.Without != "" {
				what = "without " + actions(slices.DeleteFunc(slices.Clone(s.Action), func(e app.Entry) bool { return e.Name != alt.Without }))
			}
			fmt.Fprintf(b, "        %s: %s\n", what, consequence(&alt.OutcomeLine, constraints))
		}
		if s.Omitted {
			fmt.Fprintf(b, "        and others that give more reward in this step were not tried\n")
		}
		what := "any other action"
		if s.Others.Action != nil {
			what = "the best other action, " + actions(s.Others.Action)
		}
		fmt.Fprintf(b, "        %s: %s\n", what, consequence(&s.Others.OutcomeLine, constraints))
	}
	if d.Chance != nil {
		writeSentence(b, d.Chance.Says)
	}
	writeSentence(b, load.Assumptions(d.Assumed))
	app.WriteStopped(b, d.Stopped)
	if d.Certificate != "" {
		fmt.Fprintf(b, "The checker accepted the proofs in %s.\n", d.Certificate)
	}
}

// broke says which outcome breaks a step of a plan.
func broke(k *policy.Break, c *plan.Chance) string {
	text := fmt.Sprintf("with probability %s ", plan.Percent(k.Probability))
	if k.State == nil {
		text += "a value leaves its range"
	} else {
		text += fmt.Sprintf("%s, not %s", k.State.All(), k.Planned.All())
	}
	if c != nil && c.Success == nil {
		return text + fmt.Sprintf("; the rest then has expected reward %.6g, not %.6g", k.Value, k.Otherwise)
	}
	return text + fmt.Sprintf("; the rest then succeeds with %s, not %s", plan.Percent(k.Value), plan.Percent(k.Otherwise))
}

// writeConflict lists a minimal unsatisfiable subset.
func writeConflict(w io.Writer, c *explain.ConflictLine, constraints bool) {
	switch {
	case len(c.Constraints) == 0:
		fmt.Fprintf(w, "How states follow from actions allows no run of this length, whatever the rules.\n")
		return
	case c.Transition:
		fmt.Fprintf(w, "With how states follow from actions, these cannot hold together:\n")
	default:
		fmt.Fprintf(w, "These cannot hold together, however states follow from actions:\n")
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, m := range c.Constraints {
		fmt.Fprintf(t, "  %s\t%s\t# %s\n", stepList(m.Steps), brief(m.Words), originOf(&m))
		if constraints {
			fmt.Fprintf(t, "\t  %s\t\n", m.Constraint)
		}
	}
	t.Flush()
	switch {
	case c.Minimal && len(c.Constraints) == 1 && len(c.Constraints[0].Steps) == 1:
		fmt.Fprintf(w, "Without it there is no such conflict.\n")
	case c.Minimal:
		fmt.Fprintf(w, "Without any one of them, or any one of its steps, the others can.\n")
	default:
		fmt.Fprintf(w, "Not all of them may be needed.\n")
	}
}

// stepList writes steps as "step 3", or with ranges as "steps 1..3, 5".
func stepList(steps []int) string {
	if len(steps) == 1 {
		return fmt.Sprintf("step %d", steps[0])
	}
	var parts []string
	for i := 0; i < len(steps); {
		j := i
		for j+1 < len(steps) && steps[j+1] == steps[j]+1 {
			j++
		}
		switch {
		case j > i+1:
			parts = append(parts, fmt.Sprintf("%d..%d", steps[i], steps[j]))
			i = j + 1
		default:
			parts = append(parts, fmt.Sprint(steps[i]))
			i++
		}
	}
	return "steps " + strings.Join(parts, ", ")
}

// originOf returns where a rule comes from, with what the user wrote where the words do not
// repeat it.
func originOf(m *explain.MemberLine) string {
	switch {
	case m.Group == "initial" && (m.Origin == "init-state" || strings.HasPrefix(m.Origin, "initial value of ")):
		return "initial state"
	case m.Group == "initial":
		return "initial state, " + m.Origin
	}
	return placed(m.Origin, m.Rule, m.Words)
}

// placed returns the origin of a rule, followed by its text unless the words begin with it.
func placed(origin, rule, words string) string {
	text, _, _ := strings.Cut(rule, " [?")
	switch {
	case text == "" || strings.HasPrefix(words, text):
		return origin
	case strings.HasPrefix(rule, origin):
		return brief(rule)
	}
	return origin + ": " + brief(rule)
}

// against names the rules that cannot be kept, those of the same steps together.
func against(members []explain.MemberLine, constraints bool) string {
	members = slices.Clone(members)
	slices.SortStableFunc(members, func(a, b explain.MemberLine) int { return slices.Compare(a.Steps, b.Steps) })
	var steps []string
	rules := map[string][]string{}
	for _, m := range members {
		at, text := stepList(m.Steps), m.Words
		if constraints {
			text = m.Constraint
		}
		if rules[at] == nil {
			steps = append(steps, at)
		}
		rules[at] = append(rules[at], text)
	}
	var parts []string
	for i, at := range steps {
		if i == maxReasons {
			parts = append(parts, "…")
			break
		}
		list := rules[at]
		if !constraints {
			list = together(list)
		}
		more := ""
		if n := len(list) - maxReasons; n > 0 {
			list, more = list[:maxReasons], fmt.Sprintf(" and %s more", counted.Of(n, "rule"))
		}
		and := " and "
		for j := range list {
			if list[j] = brief(list[j]); strings.HasPrefix(list[j], "if ") {
				and = ", and "
			}
		}
		parts = append(parts, "at "+at+", "+strings.Join(list, and)+more)
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, "; ")
}

// together joins sentences about single variables that require the same of them.
func together(list []string) []string {
	const most = 4 // variables in one sentence
	var out, verbs []string
	subjects := map[string][]string{}
	for _, text := range list {
		subject, verb, ok := strings.Cut(text, " ")
		if !ok || !strings.HasPrefix(verb, "must ") && !strings.HasPrefix(verb, "is ") {
			out = append(out, text)
			continue
		}
		if subjects[verb] == nil {
			verbs = append(verbs, verb)
		}
		subjects[verb] = append(subjects[verb], subject)
	}
	var joined []string
	for _, verb := range verbs {
		names, of := subjects[verb], verb
		if rest, is := strings.CutPrefix(verb, "is "); is && len(names) > 1 {
			of = "are " + rest
		}
		text := strings.Join(names, " and ")
		if n := len(names); n > most {
			text = fmt.Sprintf("%s and %d others", strings.Join(names[:most-1], ", "), n-most+1)
		} else if n > 2 {
			text = strings.Join(names[:n-1], ", ") + " and " + names[n-1]
		}
		joined = append(joined, text+" "+of)
	}
	return append(joined, out...)
}

// brief shortens a sentence to what fits a line.
func brief(text string) string {
	const most, tail = 100, 30
	r := []rune(text)
	if len(r) <= most {
		return text
	}
	return string(r[:most-tail-3]) + " … " + string(r[len(r)-tail:])
}

// maxReasons bounds the reward terms that a line of text lists.
const maxReasons = 3

// broken describes a rule that a plan breaks.
func broken(f *app.Fault, constraints bool) string {
	if f.Group == "network" {
		return "is not what the model predicts: " + f.Text
	}
	breaks := map[string]string{"initial": "does not begin in the initial state", "transition": "does what the system cannot do", "goal": "misses the goal"}[f.Group]
	if breaks == "" {
		breaks = "breaks a rule"
	}
	text := fmt.Sprintf("%s at step %d: %s", breaks, f.Step, brief(f.Words))
	for i, x := range f.Values {
		sep := ", "
		if i == 0 {
			sep = ", but "
		}
		text += fmt.Sprintf("%s%s=%v", sep, x.Name, x.Value)
	}
	if constraints {
		text += "; constraint " + f.Constraint
	}
	return text + " (" + placed(f.Origin, f.Rule, f.Words) + ")"
}

// consequence describes the consequence of a change.
func consequence(o *explain.OutcomeLine, constraints bool) string {
	switch o.Consequence {
	case outcome.Illegal:
		return broken(o.Failure, constraints)
	case outcome.DeadEnd:
		return "not all rules can be kept to the end" + against(o.Against, constraints)
	case outcome.GoalMissed:
		return "the goal is out of reach" + against(o.Against, constraints)
	case outcome.AsGood:
		return fmt.Sprintf("as good, reward %v", *o.Reward)
	case outcome.CostsMore, outcome.Better:
		text := fmt.Sprintf("costs %v more, reward %v at best", *o.Loss, *o.Reward)
		if o.Consequence == outcome.Better {
			text = fmt.Sprintf("better by %v, reward %v", -*o.Loss, *o.Reward)
		}
		var why []string
		for i, x := range o.Because {
			if i == maxReasons {
				why = append(why, "…")
				break
			}
			if x.Integer {
				why = append(why, fmt.Sprintf("%s adds up to %d instead of %d", x.Literal, x.Otherwise, x.Plan))
				continue
			}
			why = append(why, fmt.Sprintf("%s in %s instead of %d", x.Literal, counted.Of(int(x.Otherwise), "step"), x.Plan))
		}
		if len(why) > 0 {
			text += "; " + strings.Join(why, ", ")
		}
		return text
	}
	return "not known, a limit was reached"
}
