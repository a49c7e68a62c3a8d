package picture

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// dungeon is the view of Cellda: agent and enemies on a grid, a key, a door and
// blocks.
type dungeon struct {
	h             *history
	columns, rows int
	agent         []spot   // by state
	enemies       [][]spot // by enemy, by state
	names         []string // of the enemies
	alive, hasKey []bool   // by state
	key, door     *spot    // nil if unknown
	blocks        []spot
	from          string
}

// maxDungeon bounds the cells along a side: a picture contains a grid for each state.
const maxDungeon = 16

// spot is a position by its coordinates; y increases upwards.
type spot struct{ x, y int64 }

func newDungeon(h *history, f *Facts) view {
	if !h.only("cellda-loc", "cellda-alive", "has-key", "enem-loc") {
		return nil
	}
	d := &dungeon{h: h, names: h.arguments("enem-loc", 0, f.objects("enemy"))}
	needed := []string{"cellda-loc(x)", "cellda-loc(y)", "cellda-alive", "has-key"}
	for _, e := range d.names {
		needed = append(needed, "enem-loc("+e+",x)", "enem-loc("+e+",y)")
	}
	if len(needed) != len(h.vars) {
		return nil
	}
	for _, n := range needed {
		if _, ok := h.index[n]; !ok {
			return nil
		}
	}
	largest := spot{3, 3} // the grid of all published problems
	spots := func(x, y string) []spot {
		out := make([]spot, len(h.states))
		for k := range h.states {
			out[k].x, _ = h.at(k, x)
			out[k].y, _ = h.at(k, y)
		}
		return out
	}
	d.agent = spots("cellda-loc(x)", "cellda-loc(y)")
	for _, e := range d.names {
		d.enemies = append(d.enemies, spots("enem-loc("+e+",x)", "enem-loc("+e+",y)"))
	}
	for k := range h.states {
		a, _ := h.at(k, "cellda-alive")
		key, _ := h.at(k, "has-key")
		d.alive, d.hasKey = append(d.alive, a != 0), append(d.hasKey, key != 0)
	}
	if n, ok := f.constant("LAST-CELL"); ok && n >= 0 {
		last := int64(min(n, maxDungeon))
		largest = spot{last, last}
	}
	d.surroundings(f)
	var smallest spot
	// A trace that leaves the dungeon enlarges the grid, as far as it fits the picture.
	for _, s := range d.everything() {
		largest = spot{max(largest.x, s.x), max(largest.y, s.y)}
		smallest = spot{min(smallest.x, s.x), min(smallest.y, s.y)}
	}
	if smallest.x < 0 || smallest.y < 0 || largest.x >= maxDungeon || largest.y >= maxDungeon {
		return nil
	}
	d.columns, d.rows = int(largest.x)+1, int(largest.y)+1
	return d
}

// everything lists all positions of all steps.
func (d *dungeon) everything() []spot {
	all := append(append([]spot(nil), d.agent...), d.blocks...)
	for _, e := range d.enemies {
		all = append(all, e...)
	}
	for _, s := range []*spot{d.key, d.door} {
		if s != nil {
			all = append(all, *s)
		}
	}
	return all
}

// surroundings looks up what the trace lacks.
func (d *dungeon) surroundings(f *Facts) {
	at := func(name string, of ...string) *spot {
		x, ok := f.constant(name, append(of, "x")...)
		y, ok2 := f.constant(name, append(of, "y")...)
		if !ok || !ok2 || math.Abs(x) > maxDungeon || math.Abs(y) > maxDungeon {
			return nil
		}
		return &spot{int64(x), int64(y)}
	}
	if d.key = at("KEY-AT"); d.key != nil {
		d.from = f.From
	}
	for _, b := range f.objects("block") {
		if s := at("BLOCK-AT", b); s != nil {
			d.blocks = append(d.blocks, *s)
		}
	}
	x, ok := d.h.goal["cellda-loc(x)"]
	y, ok2 := d.h.goal["cellda-loc(y)"]
	if ok && ok2 {
		d.door = &spot{x, y}
	}
}

const dungeonMargin = 24.0 // for the coordinates

func (d *dungeon) size() (w, h float64) {
	return dungeonMargin + cell*float64(d.columns) + 2, cell*float64(d.rows) + dungeonMargin
}

func (d *dungeon) centre(s spot) point {
	return point{dungeonMargin + (float64(s.x)+0.5)*cell, (float64(d.rows-1)-float64(s.y)+0.5)*cell + 1}
}

func (s spot) String() string { return fmt.Sprintf("(%d,%d)", s.x, s.y) }

// thing draws something in its cell.
func (d *dungeon) thing(what, title string, s spot, parts []element) element {
	q := d.centre(s)
	return as(what, title+" "+s.String(), q.x, q.y, parts...)
}

// floor draws the cells, the blocks and the door.
func (d *dungeon) floor() []element {
	out := squares(d.columns, d.rows, dungeonMargin, 1)
	for _, b := range d.blocks {
		out = append(out, d.thing("block", "block", b, block()))
	}
	if d.door != nil {
		out = append(out, d.thing("door", "door", *d.door, door()))
	}
	return out
}

