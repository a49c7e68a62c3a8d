package main

import (
	"fmt"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/learn/train"
)

// trainProgress is one line on a terminal that tells how training goes.
type trainProgress struct {
	a              *environment
	epochs, rounds int
	epoch, round   app.Pace
	last           time.Time
	shown          bool
}

// refresh is how often the line is written at most.
const refresh = 100 * time.Millisecond

func newTrainProgress(a *environment, epochs, rounds int) *trainProgress {
	return &trainProgress{a: a, epochs: epochs, rounds: rounds, epoch: app.Pace{Now: a.now}, round: app.Pace{Now: a.now}}
}

// report puts the line's functions where training calls them.
func (p *trainProgress) report(t *app.Training) {
	t.Progress = func(e train.Epoch) {
		left, known := p.epoch.Left(e.Epoch, p.epochs)
		p.show(fmt.Sprintf("epoch %d of %d: loss %.4f, %d of %d training rows wrong", e.Epoch, p.epochs, e.Loss, e.Train.WrongRows, e.Train.Rows), "at most ", left, known)
	}
	t.Pruning = func(rounds, edges int) {
		left, known := p.round.Left(rounds, p.rounds)
		p.show(fmt.Sprintf("pruning round %d of %d: %d edges", rounds, p.rounds, edges), "about ", left, known)
	}
}

func (p *trainProgress) show(line, bound string, left time.Duration, known bool) {
	now := p.a.now()
	if p.shown && now.Sub(p.last) < refresh {
		return
	}
	p.last, p.shown = now, true
	if known {
		line += fmt.Sprintf(", %s%v left", bound, left)
	}
	fmt.Fprintf(p.a.err, "\r\x1b[K%s", line)
}

func (p *trainProgress) clear() {
	if p.shown {
		fmt.Fprint(p.a.err, "\r\x1b[K")
	}
}
