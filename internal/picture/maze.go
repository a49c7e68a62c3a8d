package picture

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// maze is the view of navigation: one Boolean robot-at for each cell, its
// arguments a column and a row.
type maze struct {
	h             *history
	columns, rows []string        // from west to east, from north to south
	at            [][]place       // by state: the robot's positions; exactly one in a valid trace
	visits        map[place][]int // by cell: the states
	blocked, goal map[place]bool
	from          string // problem that supplied the walls; empty if they are unknown
}

type place struct{ c, r int }

// maxGrid bounds the cells along a side.
const maxGrid = 64

func newMaze(h *history, f *Facts) view {
	if !h.only("robot-at") {
		return nil
	}
	m := &maze{h: h, visits: map[place][]int{}, blocked: map[place]bool{}, goal: map[place]bool{}}
	for _, v := range h.vars {
		if len(v.args) != 2 || !v.bool {
			return nil
		}
	}
	m.columns, m.rows = h.arguments("robot-at", 0, f.objects("xpos")), h.arguments("robot-at", 1, f.objects("ypos"))
	if len(m.columns) > maxGrid || len(m.rows) > maxGrid {
		return nil
	}
	m.at = make([][]place, len(h.states))
	for c, x := range m.columns {
		for r, y := range m.rows {
			p := place{c, r}
			name := "robot-at(" + x + "," + y + ")"
			m.goal[p] = h.goal[name] == 1
			if b, ok := f.constant("BLOCKED", x, y); ok {
				m.from, m.blocked[p] = f.From, b != 0
			}
			for k := range h.states {
				if on, _ := h.at(k, name); on != 0 {
					m.at[k] = append(m.at[k], p)
					m.visits[p] = append(m.visits[p], k)
				}
			}
		}
	}
	return m
}

// The space for the names of columns and rows.
const (
	mazeLeft = 44.0
	mazeTop  = 26.0
)

func (m *maze) size() (w, h float64) {
	return mazeLeft + cell*float64(len(m.columns)) + 2, mazeTop + cell*float64(len(m.rows)) + 2
}

// centre is the middle of a cell.
func (m *maze) centre(p place) point {
	return point{mazeLeft + (float64(p.c)+0.5)*cell, mazeTop + (float64(p.r)+0.5)*cell}
}

func (m *maze) name(p place) string { return "(" + m.columns[p.c] + "," + m.rows[p.r] + ")" }

func (m *maze) base() []element {
	out := squares(len(m.columns), len(m.rows), mazeLeft, mazeTop)
	for c, x := range m.columns {
		out = append(out, label(mazeLeft+(float64(c)+0.5)*cell, mazeTop-9, 12, middle, faint, shorten(x, 9)))
	}
	for r, y := range m.rows {
		out = append(out, label(mazeLeft-8, mazeTop+(float64(r)+0.5)*cell+4, 12, end, faint, shorten(y, 6)))
	}
	for r := range m.rows {
		for c := range m.columns {
			p := place{c, r}
			q := m.centre(p)
			if m.blocked[p] {
				out = append(out, as("blocked", "blocked cell "+m.name(p), q.x, q.y, block()...))
			}
			if m.goal[p] {
				out = append(out, as("goal", "goal "+m.name(p), q.x, q.y, rect(-29, -29, 58, 58, 4, none).outlined(goal, 3), as("", "", 14, -12, flag()...).scaled(0.5)))
			}
		}
	}
	return out
}

// path returns the robot's path through the states up to k. It is broken if the robot is
// nowhere or in several cells.
func (m *maze) path(k int) []element {
	var out []element
	for i := range k {
		if len(m.at[i]) != 1 || len(m.at[i+1]) != 1 || m.at[i][0] == m.at[i+1][0] {
			continue
		}
		a, b := m.centre(m.at[i][0]), m.centre(m.at[i+1][0])
		out = append(out, stroke(trail, 6, a, b), arrow(a, b))
	}
	return out
}

// arrow is the tip of an arrow in the middle between two points.
func arrow(a, b point) element {
	dx, dy := b.x-a.x, b.y-a.y
	n := math.Hypot(dx, dy)
	dx, dy = dx/n, dy/n
	x, y := (a.x+b.x)/2, (a.y+b.y)/2
	return area(trail, point{x + 10*dx, y + 10*dy}, point{x - 6*dx - 10*dy, y - 6*dy + 10*dx}, point{x - 6*dx + 10*dy, y - 6*dy - 10*dx})
}

