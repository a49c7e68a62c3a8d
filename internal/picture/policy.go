package picture

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/counted"
)

// Policy is what a policy does in the states that it can reach, with the probabilities of what follows.
type Policy struct {
	Problem, Summary string
	Lines            []string // what is known of it, the most important first
	Success          bool     // values are probabilities of reaching the goal; else expected rewards
	Robust           bool
	Axes             []Axis // the integers of a state
	States           []PolicyState
	Actions          []string
	Steps            [][]Stand // by the number of steps taken
	Run              []int     // a run: the stand that it passes after each step
	RunName          string    // such as "the most likely run"
	RunFails         bool      // it ends with a value that a variable does not have
}

// Axis is an integer variable of a state.
type Axis struct {
	Name   string
	Lo, Hi int64
}

// PolicyState is a state that a policy can reach.
type PolicyState struct {
	Text     string  // what varies among the states
	Integers []int64 // the values of the axes
	Rest     string  // the values of other variables
}

// Stand is a state at a step.
type Stand struct {
	State, Spent int // Spent is the number of disturbances so far of a robust policy
	P            float64
	Value        float64
	Action       int // -1 where a run has ended
	Goal         bool
	Next         []Branch
}

// Branch leads to a stand of the next step, by its place there; -1 for a value that a variable does not have.
type Branch struct {
	To int
	P  float64
}

// maxStands bounds the policies that are drawn.
const maxStands = 20_000

// NewPolicy returns the picture of a policy: arrows on a grid where two integers vary, else the most likely
// runs.
func NewPolicy(p *Policy) (*Picture, error) {
	n := 0
	for _, s := range p.Steps {
		n += len(s)
	}
	if n > maxStands {
		return nil, fmt.Errorf("the policy can be in %d pairs of a step and a state; expected at most %d for a picture", n, maxStands)
	}
	pic := &Picture{what: "Policy for " + p.Problem, title: p.Problem, summary: p.Summary, verdict: &Verdict{Lines: p.Lines}}
	for k := range len(p.Run) - 1 {
		pic.steps = append(pic.steps, p.action(p.at(k)))
	}
	if pic.view = newField(p); pic.view == nil {
		pic.view = newTree(p)
	}
	return pic, nil
}

// at is the stand of the run after k steps.
func (p *Policy) at(k int) *Stand { return &p.Steps[k][p.Run[k]] }

func (p *Policy) action(s *Stand) string {
	if s.Action < 0 {
		return ""
	}
	return p.Actions[s.Action]
}

// worth is the value of a stand in words.
func (p *Policy) worth(s *Stand) string {
	if p.Success {
		return "success from here: " + percent(s.Value)
	}
	return "expected reward from here: " + strconv.FormatFloat(s.Value, 'g', 6, 64)
}

// percent writes a probability in few characters.
func percent(x float64) string {
	text := strconv.FormatFloat(100*x, 'f', 1, 64)
	if x < 1 && text == "100.0" {
		text = "> 99.9"
	} else if x > 0 && text == "0.0" {
		text = "< 0.1"
	}
	return strings.TrimSuffix(text, ".0") + " %"
}

// describe describes the run after k steps.
func (p *Policy) describe(k int) string {
	s := p.at(k)
	text := p.States[s.State].Text
	switch {
	case s.Goal && p.Success:
		return text + ", the goal"
	case k+1 == len(p.Run) && p.RunFails:
		return text + "; the next state has a value outside its range"
	}
	return text + "; " + p.worth(s)
}

// shade is how much of the range of values a value is, from 0 to 1.
func (p *Policy) shade(value float64) float64 {
	if p.Success {
		return value
	}
	lo, hi := p.Steps[0][0].Value, p.Steps[0][0].Value
	for _, l := range p.Steps {
		for i := range l {
			lo, hi = min(lo, l[i].Value), max(hi, l[i].Value)
		}
	}
	if lo == hi {
		return 1
	}
	return (value - lo) / (hi - lo)
}

// runText lists the run.
func (p *Policy) runText(b *strings.Builder) {
	fmt.Fprintf(b, "%s:\n", strings.ToUpper(p.RunName[:1])+p.RunName[1:])
	for k := range p.Run {
		name := "start"
		if k > 0 {
			name = p.action(p.at(k - 1))
		}
		fmt.Fprintf(b, "%4d  %-14s %s\n", k, name, p.describe(k))
	}
}

// tree is the view of a policy as a layered graph of its most likely runs, from top to bottom.
type tree struct {
	p      *Policy
	layers []layer
	more   int // steps that are not drawn
}

