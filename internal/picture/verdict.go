package picture

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/counted"
)

// Verdict is what is known of a plan or a run: whether it is proven, holds in a simulator,
// and relies on what training has not shown.
type Verdict struct {
	Lines    []string // sentences, the most important first
	Bad      bool     // the first is about a failure
	FailedAt int      // step of the failure, from 1; 0 if there is none
	Unseen   []int    // steps, from 1, whose next values the training rows do not support
	Disputed []int    // steps, from 1, whose next values some training rows dispute

	status              string
	model, simulator    *bool
	simulated           *float64
	says, note, chance  string
	surprises, unseenNo *int
	failure             *failure
	least               *evidence // that of the disputed step with the least share of rows that agree
	isRun, isExplained  bool
}

// failure is a violated rule.
type failure struct {
	Step int    `json:"step"`
	Text string `json:"text"`
}

// evidence is what the training rows tell about a step.
type evidence struct {
	Step        int
	Kind        string
	Agree, Rows float64
}

// judge adds what the training rows tell about a step.
func (v *Verdict) judge(e evidence) {
	switch e.Kind {
	case "unseen":
		if !slices.Contains(v.Unseen, e.Step) {
			v.Unseen = append(v.Unseen, e.Step)
		}
	case "disputed":
		v.Disputed = append(v.Disputed, e.Step)
		if v.least == nil || e.Agree*v.least.Rows < v.least.Agree*e.Rows {
			v.least = &e
		}
	}
}

// verdict reads a field that is about what is known of the plan, and skips others.
func (r *reader) verdict(key string, v *Verdict) error {
	var to any
	var valid struct{ Model, Simulator *bool }
	var steps []struct{ Step int }
	var judged []evidence
	var chance struct{ Says string }
	switch key {
	case "valid":
		to = &valid
	case "simulated_reward":
		to = &v.simulated
	case "simulator_says", "says":
		to = &v.says
	case "note":
		to = &v.note
	case "chance":
		to = &chance
	case "unsupported":
		to = &steps
	case "evidence":
		to = &judged
	case "unseen_steps":
		to = &v.unseenNo
	case "surprises":
		to = &v.surprises
	case "failure":
		to = &v.failure
	case "replan_every", "conflict":
		v.isRun, v.isExplained = key == "replan_every", key == "conflict"
	}
	if to == nil {
		r.skip()
		return nil
	}
	if err := r.decode(key, to); err != nil {
		return err
	}
	switch key {
	case "valid":
		v.model, v.simulator = valid.Model, valid.Simulator
	case "chance":
		v.chance = chance.Says
	case "unsupported":
		for _, s := range steps {
			v.judge(evidence{Step: s.Step, Kind: "unseen"})
		}
	case "evidence":
		for _, e := range judged {
			v.judge(e)
		}
	}
	return nil
}

// stepOf finds the step in the text of a failure.
var stepOf = regexp.MustCompile(`^step ([0-9]+):`)

// compose writes the sentences of v.
func (v *Verdict) compose(status string) {
	v.status = status
	switch {
	case v.isRun:
		v.composeRun()
	default:
		v.composePlan()
	}
	if v.chance != "" {
		v.Lines = append(v.Lines, strings.ToUpper(v.chance[:1])+v.chance[1:]+".")
	}
	if e := v.least; e != nil && e.Rows > 0 {
		at := "there"
		if len(v.Disputed) > 1 {
			at = "with the least of them"
		}
		v.Lines = append(v.Lines, fmt.Sprintf("Disputed by the log: %s; %v of %s agree %s.", stepsText(v.Disputed), e.Agree, counted.Of(int(e.Rows), "row"), at))
	}
	switch {
	case len(v.Unseen) > 0:
		v.Lines = append(v.Lines, fmt.Sprintf("Unseen: the training rows do not support the next values of %s.", stepsText(v.Unseen)))
	case v.unseenNo != nil && *v.unseenNo > 0:
		v.Lines = append(v.Lines, fmt.Sprintf("Unseen: the training rows do not support the next values of %s.", counted.Of(*v.unseenNo, "step")))
	}
}

// composePlan writes the verdict on a plan or an explained plan.
func (v *Verdict) composePlan() {
	model := "The plan is not checked in the model."
	switch {
	case v.failure != nil:
		model = "INVALID in the model: " + v.failure.Text + "."
		v.Bad, v.FailedAt = true, v.failure.Step
	case v.model != nil && !*v.model:
		model, v.Bad = "INVALID in the model.", true
	case v.status == "optimal":
		model = "Valid in the model, and proven optimal there."
	case v.model != nil || v.isExplained:
		model = "Valid in the model, not proven optimal."
	}
	switch {
	case v.simulator != nil && !*v.simulator:
		v.Bad = true
		if m := stepOf.FindStringSubmatch(v.says); m != nil {
			v.FailedAt, _ = strconv.Atoi(m[1])
		}
		v.Lines = []string{strings.TrimRight("FAILS in the simulator: "+v.says, ": ") + ".", model}
		return
	case v.simulator != nil && v.simulated != nil:
		model += " Holds in the simulator, with reward " + strconv.FormatFloat(*v.simulated, 'g', -1, 64) + "."
	case v.simulator != nil:
		model += " Holds in the simulator."
	case v.note != "":
		model += " Not tried in a simulator: " + v.note + "."
	default:
		model += " Not tried in a simulator."
	}
	v.Lines = []string{model}
}

