package fromlog

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/outcomes"
	"github.com/fdplan/fdplan/internal/codelength"
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/data/rawlog"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/factored"
)

// mostEntities bounds the entities whose first values are written.
const mostEntities = 200

// parameters makes inputs of the states that have one value for each entity, and others for others: what is built into it.
func parameters(t *rawlog.Table, fluents []rawlog.Fluent, entity string) {
	if entity == "" {
		return
	}
	for i := range fluents {
		f := &fluents[i]
		if f.Use == rawlog.AsState && t.ConstantFor(f.Column, entity) {
			f.Use, f.Why = rawlog.AsInput, strings.TrimPrefix(f.Why+"; one value for each "+entity, "; ")
		}
	}
}

// writeEntities writes the entities with their first values.
func writeEntities(b *strings.Builder, x *looked, entity string) {
	if entity == "" {
		return
	}
	names := x.t.EntityValues(entity, mostEntities+1)
	if len(names) > mostEntities {
		fmt.Fprintf(b, "\n# There are more than %d entities; --entity NAME needs an [[entity]] with its name and initial values.\n", mostEntities)
		return
	}
	by := &x.t.Columns[x.t.Column(entity)]
	for _, name := range names {
		var values []string
		for i := range x.fluents {
			f := &x.fluents[i]
			if !f.IsFluent() || f.Use == rawlog.AsAction || f.Column == x.shape.Terminal {
				continue
			}
			if text := x.t.Columns[x.t.Column(f.Column)].FirstWhere(by, name); text != "" {
				values = append(values, strconv.Quote(f.Name)+" = "+literal(f, text))
			}
		}
		fmt.Fprintf(b, "\n[[entity]]\nname = %s\ninitial = {%s}\n", strconv.Quote(strings.ReplaceAll(name, " ", "_")), strings.Join(values, ", "))
	}
}

// told reports whether rows are compared by their entities: there are some, not very many, and the model is not told of them.
func (x *looked) told(r *Request) bool {
	return r.Entity != "" && !slices.Contains(r.Input, r.Entity) && len(x.t.EntityValues(r.Entity, rawlog.MostTold+1)) <= rawlog.MostTold
}

// differing are the parts of the states in which entities may differ that are compared.
var differing = [...]float64{1, .5, .1, .01, .001}

// unlikeness is a column in whose next values entities differ, and the states and action after which they do so most.
type unlikeness struct {
	column int
	most   *group
	gain   float64 // of most
	// bits are the evidence of all states with the action, if entities differ in such parts of them.
	bits [len(differing)]float64
}

// machines returns the request in which the entity is an input, and a note, if entities differ in what no column tells. Without, the note is empty.
func (x *looked) machines(ctx context.Context, p *factored.Problem, s *dataset.Schema, read *rawlog.Read, groups []*group, asked Request) (again Request, note string, err error) {
	why, err := unlike(ctx, p, s, read, groups)
	if err != nil || why == "" {
		return asked, "", err
	}
	asked.Input = append(slices.Clone(asked.Input), asked.Entity)
	return asked, fmt.Sprintf("%s is an input, too, since no other column tells its values apart: %s", asked.Entity, why), nil
}

// unlike says how entities differ in what no column tells; "" if they do not.
func unlike(ctx context.Context, p *factored.Problem, s *dataset.Schema, read *rawlog.Read, groups []*group) (string, error) {
	if u := differ(p, s, groups); u != nil {
		return u.describe(s), nil
	}
	var of load.Problem
	of.Problem = p
	return outcomes.Unlike(ctx, &of, train.Source{Data: read.Data}, app.Threads(0))
}

