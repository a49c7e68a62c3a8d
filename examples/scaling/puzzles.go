package main

import "fmt"

// hard8 is one of the two positions of the 8-puzzle that need the most moves, 31;
// 0 is the blank.
var hard8 = []int{8, 6, 7, 2, 5, 4, 3, 0, 1}

func tiles(o *options) (*instance, error) {
	if o.size != 3 && o.size != 4 {
		return nil, fmt.Errorf("the side is %d; expected 3 or 4", o.size)
	}
	n := o.size * o.size
	g := &grid{w: o.size, h: o.size, free: make([]bool, n)}
	var names, goals, starts []string
	place := make([]int, n) // tile of each cell
	for i := range n {
		g.free[i] = true
		place[i] = (i + 1) % n
		if i > 0 {
			names = append(names, fmt.Sprintf("t%d", i))
			goals = append(goals, fmt.Sprintf("GOAL(t%d, %s);", i, g.name(i-1)))
		}
	}
	if o.size == 3 && o.steps == 0 {
		copy(place, hard8)
	}
	r := draw(o)
	blank, before := n-1, -1
	for moved := 0; moved < o.steps; {
		d := r.IntN(4)
		j := g.step(blank, d)
		if j < 0 || j == before {
			continue
		}
		place[blank], place[j] = place[j], place[blank]
		before, blank = blank, j
		moved++
	}
	for i, t := range place {
		if t == 0 {
			starts = append(starts, fmt.Sprintf("blank(%s);", g.name(i)))
		} else {
			starts = append(starts, fmt.Sprintf("at(t%d, %s);", t, g.name(i)))
		}
	}
	return &instance{kinds: []kind{{"tile", names}, {"cell", g.names()}, ways}, facts: append(g.links(), goals...), initial: starts, most: "1",
		goal: "forall_{?t : tile, ?c : cell} [GOAL(?t, ?c) => at(?t, ?c)]"}, nil
}

func hanoi(o *options) (*instance, error) {
	var names, smaller, starts []string
	for i := range o.n {
		names = append(names, fmt.Sprintf("d%d", i+1))
		starts = append(starts, fmt.Sprintf("on(d%d, left);", i+1))
		for j := range i {
			smaller = append(smaller, fmt.Sprintf("SMALLER(d%d, d%d);", j+1, i+1))
		}
	}
	return &instance{kinds: []kind{{"disk", names}, {"peg", []string{"left", "middle", "right"}}}, facts: smaller, initial: starts, most: "1", goal: "forall_{?d : disk} on(?d, right)"}, nil
}

// tour draws cities on a map; to come back to the first is to visit it.
func tour(o *options) (*instance, error) {
	r := draw(o)
	x, y := make([]int, o.n), make([]int, o.n)
	var names, distances []string
	for i := range o.n {
		x[i], y[i] = r.IntN(100), r.IntN(100)
		names = append(names, fmt.Sprintf("c%d", i+1))
		for j := range i {
			d := max(x[i]-x[j], x[j]-x[i]) + max(y[i]-y[j], y[j]-y[i])
			distances = append(distances, fmt.Sprintf("DISTANCE(c%d, c%d) = %d; DISTANCE(c%d, c%d) = %d;", i+1, j+1, d, j+1, i+1, d))
		}
	}
	if o.h == 0 {
		o.h = o.n
	}
	return &instance{kinds: []kind{{"city", names}}, facts: distances, initial: []string{"at(c1);"}, most: "1", goal: "(forall_{?c : city} visited(?c)) ^ at(c1)"}, nil
}

// sudoku takes the square 1234 3412 2143 4321 and empties cells that are drawn.
func sudoku(o *options) (*instance, error) {
	square := []int{1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1}
	if o.k < 1 || o.k > 16 {
		return nil, fmt.Errorf("there are %d fills; expected 1 to 16", o.k)
	}
	r := draw(o)
	g := &grid{w: 4, h: 4}
	var names, sees, starts []string
	for i := range 16 {
		names = append(names, g.name(i))
		for j := range 16 {
			box := i%4/2 == j%4/2 && i/8 == j/8
			if i != j && (i%4 == j%4 || i/4 == j/4 || box) {
				sees = append(sees, fmt.Sprintf("SEES(%s, %s);", g.name(i), g.name(j)))
			}
		}
	}
	for _, i := range r.Perm(16)[o.k:] {
		starts = append(starts, fmt.Sprintf("has(%s, n%d);", g.name(i), square[i]))
	}
	if o.h == 0 {
		o.h = o.k
	}
	return &instance{kinds: []kind{{"cell", names}, {"number", numbered("n", 4)}}, facts: sees, initial: starts, most: "1",
		goal: "forall_{?c : cell} [exists_{?n : number} has(?c, ?n)]"}, nil
}

// sokobanMap has walls #, the player @, boxes $ and goals a dot.
var sokobanMap = []string{
	".......",
	".##.$..",
	"..$....",
	".#.#@#.",
	"...$...",
	".......",
}

var sokobanGoals = []string{"x0y2", "x2y0", "x6y2"}

func sokoban(o *options) (*instance, error) {
	g := &grid{w: len(sokobanMap[0]), h: len(sokobanMap)}
	var starts, goals []string
	for i := range g.w * g.h {
		c := sokobanMap[i/g.w][i%g.w]
		g.free = append(g.free, c != '#')
		switch c {
		case '@':
			starts = append(starts, fmt.Sprintf("player(%s);", g.name(i)))
		case '$':
			starts = append(starts, fmt.Sprintf("box(%s);", g.name(i)))
		}
	}
	for _, s := range sokobanGoals {
		goals = append(goals, fmt.Sprintf("GOAL(%s);", s))
	}
	return &instance{kinds: []kind{{"cell", g.names()}, ways}, facts: append(g.links(), goals...), initial: starts, most: "1", goal: "forall_{?c : cell} [GOAL(?c) => box(?c)]"}, nil
}

func robots(o *options) (*instance, error) {
	r := draw(o)
	g := maze(r, o.size, o.loops)
	cells := g.cells()
	if 2*o.n > len(cells) {
		return nil, fmt.Errorf("%d robots do not fit %d cells", o.n, len(cells))
	}
	order := r.Perm(len(cells))
	names := numbered("r", o.n)
	var goals, starts []string
	for i, name := range names {
		starts = append(starts, fmt.Sprintf("robot-at(%s, %s);", name, g.name(cells[order[i]])))
		goals = append(goals, fmt.Sprintf("GOAL(%s, %s);", name, g.name(cells[order[o.n+i]])))
	}
	return &instance{kinds: []kind{{"robot", names}, {"cell", g.names()}, ways}, facts: append(g.links(), goals...), initial: starts,
		goal: "forall_{?r : robot, ?c : cell} [GOAL(?r, ?c) => robot-at(?r, ?c)]"}, nil
}
