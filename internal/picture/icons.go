package picture

// The things in the pictures, each drawn around (0, 0) in a cell of 64 by 64.
const cell = 64.0

// person is an agent: a disc with two eyes.
func person(fill role) []element {
	return []element{
		disc(0, 0, 19, fill).outlined(paper, 2),
		disc(-6.5, -3, 3.6, eye), disc(6.5, -3, 3.6, eye),
		stroke(eye, 2.6, point{-7, 7}, point{-3, 9.5}, point{3, 9.5}, point{7, 7}),
	}
}

// fallen is an agent that is not alive: grey, with crosses for eyes.
func fallen() []element {
	cross := func(x float64) []element {
		return []element{stroke(paper, 2.4, point{x - 3, -6}, point{x + 3, 0}), stroke(paper, 2.4, point{x - 3, 0}, point{x + 3, -6})}
	}
	out := []element{disc(0, 0, 19, faint).outlined(alarm, 3)}
	out = append(append(out, cross(-6.5)...), cross(6.5)...)
	return append(out, stroke(paper, 2.4, point{-7, 9.5}, point{0, 7}, point{7, 9.5}))
}

// monster is an enemy: a shape with horns and feet, angry.
func monster() []element {
	return []element{
		area(enemy, point{-19, 18}, point{-19, -8}, point{-17, -21}, point{-8, -14}, point{8, -14}, point{17, -21}, point{19, -8}, point{19, 18},
			point{12.5, 12}, point{6, 18}, point{0, 12}, point{-6, 18}, point{-12.5, 12}).outlined(paper, 2),
		area(eye, point{-12, -8}, point{-3, -3}, point{-5, 2}, point{-11, 1}),
		area(eye, point{12, -8}, point{3, -3}, point{5, 2}, point{11, 1}),
	}
}

// keyIcon is a key, its ring on the left.
func keyIcon() []element {
	return []element{
		stroke(gold, 5, point{-4, 0}, point{19, 0}, point{19, 8}), stroke(gold, 5, point{11, 0}, point{11, 7}),
		{shape: circle, x: -11, r: 8, stroke: gold, width: 5},
	}
}

// door is an open frame with a knob.
func door() []element {
	return []element{
		rect(-22, -28, 44, 56, 4, none).outlined(goal, 4), rect(-15, -21, 30, 49, 2, goal).faded(0.25), disc(9, 5, 3, goal),
	}
}

// block is a wall of bricks that fills a cell.
func block() []element {
	out := []element{rect(-30, -30, 60, 60, 5, wall)}
	mortar := func(pts ...point) { out = append(out, stroke(floor, 2, pts...).faded(0.7)) }
	mortar(point{-30, -10}, point{30, -10})
	mortar(point{-30, 10}, point{30, 10})
	for _, l := range [][3]float64{{-30, -10, 0}, {-10, 10, -15}, {-10, 10, 15}, {10, 30, 0}} {
		mortar(point{l[2], l[0]}, point{l[2], l[1]})
	}
	return out
}

// flag marks the goal of a maze.
func flag() []element {
	return []element{stroke(goal, 3.5, point{-10, 24}, point{-10, -22}), area(goal, point{-10, -22}, point{18, -13}, point{-10, -4})}
}

// squares are the cells of a grid.
func squares(columns, rows int, x, y float64) []element {
	out := []element{}
	for c := range columns {
		for r := range rows {
			out = append(out, rect(x+float64(c)*cell+1, y+float64(r)*cell+1, cell-2, cell-2, 5, floor).outlined(edge, 1))
		}
	}
	return out
}
