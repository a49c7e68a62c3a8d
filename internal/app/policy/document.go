package policy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/app/support"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/policy"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// Document is the answer to `fdplan plan --policy`, and with its table a policy file. Unknown values
// are null.
type Document struct {
	Schema    int              `json:"schema"`
	Problem   string           `json:"problem"`
	Objective policy.Objective `json:"objective"`
	Horizon   int              `json:"horizon"`
	From      int              `json:"from,omitempty"` // the first horizon of a range
	// Learned reports that the model was learned: the value is that under it.
	Learned   bool          `json:"learned,omitempty"`
	Engine    string        `json:"engine"`
	Status    engine.Status `json:"status"`
	Goal      bool          `json:"goal"`                // whether there is a goal
	Value     *float64      `json:"value"`               // a probability, or an expected reward; of a sample, what it is at least
	Exact     string        `json:"exact,omitempty"`     // the value as a fraction, if that is short
	Evaluated string        `json:"evaluated,omitempty"` // "exactly", or "within rounding"
	Bound     *float64      `json:"bound"`               // no policy has a greater value, but for rounding
	// Confidence is that the value is at least Value, and of no policy more than Bound, of one that was learned by acting; 0 for others.
	Confidence float64 `json:"confidence,omitempty"`
	// Blind says that the answer is a plan, which sees nothing, in place of a policy: Plan lists what to do at each step, until
	// no run can go on.
	Blind   bool         `json:"blind,omitempty"`
	Plan    []app.Values `json:"plan,omitempty"`
	Sampled *Sample      `json:"sampled"` // null for a value that was computed
	States  int          `json:"states"`  // that can be reached within the horizon
	Pairs   int64        `json:"pairs"`   // of these states and their legal actions
	Updates int64        `json:"updates"` // outcomes that were looked at
	Reached int          `json:"reached"` // states that the policy can reach
	Steps   int64        `json:"steps"`   // pairs of a step and a state that the policy can reach then
	// Disturbances is how many draws of a run may have another than their most likely outcome, of a
	// robust policy, whose value is the worst reward; null for others.
	Disturbances *int `json:"disturbances"`
	// Scenarios is how many were planned for, of an answer by scenarios; 0 for others.
	Scenarios int      `json:"scenarios,omitempty"`
	Excess    *float64 `json:"excess,omitempty"` // the probability of a run with more
	// Unseen counts the pairs of a state and the policy's action in it that no training row has; null
	// where that is not known, and where nothing is learned.
	Unseen *int `json:"unseen,omitempty"`
	// Disputed counts such pairs whose rows have other next values than the model, of variables that it
	// does not draw; Agree is the least share of their rows that agree.
	Disputed int      `json:"disputed,omitempty"`
	Agree    *float64 `json:"agree,omitempty"`
	// Beyond says how states that the policy may come to leave what the log has of quantities; absent where they do not.
	Beyond []string `json:"beyond_log,omitempty"`
	// Supported is what the rows alone say of the value; null where nothing was learned from rows, and for robust policies.
	Supported *Supported `json:"supported,omitempty"`
	// Unsupported says that this is not known: the policy was followed, and the runs that all ranges of probabilities leave are
	// worth nothing above the worst.
	Unsupported bool `json:"unsupported,omitempty"`
	// Divided tells of contexts of the learned model that are divided in the one that the value is of; absent where none is.
	Divided *Divided `json:"divided,omitempty"`
	// Avoids tells of the best policy of the learned model where one was chosen that expects nothing of actions in states where no row shows them; absent otherwise.
	Avoids *Avoided `json:"avoids,omitempty"`
	// LearnedReward tells of the rows that the reward was learned from; absent if it was not, and where the probability of success is maximised.
	LearnedReward *load.RewardRows `json:"learned_reward,omitempty"`
	// Earlier says that the log refutes that the state decides what is drawn, which the value rests on; absent where it does not.
	Earlier *load.Earlier `json:"earlier,omitempty"`
	Policy  *string       `json:"policy"` // the file of the table
	Table   Table         `json:"table"`
	load.Altered
	// Assumed says what the answer assumes of inputs; absent without.
	Assumed []load.Assumed `json:"assumed,omitempty"`
	// Rule says what is done in states that are not in the table; null where the table has all that can be reached.
	Rule    *Rule   `json:"rule,omitempty"`
	Stopped string  `json:"stopped,omitempty"`
	Proof   *Proof  `json:"proof,omitempty"` // of the bound, or that there is no policy; null where none was asked for
	Seconds float64 `json:"seconds"`

	// NoProof is why there is none, though one was asked for.
	NoProof error `json:"-"`

	proof   any                    // *Ceiling or *Sums
	write   func(dir string) error // of a proof by scenarios; nil for others
	steps   []factored.Valuation   // of Plan
	pending *pending               // of a rule that an exact policy is to take the place of
}

