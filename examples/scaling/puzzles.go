package main

import (
	"flag"
	"fmt"
	"strings"
)

func tilesFlags(s *flag.FlagSet, o *options) {
	s.IntVar(&o.size, "size", 3, "tiles of a side, 3 or 4")
	s.IntVar(&o.steps, "steps", 100, "random moves from the solved position to the first")
}

const tilesDomain = `// The sliding puzzle: the blank changes places with a neighbour.
domain tiles {
	types { tile : object; cell : object; way : object; };
	pvariables {
		LINK(cell, way, cell) : { non-fluent, bool, default = false };
		GOAL(tile, cell)      : { non-fluent, bool, default = false };
		at(tile, cell) : { state-fluent, bool, default = false };
		blank(cell)    : { state-fluent, bool, default = false };
		slide(way)     : { action-fluent, bool, default = false };
	};
	cpfs {
		blank'(?c) = ( exists_{?b : cell, ?w : way} [LINK(?b, ?w, ?c) ^ blank(?b) ^ slide(?w)] )
			| ( blank(?c) ^ ~( exists_{?b : cell, ?w : way} [LINK(?c, ?w, ?b) ^ slide(?w)] ) );
		at'(?t, ?c) = ( exists_{?b : cell, ?w : way} [LINK(?c, ?w, ?b) ^ blank(?c) ^ slide(?w) ^ at(?t, ?b)] )
			| ( at(?t, ?c) ^ ~( exists_{?b : cell, ?w : way} [LINK(?b, ?w, ?c) ^ blank(?b) ^ slide(?w)] ) );
	};
	reward = -(sum_{?w : way} slide(?w));
	action-preconditions { (sum_{?w : way} slide(?w)) <= 1; };
}
`

// hard8 is one of the two positions of the 8-puzzle that need the most moves, 31;
// 0 is the blank.
var hard8 = []int{8, 6, 7, 2, 5, 4, 3, 0, 1}

func tiles(o *options) (*files, error) {
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
	instance := fmt.Sprintf("non-fluents nf {\n\tdomain = tiles;\n\tobjects { tile : { %s }; cell : { %s }; way : { north, east, south, west }; };\n\tnon-fluents {\n%s\t\t%s\n\t};\n}\n\ninstance scaling {\n\tdomain = tiles;\n\tnon-fluents = nf;\n\tinit-state { %s };\n\tmax-nondef-actions = 1;\n\thorizon = %d;\n\tdiscount = 1.0;\n}\n",
		strings.Join(names, ", "), g.names(), g.links(), strings.Join(goals, " "), strings.Join(starts, " "), o.h)
	return &files{tilesDomain, instance, taskFile("forall_{?t : tile, ?c : cell} [GOAL(?t, ?c) => at(?t, ?c)]", o.h)}, nil
}

func hanoiFlags(s *flag.FlagSet, o *options) { s.IntVar(&o.n, "n", 7, "disks") }

const hanoiDomain = `// The towers of Hanoi: the top disk of a peg goes to another peg, never onto a
// smaller one.
domain hanoi {
	types { disk : object; peg : object; };
	pvariables {
		SMALLER(disk, disk) : { non-fluent, bool, default = false };
		on(disk, peg)  : { state-fluent, bool, default = false };
		move(peg, peg) : { action-fluent, bool, default = false };
	};
	cpfs {
		on'(?d, ?p) = ( exists_{?q : peg} [move(?q, ?p) ^ on(?d, ?q) ^ ~( exists_{?e : disk} [SMALLER(?e, ?d) ^ on(?e, ?q)] )] )
			| ( on(?d, ?p) ^ ( ~( exists_{?q : peg} [move(?p, ?q)] ) | ( exists_{?e : disk} [SMALLER(?e, ?d) ^ on(?e, ?p)] ) ) );
	};
	reward = -(sum_{?p : peg, ?q : peg} move(?p, ?q));
	action-preconditions {
		(sum_{?p : peg, ?q : peg} move(?p, ?q)) <= 1;
		forall_{?p : peg} ~move(?p, ?p);
		forall_{?p : peg, ?q : peg} [(?p ~= ?q ^ move(?p, ?q)) =>
			( exists_{?d : disk} [on(?d, ?p) ^ ~( exists_{?e : disk} [SMALLER(?e, ?d) ^ (on(?e, ?p) | on(?e, ?q))] )] )];
	};
}
`

