package picture

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/problem/factored"
)

// Facts describe a plan's surroundings, taken from a problem. The zero value is empty.
type Facts struct {
	From string // the problem's name, for captions
	// Goal contains the values that the goal fixes, by the names of variables in the plan.
	Goal map[string]int64
	// Limits are those that the goal and the rules set to quantities, by their names.
	Limits map[string]Limits
	// Constant returns the value of a non-fluent, such as BLOCKED of x14 and y15; false if
	// the problem has none of that name.
	Constant func(name string, args ...string) (float64, bool)
	// Objects lists the objects of a type in the order of their declaration.
	Objects func(typ string) []string
}

func (f *Facts) constant(name string, args ...string) (float64, bool) {
	if f.Constant == nil {
		return 0, false
	}
	return f.Constant(name, args...)
}

func (f *Facts) objects(typ string) []string {
	if f.Objects == nil {
		return nil
	}
	return f.Objects(typ)
}

// variable is a state variable of a picture: a Boolean, or an integer, possibly assembled
// from the bits in published files.
type variable struct {
	name string
	base string   // name without its arguments
	args []string // nil if there are none
	bool bool
}

// history is a plan with its variables named as in this project.
type history struct {
	vars    []variable
	index   map[string]int
	states  [][]int64 // by state, by variable
	actions [][]Value
	goal    map[string]int64
	texts   texts
	verdict Verdict
}

// H returns the number of steps.
func (h *history) H() int { return len(h.actions) }

// at returns the value of a variable in state k; false if there is none.
func (h *history) at(k int, name string) (int64, bool) {
	i, ok := h.index[name]
	if !ok {
		return 0, false
	}
	return h.states[k][i], true
}

// did reports whether the step that leaves state k has the action.
func (h *history) did(k int, name string) bool {
	return k < h.H() && slices.ContainsFunc(h.actions[k], func(a Value) bool { return a.Name == name })
}

// step returns the names of the actions of the step that leaves state k, with a mark if it
// fails or is unseen.
func (h *history) step(k int) string { return h.holding(h.actions[k]) + h.mark(k+1) }

// mark returns the mark of a step, from 1: that the plan fails there, that training has not
// shown it, or that rows dispute it.
func (h *history) mark(step int) string {
	switch {
	case step < 1:
		return ""
	case h.verdict.FailedAt == step:
		return " (FAILS)"
	case slices.Contains(h.verdict.Unseen, step):
		return " (unseen)"
	case slices.Contains(h.verdict.Disputed, step):
		return " (disputed)"
	}
	return ""
}

// holding returns the values, Booleans that are true by the name alone.
func (h *history) holding(vs []Value) string {
	if len(vs) == 0 {
		return "(nothing)"
	}
	parts := make([]string, len(vs))
	for i, v := range vs {
		parts[i] = v.Name
		switch {
		case !v.Bool:
			parts[i] += "=" + h.texts.format(v.X)
		case v.X == 0:
			parts[i] += "=false"
		}
	}
	return strings.Join(parts, " ")
}

// bitName matches the name of one bit of an integer in the published files, after canonical:
// quant_bit_3(c1).
var bitName = regexp.MustCompile(`^(.+)_bit_([0-9]{1,2})(\(.*\))?$`)

// canonical returns a name in the project's form; published files write robot-at[$x21| $y12]
// for robot-at(x21,y12).
func canonical(name string) string {
	return strings.NewReplacer("$", "", "|", ",").Replace(factored.Canonical(name))
}

func split(name string) (base string, args []string) {
	open := strings.IndexByte(name, '(')
	if open <= 0 || !strings.HasSuffix(name, ")") {
		return name, nil
	}
	return name[:open], strings.Split(name[open+1:len(name)-1], ",")
}

// joining records which variables are the bits of which integers.
type joining struct {
	names []string         // of the joined variables, in order
	bits  map[string][]int // places of the bits, least significant first; one place for other variables
	whole map[string]bool  // the variable is not split into bits
}

// join finds integers all of whose bits, from 0 up, are in a list of values.
func join(vs []Value) (*joining, error) {
	j := &joining{bits: map[string][]int{}, whole: map[string]bool{}}
	found := map[string]map[int]int{}
	for i, v := range vs {
		if m := bitName.FindStringSubmatch(canonical(v.Name)); m != nil && v.Bool {
			n, _ := strconv.Atoi(m[2])
			if found[m[1]+m[3]] == nil {
				found[m[1]+m[3]] = map[int]int{}
			}
			found[m[1]+m[3]][n] = i
		}
	}
	complete := func(name string) bool {
		for n := range len(found[name]) {
			if _, ok := found[name][n]; !ok {
				return false
			}
		}
		return len(found[name]) > 0 && len(found[name]) <= 52
	}
	for i, v := range vs {
		name := canonical(v.Name)
		if m := bitName.FindStringSubmatch(name); m != nil && v.Bool && complete(m[1]+m[3]) {
			name = m[1] + m[3]
			if j.bits[name] != nil && !j.whole[name] {
				continue
			}
			if j.bits[name] == nil {
				for n := range len(found[name]) {
					j.bits[name] = append(j.bits[name], found[name][n])
				}
				j.names = append(j.names, name)
				continue
			}
		}
		if j.bits[name] != nil {
			return nil, fmt.Errorf("two state variables are called %s", name)
		}
		j.bits[name], j.whole[name] = []int{i}, true
		j.names = append(j.names, name)
	}
	return j, nil
}

// newHistory names and joins the variables of a plan and of a goal.
func newHistory(p *Plan, goal map[string]int64) (*history, error) {
	h := &history{index: map[string]int{}, goal: map[string]int64{}, texts: p.Texts, verdict: p.Verdict}
	j, err := join(p.States[0])
	if err != nil {
		return nil, err
	}
	for i, name := range j.names {
		v := variable{name: name, bool: j.whole[name] && p.States[0][j.bits[name][0]].Bool}
		v.base, v.args = split(name)
		h.vars = append(h.vars, v)
		h.index[name] = i
		var x int64
		known := true
		for n, place := range j.bits[name] {
			b, ok := goal[p.States[0][place].Name]
			x, known = x+b<<n, known && ok
		}
		if known {
			h.goal[name] = x
		}
	}
	for _, state := range p.States {
		row := make([]int64, len(j.names))
		for i, name := range j.names {
			for n, place := range j.bits[name] {
				row[i] += state[place].X << n
			}
		}
		h.states = append(h.states, row)
	}
	for _, step := range p.Actions {
		var out []Value
		for _, a := range step {
			a.Name = canonical(a.Name)
			out = append(out, a)
		}
		h.actions = append(h.actions, out)
	}
	return h, nil
}

// arguments lists the objects at one argument position of the variables called base, in order
// of appearance, or in the order of known if that contains them all.
func (h *history) arguments(base string, place int, known []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, v := range h.vars {
		if v.base == base && place < len(v.args) && !seen[v.args[place]] {
			seen[v.args[place]] = true
			out = append(out, v.args[place])
		}
	}
	if !slices.ContainsFunc(out, func(o string) bool { return !slices.Contains(known, o) }) {
		slices.SortFunc(out, func(a, b string) int { return slices.Index(known, a) - slices.Index(known, b) })
	}
	return out
}

// only reports whether all state variables have one of the names.
func (h *history) only(bases ...string) bool {
	return !slices.ContainsFunc(h.vars, func(v variable) bool { return !slices.Contains(bases, v.base) })
}
