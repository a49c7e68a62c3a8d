package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/experiment/journal"
)

// question is what two runs must agree on.
type question struct {
	problem       string
	horizon, size int
	model, files  string
}

// claim is a run's claim about the best reward: there is a plan with at least least, and none
// with more than most.
type claim struct {
	record      int
	least, most float64
	says        string
}

// tolerance is the allowed difference of two rewards, relative to 1 and to their magnitudes:
// solvers with floating-point numbers add weights in different orders.
const tolerance = 1e-6

// claims extracts a record's claim, if it makes one about a question. Runs of Algorithm 1
// answer another question, since they use the truth, and so do those of Figure 1, which are
// reported as executed in the simulator.
func claims(k int, r *Record) (question, claim, bool) {
	q := question{named(r), r.Horizon, 0, r.Model, r.Files}
	c := claim{record: k, least: math.Inf(-1), most: math.Inf(1)}
	if r.Landmarks != "" || r.Table == "incremental" || r.Table == "figure1" {
		return q, c, false
	}
	switch {
	case r.Kind == journal.KindReach && r.Status == "measured" && r.Reward != nil:
		// Of its furthest run, which had a proof.
		q.size = r.Size
		c.least, c.most = *r.Reward, *r.Reward
		c.says = fmt.Sprintf("optimum %g", *r.Reward)
	case r.Kind != journal.KindPlan:
		return q, c, false
	case r.Status == "optimal" && r.Reward != nil:
		c.least, c.most = *r.Reward, *r.Reward
		c.says = fmt.Sprintf("optimum %g", *r.Reward)
	case r.Status == "infeasible":
		c.most = math.Inf(-1)
		c.says = "no plan"
	case r.Status == "feasible" && r.Reward != nil:
		c.least = *r.Reward
		c.says = fmt.Sprintf("a plan with %g", *r.Reward)
		if r.Bound != nil {
			c.most = *r.Bound
			c.says += fmt.Sprintf(", none above %g", *r.Bound)
		}
	case r.Status == "unknown" && r.Bound != nil:
		c.most = *r.Bound
		c.says = fmt.Sprintf("none above %g", *r.Bound)
	default:
		return q, c, false
	}
	return q, c, true
}

// agree reports whether claims about one question can all be true.
func agree(all []claim) bool {
	least, most := math.Inf(-1), math.Inf(1)
	for _, c := range all {
		least, most = max(least, c.least), min(most, c.most)
	}
	if math.IsInf(least, -1) || math.IsInf(most, 1) {
		return true
	}
	return least <= most+tolerance*max(1, math.Abs(least))
}

// disputes are the questions whose answers cannot all be true.
type disputes struct {
	at       []question // in the order of the listing
	claims   map[question][]claim
	compared int // number of questions with more than one answer
}

// disputes compares all runs.
func (b *book) disputes() *disputes {
	d := &disputes{claims: map[question][]claim{}}
	var order []question
	for k := range b.records {
		q, c, ok := claims(k, &b.records[k])
		if !ok {
			continue
		}
		if d.claims[q] == nil {
			order = append(order, q)
		}
		d.claims[q] = append(d.claims[q], c)
	}
	for _, q := range order {
		if len(d.claims[q]) > 1 {
			d.compared++
		}
		if !agree(d.claims[q]) {
			d.at = append(d.at, q)
		}
	}
	return d
}

// text describes the result of the comparison.
func (d *disputes) text() string {
	compared := fmt.Sprintf("%d instances have answers of more than one run with the same model and files: ", d.compared)
	if d.compared == 1 {
		compared = "One instance has answers of more than one run with the same model and files: "
	}
	switch {
	case d.compared == 0:
		return "No instance has answers of more than one run with the same model and files: there is nothing to compare."
	case len(d.at) == 0:
		return "None. " + compared + "their optima, plans and bounds can all be true."
	}
	return compared + fmt.Sprintf("at %d of them something is wrong.", len(d.at))
}

// DisputedText is Disputed with its noun.
func (r *Report) DisputedText() string {
	if r.Disputed == 1 {
		return "1 instance"
	}
	return fmt.Sprintf("%d instances", r.Disputed)
}

// contradictions tabulates the disputes, one row per claim.
func (b *book) contradictions(d *disputes) *Table {
	t := &Table{Name: contradictionsName, Title: "Claims that cannot all be true",
		Caption: "The best reward that runs claim for the same problem, horizon, model and files; at least one of them is wrong."}
	t.column("", "instance", "model", "claim", "by")
	for _, q := range d.at {
		name := b.name(instance{q.problem, q.horizon})
		if q.size > 0 {
			name = fmt.Sprintf("%s,%d,%d", q.problem, q.size, q.horizon)
		}
		model := q.model
		if f := familyOf(&Record{Model: q.model, Files: q.files}); f != "" {
			model = f
		}
		var said []string
		for _, c := range d.claims[q] {
			if !slices.Contains(said, c.says) {
				said = append(said, c.says)
			}
		}
		for _, says := range said {
			var at []int
			var by []string
			for _, c := range d.claims[q] {
				if c.says != says {
					continue
				}
				at = append(at, c.record)
				if w := runner(&b.records[c.record]); !slices.Contains(by, w) {
					by = append(by, w)
				}
			}
			row := []Cell{label("%s", name)}
			for _, text := range []string{model, says, strings.Join(by, "; ")} {
				c := ours(text, at...)
				c.Plain, c.Bad = true, text == says
				row = append(row, c)
			}
			t.add(row...)
		}
	}
	return t
}

// runner names what made a run, without its purpose.
func runner(r *Record) string {
	plain := *r
	plain.Model, plain.Files = "", ""
	return what(&plain)
}

// contradictionsName is the file of a table that exists only if there is something to report.
const contradictionsName = "contradictions"