func hanoi(o *options) (*files, error) {
	var names, smaller, starts []string
	for i := range o.n {
		names = append(names, fmt.Sprintf("d%d", i+1))
		starts = append(starts, fmt.Sprintf("on(d%d, left);", i+1))
		for j := range i {
			smaller = append(smaller, fmt.Sprintf("SMALLER(d%d, d%d);", j+1, i+1))
		}
	}
	instance := fmt.Sprintf("non-fluents nf {\n\tdomain = hanoi;\n\tobjects { disk : { %s }; peg : { left, middle, right }; };\n\tnon-fluents { %s };\n}\n\ninstance scaling {\n\tdomain = hanoi;\n\tnon-fluents = nf;\n\tinit-state { %s };\n\tmax-nondef-actions = 1;\n\thorizon = %d;\n\tdiscount = 1.0;\n}\n",
		strings.Join(names, ", "), strings.Join(smaller, " "), strings.Join(starts, " "), o.h)
	return &files{hanoiDomain, instance, taskFile("forall_{?d : disk} on(?d, right)", o.h)}, nil
}

func tourFlags(s *flag.FlagSet, o *options) { s.IntVar(&o.n, "n", 12, "cities") }

const tourDomain = `// A tour through all cities and back to the first, at the least distance.
domain tour {
	types { city : object; };
	pvariables {
		DISTANCE(city, city) : { non-fluent, int, default = 0 };
		at(city)      : { state-fluent, bool, default = false };
		visited(city) : { state-fluent, bool, default = false };
		go(city)      : { action-fluent, bool, default = false };
	};
	cpfs {
		at'(?c) = go(?c);
		visited'(?c) = visited(?c) | go(?c);
	};
	reward = -(sum_{?b : city, ?c : city} [DISTANCE(?b, ?c) * (at(?b) ^ go(?c))]);
	action-preconditions {
		(sum_{?c : city} go(?c)) == 1;
		forall_{?c : city} ~(visited(?c) ^ go(?c));
	};
}
`

// tour draws cities on a map; to come back to the first is to visit it.
func tour(o *options) (*files, error) {
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
	instance := fmt.Sprintf("non-fluents nf {\n\tdomain = tour;\n\tobjects { city : { %s }; };\n\tnon-fluents {\n\t\t%s\n\t};\n}\n\ninstance scaling {\n\tdomain = tour;\n\tnon-fluents = nf;\n\tinit-state { at(c1); };\n\tmax-nondef-actions = 1;\n\thorizon = %d;\n\tdiscount = 1.0;\n}\n",
		strings.Join(names, ", "), strings.Join(distances, "\n\t\t"), o.h)
	return &files{tourDomain, instance, taskFile("(forall_{?c : city} visited(?c)) ^ at(c1)", o.h)}, nil
}

func sudokuFlags(s *flag.FlagSet, o *options) {
	s.IntVar(&o.k, "fills", 11, "cells that are empty at first")
}

const sudokuDomain = `// Fill one cell a step; a number stands once in each row, column and box.
domain sudoku {
	types { cell : object; number : object; };
	pvariables {
		SEES(cell, cell) : { non-fluent, bool, default = false };
		has(cell, number)  : { state-fluent, bool, default = false };
		fill(cell, number) : { action-fluent, bool, default = false };
	};
	cpfs { has'(?c, ?n) = has(?c, ?n) | fill(?c, ?n); };
	reward = 0;
	action-preconditions {
		forall_{?c : cell, ?n : number} [fill(?c, ?n) => ~( exists_{?m : number} has(?c, ?m) )];
	};
	state-invariants {
		forall_{?b : cell, ?c : cell, ?n : number} [SEES(?b, ?c) => ~(has(?b, ?n) ^ has(?c, ?n))];
	};
}
`

