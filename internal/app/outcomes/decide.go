package outcomes

import (
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/learn/measure"
	"github.com/fdplan/fdplan/internal/learn/outcome"
	"github.com/fdplan/fdplan/internal/learn/structure"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/chance"
	"github.com/fdplan/fdplan/problem/factored"
)

// noAccident is a gain, in bits, on rows held out that is no accident.
const noAccident = 12

// shorter replaces groups with chance by functions of the same outputs that are described in as few bits, all
// deviations being wrong records. functions has one group for each output.
func shorter(groups, functions []*outcome.Group) (out []*outcome.Group) {
	for _, g := range groups {
		bits := 0.0
		for _, o := range g.Outputs {
			bits += functions[o].Cost
		}
		if !g.Random() || g.Cost < bits {
			out = append(out, g)
			continue
		}
		for _, o := range g.Outputs {
			out = append(out, functions[o])
		}
	}
	return out
}

// decide drops from a line what the functions of a structure with a share of exceptions describe better: on the
// rows held out, if they tell, else in all rows with what it takes to describe the functions, if these have fewer
// exceptions than the likely outcomes. A function with wrong records takes the place of such a function where it is shorter by more than
// an accident: of equal ones, more is known of the latter. without is what was learned without the rows held out; nil if none were.
func (x *chanceRows) decide(line, without *Line, q *Request, st *structure.Structure) error {
	held := func(chance.Group) float64 { return 0 }
	if without != nil {
		var err error
		if held, err = x.holdOut(line, without, q); err != nil {
			return err
		}
	}
	drawn, _, _, err := chance.New(x.p.Problem, line.groups)
	if err != nil {
		return err
	}
	if line.repaired != nil { // wrong cells before steps are no reason to prefer what predicts them
		x, held = line.repaired, func(chance.Group) float64 { return 0 }
	}
	mine := x.wrong(nil, likely(drawn))
	theirs, bits := x.functions(st)
	line.groups = slices.DeleteFunc(line.groups, func(g chance.Group) bool {
		gain := held(g)
		if line.told { // what is exceptional was recorded right; the rows before those held out may not have told of one as rare
			return gain <= -noAccident && !math.IsInf(gain, -1)
		}
		if math.Abs(gain) >= noAccident {
			return gain < 0
		}
		better, sum := false, 0.0
		for _, v := range g.Outputs {
			better = better || theirs[v] < mine[v]
			sum += bits[v]
		}
		return better && sum <= line.bits[g.Outputs[0]]
	})
	line.sure = slices.DeleteFunc(line.sure, func(g chance.Group) bool {
		v := g.Outputs[0]
		if gain := held(g) + line.gains[v]; math.Abs(gain) >= noAccident {
			return gain < 0
		}
		return bits[v] < line.bits[v]+noAccident
	})
	if len(line.groups) == 0 {
		line.HeldOut = nil
	}
	return nil
}

// likely predicts the most likely outcomes.
func likely(m *chance.Model) func(now []int64) []int64 {
	return func(now []int64) []int64 {
		next := slices.Clone(now)
		m.Likely(next, now, nil)
		return next
	}
}

// wrong counts the rows for which keep holds, nil for all, with another next value than predicted, by variable.
func (x *chanceRows) wrong(keep func(*train.Row) bool, predict func(now []int64) []int64) map[int]int {
	wrong := map[int]int{}
	for r := range x.now {
		if keep != nil && !keep(&x.row[r]) {
			continue
		}
		predicted := predict(x.now[r])
		for _, v := range x.open {
			if predicted[v] != x.next[r][v] {
				wrong[v]++
			}
		}
	}
	return wrong
}

