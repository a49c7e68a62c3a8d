package fromlog

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/outcomes"
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/data/rawlog"
)

const (
	// mostPlaces bounds the values of a number whose outcomes are told apart.
	mostPlaces = 4096
	// twins is the share of the rows in which a number changes that have another one with the same states and action, at least.
	twins = .25
	// Two such rows agree on the next value so often: less where a quantity is measured with an error of more than a step, and more where
	// it is a function of what the log has.
	leastAgreed = .3
	mostAgreed  = .9
	// mostMoves bounds what is drawn that is added to a stock beside what actions add, in mostMoved of the rows.
	mostMoves = 32
	mostMoved = .97
)

// places returns the request in which numbers of steps of 1 are integers, and a note, if the same states and actions come again in the log and few
// values follow, by chance, or actions add just what they say: outcomes and policies are about such values one by one. A quantity that is measured
// is hardly ever the same twice, with all else, and a function of it adds up what it was before. Without, the note is empty.
func (x *looked) places(ctx context.Context, s *dataset.Schema, read *rawlog.Read, asked Request) (again Request, note string, err error) {
	again = asked
	var names []string
	var data *dataset.Data // of the states and actions, once they are asked for
	for i := range x.fluents {
		f := &x.fluents[i]
		if f.Kind != rawlog.Real || f.Use != rawlog.AsState || f.Edges != nil || f.Step.Float() != 1 || isNamed(f, asked.Range, asked.Decimals, asked.Bins) {
			continue
		}
		if data == nil {
			data = s.Quantise(read.Data)
		}
		at := slices.IndexFunc(s.Columns, func(c dataset.Column) bool { return c.Name == f.Name })
		lo, hi, ok, err := isPlace(ctx, s, data, at)
		if err != nil {
			return asked, "", err
		}
		if ok || hi-lo < mostPlaces && isStock(s, data, at) {
			names = append(names, f.Name)
			again.Range = append(slices.Clone(again.Range), f.Column+"="+strconv.FormatFloat(lo, 'f', -1, 64)+".."+strconv.FormatFloat(hi, 'f', -1, 64))
		}
	}
	if len(names) == 0 {
		return asked, "", nil
	}
	return again, fmt.Sprintf("%s: few values follow the same state and action by chance: an integer, whose outcomes train counts (--decimals %s=0 keeps a quantity with a function)", outcomes.Listed(names), names[0]), nil
}

// isNamed reports whether settings are about a fluent.
func isNamed(f *rawlog.Fluent, lists ...bind.Settings) bool {
	return slices.ContainsFunc(slices.Concat(lists...), func(setting string) bool {
		name, _, _ := strings.Cut(setting, "=")
		return name == f.Name || name == f.Column
	})
}

// isPlace reports whether the values of a state are told apart by their outcomes, and their range.
func isPlace(ctx context.Context, s *dataset.Schema, data *dataset.Data, at int) (lo, hi float64, ok bool, err error) {
	known := len(s.Columns) - s.NumStates()
	next := known + at
	lo, hi = math.Inf(1), math.Inf(-1)
	moved := 0
	follow := map[string]map[float64]int{}
	var key []byte
	err = data.Each(func(i int, row []float64) error {
		if i%lookEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if slices.ContainsFunc(row, math.IsNaN) {
			return nil
		}
		lo, hi = min(lo, row[at], row[next]), max(hi, row[at], row[next])
		if row[at] == row[next] || moved >= comparedRows {
			return nil
		}
		moved++
		key = keyOf(key[:0], row[:known])
		if follow[string(key)] == nil {
			follow[string(key)] = map[float64]int{}
		}
		follow[string(key)][row[next]]++
		return nil
	})
	again, agreed := 0, 0.
	for _, values := range follow {
		n, same := 0, 0
		for _, k := range values {
			n, same = n+k, same+k*(k-1)
		}
		if n > 1 {
			again, agreed = again+n, agreed+float64(same)/float64(n-1)
		}
	}
	agreed /= max(1, float64(again))
	return lo, hi, hi-lo < mostPlaces && float64(again) >= twins*float64(moved) && agreed >= leastAgreed && agreed <= mostAgreed, err
}

// isStock reports whether few numbers, and not always the same, are added to a state beside what an action is, or less what it is.
func isStock(s *dataset.Schema, data *dataset.Data, at int) bool {
	known := len(s.Columns) - s.NumStates()
	next := known + at
	alone, _ := moves(data, func(row []float64) float64 { return row[next] - row[at] })
	for a := range known {
		if c := &s.Columns[a]; c.Role != dataset.Action || c.Type != dataset.Int || c.Hi-c.Lo < 2 {
			continue
		}
		for _, sign := range []float64{1, -1} {
			n, most := moves(data, func(row []float64) float64 { return row[next] - row[at] - sign*row[a] })
			if n <= mostMoves && 3*n <= 2*alone && most <= mostAgreed {
				return true
			}
		}
	}
	return false
}

// moves counts the values that mostMoved of the rows have, the most frequent first, and returns the share of the first.
func moves(data *dataset.Data, of func(row []float64) float64) (n int, most float64) {
	counts, rows := map[float64]int{}, 0
	_ = data.Each(func(i int, row []float64) error {
		if i < comparedRows && !slices.ContainsFunc(row, math.IsNaN) {
			counts[of(row)]++
			rows++
		}
		return nil
	})
	left := mostMoved * float64(rows)
	for _, k := range slices.Backward(slices.Sorted(maps.Values(counts))) {
		if n == 0 {
			most = float64(k) / float64(rows)
		}
		if n++; left <= float64(k) {
			break
		}
		left -= float64(k)
	}
	return n, most
}
