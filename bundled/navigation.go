package bundled

import (
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/bnn"
	"github.com/fdplan/fdplan/engine"
	"github.com/fdplan/fdplan/factored"
)

// cell is a place of a maze: column from the west, row from the north.
type cell struct{ x, y int }

// maze is an instance of the Navigation domain (paper, "Domain Descriptions";
// Sanner and Yoon, IPPC 2011, made deterministic): reach the goal in the fewest
// moves. A move off the grid or into a blocked cell leaves the robot where it
// is.
type maze struct {
	columns     []string // west to east
	rows        []string // north to south
	start, goal cell
	blocked     []cell
	horizon     int // the shortest of the paper's
}

var mazes = map[string]maze{
	"3x3": {
		columns: []string{"x21", "x14", "x9"}, rows: []string{"y12", "y15", "y20"},
		start: cell{1, 2}, goal: cell{1, 0}, blocked: []cell{{0, 1}, {1, 1}}, horizon: 4,
	},
	"4x4": {
		columns: []string{"x21", "x14", "x9", "x6"}, rows: []string{"y6", "y12", "y15", "y20"},
		start: cell{1, 0}, goal: cell{1, 3}, blocked: []cell{{0, 1}, {1, 1}, {0, 2}, {1, 2}}, horizon: 5,
	},
	"5x5": {
		columns: []string{"x21", "x14", "x9", "x6", "x3"}, rows: []string{"y6", "y12", "y15", "y20", "y25"},
		start: cell{1, 0}, goal: cell{1, 4}, blocked: []cell{{0, 1}, {1, 1}, {2, 1}, {0, 2}, {1, 2}, {2, 2}}, horizon: 8,
	},
}

// moves in the order of the action variables.
var moves = []struct {
	name   string
	dx, dy int
}{{"move-east", 1, 0}, {"move-north", 0, -1}, {"move-south", 0, 1}, {"move-west", -1, 0}}

// index numbers the cells column by column.
func (m *maze) index(c cell) int { return c.x*len(m.rows) + c.y }

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
	if to.x < 0 || to.x >= len(m.columns) || to.y < 0 || to.y >= len(m.rows) || slices.Contains(m.blocked, to) {
		return c
	}
	return to
}

// navigation builds the problem of a maze with its network.
func navigation(instance string) (engine.Task, error) {
	m := mazes[instance]
	p := factored.NewProblem("navigation/" + instance)
	p.Horizon = m.horizon
	var sum factored.Constraint
	for _, a := range moves {
		if _, err := p.AddVariable(factored.Variable{Name: a.name, Kind: factored.Action, Bool: true}); err != nil {
			return engine.Task{}, err
		}
	}
	for b := range moves {
		l := factored.Lit{Bit: factored.Bit(b)}
		sum.Terms = append(sum.Terms, factored.Term{Coef: 1, Lit: l})
		p.Reward.Terms = append(p.Reward.Terms, factored.RewardTerm{Lit: l, Weight: -1})
		p.Inputs = append(p.Inputs, l.Bit)
	}
	sum.Op, sum.K, sum.Origin = factored.LE, 1, "at most one move"
	p.Global = append(p.Global, sum)
	one := factored.Constraint{Op: factored.EQ, K: 1, Origin: "the robot is in one cell"}
	for _, c := range m.cells() {
		name := fmt.Sprintf("robot-at(%s,%s)", m.columns[c.x], m.rows[c.y])
		id, err := p.AddVariable(factored.Variable{Name: name, Kind: factored.State, Bool: true})
		if err != nil {
			return engine.Task{}, err
		}
		b := p.Variables[id].First
		p.Inputs = append(p.Inputs, b)
		p.Outputs = append(p.Outputs, b)
		term := factored.Term{Coef: 1, Lit: factored.Lit{Bit: b}}
		one.Terms = append(one.Terms, term)
		at := factored.Constraint{Terms: []factored.Term{term}, Op: factored.EQ}
		if c == m.goal {
			at.K, at.Origin = 1, "the robot is at the goal"
			p.Goal = append(p.Goal, at)
		}
		at.K, at.Origin = 0, "the robot starts elsewhere"
		if c == m.start {
			at.K, at.Origin = 1, "the robot starts here"
		}
		p.Initial = append(p.Initial, at)
	}
	p.Global = append(p.Global, one)
	if err := p.Check(); err != nil {
		return engine.Task{}, fmt.Errorf("bundled problem %s: %w", p.Name, err)
	}
	net := m.network()
	if err := net.Check(); err != nil {
		return engine.Task{}, fmt.Errorf("bundled problem %s: %w", p.Name, err)
	}
	return engine.Task{Problem: p, Network: net}, nil
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