// differ finds the column and the action after which entities differ most, if they do in what no column tells; else it
// returns nil. Quantities hardly ever have the same values twice, and are not compared here.
func differ(p *factored.Problem, s *dataset.Schema, groups []*group) (most *unlikeness) {
	all := map[string]*unlikeness{}
	var order []string
	for _, g := range groups {
		action := describe(s, g.first, func(c int) bool { return s.Columns[c].Role == dataset.Action })
		for k := len(s.Columns) - s.NumStates(); k < len(s.Columns)-s.NumInputs(); k++ {
			gain := g.gain(k)
			if v, ok := p.Lookup(strings.TrimSuffix(s.Columns[k].Name, "'")); gain == 0 || ok && v.Fixed() {
				continue
			}
			key := strconv.Itoa(k) + action
			u := all[key]
			if u == nil {
				u = &unlikeness{column: k}
				all[key] = u
				order = append(order, key)
			}
			for i, part := range differing {
				u.bits[i] += math.Log2(1 - part + part*math.Exp2(min(gain, 700)))
			}
			if u.most == nil || gain > u.gain {
				u.most, u.gain = g, gain
			}
		}
	}
	least := outcomes.UnlikeBits + math.Log2(float64(len(differing)*len(order)))
	for _, key := range order {
		if u := all[key]; slices.Max(u.bits[:]) > least {
			most, least = u, slices.Max(u.bits[:])
		}
	}
	return most
}

// of counts the rows of each entity with each value of a column.
func (g *group) of(k int) (values []float64, counts map[string][]int) {
	for _, n := range g.order {
		if !slices.Contains(values, n.row[k]) {
			values = append(values, n.row[k])
		}
	}
	counts = map[string][]int{}
	for _, n := range g.order {
		for name, rows := range n.of {
			if counts[name] == nil {
				counts[name] = make([]int, len(values))
			}
			counts[name][slices.Index(values, n.row[k])] += rows
		}
	}
	return values, counts
}

// gain is how many bits fewer describe whether rows have the most frequent next value of a column, for each entity by itself
// instead of all together. Of few rows it is told how many have it in all: many small groups, in which codes of their own are short where about half the
// rows have it, would add up to evidence that equal entities differ.
func (g *group) gain(k int) (bits float64) {
	values, counts := g.of(k)
	if len(counts) < 2 {
		return 0
	}
	all := make([]int, len(values))
	for _, of := range counts {
		for i, n := range of {
			all[i] += n
		}
	}
	most := slices.Index(all, slices.Max(all))
	rows, with := sum(all), all[most]
	exact := rows <= fewRows
	ways := []float64{1} // the probabilities of so many rows with the value, with all their orders
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		bits -= codeBits(counts[name], most)
		if n := sum(counts[name]); exact {
			next := make([]float64, len(ways)+n)
			for j := range n + 1 {
				p := choices(n, j) * math.Exp2(-codelength.KT(n-j, j))
				for i, w := range ways {
					next[i+j] += w * p
				}
			}
			ways = next
		}
	}
	if exact {
		return bits + math.Log2(choices(rows, with)) - math.Log2(ways[with])
	}
	return bits + codeBits(all, most)
}

// fewRows is the number of rows up to which their number with a value is told.
const fewRows = 30

// choices is the number of ways to choose k of n.
func choices(n, k int) float64 {
	c := 1.0
	for i := range k {
		c *= float64(n-i) / float64(i+1)
	}
	return c
}

// codeBits is the length of the code of which rows have a value.
func codeBits(counts []int, value int) float64 {
	return codelength.KT(sum(counts)-counts[value], counts[value])
}

func sum(counts []int) (all int) {
	for _, n := range counts {
		all += n
	}
	return all
}

// describe says in what the entities differ: the value whose part of the rows differs most between two of them.
func (u *unlikeness) describe(s *dataset.Schema) string {
	values, counts := u.most.of(u.column)
	names := slices.Sorted(maps.Keys(counts))
	rows := map[string]int{}
	for _, name := range names {
		rows[name] = sum(counts[name])
	}
	at, high, low, gap := 0, "", "", -1.0
	for i := range values {
		for _, a := range names {
			for _, b := range names {
				part := float64(counts[a][i])/float64(rows[a]) - float64(counts[b][i])/float64(rows[b])
				// Few rows differ much by chance.
				if d := part * math.Sqrt(float64(min(rows[a], rows[b]))); d > gap {
					at, high, low, gap = i, a, b, d
				}
			}
		}
	}
	column := &s.Columns[u.column]
	return fmt.Sprintf("after %s, %s=%s has %d of %d rows of %s and %d of %d of %s",
		describe(s, u.most.first, func(c int) bool { return c < len(s.Columns)-s.NumStates() }), column.Name, column.Text(values[at]),
		counts[high][at], rows[high], high, counts[low][at], rows[low], low)
}