func (d *dungeon) base() []element {
	out := d.floor()
	for x := range d.columns {
		q := d.centre(spot{int64(x), 0})
		out = append(out, label(q.x, q.y+cell/2+16, 12, middle, faint, fmt.Sprint(x)))
	}
	for y := range d.rows {
		q := d.centre(spot{0, int64(y)})
		out = append(out, label(dungeonMargin-8, q.y+4, 12, end, faint, fmt.Sprint(y)))
	}
	return out
}

// frame draws the moving things. Those that share a cell are drawn side by side, smaller.
func (d *dungeon) frame(k int) []element {
	var out []element
	if d.key != nil && !d.hasKey[k] {
		out = append(out, d.thing("key", "key", *d.key, keyIcon()))
	}
	shared := false
	for i, e := range d.enemies {
		m := d.thing("enemy", "enemy "+d.names[i], e[k], monster())
		if e[k] == d.agent[k] {
			shared = true
			m.x, m.y, m.scale = m.x+12, m.y-10, 0.75
		}
		out = append(out, m)
	}
	body, title := person(agent), "Cellda"
	if !d.alive[k] {
		body, title = fallen(), "Cellda, not alive,"
	}
	a := d.thing("agent", title, d.agent[k], body)
	if shared {
		a.x, a.y, a.scale = a.x-12, a.y+12, 0.75
	}
	if d.hasKey[k] {
		a.parts = append(a.parts, as("key-held", "she has the key", 10, 19, rect(-13, -9, 26, 18, 9, paper), as("", "", -2, -1, keyIcon()...).scaled(0.5)))
	}
	return append(out, a)
}

// whole has a panel for each state.
func (d *dungeon) whole() *scene {
	const scale, gap, caption = 0.5, 18.0, 20.0
	w, h := float64(d.columns)*cell*scale, float64(d.rows)*cell*scale
	n := len(d.h.states)
	across := max(1, min(5, n, int(900/(w+gap))))
	if n == 6 { // two full rows
		across = min(across, 3)
	}
	s := &scene{w: float64(across)*(w+gap) - gap, h: float64((n+across-1)/across)*(h+caption+gap) - gap}
	for k := range d.h.states {
		x, y := float64(k%across)*(w+gap), float64(k/across)*(h+caption+gap)
		step := "start"
		if k > 0 {
			step = shorten(fmt.Sprintf("%d  %s", k, d.h.step(k-1)), int(w/6.4))
		}
		s.parts = append(s.parts, label(x+1, y+12, 12.5, start, ink, step))
		panel := as(fmt.Sprintf("state-%d", k), d.describe(k), x-dungeonMargin*scale, y+caption, append(d.floor(), d.frame(k)...)...)
		s.parts = append(s.parts, panel.scaled(scale))
	}
	return s
}

func (d *dungeon) describe(k int) string {
	parts := []string{"Cellda at " + d.agent[k].String()}
	if d.hasKey[k] {
		parts[0] += " with the key"
	}
	if !d.alive[k] {
		parts[0] += ", not alive"
	}
	for i, e := range d.enemies {
		who := "enemy"
		if len(d.enemies) > 1 {
			who += " " + d.names[i]
		}
		parts = append(parts, who+" at "+e[k].String())
	}
	return strings.Join(parts, ", ")
}

func (d *dungeon) legend() string {
	return "Blue is Cellda (grey with crossed eyes when she is not alive), orange the enemy, bricks are blocks, the green frame is the door."
}

func (d *dungeon) source() string {
	return sourceOf("Where key, door and blocks are is", "Key, door and blocks are those of", d.from)
}

func (d *dungeon) text(b *strings.Builder, width int) {
	n := len(d.h.states)
	wide := max(2*d.columns-1, 13)
	across := max(1, (width-2)/(wide+2))
	for first := 0; first < n; first += across {
		last := min(first+across, n)
		row := func(of func(k int) string) {
			var l strings.Builder
			for k := first; k < last; k++ {
				fmt.Fprintf(&l, "  %-*s", wide, of(k))
			}
			b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
		}
		row(func(k int) string {
			if k == 0 {
				return "0 start"
			}
			return shorten(fmt.Sprintf("%d %s", k, d.h.step(k-1)), wide)
		})
		for y := d.rows - 1; y >= 0; y-- {
			row(func(k int) string {
				var l []string
				for x := range d.columns {
					l = append(l, string(d.symbol(k, spot{int64(x), int64(y)})))
				}
				return strings.Join(l, " ")
			})
		}
		b.WriteString("\n")
	}
	for k := range d.h.states {
		state(b, d.h, k, d.describe(k))
	}
	b.WriteString("C is Cellda, c when she is not alive, E the enemy, X both in one cell, K the key, D the door, # a block.\n")
}

// symbol returns the character of a cell in state k.
func (d *dungeon) symbol(k int, s spot) rune {
	out := '.'
	if slices.Contains(d.blocks, s) {
		out = '#'
	}
	if d.door != nil && *d.door == s {
		out = 'D'
	}
	if d.key != nil && *d.key == s && !d.hasKey[k] {
		out = 'K'
	}
	for _, e := range d.enemies {
		if e[k] == s {
			out = 'E'
		}
	}
	if d.agent[k] == s {
		switch {
		case out == 'E':
			out = 'X'
		case d.alive[k]:
			out = 'C'
		default:
			out = 'c'
		}
	}
	return out
}
