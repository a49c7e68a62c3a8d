package learn

import (
	"context"
	"errors"
	"fmt"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/learn/measure"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/bnn"
)

// Sources reads a data set that the problem's network can be learned from. Cells of logs may
// be empty.
func Sources(ctx context.Context, p *load.Problem, file string) ([]train.Source, error) {
	s, err := sources(ctx, p, file, "", true)
	if err != nil {
		return nil, err
	}
	return s.data, nil
}

// Examples are the distinct rows of data sets without an empty cell.
func Examples(p *load.Problem, from []train.Source) (*train.Examples, error) {
	rows, err := train.FromSources(p.Problem, from...)
	if errors.Is(err, train.ErrEmpty) {
		err = fmt.Errorf("every row has an empty cell; expected one at least without")
	}
	return rows, err
}

// Measure is the error of a network on the rows of data sets.
func Measure(p *load.Problem, net *bnn.Network, from []train.Source) (*ErrorLine, error) {
	c, _, err := countErrors(p, measure.Network(net), nil, from)
	if err != nil {
		return nil, err
	}
	return lineOf(p, c), nil
}
