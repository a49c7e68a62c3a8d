package sat_test

import (
	"context"
	"fmt"
	"log"

	"github.com/fdplan/fdplan/internal/solve/sat"
)

// Example answers under assumptions, and lists those that cannot hold together.
func Example() {
	s := sat.New(sat.Options{})
	a, b, c := s.NewVar(), s.NewVar(), s.NewVar()
	// c <=> at least two of a and b
	if _, err := s.AddNeuron(c, []sat.Lit{a, b}, 2); err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	fmt.Println(s.Solve(ctx, []sat.Lit{a, c}, sat.Budget{}), s.Value(b))
	fmt.Println(s.Solve(ctx, []sat.Lit{a, b.Not(), c}, sat.Budget{}), s.Core())
	// Output:
	// satisfiable true
	// unsatisfiable [-2 3]
}

// ExampleSolver_AddLinear states 2a + b + c >= 3 and forbids a.
func ExampleSolver_AddLinear() {
	s := sat.New(sat.Options{})
	a, b, c := s.NewVar(), s.NewVar(), s.NewVar()
	if _, err := s.AddLinear([]sat.Term{{Coef: 2, Lit: a}, {Coef: 1, Lit: b}, {Coef: 1, Lit: c}}, 3); err != nil {
		log.Fatal(err)
	}
	s.AddClause(a.Not())
	fmt.Println(s.Solve(context.Background(), nil, sat.Budget{}))
	// Output:
	// unsatisfiable
}
