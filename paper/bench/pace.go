package bench

import (
	"time"

	"github.com/fdplan/fdplan/internal/experiment/journal"
	"github.com/fdplan/fdplan/internal/progress"
)

// Progress is how far a bench is.
type Progress struct {
	Done, Jobs int    // of the runs that were to be made
	Current    string // ID of the run that has begun or ended last
	Ended      bool   // it has ended
	// Left is how long the rest may take, by the mean of the runs of each kind so
	// far, and by guesses for what there was none of; 0 before there are any.
	Left time.Duration
}

// usualTraining is how long a training may take, before there was one.
const usualTraining = 20 * time.Second

// pace counts the runs and estimates the time left.
type pace struct {
	progress.Pace
	jobs  []Job
	done  int
	open  int
	first map[string]*journal.Record // of the class, to know what it is
}

// class is what runs have in common that take about as long as each other.
func class(r *journal.Record) string {
	return r.Table + string(r.Kind) + r.Engine + r.Encoding + r.Solver + r.Model + r.Recipe
}

func newPace(jobs []Job, open []int, parallel int) *pace {
	p := &pace{jobs: jobs, open: len(open), first: map[string]*journal.Record{}}
	p.Parallel, p.Guess = parallel, p.guess
	for _, i := range open {
		c := class(&jobs[i].Record)
		p.Expect(c, 1)
		if p.first[c] == nil {
			p.first[c] = &jobs[i].Record
		}
	}
	return p
}

// guess estimates a run of a class of which there was none.
func (p *pace) guess(class string, mean time.Duration) time.Duration {
	switch first := p.first[class]; first.Kind {
	case journal.KindReach:
		// It continues until a run is over its limit, and runs before that grow.
		return max(mean, 3*limitsOf(first).time)
	case journal.KindTrain:
		return max(mean, min(usualTraining, limitsOf(first).time))
	}
	return mean
}

func (p *pace) starting(i int) Progress { return p.progress(i, false) }

func (p *pace) ended(i int, took time.Duration) Progress {
	p.done++
	p.Finished(class(&p.jobs[i].Record), 1, took)
	return p.progress(i, true)
}

func (p *pace) progress(i int, ended bool) Progress {
	left, _ := p.Left()
	return Progress{Done: p.done, Jobs: p.open, Current: p.jobs[i].Record.ID, Ended: ended, Left: left}
}
