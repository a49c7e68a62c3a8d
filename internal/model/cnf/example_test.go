package cnf_test

import (
	"fmt"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/cnf"
)

// Example compares the sizes of a neuron's encodings: v <=> at least 4 of 16.
func Example() {
	n := model.Neuron{Out: 17, Threshold: 4}
	for v := range model.Lit(16) {
		n.Inputs = append(n.Inputs, v+1)
	}
	for _, e := range []cnf.Encoding{cnf.Default, cnf.Paper, cnf.Published, cnf.Unidirectional} {
		size := cnf.Counter{Next: 17}
		e.Neurons(&size, []model.Neuron{n})
		fmt.Printf("%-14s %3d variables %4d clauses\n", e, size.Vars, size.Clauses)
	}
	// Output:
	// default         39 variables  167 clauses
	// paper          116 variables  350 clauses
	// published       88 variables  266 clauses
	// unidirectional 225 variables  465 clauses
}
