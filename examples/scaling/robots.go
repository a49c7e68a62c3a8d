package main

import (
	"flag"
	"fmt"
	"strings"
)

func robotsFlags(s *flag.FlagSet, o *options) {
	s.IntVar(&o.n, "n", 3, "robots")
	s.IntVar(&o.size, "size", 10, "cells of a side")
	s.IntVar(&o.loops, "loops", 2, "walls that are opened after a maze without loops was drawn")
}

const robotsDomain = `// Robots go from cell to cell of one maze. No two are ever in one cell, and no
// two change places. Waiting is free.
domain robots {
	types { robot : object; cell : object; way : object; };
	pvariables {
		LINK(cell, way, cell) : { non-fluent, bool, default = false };
		GOAL(robot, cell)     : { non-fluent, bool, default = false };
		robot-at(robot, cell) : { state-fluent, bool, default = false };
		go(robot, way)        : { action-fluent, bool, default = false };
	};
	cpfs {
		robot-at'(?r, ?c) = ( exists_{?b : cell, ?w : way} [LINK(?b, ?w, ?c) ^ robot-at(?r, ?b) ^ go(?r, ?w)] )
			| ( robot-at(?r, ?c) ^ ~( exists_{?b : cell, ?w : way} [LINK(?c, ?w, ?b) ^ go(?r, ?w)] ) );
	};
	reward = -(sum_{?r : robot, ?w : way} go(?r, ?w));
	action-preconditions {
		forall_{?r : robot} [(sum_{?w : way} go(?r, ?w)) <= 1];
		forall_{?r : robot, ?s : robot, ?b : cell, ?c : cell, ?v : way, ?w : way}
			[(LINK(?b, ?v, ?c) ^ LINK(?c, ?w, ?b) ^ ?r ~= ?s)
				=> ~(robot-at(?r, ?b) ^ go(?r, ?v) ^ robot-at(?s, ?c) ^ go(?s, ?w))];
	};
	state-invariants {
		forall_{?c : cell} [(sum_{?r : robot} robot-at(?r, ?c)) <= 1];
	};
}
`

func robots(o *options) (*files, error) {
	r := draw(o)
	g := maze(r, o.size, o.loops)
	cells := g.cells()
	if 2*o.n > len(cells) {
		return nil, fmt.Errorf("%d robots do not fit %d cells", o.n, len(cells))
	}
	order := r.Perm(len(cells))
	var names, goals, starts []string
	for i := range o.n {
		name := fmt.Sprintf("r%d", i+1)
		names = append(names, name)
		starts = append(starts, fmt.Sprintf("robot-at(%s, %s);", name, g.name(cells[order[i]])))
		goals = append(goals, fmt.Sprintf("GOAL(%s, %s);", name, g.name(cells[order[o.n+i]])))
	}
	instance := fmt.Sprintf("non-fluents nf {\n\tdomain = robots;\n\tobjects { robot : { %s }; cell : { %s }; way : { north, east, south, west }; };\n\tnon-fluents {\n%s\t\t%s\n\t};\n}\n\ninstance scaling {\n\tdomain = robots;\n\tnon-fluents = nf;\n\tinit-state { %s };\n\tmax-nondef-actions = pos-inf;\n\thorizon = %d;\n\tdiscount = 1.0;\n}\n",
		strings.Join(names, ", "), g.names(), g.links(), strings.Join(goals, " "), strings.Join(starts, " "), o.h)
	return &files{robotsDomain, instance, taskFile("forall_{?r : robot, ?c : cell} [GOAL(?r, ?c) => robot-at(?r, ?c)]", o.h)}, nil
}
