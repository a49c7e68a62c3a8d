package tube

import "github.com/fdplan/fdplan/certify/robust"

// Record is a proof that no plan holds, as package certify/robust reads it: the form of the file is all that they share.
type Record struct {
	Task *Task `json:"task"`
	robust.Refutation
}

func (r *refuter) note(l robust.Line) {
	if r.record != nil {
		r.record.Proof = append(r.record.Proof, l)
	}
}

// line returns the multipliers that show that no point keeps the rows, if that is known.
func (p *program) line() (l robust.Line) {
	for k, w := range p.ray {
		if w > 0 {
			l.Rows, l.By = append(l.Rows, p.at[k]), append(l.By, w)
		}
	}
	return l
}

func (r *Record) length() int {
	if r == nil {
		return 0
	}
	return len(r.Proof)
}

// cases is the number of cases that are refuted.
func (r *Record) cases() (n int) {
	for i := 0; i < r.length(); i++ {
		if len(r.Proof[i].Rows) > 0 {
			n++
		}
	}
	return n
}

func (r *Record) cut(to int) {
	if r != nil {
		r.Proof = r.Proof[:to]
	}
}

// finish writes the courses; place has that of each to choose from.
func (r *Record) finish(t *Task, all []Course, first int, place []int) {
	if r == nil {
		return
	}
	r.First = first
	for i := range all {
		w := robust.Course{Errors: all[i].errs}
		for _, a := range all[i].aims {
			w.Aims = append(w.Aims, t.sought(a))
		}
		r.Courses = append(r.Courses, w)
	}
	for i := range r.Proof {
		if c := &r.Proof[i].Course; *c > 0 {
			*c = place[*c-1]
		}
	}
}

func (t *Task) sought(a *aim) *robust.Aim {
	if a == nil {
		return nil
	}
	to := a.target()
	out := &robust.Aim{Until: a.until, Now: make([]int64, len(t.States)), Next: make([]int64, len(t.States)), Least: to.least, By: to.by, Beyond: to.beyond}
	for j, f := range to.share {
		if from := t.lagged(j); to.before {
			out.Now[j] += f
		} else if from >= 0 {
			out.Now[from] += f
		} else {
			out.Next[j] += f
		}
	}
	return out
}