// layer has the stands of a step that are drawn, from left to right.
type layer struct {
	shown []int
	place map[int]int // of a stand among shown
	rest  float64     // the probability of the others
	other int         // how many they are
	done  float64     // the probability that the goal has been reached by then
}

const (
	nodeWidth, nodeHeight = 150.0, 42.0
	nodeGap, layerGap     = 16.0, 40.0
	treeLeft, treeRight   = 34.0, 88.0
	mostNodes, mostLayers = 4, 30
	leastShown            = .002 // the probability of a stand that is drawn
	mostLabels            = 9    // lines between two layers that have labels
)

func newTree(p *Policy) view {
	t := &tree{p: p, more: max(0, len(p.Steps)-mostLayers)}
	done := 0.0
	for k, stands := range p.Steps[:len(p.Steps)-t.more] {
		l := layer{place: map[int]int{}}
		order := make([]int, len(stands))
		for i := range order {
			order[i] = i
			if stands[i].Goal && p.Success {
				done += stands[i].P
			}
		}
		slices.SortStableFunc(order, func(a, b int) int {
			switch d := stands[b].P - stands[a].P; {
			case d > 1e-12:
				return 1
			case d < -1e-12:
				return -1
			}
			return 0
		})
		for j, i := range order {
			if j < mostNodes && stands[i].P >= leastShown || len(order) == 1 {
				l.shown = append(l.shown, i)
			} else {
				l.rest += stands[i].P
				l.other++
			}
		}
		if l.done = done; k > 0 {
			t.arrange(k, &l)
		}
		for j, i := range l.shown {
			l.place[i] = j
		}
		t.layers = append(t.layers, l)
	}
	return t
}

// arrange orders the stands of a layer by the places from which they are reached, so that few lines cross.
func (t *tree) arrange(k int, l *layer) {
	above, from := &t.layers[k-1], map[int][2]float64{}
	for j, i := range above.shown {
		s := &t.p.Steps[k-1][i]
		for _, b := range s.Next {
			w := from[b.To]
			from[b.To] = [2]float64{w[0] + s.P*b.P*float64(j), w[1] + s.P*b.P}
		}
	}
	at := func(i int) float64 {
		if w := from[i]; w[1] > 0 {
			return w[0] / w[1]
		}
		return mostNodes
	}
	slices.SortStableFunc(l.shown, func(a, b int) int {
		switch d := at(a) - at(b); {
		case d < -1e-9:
			return -1
		case d > 1e-9:
			return 1
		}
		return 0
	})
}

// nodes is the number of places in a layer.
func (l *layer) nodes() int {
	if l.other > 0 {
		return len(l.shown) + 1
	}
	return len(l.shown)
}

func (t *tree) size() (w, h float64) {
	most := 1
	for i := range t.layers {
		most = max(most, t.layers[i].nodes())
	}
	return treeLeft + float64(most)*(nodeWidth+nodeGap) + t.right(), float64(len(t.layers))*(nodeHeight+layerGap) + 4
}

// right is the room for the probability that the goal has been reached.
func (t *tree) right() float64 {
	if t.p.Success {
		return treeRight
	}
	return 2
}

// corner is the left upper corner of a place.
func (t *tree) corner(k, j int) point {
	w, _ := t.size()
	n := float64(t.layers[k].nodes())
	left := treeLeft + (w-treeLeft-t.right()-n*(nodeWidth+nodeGap))/2
	return point{left + float64(j)*(nodeWidth+nodeGap), 2 + float64(k)*(nodeHeight+layerGap)}
}

func (t *tree) base() []element {
	var out []element
	w, _ := t.size()
	for k := range t.layers {
		out = append(out, t.lines(k)...)
	}
	for k := range t.layers {
		l := &t.layers[k]
		y := t.corner(k, 0).y
		out = append(out, label(treeLeft-10, y+26, 12, end, faint, strconv.Itoa(k)))
		if t.p.Success && l.done > 0 {
			out = append(out, label(w-treeRight+6, y+26, 11, start, goal, "goal "+percent(l.done)))
		}
		for j, i := range l.shown {
			out = append(out, t.node(k, j, &t.p.Steps[k][i]))
		}
		if l.other > 0 {
			q := t.corner(k, len(l.shown))
			box := rect(0, 0, nodeWidth, nodeHeight, 6, none).outlined(edge, 1.5)
			box.dashed = true
			out = append(out, as("rest", "", q.x, q.y, box,
				label(nodeWidth/2, 18, 12, middle, faint, counted.Of(l.other, "other state")), label(nodeWidth/2, 34, 11, middle, faint, percent(l.rest))))
		}
	}
	return out
}

