package inspect

import (
	"fmt"
	"io"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/problem/bnn"
)

// NetworkDocument is a network file as `fdplan show NETWORK` prints it.
type NetworkDocument struct {
	Schema  int    `json:"schema"`
	Shape   string `json:"shape"` // as in the paper's Table 1
	Neurons int    `json:"neurons"`
	Edges   int    `json:"edges"` // weights other than 0
	// Meta is the metadata of the file, without long values and what occurs again.
	Meta    map[string]string `json:"meta"`
	Inputs  []string          `json:"inputs"`
	Outputs []string          `json:"outputs"`
	Layers  []LayerLine       `json:"layers"` // from the first to the last; empty with more than MaxShownEdges edges
	Depends []DependsLine     `json:"depends"`
	Chance  []ChanceLine      `json:"chance,omitempty"` // what is drawn in a step; absent if nothing is
}

// LayerLine is a layer of a network.
type LayerLine struct {
	Inputs int        `json:"inputs"`
	Units  []UnitLine `json:"units"`
}

// UnitLine is a unit: it is active if at least so many of its inputs agree with their weights.
type UnitLine struct {
	Threshold int      `json:"threshold"`
	Weights   [][2]int `json:"weights"` // pairs of an input of the layer and its weight, 1 or -1
}

// DependsLine names the inputs from which a path of weights other than 0 leads to an output.
type DependsLine struct {
	Output string   `json:"output"`
	Inputs []string `json:"inputs"`
}

// MaxShownEdges bounds the networks whose weights are shown.
const MaxShownEdges = 200_000

// maxMeta bounds the length of metadata that is shown.
const maxMeta = 200

// ShowNetwork reads the network file called name and describes it.
func ShowNetwork(name string, in io.Reader) (*NetworkDocument, error) {
	f, err := bnn.ReadFile(name, in)
	if err != nil {
		return nil, err
	}
	n := f.Network
	d := &NetworkDocument{
		Schema: app.Schema, Shape: n.Shape(), Neurons: n.Hidden() + n.Outputs(), Edges: n.Edges(), Meta: map[string]string{},
		Inputs: f.Inputs, Outputs: f.Outputs, Layers: []LayerLine{}, Depends: depends(f),
	}
	for _, kv := range f.Meta {
		if _, again := d.Meta[kv[0]]; !again && len(kv[1]) <= maxMeta {
			d.Meta[kv[0]] = kv[1]
		}
	}
	if d.Chance, err = chanceOf(f.Meta); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if d.Edges > MaxShownEdges {
		return d, nil
	}
	for i := range n.Layers {
		l := &n.Layers[i]
		line := LayerLine{Inputs: l.Inputs, Units: []UnitLine{}}
		for j := range l.Units() {
			u := UnitLine{Threshold: int(l.Thresholds[j]), Weights: [][2]int{}}
			for k, w := range l.Row(j) {
				if w != 0 {
					u.Weights = append(u.Weights, [2]int{k, int(w)})
				}
			}
			line.Units = append(line.Units, u)
		}
		d.Layers = append(d.Layers, line)
	}
	return d, nil
}

// depends follows the weights from the inputs to the outputs.
func depends(f *bnn.File) []DependsLine {
	words := bnn.Words(f.Network.Inputs())
	below := make([][]uint64, f.Network.Inputs()) // by unit, the inputs that it depends on
	for i := range below {
		below[i] = make([]uint64, words)
		below[i][i/64] |= 1 << (i % 64)
	}
	for i := range f.Network.Layers {
		l := &f.Network.Layers[i]
		above := make([][]uint64, l.Units())
		for j := range above {
			above[j] = make([]uint64, words)
			for k, w := range l.Row(j) {
				if w == 0 {
					continue
				}
				for m, word := range below[k] {
					above[j][m] |= word
				}
			}
		}
		below = above
	}
	out := make([]DependsLine, len(f.Outputs))
	for j, name := range f.Outputs {
		out[j] = DependsLine{Output: name, Inputs: []string{}}
		for i, input := range f.Inputs {
			if below[j][i/64]>>(i%64)&1 == 1 {
				out[j].Inputs = append(out[j].Inputs, input)
			}
		}
	}
	return out
}

// WriteText writes the shape and a line for each output.
func (d *NetworkDocument) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "network %s, %s, %s\n", d.Shape, counted.Of(d.Neurons, "neuron"), counted.Of(d.Edges, "edge"))
	for _, l := range d.Depends {
		fmt.Fprintf(&b, "  %s: %s\n", l.Output, counted.Of(len(l.Inputs), "input"))
		if len(l.Inputs) <= 8 {
			fmt.Fprintf(&b, "    %s\n", strings.Join(l.Inputs, " "))
		}
	}
	WriteChance(&b, d.Chance)
	_, err := io.WriteString(w, b.String())
	return err
}