// functions counts the exceptions to the functions of a structure, and returns the description length of both, by
// variable.
func (x *chanceRows) functions(st *structure.Structure) (wrong map[int]int, bits map[int]float64) {
	f := x.p.Problem
	wrong, bits = x.wrong(nil, predictor(f, st.Predict)), map[int]float64{}
	for _, v := range x.open {
		bits[v] = outcome.Exceptions(wrong[v], len(x.now), f.Variables[v].Hi-f.Variables[v].Lo+1)
	}
	for o, b := range f.Outputs {
		owner, _ := f.Owner(b)
		if v := f.Index(owner); slices.Contains(x.open, v) {
			bits[v] += float64(st.Outputs[o].Literals) * math.Log2(float64(2*len(f.Inputs)))
		}
	}
	return wrong, bits
}

// holdOut measures what was learned without the rows held out on these, and returns how many bits less it takes to describe them
// by a group than by the prediction without them with a share of exceptions.
func (x *chanceRows) holdOut(line, without *Line, q *Request) (func(chance.Group) float64, error) {
	f := x.p.Problem
	all, _, _, err := chance.New(f, slices.Concat(without.groups, without.sure))
	if err != nil {
		return nil, err
	}
	drawn, _, _, err := chance.New(f, without.groups)
	if err != nil {
		return nil, err
	}
	line.without, line.predict = all, q.Predict
	judge := outcome.NewJudge(drawn)
	wrong := x.wrong(q.Held, predictor(f, q.Predict))
	rows, bits := x.count(q.Held), map[int]float64{} // by variable, the first of a group
	// The probability of outcomes that no row shows: one such row is not to decide.
	unseen := .5 / (float64(len(x.now)-rows) + 1)
	for r := range x.now {
		if !q.Held(&x.row[r]) {
			continue
		}
		judge.Add(x.now[r], nil, x.next[r])
		for i := range all.Groups {
			g := &all.Groups[i]
			bits[g.Outputs[0]] += math.Log2((1-unseen)*g.Probability(x.now[r], nil, x.next[r]) + unseen/values(f, g.Outputs))
		}
	}
	if len(without.groups) > 0 {
		line.HeldOut = judge.Judged()
	}
	return func(g chance.Group) float64 {
		mine, theirs := 0.0, 0.0
		for _, v := range g.Outputs {
			at := slices.IndexFunc(all.Groups, func(h chance.Group) bool { return slices.Contains(h.Outputs, v) })
			if at < 0 {
				return math.Inf(-1)
			}
			if slices.Index(all.Groups[at].Outputs, v) == 0 {
				mine += bits[v]
			}
			theirs += exceptions(wrong[v], rows, f.Variables[v].Hi-f.Variables[v].Lo)
		}
		return mine - theirs
	}, nil
}

// count is the number of rows for which keep holds.
func (x *chanceRows) count(keep func(*train.Row) bool) (n int) {
	for r := range x.row {
		if keep(&x.row[r]) {
			n++
		}
	}
	return n
}

// values is the number of joint values of variables.
func values(p *factored.Problem, variables []int) float64 {
	n := 1.0
	for _, v := range variables {
		n *= float64(p.Variables[v].Hi - p.Variables[v].Lo + 1)
	}
	return n
}

// exceptions are the bits of rows some of which have another value than predicted, one of so many.
func exceptions(wrong, rows int, others int64) float64 {
	rate := (float64(wrong) + .5) / (float64(rows) + 1)
	return float64(rows-wrong)*math.Log2(1-rate) + float64(wrong)*math.Log2(rate/float64(max(1, others)))
}

// predictor returns a prediction as a function of values.
func predictor(f *factored.Problem, predict measure.Predict) func(now []int64) []int64 {
	in, out := make([]uint64, bnn.Words(len(f.Inputs))), make([]uint64, bnn.Words(len(f.Outputs)))
	val := make(factored.Valuation, f.NumBits())
	return func(now []int64) []int64 {
		for i := range f.Variables {
			if v := &f.Variables[i]; v.Set(val, now[i]) != nil {
				continue // an auxiliary variable
			}
		}
		clear(out)
		val.Pack(in, f.Inputs)
		predict(out, in)
		for i, b := range f.Outputs {
			val[b] = out[i/64]>>(i%64)&1 == 1
		}
		return valuesOf(f, val)
	}
}
