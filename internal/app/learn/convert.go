package learn

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/bnn"
)

// Foreign is the file of a network that is not in this project's own format: NPZ, or with
// Norm the published layout.
type Foreign struct {
	Name, NormName string
	Text, Norm     []byte
}

// Converted is the outcome of `fdplan convert`.
type Converted struct {
	Schema  int    `json:"schema"`
	Problem string `json:"problem"`
	Network string `json:"network"` // its shape
	Edges   int    `json:"edges"`
	// Compared counts the random inputs on which the network of thresholds agreed with the
	// one before folding; 0 for the published layout, which is already folded.
	Compared int `json:"compared"`

	file *bnn.File
}

// comparedRows is the number of random inputs on which a folded network is compared.
const comparedRows = 10_000

// ConvertNetwork converts a foreign network to one of the problem: its inputs and outputs are
// the problem's bits in the problem's order. A network that differs after folding is an
// internal error.
func ConvertNetwork(p *load.Problem, f Foreign) (*Converted, error) {
	if _, err := learner(p); err != nil {
		return nil, err
	}
	out := &Converted{Schema: app.Schema, Problem: p.Problem.Name}
	var net *bnn.Network
	var float *train.Float
	var err error
	switch isNPZ := strings.HasSuffix(strings.ToLower(f.Name), ".npz"); {
	case isNPZ && f.NormName != "":
		return nil, fmt.Errorf("%s: an NPZ file holds its batch normalization, expected no --normalization", f.Name)
	case isNPZ:
		if float, err = train.ReadNPZ(f.Name, f.Text); err == nil {
			net = float.Fold()
		}
	case f.NormName == "":
		return nil, fmt.Errorf("%s: the format of a network is told by its name, expected one that ends in .npz, or the published layout with --normalization FILE", f.Name)
	default:
		net, err = bnn.ReadPublished(f.Name, bytes.NewReader(f.Text), f.NormName, bytes.NewReader(f.Norm))
	}
	if err != nil {
		return nil, err
	}
	if n, m := len(p.Problem.Inputs), len(p.Problem.Outputs); net.Inputs() != n || net.Outputs() != m {
		return nil, fmt.Errorf("%s: the network %s has %d inputs and %d outputs, expected %d and %d bits as %s has", f.Name, net.Shape(), net.Inputs(), net.Outputs(), n, m, p.Problem.Name)
	}
	if float != nil {
		if err := compareFold(float, net); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", app.ErrInternal, f.Name, err)
		}
		out.Compared = comparedRows
	}
	out.Network, out.Edges = net.Shape(), net.Edges()
	out.file = &bnn.File{
		Network: net, Inputs: load.BitNames(p.Problem, p.Problem.Inputs), Outputs: load.BitNames(p.Problem, p.Problem.Outputs),
		Meta: [][2]string{{"problem", p.Problem.Name}, {"recipe", "converted"}},
	}
	return out, out.file.Check()
}

// compareFold compares a network with the one before folding on random inputs.
func compareFold(float *train.Float, net *bnn.Network) error {
	rng := rand.New(rand.NewPCG(1, 0))
	b := train.NewBuilder(net.Inputs(), net.Outputs())
	in, out := make([]bool, net.Inputs()), make([]bool, net.Outputs())
	for range comparedRows {
		for i := range in {
			in[i] = rng.IntN(2) == 1
		}
		b.Add(in, out)
	}
	return train.CheckFold(float, net, b.Examples(), 1)
}

// Write writes the network.
func (c *Converted) Write(w io.Writer) error { return bnn.WriteFile(w, c.file) }
