package cnf

import (
	"fmt"

	"github.com/fdplan/fdplan/internal/model"
)

// Encoding is a method to encode neurons and cardinality constraints as clauses.
type Encoding uint8

// The encodings.
const (
	Default        Encoding = iota // shared sorted lists; unit propagation complete
	Paper                          // the paper's Act_p, k the smallest power of two > p
	Published                      // the published program's Act_p, k the smallest power of two >= p
	Unidirectional                 // the sequential counters of the 2018 paper
)

var encodingNames = [...]string{"default", "paper", "published", "unidirectional"}

func (e Encoding) String() string {
	if int(e) < len(encodingNames) {
		return encodingNames[e]
	}
	return fmt.Sprintf("Encoding(%d)", uint8(e))
}

// ParseEncoding returns the encoding with this name; it is the inverse of String.
func ParseEncoding(s string) (Encoding, error) {
	for i, name := range encodingNames {
		if s == name {
			return Encoding(i), nil
		}
	}
	return 0, fmt.Errorf("unknown encoding %q (known: default, paper, published, unidirectional)", s)
}

// UnmarshalText is ParseEncoding.
func (e *Encoding) UnmarshalText(text []byte) (err error) {
	*e, err = ParseEncoding(string(text))
	return err
}

// MarshalText is String.
func (e Encoding) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// Neurons encodes all given neurons: typically the whole layer of one step, or several layers
// in order. Default shares parts between neurons of one call with overlapping inputs; the
// other encodings treat each neuron separately. The inputs of one neuron are over distinct
// variables and its threshold is in 1..len(Inputs).
func (e Encoding) Neurons(s Sink, neurons []model.Neuron) {
	for i := range neurons {
		n := &neurons[i]
		if n.Threshold < 1 || n.Threshold > len(n.Inputs) {
			panic(fmt.Sprintf("cnf: threshold %d of a neuron with %d inputs", n.Threshold, len(n.Inputs)))
		}
	}
	switch e {
	case Default:
		shareNeurons(s, neurons)
	case Unidirectional:
		for i := range neurons {
			sequentialNeuron(s, &neurons[i])
		}
	default:
		for i := range neurons {
			act(s, &neurons[i], e == Published)
		}
	}
}
