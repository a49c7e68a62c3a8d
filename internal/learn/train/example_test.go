package train_test

import (
	"context"
	"fmt"
	"log"

	"github.com/fdplan/fdplan/internal/learn/train"
)

// Example learns that the output is true when at least two of three inputs are.
func Example() {
	b := train.NewBuilder(3, 1)
	for pattern := range 8 {
		in := []bool{pattern&1 != 0, pattern&2 != 0, pattern&4 != 0}
		n := 0
		for _, x := range in {
			if x {
				n++
			}
		}
		b.Add(in, []bool{n >= 2})
	}
	e := b.Examples()
	res, err := train.Run(context.Background(), train.Config{Hidden: []int{4}, Epochs: 200, Seed: 1}, e, train.Options{})
	if err != nil {
		log.Fatal(err)
	}
	m, err := train.Test(res.Network, e)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.Rows(), "rows, exact:", res.Exact(), "error:", m.RowError())
	// Output:
	// 8 rows, exact: true error: 0
}
