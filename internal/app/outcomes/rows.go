package outcomes

import (
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/learn/structure"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/chance"
	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
)

// mostRows bounds the rows that are looked at: of more, some are.
const mostRows = 1 << 18

// chanceRows are the complete rows of data sets, as values of variables.
type chanceRows struct {
	p       *load.Problem
	outputs []int // the variables that are learned
	open    []int // those of them that the rows do not determine, as far as is known
	// disputed are those of open that have different values after one state and action: nothing else is drawn.
	disputed []int
	most     int // different next states of one state and action
	now      [][]int64
	next     [][]int64
	logged   [][]int64 // next before it was put right
	begins   []bool
	apart    []bool      // other rows stand before it in its file, which may have been dropped
	row      []train.Row // source and index of each
}

func newChanceRows(p *load.Problem, from []train.Source) (*chanceRows, error) {
	x := &chanceRows{p: p}
	final, err := p.Final()
	if err != nil {
		return nil, err
	}
	last := train.Row{Source: -1}
	rows := 0
	var ended []bool // the state after a row is one in which runs end
	for _, s := range from {
		rows += s.Data.Rows
	}
	share := max(1, rows/mostRows)
	err = train.EachRow(p.Problem, func(r *train.Row) {
		if r.InKnown != nil || len(r.Outside) > 0 || share > 1 && r.Index%(100*share) >= 100 {
			return
		}
		begins := r.Source != last.Source || r.Index != last.Index+1 || isBegin(from[r.Source].Data.Begins, r.Index)
		ended = append(ended, slices.ContainsFunc(final, func(e *expr.Expr) bool { return e.Eval(r.Next, nil) }))
		line := from[r.Source].Data.Line
		x.apart = append(x.apart, !begins && line != nil && line(r.Index) > line(last.Index)+1)
		last = train.Row{Source: r.Source, Index: r.Index}
		x.now, x.next = append(x.now, valuesOf(p.Problem, r.Now)), append(x.next, valuesOf(p.Problem, r.Next))
		x.begins, x.row = append(x.begins, begins), append(x.row, last)
	}, from...)
	if err != nil {
		return nil, err
	}
	isOutput := map[factored.Bit]bool{}
	for _, b := range p.Problem.Outputs {
		isOutput[b] = true
	}
	for i := range p.Problem.Variables {
		if isOutput[p.Problem.Variables[i].First] {
			x.outputs = append(x.outputs, i)
		}
	}
	x.end(ended)
	x.findOpen()
	return x, nil
}

// fewDiffer is the share of rows that do not begin as the one before them ended up to which records of states are right.
const fewDiffer = .01

// end has runs begin after rows that lead to a state in which runs end. Where other rows begin otherwise than those before them ended, such a state may be a wrong
// record.
func (x *chanceRows) end(ended []bool) {
	if !slices.Contains(ended, true) {
		return
	}
	links, differ := 0, 0
	for r := 1; r < len(ended); r++ {
		if x.begins[r] || ended[r-1] {
			continue
		}
		links++
		if slices.ContainsFunc(x.outputs, func(v int) bool { return x.next[r-1][v] != x.now[r][v] }) {
			differ++
		}
	}
	for r := 1; r < len(ended) && float64(differ) <= fewDiffer*float64(links); r++ {
		x.begins[r] = x.begins[r] || ended[r-1]
	}
}

func isBegin(begins []int32, row int) bool {
	_, found := slices.BinarySearch(begins, int32(row))
	return found
}

func valuesOf(p *factored.Problem, val factored.Valuation) []int64 {
	values := make([]int64, len(p.Variables))
	for i := range values {
		values[i] = p.Variables[i].Value(val)
	}
	return values
}

// findOpen finds the outputs that have different values after one state and action.
func (x *chanceRows) findOpen() {
	first, different := map[string]int{}, map[string]map[string]bool{}
	open := map[int]bool{}
	for r := range x.now {
		key := fmt.Sprint(x.now[r])
		k, ok := first[key]
		if !ok {
			first[key] = r
			different[key] = map[string]bool{}
		} else {
			for _, v := range x.outputs {
				open[v] = open[v] || x.next[r][v] != x.next[k][v]
			}
		}
		different[key][fmt.Sprint(x.next[r])] = true
		x.most = max(x.most, len(different[key]))
	}
	for _, v := range x.outputs {
		if open[v] {
			x.open = append(x.open, v)
		}
	}
	x.disputed = slices.Clone(x.open)
}

// addOpen adds the outputs whose functions have exceptions: where there are many states, hardly one and its action stand in the rows twice.
func (x *chanceRows) addOpen(st *structure.Structure) {
	for o, b := range x.p.Problem.Outputs {
		owner, _ := x.p.Problem.Owner(b)
		if v := x.p.Problem.Index(owner); st.Outputs[o].Wrong > 0 && !slices.Contains(x.open, v) {
			x.open = append(x.open, v)
		}
	}
	slices.Sort(x.open)
}

// names lists the fluents of a group.
func (x *chanceRows) names(g *chance.Group) (names []string) {
	for _, v := range g.Outputs {
		names = append(names, x.p.Problem.Variables[v].Name)
	}
	return names
}
