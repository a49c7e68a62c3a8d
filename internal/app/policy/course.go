package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// Outcomes are what an action in a state leads to, by their numbers in a table.
type Outcomes struct {
	State  int    `json:"state"`
	Action int    `json:"action"`
	Next   []Lead `json:"next"`
}

// Lead is one outcome. In JSON it is [state, probability, reward, disturbances]; the state is -1 for those with a value
// that a variable does not have.
type Lead struct {
	State        int
	P, Reward    float64
	Disturbances int
}

// MarshalJSON implements json.Marshaler.
func (l Lead) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{l.State, l.P, l.Reward, l.Disturbances})
}

// UnmarshalJSON implements json.Unmarshaler.
func (l *Lead) UnmarshalJSON(data []byte) error {
	var x []float64
	if err := json.Unmarshal(data, &x); err != nil {
		return err
	}
	if len(x) != 4 || x[0] != float64(int(x[0])) || x[3] != float64(int(x[3])) || x[0] < -1 || x[1] <= 0 || x[1] > 1+1e-9 || x[3] < 0 {
		return fmt.Errorf("an outcome is %v; expected [state, probability, reward, disturbances]", x)
	}
	*l = Lead{int(x[0]), x[1], x[2], int(x[3])}
	return nil
}

// mostLeads bounds the outcomes that a table lists.
const mostLeads = 200_000

// numbering gives the states of a walk their numbers in a table.
type numbering struct {
	*Table
	p       *factored.Problem
	w       *validate.Walk
	places  map[string]int // of states in the table
	numbers map[int]int    // of those of the walk that have one
}

// of returns the number of a state of the walk, which is added where the table does not have it.
func (n *numbering) of(i int) int {
	k, ok := n.numbers[i]
	if ok {
		return k
	}
	if state := n.w.State(i); state == nil {
		k = -1
	} else {
		values := valuesOf(n.p, state)
		if k, ok = n.places[keyOf(values)]; !ok {
			k = len(n.States)
			n.places[keyOf(values)] = k
			n.States = append(n.States, values)
		}
		if n.w.Goal(i) {
			n.Goals = append(n.Goals, k)
		}
	}
	n.numbers[i] = k
	return k
}

// follow lists the outcomes of the actions in a table, as the definition of the problem has them.
func (t *Table) follow(m *model, w *validate.Walk) error {
	n := &numbering{t, m.p.Problem, w, map[string]int{}, map[int]int{}}
	for i, s := range t.States {
		n.places[keyOf(s)] = i
	}
	start, err := w.Number(m.start)
	if err != nil {
		return err
	}
	t.Start = n.of(start)
	walked := map[string]int{}
	for i := range w.States() {
		if state := w.State(i); state != nil {
			walked[keyOf(valuesOf(n.p, state))] = i
		}
	}
	scale, leads := float64(m.of.Reward.Scale), 0
	seen := map[[2]int]bool{}
	for _, r := range t.Rows {
		pair := [2]int{r[0], r[3]}
		from, ok := walked[keyOf(t.States[r[0]])]
		if seen[pair] || !ok {
			continue
		}
		seen[pair] = true
		action, err := app.BitsOf(n.p, t.Actions[r[3]])
		if err != nil {
			return err
		}
		next, err := w.Step(from, action)
		if leads += len(next); leads > mostLeads || errors.Is(err, validate.ErrManyStates) {
			t.Outcomes = nil
			return nil
		}
		if err != nil {
			return err
		}
		n.of(from)
		o := Outcomes{State: r[0], Action: r[3], Next: []Lead{}}
		for _, x := range next {
			o.add(Lead{n.of(x.State), x.P, float64(x.Reward) / scale, x.Disturbances})
		}
		t.Outcomes = append(t.Outcomes, o)
	}
	slices.Sort(t.Goals)
	return nil
}

// add adds an outcome, to that with the same result if there is one.
func (o *Outcomes) add(l Lead) {
	for i := range o.Next {
		if x := &o.Next[i]; x.State == l.State && x.Reward == l.Reward && x.Disturbances == l.Disturbances {
			x.P += l.P
			return
		}
	}
	o.Next = append(o.Next, l)
}