// robots draws the robot of state k.
func (m *maze) robots(k int) []element {
	var out []element
	for _, p := range m.at[k] {
		q := m.centre(p)
		out = append(out, as("robot", "robot "+m.name(p), q.x, q.y, person(agent)...))
	}
	return out
}

func (m *maze) frame(k int) []element { return append(m.path(k), m.robots(k)...) }

func (m *maze) whole() *scene {
	w, h := m.size()
	s := &scene{w: w, h: h, parts: m.base()}
	s.parts = append(s.parts, m.path(m.h.H())...)
	for r := range m.rows {
		for c := range m.columns {
			p := place{c, r}
			if len(m.visits[p]) == 0 {
				continue
			}
			q := m.centre(p)
			text := spans(m.visits[p])
			size := 14.0
			if len(text) > 6 {
				size, text = 11, shorten(text, 10)
			}
			mark := label(0, 5, size, middle, eye, text)
			mark.bold = true
			s.parts = append(s.parts, as("visit", m.name(p)+": "+m.moments(p), q.x, q.y,
				rect(-max(14, 3.6*float64(len(text))+4), -14, 2*max(14, 3.6*float64(len(text))+4), 28, 14, agent).outlined(paper, 2), mark))
		}
	}
	return s
}

func (m *maze) moments(p place) string {
	return "the robot is here after " + map[bool]string{true: "step ", false: "steps "}[len(m.visits[p]) == 1] + spans(m.visits[p])
}

// spans writes ascending numbers, with consecutive ones as 5-7.
func spans(ks []int) string {
	var parts []string
	for i := 0; i < len(ks); {
		j := i
		for j+1 < len(ks) && ks[j+1] == ks[j]+1 {
			j++
		}
		part := strconv.Itoa(ks[i])
		if j > i {
			part += "-" + strconv.Itoa(ks[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ",")
}

func (m *maze) describe(k int) string {
	if len(m.at[k]) == 0 {
		return "robot nowhere"
	}
	var in []string
	for _, p := range m.at[k] {
		s := m.name(p)
		if m.blocked[p] {
			s += ", a blocked cell"
		}
		if m.goal[p] {
			s += ", the goal"
		}
		in = append(in, s)
	}
	return "robot at " + strings.Join(in, " and ")
}

func (m *maze) legend() string {
	return "Numbers are steps, 0 the start: after which of them the robot is there. The flag is the goal, bricks are blocked cells."
}

func (m *maze) source() string {
	return sourceOf("Which cells are blocked is", "Blocked cells and goal are those of", m.from)
}

func (m *maze) text(b *strings.Builder, _ int) {
	cells := make([][]string, len(m.rows)+1)
	cells[0] = append([]string{""}, m.columns...)
	for r, y := range m.rows {
		row := []string{y}
		for c := range m.columns {
			p := place{c, r}
			s := spans(m.visits[p])
			if m.blocked[p] {
				s = "#" + s
			}
			if m.goal[p] {
				s = "G" + s
			}
			if s == "" {
				s = "."
			}
			row = append(row, s)
		}
		cells[r+1] = row
	}
	grid(b, cells)
	for k := range m.h.states {
		state(b, m.h, k, m.describe(k))
	}
	b.WriteString("G is the goal, # a blocked cell; numbers are the steps after which the robot is there.\n")
}

// grid writes cells in columns.
func grid(b *strings.Builder, cells [][]string) {
	width := make([]int, len(cells[0]))
	for _, row := range cells {
		for c, s := range row {
			width[c] = max(width[c], len([]rune(s)))
		}
	}
	for _, row := range cells {
		var l strings.Builder
		for c, s := range row {
			if c == 0 {
				fmt.Fprintf(&l, "  %-*s", width[c], s)
			} else {
				fmt.Fprintf(&l, "  %*s", width[c], s)
			}
		}
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
}

// state writes one line about state k: the step that led there, and what holds in it.
func state(b *strings.Builder, h *history, k int, what string) {
	step := "start"
	if k > 0 {
		step = h.step(k - 1)
	}
	fmt.Fprintf(b, "%4d  %-12s  %s\n", k, step, what)
}
