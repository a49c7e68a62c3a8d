package bundled

import (
	"slices"

	"github.com/fdplan/fdplan/bnn"
)

// cell is a place of a maze: column from the west, row from the north.
type cell struct{ x, y int }

// maze is what a network of the Navigation domain has to know: the grid and the
// cells that cannot be entered. A move off the grid or into a blocked cell leaves
// the robot where it is.
type maze struct {
	columns, rows int
	blocked       []cell
}

var mazes = map[string]maze{
	"3x3": {3, 3, []cell{{0, 1}, {1, 1}}},
	"4x4": {4, 4, []cell{{0, 1}, {1, 1}, {0, 2}, {1, 2}}},
	"5x5": {5, 5, []cell{{0, 1}, {1, 1}, {2, 1}, {0, 2}, {1, 2}, {2, 2}}},
}

// moves in the order of the action variables.
var moves = []struct {
	name   string
	dx, dy int
}{{"move-east", 1, 0}, {"move-north", 0, -1}, {"move-south", 0, 1}, {"move-west", -1, 0}}

// index numbers the cells column by column.
func (m *maze) index(c cell) int { return c.x*m.rows + c.y }

// cells lists all cells in order of index.
func (m *maze) cells() []cell {
	var out []cell
	for x := range m.columns {
		for y := range m.rows {
			out = append(out, cell{x, y})
		}
	}
	return out
}

// after is where move k leads from c.
func (m *maze) after(c cell, k int) cell {
	to := cell{c.x + moves[k].dx, c.y + moves[k].dy}
	if to.x < 0 || to.x >= m.columns || to.y < 0 || to.y >= m.rows || slices.Contains(m.blocked, to) {
		return c
	}
	return to
}

// network writes the maze's moves down as a two-layer network. It is
// provisional: a network trained from simulated transitions replaces it when
// the project trains its own. A hidden unit is active when the robot makes one
// certain move from one certain cell (both of two inputs agree), or stays in a
// cell because none of the moves that lead away is made; an output is active
// when any unit that leads to its cell is.
func (m *maze) network() *bnn.Network {
	cells := m.cells()
	inputs := len(moves) + len(cells)
	hidden := bnn.Layer{Inputs: inputs}
	var leads []int // cell that each hidden unit leads to
	add := func(to cell, threshold int32, weights map[int]int8) {
		row := make([]int8, inputs)
		for i, w := range weights {
			row[i] = w
		}
		hidden.Weights = append(hidden.Weights, row...)
		hidden.Thresholds = append(hidden.Thresholds, threshold)
		leads = append(leads, m.index(to))
	}
	for _, c := range cells {
		here := len(moves) + m.index(c)
		stay := map[int]int8{here: 1}
		for k := range moves {
			if to := m.after(c, k); to != c {
				add(to, 2, map[int]int8{here: 1, k: 1})
				stay[k] = -1
			}
		}
		add(c, int32(len(stay)), stay)
	}
	out := bnn.Layer{Inputs: len(leads), Weights: make([]int8, len(leads)*len(cells)), Thresholds: make([]int32, len(cells))}
	for j, to := range leads {
		out.Weights[to*len(leads)+j] = 1
	}
	for i := range out.Thresholds {
		out.Thresholds[i] = 1
	}
	return &bnn.Network{Layers: []bnn.Layer{hidden, out}}
}