// check refuses states and actions that are not in the table, and probabilities that do not sum to 1.
func (t *Table) check(robust bool) error {
	for i, s := range t.States {
		if len(s) != len(t.Variables) {
			return fmt.Errorf("state %d has %d values; expected %d", i, len(s), len(t.Variables))
		}
	}
	if t.Ranges != nil && len(t.Ranges) != len(t.Variables) {
		return fmt.Errorf("there are %d ranges; expected %d, of the variables", len(t.Ranges), len(t.Variables))
	}
	for i, r := range t.Rows {
		if len(r) != 4 && !robust || len(r) != 5 && robust || slices.Min(r) < 0 || r[0] >= len(t.States) || r[3] >= len(t.Actions) || r[1] < 1 || r[2] < r[1] {
			return fmt.Errorf("row %d is %v; expected [state, from, to, action], and the disturbances of a robust policy", i, r)
		}
	}
	for _, i := range append(slices.Clone(t.Goals), t.Start) {
		if i < 0 || i >= max(1, len(t.States)) {
			return fmt.Errorf("there is no state %d", i)
		}
	}
	for _, o := range t.Outcomes {
		sum := 0.0
		for _, l := range o.Next {
			if sum += l.P; l.State >= len(t.States) {
				return fmt.Errorf("there is no state %d", l.State)
			}
		}
		if o.State < 0 || o.State >= len(t.States) || o.Action < 0 || o.Action >= len(t.Actions) || math.Abs(sum-1) > 1e-9 {
			return fmt.Errorf("the outcomes of action %d in state %d are of others, or their probabilities sum to %v; expected 1", o.Action, o.State, sum)
		}
	}
	return nil
}

// tells reports whether the outcomes of a table, if it has any, are those of the problem.
func (t *Table) tells(m *model, w *validate.Walk) (bool, error) {
	if t.Outcomes == nil {
		return true, nil
	}
	again := *t
	again.Outcomes, again.Goals, again.States = nil, nil, slices.Clone(t.States)
	if err := again.follow(m, w); err != nil {
		return false, err
	}
	return t.sameOutcomes(&again), nil
}

// sameOutcomes reports whether two tables of the same rows tell the same outcomes.
func (t *Table) sameOutcomes(u *Table) bool {
	leads := func(t *Table) map[string]float64 {
		all := map[string]float64{}
		for _, o := range t.Outcomes {
			for _, l := range o.Next {
				var next []any
				if l.State >= 0 {
					next = t.States[l.State]
				}
				all[fmt.Sprint(o.State, o.Action, keyOf(next), l.Reward, l.Disturbances)] = l.P
			}
		}
		return all
	}
	a, b := leads(t), leads(u)
	for k, p := range a {
		if math.Abs(b[k]-p) > 1e-9 {
			return false
		}
	}
	return len(a) == len(b) && slices.Equal(t.Goals, u.Goals) && t.Start == u.Start
}

// Stand is a state at a step of a policy.
type Stand struct {
	State, Spent int     // the state, and the disturbances so far of a robust policy
	P            float64 // the probability of being there then, in a run that has not ended
	Value        float64 // the probability of success from there, or the expected reward
	Action       int     // -1 where there is none: the run has ended, or failed
	Goal         bool
	Next         []Branch
}

// Branch leads to a stand of the next step.
type Branch struct {
	To        int // -1 for a failed run
	P, Reward float64
}

// Course has the stands that a policy can reach, by step: those after 0, 1, … steps.
type Course struct {
	Steps   [][]Stand
	Success bool // values are probabilities of success
}

const mostStands = 200_000

// ErrNoOutcomes is the error about a policy whose file does not list outcomes.
var ErrNoOutcomes = errors.New("the policy lists no outcomes that runs could follow: there are too many, or its table does not have all states that it can reach")

// Course follows the policy forward, and computes values backward.
func (d *Document) Course() (*Course, error) {
	t := &d.Table
	if len(t.Rows) > 0 && t.Outcomes == nil || d.Rule != nil {
		return nil, ErrNoOutcomes
	}
	c := &Course{Success: d.Objective == policy.Success, Steps: [][]Stand{{}}}
	if len(t.States) == 0 {
		return c, nil
	}
	x := newLooker(t, d.Disturbances != nil)
	c.Steps[0] = []Stand{{State: t.Start, P: 1}}
	ends := d.Goal && (c.Success || x.robust) // at the goal
	for step, total := 1, 1; ; step++ {
		next := x.layer(c.Steps[step-1], step, step <= d.Horizon, ends)
		if total += len(next); total > mostStands {
			return nil, fmt.Errorf("the policy can be in more than %d pairs of a state and a step", mostStands)
		}
		if len(next) == 0 {
			break
		}
		c.Steps = append(c.Steps, next)
	}
	c.back()
	return c, nil
}

