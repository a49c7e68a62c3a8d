package app_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/engine"
)

// Example plans a bundled problem, as fdplan plan does.
func Example() {
	p, err := app.Load(app.Ref{Name: "navigation/3x3"})
	if err != nil {
		log.Fatal(err)
	}
	d, err := app.Plan(context.Background(), p, app.Request{
		Engine: "search", MinHorizon: 4, MaxHorizon: 4, Limits: engine.Limits{Threads: 1}, Now: time.Now,
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

// ExampleExplain says why there is no shorter plan.
func ExampleExplain() {
	p, err := app.Load(app.Ref{Name: "navigation/3x3"})
	if err != nil {
		log.Fatal(err)
	}
	d, err := app.Explain(context.Background(), p, app.ExplainRequest{Horizon: 3, Engine: "search", Limits: engine.Limits{Threads: 1}})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range d.Conflict.Constraints {
		fmt.Println(c.Group, c.Origin, c.Steps)
	}
	// Output:
	// initial init-state [1]
	// global problems/navigation/domain.rddl:47 invariant 1 [1 2 3 4]
	// goal problems/navigation/3x3/task.toml:4 goal [4]
}
