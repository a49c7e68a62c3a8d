package outcomes

import (
	"context"
	"math"
	"slices"

	"github.com/fdplan/fdplan/internal/learn/outcome"
	"github.com/fdplan/fdplan/internal/learn/train"
)

// mostErrors is the share of deviations that must be wrong records for all of them to be: a random
// step that is taken back looks like one, too.
const mostErrors = .8

// mostWrong is the share of rows that errors spoil one value of, at most: a function that is wrong more often tells nothing of what steps follow from.
const mostWrong = 1. / 3

// fewerBits is the part of the description length of functions with wrong records that outcomes by chance take, from which on wrong records explain the rows. These are as
// frequent whatever the state and the action: chance took .94 of 10,000 steps of Taxi with 5 % of wrong cells, and .69 of 7,143 steps of an event log.
const fewerBits = .75

// someErrors is the share of deviations that must be wrong records for the states that these make to be left out.
const someErrors = .1

// clearly is how many rows say of what is rare that it was recorded right, for each that says the opposite.
const clearly = 3

// source has the rows for which keep holds, nil for all.
func (x *chanceRows) source(keep func(*train.Row) bool) *outcome.Source {
	s := outcome.NewSource(x.p.Problem, x.outputs)
	gap := false
	for r := range x.now {
		if keep != nil && !keep(&x.row[r]) {
			gap = true
			continue
		}
		s.Add(x.now[r], x.next[r], x.begins[r] || gap)
		s.Apart = append(s.Apart, x.apart[r])
		gap = false
	}
	return s
}

// which lists the outputs of a source: all, those that are open, and those that rows dispute.
func (x *chanceRows) which(s *outcome.Source) (all, open, disputed []int) {
	for i := range s.Outputs {
		all = append(all, i)
		switch v := s.Variable(i); {
		case slices.Contains(x.disputed, v):
			disputed = append(disputed, i)
			fallthrough
		case slices.Contains(x.open, v):
			open = append(open, i)
		}
	}
	return all, open, disputed
}

// learn describes the open outputs from the rows for which keep holds, nil for all.
func (x *chanceRows) learn(ctx context.Context, keep func(*train.Row) bool, noise float64) (*Line, error) {
	s := x.source(keep)
	all, open, disputed := x.which(s)
	line := &Line{Reading: readUndecided, bits: map[int]float64{}, of: map[int]learned{}}
	sure, err := outcome.Learn(ctx, &s.Table, all, outcome.Options{Determined: true, Noise: noise})
	if err != nil {
		return nil, err
	}
	read := outcome.Read(&s.Table, sure)
	line.Deviations, line.Recorded, line.Predicted, line.Consecutive = read.Deviations, read.Recorded, read.Predicted, read.Consecutive
	groups, agreed := sure, s.Agreed()
	both := agreed != nil && agreed.Drawn
	var drawn []*outcome.Group // of disputed outputs; nil if not learned yet
	errors := !both && read.Decided() && read.Errors() >= mostErrors && read.Worst <= mostWrong
	if errors {
		if drawn, err = outcome.Learn(ctx, &s.Table, disputed, outcome.Options{Noise: noise}); err != nil {
			return nil, err
		}
		errors = length(drawn) >= fewerBits*length(pick(sure, disputed))
	}
	switch {
	case both:
		line.Reading, line.Noise = readBoth, agreed.Share
		if s.Rows() == len(x.now) {
			line.repaired = x.some(agreed.Kept)
		}
		if groups, err = drawnFrom(ctx, agreed.Table, all); err != nil {
			return nil, err
		}
	case errors:
		line.Reading = readErrors
		if groups, err = x.repair(ctx, s, all, line, sure); err != nil {
			return nil, err
		}
		if groups, err = mixed(ctx, s, groups, all, read); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(groups, (*outcome.Group).Random) {
			line.Reading = readBoth
		}
	default:
		if read.Decided() {
			line.Reading = readChance
		}
		if groups, err = x.chance(ctx, s, drawn, sure, noise, line, read); err != nil {
			return nil, err
		}
	}
	return line, line.describe(s, groups, open, disputed)
}

// chance learns what is drawn of disputed outputs, unless drawn has that, and takes functions of the other open ones.
func (x *chanceRows) chance(ctx context.Context, s *outcome.Source, drawn, sure []*outcome.Group, noise float64, line *Line, read *outcome.Reading) (groups []*outcome.Group, err error) {
	all, open, disputed := x.which(s)
	if groups = drawn; groups == nil {
		if groups, err = outcome.Learn(ctx, &s.Table, disputed, outcome.Options{Noise: noise}); err != nil {
			return nil, err
		}
	}
	if noise == 0 {
		others := slices.DeleteFunc(slices.Clone(sure), func(g *outcome.Group) bool { return slices.Contains(disputed, g.Outputs[0]) })
		if bits, right, wrong := s.Told(slices.Concat(groups, others)); bits >= noAccident && right >= clearly*wrong {
			line.told = true
			if groups, err = outcome.Learn(ctx, &s.Table, disputed, outcome.Options{Recorded: true}); err != nil {
				return nil, err
			}
		}
	}
	if !line.told {
		if read.Decided() && read.Errors() >= someErrors {
			confirmed, err := x.confirmed(ctx, s, groups, all, line)
			if err != nil || confirmed != nil {
				return confirmed, err
			}
		}
		groups = shorter(groups, sure)
	}
	for _, o := range open {
		if !slices.Contains(disputed, o) {
			groups = append(groups, sure[o])
		}
	}
	return groups, nil
}

