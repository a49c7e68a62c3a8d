package outcomes

import (
	"math"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/learn/quantity"
	"github.com/fdplan/fdplan/problem/factored"
)

// residuals is what plans with errors rest on: those on held-out rows in the order of time, and what the log has of
// actions.
func (x *series) residuals(l []*quantity.Output) (meta [][2]string) {
	for _, out := range l {
		v := x.vars[out.Column]
		step, _ := v.Step().Float64()
		for _, own := range x.own(out.Residuals, out.Rows, 1) {
			errs := make([]int64, len(own.errors))
			for i, e := range own.errors {
				errs[i] = int64(math.RoundToEven(e / step))
			}
			if len(errs) > 0 {
				meta = append(meta, [2]string{load.MetaResiduals, load.ResidualsLine(load.Where(v.Name, own.when), errs)})
			}
		}
	}
	for i, v := range x.vars {
		now := x.t.Columns[i].Now
		if v.Kind != factored.Action && !x.t.Columns[i].Learn || v.Bool || v.Enumeration() || len(now) == 0 {
			continue
		}
		step, _ := v.Step().Float64()
		steps := func(f float64) int64 { return int64(math.RoundToEven(f / step)) }
		g := load.Logged{Low: steps(now[0]), High: steps(now[0])}
		for r, f := range now {
			g.Low, g.High = min(g.Low, steps(f)), max(g.High, steps(f))
			if r > 0 && x.t.Follows[r] {
				g.Change = max(g.Change, steps(math.Abs(f-now[r-1])))
			}
		}
		meta = append(meta, [2]string{load.MetaLogged, load.LoggedLine(v.Name, g)})
	}
	return meta
}
