package conflict

import (
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/cnf"
)

// What a loaded solver holds, in bytes, as measured: of a variable its values,
// reasons, activities and the heads of its lists; of a clause its head, its
// place in the list and two watches; of a literal in a clause, in a neuron and
// in a linear constraint, the literal itself and, for the latter two, where it
// occurs.
const (
	variableBytes = 160
	clauseHead    = 48
	literalBytes  = 4
	inputBytes    = 12
	termBytes     = 28
)

// clauseBytes estimates what a solver holds that has been given clauses.
func clauseBytes(s cnf.Size) int64 {
	return variableBytes*s.Variables + clauseHead*s.Clauses + literalBytes*s.Literals
}

// nativeBytes estimates what a solver holds that has been given m with neurons
// and sums as they are.
func nativeBytes(m *model.Model) int64 {
	bytes := variableBytes * int64(m.NumVars())
	var step int64
	for t := 1; t <= m.Horizon+1; t++ {
		if t == 1 || !m.Same(t) {
			step = stepBytes(m.Part(t))
		}
		bytes += step
	}
	return bytes
}

func stepBytes(part *model.Part) int64 {
	bytes := clauseHead * int64(len(part.Fixed))
	for _, sums := range part.Sums {
		for i := range sums {
			bytes += clauseHead + termBytes*int64(len(sums[i].Terms))
		}
	}
	for _, layer := range part.Layers {
		for i := range layer {
			bytes += clauseHead + inputBytes*int64(len(layer[i].Inputs))
		}
	}
	return bytes
}

// roomFor compares an estimate with the bound on memory; 0 is no bound.
func roomFor(what string, bytes, bound int64) error {
	if bound > 0 && bytes > bound {
		return &engine.TooLargeError{What: what, Bytes: bytes, Bound: bound}
	}
	return nil
}