// confirmed learns from the rows whose state is a possible outcome of the row before, if so many others are not as the errors explain; else it
// returns nil.
func (x *chanceRows) confirmed(ctx context.Context, s *outcome.Source, drawn []*outcome.Group, all []int, line *Line) ([]*outcome.Group, error) {
	rows, kept, refuted := s.Confirmed(drawn)
	if refuted < line.Predicted || 4*rows.Rows() < 3*s.Rows() {
		return nil, nil
	}
	groups, err := drawnFrom(ctx, rows, all)
	if err != nil {
		return nil, err
	}
	if line.Reading = readBoth; s.Rows() == len(x.now) {
		line.repaired = x.some(kept)
	}
	s.Recount(groups)
	return groups, nil
}

// length is the description length of groups.
func length(groups []*outcome.Group) (bits float64) {
	for _, g := range groups {
		bits += g.Cost
	}
	return bits
}

// pick returns the groups of some outputs, of groups of one output each.
func pick(groups []*outcome.Group, outputs []int) (out []*outcome.Group) {
	for _, o := range outputs {
		out = append(out, groups[o])
	}
	return out
}

// describe takes the groups of open outputs that do not draw what no rows dispute.
func (l *Line) describe(s *outcome.Source, groups []*outcome.Group, open, disputed []int) error {
	for _, g := range groups {
		of := open
		if g.Random() {
			of = disputed
		}
		if !slices.ContainsFunc(g.Outputs, func(o int) bool { return slices.Contains(of, o) }) {
			continue
		}
		c, err := s.Chance(g)
		if err != nil {
			return err
		}
		l.bits[c.Outputs[0]], l.of[c.Outputs[0]] = g.Cost, learned{s, g}
		if g.Random() {
			l.groups = append(l.groups, *c)
		} else {
			l.sure = append(l.sure, *c)
		}
	}
	return nil
}

// repair learns short functions from rows that are put right.
func (x *chanceRows) repair(ctx context.Context, s *outcome.Source, all []int, line *Line, sure []*outcome.Group) ([]*outcome.Group, error) {
	groups, rows, kept, err := outcome.Functions(ctx, &s.Table, all, sure, 10*line.Recorded <= line.Predicted)
	if err != nil || s.Rows() != len(x.now) {
		return groups, err
	}
	line.repaired = x.some(kept)
	for k := range kept {
		now, next := line.repaired.now[k], line.repaired.next[k]
		for o, v := range s.Outputs {
			to := s.Variable(o)
			lo := x.p.Problem.Variables[to].Lo
			now[to], next[to] = lo+int64(rows.Now[v][k]), lo+int64(rows.Next[o][k])
		}
	}
	return groups, nil
}

// some returns a copy of some rows.
func (x *chanceRows) some(kept []int) *chanceRows {
	out := &chanceRows{p: x.p, outputs: x.outputs, open: x.open}
	for _, r := range kept {
		out.now, out.next = append(out.now, slices.Clone(x.now[r])), append(out.next, slices.Clone(x.next[r]))
		out.logged = append(out.logged, x.next[r])
	}
	return out
}

// mixed replaces functions by chance that recording errors do not explain. What is drawn is learned from the rows whose
// state is a possible outcome of the row before: a wrong state leads to next values that look drawn.
func mixed(ctx context.Context, s *outcome.Source, functions []*outcome.Group, all []int, read *outcome.Reading) ([]*outcome.Group, error) {
	if float64(read.Recorded-read.Predicted) <= 3*math.Sqrt(float64(read.Recorded+read.Predicted)) {
		return functions, nil // as many as errors alone make
	}
	drawn, err := outcome.Learn(ctx, &s.Table, all, outcome.Options{})
	if err != nil {
		return nil, err
	}
	rows, _, _ := s.Confirmed(drawn)
	if 4*rows.Rows() < s.Rows() {
		return functions, nil
	}
	return drawnFrom(ctx, rows, all)
}

// drawnFrom learns what is drawn, and functions where these are as short, from rows without wrong states.
func drawnFrom(ctx context.Context, rows *outcome.Table, all []int) ([]*outcome.Group, error) {
	drawn, err := outcome.Learn(ctx, rows, all, outcome.Options{})
	if err != nil {
		return nil, err
	}
	sure, err := outcome.Learn(ctx, rows, all, outcome.Options{Determined: true})
	if err != nil {
		return nil, err
	}
	return shorter(drawn, sure), nil
}