// node draws a stand.
func (t *tree) node(k, j int, s *Stand) element {
	q := t.corner(k, j)
	text := t.p.States[s.State].Text
	if t.p.Robust {
		text = shorten(text, 15) + " (" + strconv.Itoa(s.Spent) + ")"
	}
	parts := []element{rect(0, 0, nodeWidth, nodeHeight, 6, floor)}
	if shade := t.p.shade(s.Value); shade > 0 {
		parts = append(parts, rect(0, 0, nodeWidth, nodeHeight, 6, level).faded(.12+.5*shade))
	}
	border := rect(0, 0, nodeWidth, nodeHeight, 6, none).outlined(edge, 1.5)
	if s.Goal {
		border = rect(0, 0, nodeWidth, nodeHeight, 6, none).outlined(goal, 3)
	}
	name := label(8, 17, 12, start, ink, shorten(text, 19))
	name.bold = true
	does := t.p.action(s)
	if s.Goal && t.p.Success {
		does = "goal"
	}
	parts = append(parts, border, name, label(8, 34, 12, start, ink, shorten(does, 15)), label(nodeWidth-8, 34, 11, end, ink, percent(s.P)))
	return as("state", fmt.Sprintf("after %s, with probability %s: %s; %s", counted.Of(k, "step"), percent(s.P), text, t.p.worth(s)), q.x, q.y, parts...)
}

// lines draws what leads from layer k to the next.
func (t *tree) lines(k int) []element {
	if k+1 >= len(t.layers) {
		return nil
	}
	l, next := &t.layers[k], &t.layers[k+1]
	var lines, labels []element
	for j, i := range l.shown {
		from := t.corner(k, j)
		from.x, from.y = from.x+nodeWidth/2, from.y+nodeHeight
		rest := 0.0
		add := func(m int, p float64, dashed bool) {
			to := t.corner(k+1, m)
			to.x += nodeWidth / 2
			e := stroke(trail, 1+4*p, from, to)
			if e.dashed = dashed; dashed {
				e.stroke = edge
			}
			lines = append(lines, as("outcome", percent(p), 0, 0, e))
			if p < .9995 {
				const share = .62 // of the way: lines part there
				labels = append(labels, label(from.x+share*(to.x-from.x)+4, from.y+share*(to.y-from.y)+4, 10, start, faint, percent(p)))
			}
		}
		for _, b := range t.p.Steps[k][i].Next {
			if m, ok := next.place[b.To]; ok {
				add(m, b.P, false)
			} else if b.To >= 0 {
				rest += b.P
			}
		}
		if rest > 0 {
			add(len(next.shown), rest, true)
		}
	}
	if len(labels) > mostLabels {
		return lines
	}
	return append(lines, labels...)
}

func (t *tree) frame(k int) []element {
	if k >= len(t.layers) {
		return nil
	}
	l := &t.layers[k]
	j, ok := l.place[t.p.Run[k]]
	if !ok {
		j = len(l.shown)
	}
	q := t.corner(k, j)
	return []element{as("run", t.describe(k), q.x, q.y, rect(-3, -3, nodeWidth+6, nodeHeight+6, 8, none).outlined(now, 4))}
}

func (t *tree) whole() *scene { return nil }

func (t *tree) describe(k int) string { return t.p.describe(k) }

func (t *tree) legend() string {
	text := "From top to bottom: the states after each step with their probabilities, and what the policy does there. Lines are outcomes. "
	if t.p.Success {
		text += "The darker a state, the likelier the goal is reached from it; on the right, the probability that it has been reached."
	} else {
		text += "The darker a state, the greater the expected reward from it."
	}
	if t.p.Robust {
		text += " In brackets: the disturbances so far."
	}
	if t.more > 0 {
		text += fmt.Sprintf(" Further steps: %d.", t.more)
	}
	return text
}

func (t *tree) source() string { return "" }

func (t *tree) text(b *strings.Builder, _ int) {
	for k := range t.layers {
		l := &t.layers[k]
		for _, i := range l.shown {
			s := &t.p.Steps[k][i]
			does := t.p.action(s)
			if s.Goal && t.p.Success {
				does = "goal"
			}
			fmt.Fprintf(b, "%4d  %8s  %s: %s\n", k, percent(s.P), t.p.States[s.State].Text, does)
		}
		if l.other > 0 {
			fmt.Fprintf(b, "%4d  %8s  %s\n", k, percent(l.rest), counted.Of(l.other, "other state"))
		}
	}
	t.p.runText(b)
}
