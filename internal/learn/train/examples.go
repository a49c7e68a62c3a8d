package train

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/fdplan/fdplan/problem/bnn"
)

// Examples are distinct rows of input and output bits, packed as package bnn
// packs them, in increasing order of their inputs. No two have the same inputs.
type Examples struct {
	Inputs, Outputs int      // bits of a row
	In              []uint64 // row by row, bnn.Words(Inputs) words each
	Out             []uint64 // row by row, bnn.Words(Outputs) words each
	Count           []int32  // how often each row was seen
	// Weight is how much more than others a row counts in the loss; 0 means no extra weight.
	// Rows with a weight are never held out. Nil if no row has one.
	Weight    []int32
	Conflicts Conflicts
}

// Conflicts measures how far the examples contradict each other. Among rows with the same
// inputs, the most frequent outputs are kept, where a row with a weight counts that many
// times.
type Conflicts struct {
	Inputs  int // distinct inputs that were seen with different outputs
	Dropped int // rows, with multiplicity, whose outputs were discarded
}

// Rows is the number of distinct rows.
func (e *Examples) Rows() int { return len(e.Count) }

// Total returns the number of rows with their multiplicities.
func (e *Examples) Total() int {
	n := 0
	for _, c := range e.Count {
		n += int(c)
	}
	return n
}

// Digest identifies a data set: the first 16 hexadecimal digits of the SHA-256 of the numbers
// of bits and, row by row, inputs, outputs and count, each as 64 bits, the least significant
// byte first.
func (e *Examples) Digest() string {
	h := sha256.New()
	put := func(words ...uint64) {
		for _, w := range words {
			h.Write(binary.LittleEndian.AppendUint64(nil, w)) // cannot fail
		}
	}
	put(uint64(e.Inputs), uint64(e.Outputs))
	for i, c := range e.Count {
		put(e.Input(i)...)
		put(e.Output(i)...)
		put(uint64(c))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Input returns the packed inputs of row i.
func (e *Examples) Input(i int) []uint64 {
	w := bnn.Words(e.Inputs)
	return e.In[i*w : (i+1)*w]
}

// Output returns the packed outputs of row i.
func (e *Examples) Output(i int) []uint64 {
	w := bnn.Words(e.Outputs)
	return e.Out[i*w : (i+1)*w]
}

// ErrEmpty is wrapped if examples have no row.
var ErrEmpty = errors.New("there are no rows to learn from")

// Check reports examples whose parts do not fit together.
func (e *Examples) Check() error {
	switch n := e.Rows(); {
	case e.Inputs < 1 || e.Outputs < 1:
		return fmt.Errorf("examples with %d input bits and %d output bits, expected at least 1 of each", e.Inputs, e.Outputs)
	case len(e.In) != n*bnn.Words(e.Inputs) || len(e.Out) != n*bnn.Words(e.Outputs):
		return fmt.Errorf("%d rows with %d and %d words of bits, expected %d and %d", n, len(e.In), len(e.Out), n*bnn.Words(e.Inputs), n*bnn.Words(e.Outputs))
	case e.Weight != nil && len(e.Weight) != n:
		return fmt.Errorf("%d rows with %d weights", n, len(e.Weight))
	case n == 0:
		return ErrEmpty
	}
	return nil
}

// Repeated returns the examples with every row repeated as often as it was seen, as in
// training without merging duplicates. Its rows are not distinct.
func (e *Examples) Repeated() *Examples {
	out := &Examples{Inputs: e.Inputs, Outputs: e.Outputs, Conflicts: e.Conflicts}
	for i, c := range e.Count {
		for range c {
			out.In = append(out.In, e.Input(i)...)
			out.Out = append(out.Out, e.Output(i)...)
			out.Count = append(out.Count, 1)
			if e.Weight != nil {
				out.Weight = append(out.Weight, e.Weight[i])
			}
		}
	}
	return out
}
