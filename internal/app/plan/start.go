package plan

import (
	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/problem/factored"
	"github.com/fdplan/fdplan/validate"
)

// breakOfStart returns the rule that the initial state itself breaks, with step 1; nil if there
// is none, or if the initial state leaves bits open.
func breakOfStart(p *factored.Problem) *app.Fault {
	val, open := load.StartOf(p)
	if open != nil {
		return nil
	}
	f := validate.CheckPart(p, validate.State, val)
	if f == nil {
		return nil
	}
	f.Step = 1
	return app.CheckerFault(p, f)
}