// Proof tells of a table of upper bounds that was checked.
type Proof struct {
	Certificate string `json:"certificate"` // the folder
	States      int    `json:"states"`
	Pairs       int    `json:"pairs"`               // of these states and their legal actions
	Bounds      int64  `json:"bounds"`              // by state and steps left
	Scenarios   int    `json:"scenarios,omitempty"` // that show together that there is none
	Sets        int    `json:"sets,omitempty"`      // of states that runs of a plan may be in, which the bounds alone do not settle
}

// Sample tells how a value was estimated.
type Sample struct {
	Runs       int     `json:"runs"`
	Confidence float64 `json:"confidence"` // that the value is at least what is said
	Mean       float64 `json:"mean"`       // of the runs
	Error      float64 `json:"standard_error"`
	By         string  `json:"-"` // what the policy does in states that are not in the table
}

// maxFraction bounds the length of a value that is printed as a fraction.
const maxFraction = 60

// Table says what to do in each state that a policy can reach. It is plain enough for a device: find the state, then
// the row of it whose steps contain the present one.
type Table struct {
	Variables []string     `json:"variables"` // of states, in order
	States    [][]any      `json:"states"`    // values of the variables
	Actions   []app.Values `json:"actions"`   // joint actions: what differs from its default
	// Rows are [state, from, to, action]: state and action by their numbers from 0, and the first and the last step
	// from 1; those of a robust policy also have the number of disturbances so far.
	Rows [][]int `json:"rows"`
	// Ranges are those of the variables that are integers, null for others.
	Ranges []*[2]int64 `json:"ranges,omitempty"`
	// Outcomes tell what each action of the rows leads to; absent where they are too many. A device has no use for
	// them.
	Outcomes []Outcomes `json:"outcomes,omitempty"`
	Goals    []int      `json:"goals,omitempty"` // states in which the goal holds
	Start    int        `json:"start"`           // the state in which runs begin
}

// filler writes the policy of a solution into a table.
type filler struct {
	*Table
	m       *model
	state   func(i int) []uint64
	states  map[int]int
	actions map[uint32]int
	judge   *support.Judge // nil where nothing is known of training rows
	pairs   map[[2]int]bool
	drawn   map[string]bool // variables
	unseen  int             // of the pairs of a state and an action
	// disputed counts pairs, and agree is the least share of the rows of one.
	disputed int
	agree    float64
}

// fill prepares a table for rows.
func (t *Table) fill(m *model, state func(int) []uint64) *filler {
	t.Variables = stateNames(m.p.Problem)
	t.States, t.Actions, t.Rows = [][]any{}, []app.Values{}, [][]int{}
	t.Ranges = rangesOf(m.p.Problem)
	return &filler{
		Table: t, m: m, state: state, states: map[int]int{}, actions: map[uint32]int{},
		judge: support.NewJudge(m.p), pairs: map[[2]int]bool{}, drawn: m.p.Drawn(), agree: 1,
	}
}

