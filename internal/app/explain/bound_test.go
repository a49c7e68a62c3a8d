package explain

import (
	"context"
	"testing"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
)

// TestBound has a problem whose capacity has a price, and one without a plan.
func TestBound(t *testing.T) {
	known, err := load.Load(context.Background(), load.Ref{Name: "sysadmin/5", Source: load.Source{Model: load.RDDL}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := Bound(context.Background(), known, 8, engine.Limits{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if d.Bound == nil || *d.Bound != -9 || *d.Without != -8 || len(d.Groups) != 5 || len(d.Rules) != 1 || d.Rules[0].Relation != "<=" || len(d.Rules[0].Prices) != 8 {
		t.Errorf("%+v", d)
	}
	maze, err := load.Load(context.Background(), load.Ref{Name: "navigation/5x5", Source: load.Source{Model: load.RDDL}})
	if err != nil {
		t.Fatal(err)
	}
	if d, err = Bound(context.Background(), maze, 7, engine.Limits{Threads: 1}); err != nil || d.Bound != nil {
		t.Errorf("%+v, %v for a goal out of reach", d, err)
	}
}
