package plan_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/fdplan/fdplan/internal/app/bind"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/registry"
)

// Example plans a bundled problem, as fdplan plan does.
func Example() {
	p, err := load.Load(context.Background(), load.Ref{Name: "navigation/3x3"})
	if err != nil {
		log.Fatal(err)
	}
	d, err := plan.Plan(context.Background(), p, plan.Request{
		Query: plan.Query{Options: registry.Options{Engine: "search"}, Horizon: bind.Steps(4)}, Limits: engine.Limits{Threads: 1}, Now: time.Now,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Status, *d.Reward, "valid:", *d.Valid.Model, *d.Valid.Simulator)
	for t, step := range d.Plan {
		fmt.Println(t+1, step[0].Name)
	}
	// Output:
	// optimal -4 valid: true true
	// 1 move-east
	// 2 move-north
	// 3 move-north
	// 4 move-west
}
