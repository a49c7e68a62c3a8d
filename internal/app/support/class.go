package support

import (
	"fmt"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/learn/coverage"
)

// Doubt is the most that the odds are that errors of the log make a conclusion from supported next values
// wrong; 0 where the log is taken to be free of error.
func Doubt(p *load.Problem) float64 {
	if s := load.Scoped(p).Support; s != nil {
		if rate, _ := s.Errors(); rate > 0 {
			return coverage.Doubt
		}
	}
	return 0
}

// Assumption states what a conclusion from supported next values rests on, to follow an "if".
func Assumption(p *load.Problem) string {
	free := "the log is free of error"
	s := load.Scoped(p).Support
	if s != nil {
		if rate, noisy := s.Errors(); rate > 0 {
			what, rest := "any next value", ""
			if left := s.Free(); len(left) > 0 {
				what, rest = "a next value of "+Listed(Variables(p.Problem, noisy)), ", the others having none"
			}
			free = fmt.Sprintf("rows that contradict others are errors of the log, by chance and independent of each other, in at most %s of the rows for %s%s", coverage.Percent(rate), what, rest)
		}
	}
	switch {
	case s == nil:
		return "the recorded state and action decide the next state and " + free
	case s.Classes == nil:
		return "objects that look alike behave alike, by the functions found or by others of as few features, and " + free
	}
	k, more := s.K()
	if k >= s.Variables {
		return "the recorded state and action decide the next state and " + free
	}
	most := 0
	for _, o := range more {
		most = max(most, s.Classes[o].K)
	}
	except := ""
	if len(more) > 0 {
		except = fmt.Sprintf(" (%s: %d)", Listed(Variables(p.Problem, more)), most)
		for _, o := range more {
			if s.Classes[o].K != most {
				except = fmt.Sprintf(" (%s: up to %d, one more than the rows need)", Listed(Variables(p.Problem, more)), most)
			}
		}
	}
	return fmt.Sprintf("no next value depends on more than %d recorded variables%s and %s", k, except, free)
}
