package act

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sort"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/app/policy"
	"github.com/fdplan/fdplan/internal/atomicfile"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/execution/acting"
	"github.com/fdplan/fdplan/problem/factored"
)

// doubt is the probability that an interval is wrong, at most.
const doubt = 0.01

// Chance is what is known of the policies of a system that draws next states at random.
type Chance struct {
	Objective string `json:"objective"` // "success" or "reward", as for policies
	// Gap is how far Lower and Upper may be apart: of rewards, relative to Lower or, if that is less, to 1.
	Gap        float64  `json:"gap"`
	Confidence float64  `json:"confidence"` // that both are right
	Lower      *float64 `json:"lower"`      // what the policy is worth at least; null if it may break a rule
	Upper      *float64 `json:"upper"`      // no policy is worth more; null if all may break a rule
	States     int      `json:"states"`
	Pairs      int      `json:"pairs"` // of a state and an action that were seen
	// Policy tells what to do, in states that were seen to be reached; its steps are in order.
	Policy []Row `json:"policy"`
	// File has the same as run --policy reads it; absent where nothing is known of what it is worth.
	File string `json:"file,omitempty"`
}

// Row is what a policy does in a state from one step to another.
type Row struct {
	From   int        `json:"from"`
	To     int        `json:"to"`
	State  app.Values `json:"state"`
	Action app.Values `json:"action"`
}

// assumingChance is what intervals rest on.
const assumingChance = "the system is fully recorded, the next state is drawn anew at each step, by state and action alone, rules and reward are right, and no action is refused or breaks a rule but where one was seen to"

// confidence is why an answer about chance has no certificate.
const confidence = "what is drawn at random is a matter of confidence"

// Uncertified is an error for a folder with an answer about chance, which has no certificate: it says what the answer rests on. It is
// nil for any other folder.
func Uncertified(dir string) error {
	data, err := os.ReadFile(filepath.Join(dir, certify.AnswerFile))
	var d Document
	if err != nil || json.Unmarshal(data, &d) != nil || d.Chance == nil {
		return nil
	}
	return fmt.Errorf("%s has no certificate: %s; its bounds hold with one of %v %%, if each next state is drawn anew, by state and action alone, and the rest of \"assuming\" in %s is true",
		dir, confidence, 100*d.Chance.Confidence, certify.AnswerFile)
}

// chance acts in a system that draws.
func (x *run) chance(ctx context.Context, o acting.Options) error {
	c := acting.Chance{Success: x.r.Success, Gap: x.r.Gap, Doubt: doubt}
	c.Narrowed = func(r *acting.ChanceResult) error {
		line := journalLine{Step: r.Steps, Why: acting.Try, Reward: finite(r.Lower), Bound: finite(r.Upper), Rows: r.Rows}
		if x.r.Progress != nil {
			x.r.Progress(acting.Step{Why: acting.Try, Progress: acting.Progress{Steps: r.Steps, Rows: r.Rows}})
		}
		return x.f.step(line)
	}
	res, err := acting.LearnChance(ctx, x.p.Problem, x.real.Session, o, c)
	if res == nil {
		return err
	}
	x.d = &Document{
		Schema: app.Schema, Problem: x.p.Problem.Name, Simulator: x.real.Name, Horizon: x.r.Horizon, Status: engine.Unknown, Assuming: assumingChance,
		Steps: res.Steps, Resets: res.Resets, Rows: res.Rows, Learned: []Learned{}, Stopped: res.Reason, NoProof: confidence,
		Chance: &Chance{Objective: "reward", Gap: x.r.Gap, Confidence: 1 - doubt, Lower: finite(res.Lower), Upper: finite(res.Upper), States: res.States, Pairs: res.Pairs, Policy: []Row{}},
	}
	if x.r.Success {
		x.d.Chance.Objective = "success"
	}
	x.d.Seconds.Act = x.r.Now().Sub(x.began).Seconds()
	if err := errors.Join(err, x.policy(res)); err != nil {
		return x.failed(err)
	}
	switch {
	case res.Proven && math.IsInf(res.Upper, -1):
		x.d.Status = engine.Infeasible
	case res.Proven:
		x.d.Status = engine.Feasible
	}
	return x.finish(ctx, res.Steps, nil)
}

// finite is a number; nil for an infinite one.
func finite(x float64) *float64 {
	if math.IsInf(x, 0) {
		return nil
	}
	x += 0 // no -0
	return &x
}

// PolicyFile is the policy as plan --policy -o writes one.
const PolicyFile = "policy.json"

// policy tells what the policy does, and writes it unless nothing is known of what it is worth.
func (x *run) policy(res *acting.ChanceResult) error {
	p, rows := x.p.Problem, joined(x.p.Problem, res.Policy)
	for _, r := range rows {
		x.d.Chance.Policy = append(x.d.Chance.Policy, Row{r.From, r.To, app.ValuesOf(p, factored.State, r.Now, false), app.ValuesOf(p, factored.Action, r.Now, false)})
	}
	if x.d.Chance.Lower == nil || len(rows) == 0 {
		return nil
	}
	d := policy.Document{
		Schema: app.Schema, Problem: p.Name, Horizon: x.r.Horizon, Engine: "learn", Status: engine.Feasible, Goal: len(p.Goal) > 0,
		Value: x.d.Chance.Lower, Bound: x.d.Chance.Upper, Confidence: 1 - doubt, States: res.States, Pairs: int64(res.Pairs),
	}
	d.Act(p, x.d.Chance.Objective, rows)
	x.d.Chance.File = filepath.Join(x.r.Folder, PolicyFile)
	return atomicfile.Write(x.d.Chance.File, func(w io.Writer) error { return app.WriteJSON(w, d) })
}

// joined joins the steps at which a policy does the same in a state.
func joined(p *factored.Problem, all []acting.Choice) (rows []policy.Row) {
	last := map[string]int{}
	for _, c := range all {
		key := c.Now.Key(p.Bits(factored.State))
		if i, ok := last[key]; ok && slices.Equal(rows[i].Now, c.Now) && rows[i].To == c.Step-1 {
			rows[i].To = c.Step
			continue
		}
		last[key] = len(rows)
		rows = append(rows, policy.Row{From: c.Step, To: c.Step, Now: c.Now})
	}
	sort.SliceStable(rows, func(i, j int) bool { return rows[i].From < rows[j].From })
	return rows
}

// verdict is the answer in a sentence.
func (c *Chance) verdict(d *Document) string {
	if d.Status == engine.Infeasible {
		return fmt.Sprintf("No policy keeps the rules, if %s.", d.Assuming)
	}
	value := func(x *float64) string {
		switch {
		case x == nil:
			return "nothing"
		case c.Objective == "success":
			return fmt.Sprintf("%.2f %%", 100**x)
		}
		return fmt.Sprintf("%.6g", *x)
	}
	of := "has an expected reward of at least"
	if c.Objective == "success" {
		of = fmt.Sprintf("reaches the goal within %d steps with a probability of at least", d.Horizon)
	}
	return fmt.Sprintf("The policy %s %s. No policy has more than %s. Both hold with a confidence of %v %%, whenever it ended, if %s.", of, value(c.Lower), value(c.Upper), 100*c.Confidence, d.Assuming)
}
