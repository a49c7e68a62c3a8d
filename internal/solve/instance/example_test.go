package instance_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/fdplan/fdplan/internal/solve/instance"
	"github.com/fdplan/fdplan/internal/solve/instance/embedded"
	"github.com/fdplan/fdplan/internal/solve/sat"
)

// Example reads a pseudo-Boolean problem, solves it with the embedded solver and
// checks the answer.
func Example() {
	const text = "min: 3 x1 2 x2 ;\n1 x1 1 x2 >= 1 ;\n"
	ctx := context.Background()
	in, err := instance.Read(ctx, "two.opb", strings.NewReader(text), instance.OPB, instance.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	solve := embedded.New(embedded.Options{Solver: sat.Options{}})
	res, err := solve(ctx, in, func(instance.Progress) {})
	if err != nil {
		log.Fatal(err)
	}
	cost, err := in.Evaluate(res.Model)
	fmt.Println(res.Status, cost, err)
	// Output:
	// OPTIMUM FOUND 2 <nil>
}
