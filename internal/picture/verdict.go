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

	known
	status string
	least  *evidence // that of the disputed step with the least share of rows that agree
}

// known has the fields of a document that say what is known of the plan.
type known struct {
	valid                 struct{ Model, Simulator *bool }
	simulated             *float64
	says, note            string
	assuming, verdict     string // of learning by acting
	chance                struct{ Says string }
	surprises, unseen     *int
	unsupported, evidence []evidence
	failure               *failure
	isRun, isExplained    bool
	robust                struct{ Tube []Band }
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

// stepOf finds the step in the text of a failure.
var stepOf = regexp.MustCompile(`^step ([0-9]+):`)

// compose writes the sentences of v.
func (v *Verdict) compose(status string) {
	v.status = status
	switch {
	case v.isRun:
		v.composeRun()
	case v.assuming != "" && v.verdict != "":
		v.Lines = []string{v.verdict}
	default:
		v.composePlan()
	}
	if says := v.chance.Says; says != "" {
		v.Lines = append(v.Lines, strings.ToUpper(says[:1])+says[1:]+".")
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
	case v.unseen != nil && *v.unseen > 0:
		v.Lines = append(v.Lines, fmt.Sprintf("Unseen: the training rows do not support the next values of %s.", counted.Of(*v.unseen, "step")))
	}
}

// composePlan writes the verdict on a plan or an explained plan.
func (v *Verdict) composePlan() {
	model := "The plan is not checked in the model."
	switch {
	case v.failure != nil:
		model = "INVALID in the model: " + v.failure.Text + "."
		v.Bad, v.FailedAt = true, v.failure.Step
	case v.valid.Model != nil && !*v.valid.Model:
		model, v.Bad = "INVALID in the model.", true
	case v.status == "optimal":
		model = "Valid in the model, and proven optimal there."
	case v.valid.Model != nil || v.isExplained:
		model = "Valid in the model, not proven optimal."
	}
	switch {
	case v.valid.Simulator != nil && !*v.valid.Simulator:
		v.Bad = true
		if m := stepOf.FindStringSubmatch(v.says); m != nil {
			v.FailedAt, _ = strconv.Atoi(m[1])
		}
		v.Lines = []string{strings.TrimRight("FAILS in the simulator: "+v.says, ": ") + ".", model}
		return
	case v.valid.Simulator != nil && v.simulated != nil:
		model += " Holds in the simulator, with reward " + strconv.FormatFloat(*v.simulated, 'g', -1, 64) + "."
	case v.valid.Simulator != nil:
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

// record is what a run or an explanation tells in place of a plan.
type record struct {
	steps []step
	final []Value
}

// step is one step of a record.
type step struct {
	state, action []Value
	expected      []Value // of the state after it, the variables that differ; nil for none
	evidence      *evidence
}

// optional reads an object of values, or null.
func (r *reader) optional(what string) (vs []Value, err error) {
	err = r.some(what, func() error { vs, err = r.object(what); return err })
	return vs, err
}

// some calls read after the { of an object, and reads null.
func (r *reader) some(what string, read func() error) error {
	switch r.token() {
	case nil:
		return nil
	case json.Delim('{'):
		return read()
	}
	return r.fail("expected %q as an object", what)
}

// step reads a step of a record, whose { was read.
func (r *reader) step(what string) (s step, err error) {
	what = strings.TrimPrefix(what, "steps ")
	err = r.members(what, func(key string) (err error) {
		of := what + ": " + key
		switch key {
		case "state":
			s.state, err = r.optional(of)
		case "action":
			s.action, err = r.optional(of)
		case "differs":
			err = r.some(of, func() error {
				return r.members(of, func(key string) error {
					if key != "expected" {
						return r.decode(key, nil)
					}
					s.expected, err = r.optional(of + ": " + key)
					return err
				})
			})
		case "evidence":
			err = r.decode(of, &s.evidence)
		default:
			err = r.decode(key, nil)
		}
		return err
	})
	return s, err
}

// tell makes a run or an explanation a plan with its states.
func (r *reader) tell(p *Plan) error {
	p.Verdict.known = r.known
	for _, e := range r.known.unsupported {
		p.Verdict.judge(evidence{Step: e.Step, Kind: "unseen"})
	}
	for _, e := range r.known.evidence {
		p.Verdict.judge(e)
	}
	for k, s := range r.record.steps {
		if s.evidence != nil {
			s.evidence.Step = k + 1
			p.Verdict.judge(*s.evidence)
		}
	}
	p.Verdict.compose(p.Status)
	if p.Observed != nil && !p.Verdict.Bad {
		p.Verdict.Lines = append(p.Verdict.Lines, "In the simulator it passed other states than planned.")
	}
	if p.Actions != nil || r.record.steps == nil {
		return nil
	}
	for _, s := range r.record.steps {
		p.Actions = append(p.Actions, s.action)
	}
	if p.States != nil { // an explanation
		return nil
	}
	if r.record.final == nil {
		return r.fail("the state after the last step is not known; expected a run with its final state")
	}
	for _, s := range r.record.steps {
		p.States = append(p.States, s.state)
	}
	p.States = append(p.States, r.record.final)
	if !slices.ContainsFunc(r.record.steps, func(s step) bool { return s.expected != nil }) {
		return nil
	}
	p.Planned = [][]Value{p.States[0]}
	for k, s := range r.record.steps {
		state := slices.Clone(p.States[k+1])
		for i := range state {
			for _, v := range s.expected {
				if v.Name == state[i].Name {
					state[i].X = v.X
				}
			}
		}
		p.Planned = append(p.Planned, state)
	}
	return nil
}
