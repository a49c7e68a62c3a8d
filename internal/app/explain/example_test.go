package explain_test

import (
	"context"
	"fmt"
	"log"

	"github.com/fdplan/fdplan/internal/app/explain"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
)

// ExampleExplain says why there is no shorter plan.
func ExampleExplain() {
	p, err := load.Load(context.Background(), load.Ref{Name: "navigation/3x3", Source: load.Source{Model: load.RDDL}})
	if err != nil {
		log.Fatal(err)
	}
	d, err := explain.Explain(context.Background(), p, explain.Request{Horizon: 3, Engine: "search", Limits: engine.Limits{Threads: 1}})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range d.Conflict.Constraints {
		fmt.Println(c.Group, c.Origin, c.Steps)
	}
	// Output:
	// initial init-state [1]
	// global problems/navigation/domain.rddl:47 invariant 1 [4]
	// goal problems/navigation/3x3/task.toml:4 goal [4]
}