// sudoku takes the square 1234 3412 2143 4321 and empties cells that are drawn.
func sudoku(o *options) (*files, error) {
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
	instance := fmt.Sprintf("non-fluents nf {\n\tdomain = sudoku;\n\tobjects { cell : { %s }; number : { n1, n2, n3, n4 }; };\n\tnon-fluents { %s };\n}\n\ninstance scaling {\n\tdomain = sudoku;\n\tnon-fluents = nf;\n\tinit-state { %s };\n\tmax-nondef-actions = 1;\n\thorizon = %d;\n\tdiscount = 1.0;\n}\n",
		strings.Join(names, ", "), strings.Join(sees, " "), strings.Join(starts, " "), o.h)
	return &files{sudokuDomain, instance, taskFile("forall_{?c : cell} [exists_{?n : number} has(?c, ?n)]", o.h)}, nil
}

func sokobanFlags(s *flag.FlagSet, o *options) {}

const sokobanDomain = `// The player walks and pushes one box at a time; boxes belong on the goals.
domain sokoban {
	types { cell : object; way : object; };
	pvariables {
		LINK(cell, way, cell) : { non-fluent, bool, default = false };
		GOAL(cell)   : { non-fluent, bool, default = false };
		player(cell) : { state-fluent, bool, default = false };
		box(cell)    : { state-fluent, bool, default = false };
		go(way)      : { action-fluent, bool, default = false };
	};
	cpfs {
		player'(?c) = ( exists_{?b : cell, ?w : way} [LINK(?b, ?w, ?c) ^ player(?b) ^ go(?w)] )
			| ( player(?c) ^ ~( exists_{?w : way} go(?w) ) );
		box'(?c) = ( box(?c) ^ ~( exists_{?b : cell, ?w : way} [LINK(?b, ?w, ?c) ^ player(?b) ^ go(?w)] ) )
			| ( exists_{?a : cell, ?b : cell, ?w : way} [LINK(?a, ?w, ?b) ^ LINK(?b, ?w, ?c) ^ player(?a) ^ go(?w) ^ box(?b)] );
	};
	reward = -(sum_{?w : way} go(?w));
	action-preconditions {
		(sum_{?w : way} go(?w)) <= 1;
		forall_{?a : cell, ?w : way} [(player(?a) ^ go(?w)) => ( exists_{?b : cell} LINK(?a, ?w, ?b) )];
		forall_{?a : cell, ?b : cell, ?w : way} [(LINK(?a, ?w, ?b) ^ player(?a) ^ go(?w) ^ box(?b)) =>
			( exists_{?c : cell} [LINK(?b, ?w, ?c) ^ ~box(?c)] )];
	};
}
`

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

func sokoban(o *options) (*files, error) {
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
	instance := fmt.Sprintf("non-fluents nf {\n\tdomain = sokoban;\n\tobjects { cell : { %s }; way : { north, east, south, west }; };\n\tnon-fluents {\n%s\t\t%s\n\t};\n}\n\ninstance scaling {\n\tdomain = sokoban;\n\tnon-fluents = nf;\n\tinit-state { %s };\n\tmax-nondef-actions = 1;\n\thorizon = %d;\n\tdiscount = 1.0;\n}\n",
		g.names(), g.links(), strings.Join(goals, " "), strings.Join(starts, " "), o.h)
	return &files{sokobanDomain, instance, taskFile("forall_{?c : cell} [GOAL(?c) => box(?c)]", o.h)}, nil
}