// composeRun writes the verdict on a run.
func (v *Verdict) composeRun() {
	text := map[string]string{
		"goal": "The goal was reached.", "done": "All steps were taken.", "missed": "The goal was MISSED.",
		"no-plan": "Stopped: the model has NO PLAN from the state observed last.", "violated": "A rule was VIOLATED.",
		"stopped": "STOPPED before its end.", "failed": "The simulator FAILED.",
	}[v.status]
	if text == "" {
		text = "The run ended: " + v.status + "."
	}
	v.Bad = !slices.Contains([]string{"goal", "done"}, v.status)
	if v.failure != nil {
		v.FailedAt = v.failure.Step
		text = strings.TrimSuffix(text, ".") + ": " + v.failure.Text + "."
	} else if v.says != "" {
		text = strings.TrimSuffix(text, ".") + ": " + v.says + "."
	}
	v.Lines = []string{text}
	if v.surprises != nil {
		switch n := *v.surprises; n {
		case 0:
			v.Lines = append(v.Lines, "Every step led to the state that was planned.")
		case 1:
			v.Lines = append(v.Lines, "One step led to another state than was planned.")
		default:
			v.Lines = append(v.Lines, counted.Of(n, "step")+" led to other states than planned.")
		}
	}
}

// stepsText lists steps.
func stepsText(steps []int) string {
	if len(steps) == 1 {
		return fmt.Sprintf("step %d", steps[0])
	}
	return "steps " + spans(steps)
}

// record is the list of steps of a run or of an explanation.
type record struct {
	states, actions [][]Value
	expected        [][]Value // of the state after each step, the variables that differ; nil for none
	final           []Value
}

// optional reads an object of values, or null.
func (r *reader) optional(key string) ([]Value, error) {
	switch r.token() {
	case nil:
		return nil, nil
	case json.Delim('{'):
		return r.object(key)
	}
	return nil, r.fail("expected %q as an object of variables", key)
}

// recorded reads the steps of a run or of an explanation.
func (r *reader) recorded() error {
	switch r.token() {
	case nil:
		return nil
	case json.Delim('['):
	default:
		return r.fail(`expected "steps" as a list of objects`)
	}
	for r.dec.More() {
		if r.token() != json.Delim('{') {
			return r.fail("step %d: expected an object", len(r.record.actions)+1)
		}
		if err := r.recordedStep(); err != nil {
			return err
		}
	}
	r.token() // ]
	return nil
}

// recordedStep reads one step, whose { was read.
func (r *reader) recordedStep() (err error) {
	var state, action, expected []Value
	n := len(r.record.actions) + 1
	for r.dec.More() {
		key, _ := r.token().(string)
		switch key {
		case "state":
			state, err = r.optional(fmt.Sprintf("state of step %d", n))
		case "action":
			action, err = r.optional(fmt.Sprintf("action of step %d", n))
		case "differs":
			expected, err = r.differs(n)
		case "evidence":
			err = r.evidence(n)
		default:
			r.skip()
		}
		if err != nil {
			return err
		}
	}
	r.token() // }
	r.record.states = append(r.record.states, state)
	r.record.actions = append(r.record.actions, action)
	r.record.expected = append(r.record.expected, expected)
	return nil
}

// evidence reads what the training rows tell about a step.
func (r *reader) evidence(n int) error {
	var e *evidence
	if err := r.dec.Decode(&e); err != nil {
		return r.fail(`step %d: expected "evidence" as an object`, n)
	}
	if e != nil {
		e.Step = n
		r.judged = append(r.judged, *e)
	}
	return nil
}

// differs reads how the state after a step differs from what was planned.
func (r *reader) differs(n int) (expected []Value, err error) {
	switch r.token() {
	case nil:
		return nil, nil
	case json.Delim('{'):
	default:
		return nil, r.fail(`step %d: expected "differs" as an object`, n)
	}
	for r.dec.More() {
		if key, _ := r.token().(string); key == "expected" {
			if expected, err = r.optional(fmt.Sprintf("expected state after step %d", n)); err != nil {
				return nil, err
			}
			continue
		}
		r.skip()
	}
	r.token() // }
	return expected, nil
}

// tell makes a run or an explanation a plan with its states.
func (r *reader) tell(p *Plan) error {
	for _, e := range r.judged {
		p.Verdict.judge(e)
	}
	p.Verdict.compose(p.Status)
	if p.Observed != nil && !p.Verdict.Bad {
		p.Verdict.Lines = append(p.Verdict.Lines, "In the simulator it passed other states than planned.")
	}
	if p.Actions != nil || r.record.actions == nil {
		return nil
	}
	p.Actions = r.record.actions
	if p.States != nil { // an explanation
		return nil
	}
	if r.record.final == nil {
		return r.fail("the state after the last step is not known; expected a run with its final state")
	}
	p.States = append(slices.Clone(r.record.states), r.record.final)
	if !slices.ContainsFunc(r.record.expected, func(vs []Value) bool { return vs != nil }) {
		return nil
	}
	p.Planned = [][]Value{p.States[0]}
	for k, vs := range r.record.expected {
		state := slices.Clone(p.States[k+1])
		for i := range state {
			for _, v := range vs {
				if v.Name == state[i].Name {
					state[i].X = v.X
				}
			}
		}
		p.Planned = append(p.Planned, state)
	}
	return nil
}