// Row is what a policy does in a state from one step to another; Now is state and action.
type Row struct {
	From, To int
	Now      factored.Valuation
}

// Act has a document say what to do for an objective in states that were seen to be reached, the first of them that in which runs begin.
func (d *Document) Act(p *factored.Problem, objective string, rows []Row) {
	d.Objective = policy.Objective(objective)
	t := &d.Table
	t.Variables, t.Ranges, t.States, t.Actions, t.Rows = stateNames(p), rangesOf(p), [][]any{}, []app.Values{}, [][]int{}
	place := func(kind factored.Kind, have map[string]int, now factored.Valuation) (i int, known bool) {
		key := now.Key(p.Bits(kind))
		if i, known = have[key]; !known {
			i = len(have)
			have[key] = i
		}
		return i, known
	}
	states, actions := map[string]int{}, map[string]int{}
	for _, r := range rows {
		s, known := place(factored.State, states, r.Now)
		if !known {
			t.States = append(t.States, valuesOf(p, r.Now))
		}
		a, known := place(factored.Action, actions, r.Now)
		if !known {
			t.Actions = append(t.Actions, app.ValuesOf(p, factored.Action, r.Now, false))
		}
		t.Rows = append(t.Rows, []int{s, r.From, r.To, a})
	}
	d.Reached = len(t.States)
}

func stateNames(p *factored.Problem) (names []string) {
	for _, v := range p.OfKind(factored.State) {
		names = append(names, v.Name)
	}
	return names
}

// checkVariables refuses a table that is not of the states of a problem.
func checkVariables(p *factored.Problem, of []string) error {
	if names := stateNames(p); !slices.Equal(names, of) {
		return fmt.Errorf("the table is of the variables %v; expected %v", of, names)
	}
	return nil
}

// rangesOf lists the ranges of the states that are integers.
func rangesOf(p *factored.Problem) (ranges []*[2]int64) {
	for _, v := range p.OfKind(factored.State) {
		var r *[2]int64
		if _, ok := v.Show(v.Lo).(int64); ok {
			r = &[2]int64{v.Lo, v.Hi}
		}
		ranges = append(ranges, r)
	}
	return ranges
}

// row adds a row.
func (f *filler) row(r policy.Row, more ...int) error {
	p := f.m.p.Problem
	i, ok := f.states[r.State]
	if !ok {
		i = len(f.States)
		f.states[r.State] = i
		val := make(factored.Valuation, p.NumBits())
		if err := f.m.process.Unpack(val, f.state(r.State)); err != nil {
			return err
		}
		f.States = append(f.States, valuesOf(p, val))
	}
	a, ok := f.actions[r.Action]
	if !ok {
		a = len(f.Actions)
		f.actions[r.Action] = a
		val := make(factored.Valuation, p.NumBits())
		if err := f.m.process.Action(val, r.Action); err != nil {
			return err
		}
		f.Actions = append(f.Actions, app.ValuesOf(p, factored.Action, val, false))
	}
	f.Rows = append(f.Rows, append([]int{i, r.From, r.To, a}, more...))
	return f.look(r, [2]int{i, a})
}

// look asks whether training rows have a pair of a state and an action.
func (f *filler) look(r policy.Row, pair [2]int) error {
	if f.judge == nil || f.pairs[pair] {
		return nil
	}
	f.pairs[pair] = true
	now := make(factored.Valuation, f.m.p.Problem.NumBits())
	if err := f.m.process.Unpack(now, f.state(r.State)); err != nil {
		return err
	}
	if err := f.m.process.Action(now, r.Action); err != nil {
		return err
	}
	e, err := f.judge.Evidence(now)
	if err != nil {
		return err
	}
	switch {
	case e.Kind == support.Unseen || e.Kind == support.Supported:
		f.unseen++
	case e.Kind == support.Disputed && !e.Disputes(f.drawn):
		f.disputed++
		if e.Rows != nil && e.Agree != nil {
			f.agree = min(f.agree, e.Share())
		}
	}
	return nil
}

