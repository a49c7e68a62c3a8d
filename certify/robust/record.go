package robust

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/fdplan/fdplan/internal/source"
)

// Record is a proof with what it is about.
type Record struct {
	Task Task `json:"task"`
	Refutation
}

// Refutation is a proof.
type Refutation struct {
	// Steps is the number of steps of the courses. With Anywhere they are the last ones of any plan; else the first ones, of plans of any
	// length if Rules, which leaves out the goal, or of so many steps.
	Steps    int      `json:"steps"`
	Anywhere bool     `json:"anywhere,omitempty"`
	Rules    bool     `json:"rules,omitempty"`
	First    int      `json:"first"` // so many courses are compared from the beginning
	Courses  []Course `json:"courses"`
	Proof    []Line   `json:"proof"`
}

// Task is what plans are to do: integers that go on by piecewise linear functions with errors.
type Task struct {
	States  []Quantity `json:"states"`
	Actions []Quantity `json:"actions"`
	Next    []Next     `json:"next"` // of each state
	Start   []int64    `json:"start"`
	Rules   []Atom     `json:"rules"`
	Goal    []Atom     `json:"goal"`
	Change  []int64    `json:"change"` // of each action from one step to the next, at most; absent for any
	Before  []int64    `json:"before"` // the action before the first step, if that is known
}

// Quantity is a state or an action.
type Quantity struct {
	Name string `json:"name"`
	Lo   int64  `json:"lo"`
	Hi   int64  `json:"hi"`
}

// Linear is (x + u + c) / d, with the states and the actions times their coefficients.
type Linear struct {
	X []int64 `json:"x"`
	U []int64 `json:"u"`
	C int64   `json:"c"`
	D int64   `json:"d"`
}

// Atom is the condition that a form is at most 0, or below it.
type Atom struct {
	Linear
	Strict bool   `json:"strict"`
	Text   string `json:"text"`
}

// Function is a form, or a condition with two functions.
type Function struct {
	If   *Atom     `json:"if"`
	Then *Function `json:"then"`
	Else *Function `json:"else"`
	Leaf Linear    `json:"leaf"`
}

// Next is how a state goes on: by a function, rounded to an integer, or by given values, the last of which is held, plus an error within
// Low..High, cut off at the ends of its range.
type Next struct {
	Function *Function `json:"function"`
	Low      int64     `json:"low"`
	High     int64     `json:"high"`
	Given    []int64   `json:"given"`
}

// Course has errors by steps and states, and what those of a state aim at in place of these.
type Course struct {
	Errors [][]int64 `json:"errors"`
	Aims   []*Aim    `json:"aims,omitempty"`
}

// Aim is a value that errors bring a state to, as near as the band allows, in the steps before Until: the greatest integer that is at most
// (Least + Now*states before the step + Next*states after it) / By, plus Beyond.
type Aim struct {
	Until  int     `json:"until"`
	Now    []int64 `json:"now"`
	Next   []int64 `json:"next"`
	Least  int64   `json:"least"`
	By     int64   `json:"by"`
	Beyond int64   `json:"beyond"`
}

// Line tells of a case: the multipliers of rows that refute it, none where it goes on; or whether a value may be beyond an end of its range;
// or the course, from 1, that is looked at too.
type Line struct {
	Rows   []int     `json:"rows,omitempty"`
	By     []float64 `json:"by,omitempty"`
	Above  bool      `json:"above,omitempty"`
	Below  bool      `json:"below,omitempty"`
	Course int       `json:"course,omitempty"`
}

// Read reads a proof; errors are *source.Error about the file called name.
func Read(name string, r io.Reader) (*Record, error) {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	out := &Record{}
	err := d.Decode(out)
	if err == nil {
		err = out.check()
	}
	if err != nil {
		return nil, source.Errorf(name, 1, 0, "expected a proof as plan --robust --certify writes it: %v", err)
	}
	return out, nil
}

// check reports what makes a record meaningless.
func (r *Record) check() error {
	t := &r.Task
	n := len(t.States)
	if len(t.Next) != n || len(t.Start) != n || r.Steps < 1 || r.First < 1 || r.First > len(r.Courses) || r.Anywhere && r.Rules ||
		t.Change != nil && len(t.Change) != len(t.Actions) || t.Before != nil && len(t.Before) != len(t.Actions) {
		return fmt.Errorf("its lists do not fit together")
	}
	good := true
	for _, list := range [][]Atom{t.Rules, t.Goal} {
		for i := range list {
			good = good && t.fits(&list[i].Linear)
		}
	}
	for i := range t.Goal {
		good = good && !t.Goal[i].acts()
	}
	for i := range t.Next {
		x := &t.Next[i]
		good = good && x.Low <= x.High && t.States[i].Lo <= t.Start[i] && t.Start[i] <= t.States[i].Hi && (len(x.Given) > 0 || t.whole(x.Function))
	}
	for i := range r.Courses {
		good = good && r.possible(&r.Courses[i])
	}
	if !good {
		return fmt.Errorf("its forms, errors or aims do not fit the states")
	}
	return nil
}

func (t *Task) fits(l *Linear) bool {
	return len(l.X) == len(t.States) && len(l.U) == len(t.Actions) && l.D > 0
}

func (t *Task) whole(f *Function) bool {
	if f == nil || f.If == nil {
		return f != nil && t.fits(&f.Leaf)
	}
	return t.fits(&f.If.Linear) && t.whole(f.Then) && t.whole(f.Else)
}

// possible reports whether errors are within the bands, and aims read what is known.
func (r *Record) possible(c *Course) bool {
	n := len(r.Task.States)
	if len(c.Errors) != r.Steps || c.Aims != nil && len(c.Aims) != n {
		return false
	}
	for _, errs := range c.Errors {
		if len(errs) != n {
			return false
		}
		for i, e := range errs {
			if e < r.Task.Next[i].Low || e > r.Task.Next[i].High {
				return false
			}
		}
	}
	for i, a := range c.Aims {
		if a == nil {
			continue
		}
		if a.By < 1 || len(a.Now) != n || len(a.Next) != n {
			return false
		}
		for _, f := range a.Next[i:] { // not yet known
			if f != 0 {
				return false
			}
		}
	}
	return true
}

func (a *Atom) acts() bool {
	for _, c := range a.U {
		if c != 0 {
			return true
		}
	}
	return false
}