// layer takes a step from the stands before it, unless none is left, and returns the stands after it.
func (x *looker) layer(before []Stand, step int, left, ends bool) (next []Stand) {
	places := map[[2]int]int{}
	for i := range before {
		s := &before[i]
		s.Goal, s.Action = x.goals[s.State], -1
		if s.Goal && ends || !left {
			continue
		}
		var leads []Lead
		if s.Action, leads = x.look(step, s); s.Action < 0 {
			continue
		}
		for _, l := range leads {
			b := Branch{-1, l.P, l.Reward}
			if l.State >= 0 {
				key := [2]int{l.State, s.Spent}
				if x.robust {
					key[1] += l.Disturbances
				}
				k, ok := places[key]
				if !ok {
					k = len(next)
					places[key] = k
					next = append(next, Stand{State: key[0], Spent: key[1]})
				}
				next[k].P += s.P * l.P
				b.To = k
			}
			s.Next = append(s.Next, b)
		}
	}
	return next
}

// back computes the values.
func (c *Course) back() {
	for k := len(c.Steps) - 1; k >= 0; k-- {
		for i := range c.Steps[k] {
			s := &c.Steps[k][i]
			if s.Goal && c.Success {
				s.Value = 1
			}
			for _, b := range s.Next {
				if !c.Success {
					s.Value += b.P * b.Reward
				}
				if b.To >= 0 {
					s.Value += b.P * c.Steps[k+1][b.To].Value
				}
			}
		}
	}
}

// Sample draws a run: the stands that it passes, by their places in Steps. failed reports that it ended with a value that
// a variable does not have.
func (c *Course) Sample(seed uint64) (run []int, failed bool) {
	return c.run(func(rng *rand.Rand, s *Stand) int {
		x := rng.Float64()
		for i, b := range s.Next {
			if x -= b.P; x < 0 {
				return i
			}
		}
		return len(s.Next) - 1
	}, rand.New(rand.NewPCG(seed, 0)))
}

// Likely is the run in which the most likely outcome happens at each step.
func (c *Course) Likely() []int {
	run, _ := c.run(func(_ *rand.Rand, s *Stand) int { return s.likely() }, nil)
	return run
}

// likely is the most likely branch.
func (s *Stand) likely() int {
	best := 0
	for i, b := range s.Next {
		if b.P > s.Next[best].P+1e-12 {
			best = i
		}
	}
	return best
}

func (c *Course) run(pick func(*rand.Rand, *Stand) int, rng *rand.Rand) (run []int, failed bool) {
	if len(c.Steps[0]) == 0 {
		return nil, false
	}
	at := 0
	for k := 0; ; k++ {
		run = append(run, at)
		s := &c.Steps[k][at]
		if len(s.Next) == 0 {
			return run, false
		}
		if at = s.Next[pick(rng, s)].To; at < 0 {
			return run, true
		}
	}
}

// looker finds the rows of a table.
type looker struct {
	rows     map[int][][]int
	outcomes map[[2]int][]Lead
	goals    map[int]bool
	robust   bool
}

func newLooker(t *Table, robust bool) *looker {
	x := &looker{rows: map[int][][]int{}, outcomes: map[[2]int][]Lead{}, goals: map[int]bool{}, robust: robust}
	for _, r := range t.Rows {
		x.rows[r[0]] = append(x.rows[r[0]], r)
	}
	for _, o := range t.Outcomes {
		x.outcomes[[2]int{o.State, o.Action}] = o.Next
	}
	for _, g := range t.Goals {
		x.goals[g] = true
	}
	return x
}

// look returns the action at a stand, -1 for none, and what it leads to.
func (x *looker) look(step int, s *Stand) (action int, leads []Lead) {
	for _, r := range x.rows[s.State] {
		if r[1] <= step && step <= r[2] && (!x.robust || r[4] == s.Spent) {
			return r[3], x.outcomes[[2]int{r[0], r[3]}]
		}
	}
	return -1, nil
}