// evidence counts what the rows of a table rest on.
func (d *Document) evidence(f *filler) {
	if f.judge != nil {
		if d.Unseen, d.Disputed = &f.unseen, f.disputed; f.agree < 1 {
			d.Agree = &f.agree
		}
	}
}

// valuesOf lists the values of a state.
func valuesOf(p *factored.Problem, val factored.Valuation) (values []any) {
	for _, e := range app.ValuesOf(p, factored.State, val, true) {
		values = append(values, e.Value)
	}
	return values
}

// policy returns the table as a function, after a look at what it says. Robust ones look at the disturbances so far.
func (t *Table) policy(p *factored.Problem, robust bool) (validate.RobustPolicy, error) {
	if err := checkVariables(p, t.Variables); err != nil {
		return nil, err
	}
	actions, err := actionsOf(p, t.Actions)
	if err != nil {
		return nil, err
	}
	keys := make([]string, len(t.States))
	for i, s := range t.States {
		keys[i] = keyOf(s)
	}
	rows := map[string][][]int{}
	for _, r := range t.Rows {
		rows[keys[r[0]]] = append(rows[keys[r[0]]], r)
	}
	bits, known := p.Bits(factored.State), map[string][][]int{} // a state is asked for at many steps, and is long to write
	return func(step, disturbances int, state factored.Valuation) factored.Valuation {
		key := state.Key(bits)
		of, ok := known[key]
		if !ok {
			of = rows[keyOf(valuesOf(p, state))]
			known[key] = of
		}
		for _, r := range of {
			if r[1] <= step && step <= r[2] && (!robust || r[4] == disturbances) {
				return actions[r[3]]
			}
		}
		return nil
	}, nil
}

// keyOf is a map key for the values of a state, as they are written or as they were read.
func keyOf(values []any) string {
	values = slices.Clone(values)
	for i, x := range values {
		if n, ok := x.(json.Number); ok { // 0.50 was read as 0.5
			values[i], _ = n.Float64()
		}
	}
	text, err := json.Marshal(values)
	if err != nil {
		return fmt.Sprint(values)
	}
	return string(text)
}

// Says is the answer in a few words.
func (d *Document) Says() string {
	if !d.Learned || d.Value == nil && d.Status != engine.Infeasible {
		return d.answer()
	}
	text := d.answer() + ", under the learned model"
	switch {
	case len(d.Beyond) > 0: // no rows support what follows there
		return text + ", which goes on where no row was (" + strings.Join(d.Beyond, "; ") + ")"
	case d.Earlier != nil: // what the rows support rests on the states, too
		return text + ", which the log refutes: " + d.Earlier.String()
	case d.Unsupported:
		return text + "; what the rows alone support is not known, as too little is left of any run that all the ranges of its probabilities leave"
	case d.Supported == nil:
		return text
	case d.Supported.Unleft > 0:
		return fmt.Sprintf("the rows alone support at least %s%s if the model's %s right: no row begins in %s that the policy may come to, so what follows there is not known; %s",
			d.amount(d.Supported.Value), d.Supported.sampled(), d.rests(), counted.Of(d.Supported.Unleft, "state"), text)
	case len(d.Supported.Beyond) > 0:
		return fmt.Sprintf("the rows alone support at least %s%s if the model's %s right: "+
			"the policy may come to where an outcome would leave the range of %s, and no row shows what happens then; %s",
			d.amount(d.Supported.Value), d.Supported.sampled(), d.rests(), strings.Join(d.Supported.Beyond, ", "), text)
	case len(d.Supported.Unlike) > 0:
		return fmt.Sprintf("the rows alone support at least %s%s if the model's %s right: %s; %s",
			d.amount(d.Supported.Value), d.Supported.sampled(), d.rests(), d.Supported.Unlike[0].Unlike(), text)
	}
	return fmt.Sprintf("%s; the rows alone support at least %s%s if its %s right", text, d.amount(d.Supported.Value), d.Supported.sampled(), d.rests())
}

