package bench

import (
	"context"
	"fmt"

	"github.com/fdplan/fdplan/internal/experiment/journal"
	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/cnf"
)

// encodingNames are the encodings that are compared.
func encodingNames() []string {
	var out []string
	for _, e := range []cnf.Encoding{cnf.Default, cnf.Paper, cnf.Published, cnf.Unidirectional} {
		out = append(out, e.String())
	}
	return out
}

// neurons lists single neurons: up to 256 inputs, with thresholds that are not flipped (an
// eighth, a quarter and half of the inputs).
func (l *lister) neurons() {
	for _, name := range encodingNames() {
		for n := 8; n <= 256; n *= 2 {
			for _, p := range []int{n / 8, n / 4, n / 2} {
				r := l.record(journal.KindEncode, "encodings", l.c.TimeLimit)
				r.Encoding, r.Seed, r.Threads = name, 0, 0
				r.ID = id("encodings neuron", fmt.Sprintf("n=%d p=%d", n, p), "encoding="+name)
				r.Stats = map[string]int64{"n": int64(n), "p": int64(p)}
				l.jobs = append(l.jobs, Job{Record: r, do: countNeuron})
			}
		}
	}
}

// countNeuron encodes one neuron, in this process, since it takes little time. Its k is that
// of the paper's definition, the smallest power of two above p; for the published program's
// encoding it is the smallest that is not less than p.
func countNeuron(_ context.Context, b *bench, r *journal.Record) error {
	e, err := cnf.ParseEncoding(r.Encoding)
	if err != nil {
		return err
	}
	n, p := int(r.Stats["n"]), int(r.Stats["p"])
	neuron := model.Neuron{Out: model.Lit(n + 1), Threshold: p}
	for i := range n {
		neuron.Inputs = append(neuron.Inputs, model.Lit(i+1))
	}
	k := 1
	for k < p || k == p && e != cnf.Published {
		k *= 2
	}
	c := cnf.Counter{Next: model.Lit(n + 1)}
	began := b.c.Now()
	e.Neurons(&c, []model.Neuron{neuron})
	r.Seconds = b.c.Now().Sub(began).Seconds()
	r.Stats = map[string]int64{"n": int64(n), "p": int64(p), "k": int64(k), "variables": c.Vars, "clauses": c.Clauses, "literals": c.Literals}
	r.Status = statusMeasured
	return nil
}
