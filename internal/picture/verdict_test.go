package picture

import (
	"bytes"
	"strings"
	"testing"
)

// TestVerdict draws plans, runs and explanations, and looks for what is known of them in every
// format, before the states.
func TestVerdict(t *testing.T) {
	const plan = `{"schema":1,"problem":"p","status":"optimal","reward":1,"plan":[{"go":true},{"go":true}],"trace":[{"at":0},{"at":1},{"at":2}]`
	const run = `{"schema":1,"problem":"p","status":"%","replan_every":1,"steps":[
		{"step":1,"state":{"at":0,"door":"open"},"action":{"go":true},"differs":{"step":2,"expected":{"at":1},"observed":{"at":7}}},
		{"step":2,"state":{"at":7,"door":"open"},"action":{},"differs":null}],"final":{"at":7,"door":"shut"},"reward":null,"surprises":1`
	for name, c := range map[string]struct {
		document string
		want     []string
	}{
		"fails": {plan + `,"valid":{"model":true,"simulator":false},"simulator_says":"step 2: the door is shut","observed":[{"at":0},{"at":5}]}`,
			[]string{"FAILS in the simulator: step 2: the door is shut.", "Valid in the model, and proven optimal there.", "What was planned", "What happened in the simulator", "5"}},
		"holds":   {plan + `,"valid":{"model":true,"simulator":true},"simulated_reward":3}`, []string{"Valid in the model, and proven optimal there. Holds in the simulator, with reward 3."}},
		"untried": {plan + `,"valid":{"model":true,"simulator":null},"note":"no simulator for at: the plan is proven in the learned model only"}`, []string{"Not tried in a simulator: no simulator for at"}},
		"unseen":  {plan + `,"valid":{"model":true},"unseen_steps":1,"unsupported":[{"step":2,"next":["at"]}]}`, []string{"Unseen: the training rows do not support the next values of step 2."}},
		"disputed": {plan + `,"valid":{"model":true},"unseen_steps":0,"evidence":[{"step":1,"kind":"disputed","rows":10,"agree":9},{"step":2,"kind":"disputed","rows":51,"agree":50}]}`,
			[]string{"Disputed by the log: steps 1", "9 of 10 rows agree with the least of them."}},
		"disputed run": {strings.Replace(strings.Replace(run, "%", "goal", 1), `"step":2,"state"`, `"evidence":{"kind":"disputed","rows":3,"agree":0},"step":2,"state"`, 1) + `}`,
			[]string{"The goal was reached.", "Disputed by the log: step 2; 0 of 3 rows agree there."}},
		"unseen run": {strings.Replace(strings.Replace(run, "%", "goal", 1), `"step":2,"state"`, `"evidence":{"kind":"unseen","next":["at"]},"step":2,"state"`, 1) + `}`,
			[]string{"Unseen: the training rows do not support the next values of step 2."}},
		"learned":   {`{"schema":1,"status":"optimal","verdict":"The plan was seen to hold.","assuming":"so","steps":7,"plan":[{"go":true}],"trace":[{"at":0},{"at":1}]}`, []string{"The plan was seen to hold."}},
		"by hand":   {`{"schema":1,"plan":[{"go":true},{}],"trace":[{"at":0},{"at":1},{"at":2}]}`, []string{"The plan is not checked in the model. Not tried in a simulator."}},
		"run":       {strings.Replace(run, "%", "goal", 1) + `}`, []string{"The goal was reached.", "One step led to another state than was planned.", "What happened", "What was planned", "shut"}},
		"violated":  {strings.Replace(run, "%", "violated", 1) + `,"failure":{"step":2,"text":"step 2: the door is shut"}}`, []string{"A rule was VIOLATED: step 2: the door is shut."}},
		"explained": {`{"schema":1,"problem":"p","status":"feasible","reward":1,"conflict":null,"failure":null,"steps":[{"step":1,"action":{"go":true},"alternatives":[{"action":{}}]}],"trace":[{"at":0},{"at":1}]}`, []string{"Valid in the model, not proven optimal. Not tried in a simulator."}},
	} {
		p, err := Read("f", []byte(c.document))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		pic, err := New(p, Facts{})
		if err != nil {
			t.Fatal(err)
		}
		for format, write := range map[string]func(*bytes.Buffer) error{
			"text": func(b *bytes.Buffer) error { return pic.Text(b) }, "svg": func(b *bytes.Buffer) error { return pic.SVG(b) }, "html": func(b *bytes.Buffer) error { return pic.HTML(b) },
		} {
			var b bytes.Buffer
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			rest := strings.Join(strings.Fields(b.String()), " ")
			for i, want := range c.want {
				at := strings.Index(rest, want)
				if at < 0 {
					t.Errorf("%s: the %s lacks %q after the ones before it:\n%s", name, format, want, b.String())
				} else if i > 0 {
					rest = rest[at:]
				}
			}
		}
		var g bytes.Buffer
		if err := pic.GIF(&g); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for document, want := range map[string]string{
		`{"schema":1,"status":"failed","steps":[{"state":{"a":1},"action":{}}],"final":null}`:  "the state after the last step is not known",
		`{"schema":1,"status":"goal","steps":[{"state":null,"action":{}}],"final":{"a":true}}`: "the first state is not known",
		`{"schema":1,"steps":7}`:   `expected a "plan"`,
		`{"schema":1,"steps":"7"}`: `expected "steps" as a list`,
		`{"schema":1,"plan":[{}],"trace":[{"a":1},{"a":2}],"unsupported":3}`:                                                 `"unsupported" has a value of another form`,
		`{"schema":1,"status":"done","replan_every":1,"steps":[{"state":{"a":1},"action":{},"evidence":3}],"final":{"a":1}}`: `1:95: "step 1: evidence" has a value of another form`,
		`{"schema":1,"status":"infeasible","plan":null,"trace":null,"valid":{}}`:                                             "there is no plan to show",
	} {
		if _, err := Read("f", []byte(document)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", document, err, want)
		}
	}
}
