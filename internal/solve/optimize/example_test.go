package optimize_test

import (
	"context"
	"fmt"
	"log"

	"github.com/fdplan/fdplan/internal/solve/optimize"
	"github.com/fdplan/fdplan/internal/solve/sat"
)

// Example minimizes 3a + 2b where a or b has to hold.
func Example() {
	s := sat.New(sat.Options{})
	a, b := s.NewVar(), s.NewVar()
	s.AddClause(a, b)
	m, err := optimize.New(s, []sat.Term{{Coef: 3, Lit: a}, {Coef: 2, Lit: b}}, 0, nil)
	if err != nil {
		log.Fatal(err)
	}
	res, err := m.Run(context.Background(), optimize.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("cost", res.Cost, "bound", res.Bound, "a", res.Model[a.Var()], "b", res.Model[b.Var()])
	// Output:
	// cost 2 bound 2 a false b true
}
