package bench

import "time"

// Progress is how far a bench is.
type Progress struct {
	Done, Jobs int    // of the runs that were to be made
	Current    string // ID of the run that has begun or ended last
	// Left is how long the rest may take, by the mean of the runs of each kind so
	// far, and by guesses for what there was none of; 0 before there are any.
	Left time.Duration
}

// usualTraining is how long a training may take, before there was one.
const usualTraining = 20 * time.Second

// pace estimates the time left.
type pace struct {
	jobs     []Job
	done     int
	left     map[string]int           // runs to be made, by class
	spent    map[string]time.Duration // on those of a class
	made     map[string]int
	first    map[string]*Record // of the class, to know what it is
	total    time.Duration
	open     int
	parallel int
}

// class is what runs have in common that take about as long as each other.
func class(r *Record) string {
	return r.Table + string(r.Kind) + r.Engine + r.Encoding + r.Solver + r.Model + r.Recipe
}

func newPace(jobs []Job, open []int, parallel int) *pace {
	p := &pace{jobs: jobs, open: len(open), left: map[string]int{}, spent: map[string]time.Duration{}, made: map[string]int{}, first: map[string]*Record{}, parallel: parallel}
	for _, i := range open {
		c := class(&jobs[i].Record)
		p.left[c]++
		if p.first[c] == nil {
			p.first[c] = &jobs[i].Record
		}
	}
	return p
}

func (p *pace) starting(i int) Progress { return p.progress(i) }

func (p *pace) ended(i int, took time.Duration) Progress {
	c := class(&p.jobs[i].Record)
	p.done++
	p.left[c]--
	p.made[c]++
	p.spent[c] += took
	p.total += took
	return p.progress(i)
}

func (p *pace) progress(i int) Progress {
	out := Progress{Done: p.done, Jobs: p.open, Current: p.jobs[i].Record.ID}
	if p.done == 0 {
		return out
	}
	mean := p.total / time.Duration(p.done)
	for c, n := range p.left {
		each := mean
		switch first := p.first[c]; {
		case p.made[c] > 0:
			each = p.spent[c] / time.Duration(p.made[c])
		case first.Kind == KindReach:
			// It goes on until a run is over its limit, and runs before that grow.
			each = max(mean, 3*first.limits().time)
		case first.Kind == KindTrain:
			each = max(mean, min(usualTraining, first.limits().time))
		}
		out.Left += time.Duration(n) * each
	}
	out.Left /= time.Duration(p.parallel)
	return out
}
