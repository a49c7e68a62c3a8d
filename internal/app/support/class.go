package support

import (
	"fmt"

	"github.com/fdplan/fdplan/internal/app/load"
)

// Assumption states what a conclusion from supported next values rests on, to follow an "if".
func Assumption(p *load.Problem) string {
	const free = "the log is free of error"
	s := load.Scoped(p).Support
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