// rests is what of the model the value rests on that rows support: its structure, and means of rewards.
func (d *Document) rests() string {
	if d.LearnedReward != nil && d.LearnedReward.Wrong == nil {
		return "structure and its mean rewards are"
	}
	return "structure is"
}

// amount writes a value of the objective.
func (d *Document) amount(value float64) string {
	if d.Objective == policy.Success {
		return plan.Percent(value)
	}
	return fmt.Sprintf("%.9g", value)
}

// answer is what Says says of the model.
func (d *Document) answer() string {
	if d.Blind {
		return d.blindAnswer()
	}
	switch {
	case d.Status == engine.Infeasible && d.Disturbances != nil && d.Goal:
		return fmt.Sprintf("no policy reaches the goal within %s in every run with at most %s", counted.Of(d.Horizon, "step"), counted.Of(*d.Disturbances, "disturbance"))
	case d.Status == engine.Infeasible && d.Disturbances != nil:
		return fmt.Sprintf("no policy keeps the rules for %s in every run with at most %s", counted.Of(d.Horizon, "step"), counted.Of(*d.Disturbances, "disturbance"))
	case d.Status == engine.Infeasible:
		return fmt.Sprintf("no policy keeps the rules for %s, whatever is drawn", counted.Of(d.Horizon, "step"))
	case d.Sampled != nil:
		return d.between()
	case d.Value == nil:
		return "no answer"
	case d.Confidence > 0:
		return fmt.Sprintf("%s, worth at least %s within %s, with a confidence of %g %%", d.Status, d.amount(*d.Value), counted.Of(d.Horizon, "step"), 100*d.Confidence)
	case d.Disturbances != nil && d.Goal:
		return fmt.Sprintf("%s, reaches the goal within %s in every run with at most %s, with reward %.9g at worst", d.Status, counted.Of(d.Horizon, "step"), counted.Of(*d.Disturbances, "disturbance"), *d.Value)
	case d.Disturbances != nil:
		return fmt.Sprintf("%s, reward %.9g at worst in runs of %s with at most %s", d.Status, *d.Value, counted.Of(d.Horizon, "step"), counted.Of(*d.Disturbances, "disturbance"))
	case d.Objective == policy.Success:
		return fmt.Sprintf("%s, reaches the goal within %s with probability %s", d.Status, counted.Of(d.Horizon, "step"), plan.Percent(*d.Value))
	}
	return fmt.Sprintf("%s, expected reward %.9g, horizon %d", d.Status, *d.Value, d.Horizon)
}

// Worth is the value as exactly as it is known.
func (d *Document) Worth() string {
	switch {
	case d.Exact != "":
		return "it is worth " + d.Exact
	case d.Objective == policy.Success:
		return "it succeeds with probability " + plan.Percent(*d.Value)
	}
	return fmt.Sprintf("its expected reward is %.12g", *d.Value)
}

// Text writes a state of the table: what is not false or 0, and no input, since those keep one value.
func (d *Document) Text(state int) string {
	values := slices.DeleteFunc(d.Table.Values(state), func(e app.Entry) bool {
		return slices.ContainsFunc(d.Assumed, func(a load.Assumed) bool { return a.Input == e.Name })
	})
	return values.String()
}

// Values lists the values of a state.
func (t *Table) Values(state int) (values app.Values) {
	for i, name := range t.Variables {
		values = append(values, app.Entry{Name: name, Value: t.States[state][i]})
	}
	return values
}

// Differing lists the values of a state that another one does not have.
func (t *Table) Differing(state, from int) (values app.Values) {
	for i, e := range t.Values(state) {
		if e.Value != t.States[from][i] {
			values = append(values, e)
		}
	}
	return values
}
