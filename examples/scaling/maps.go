package main

import (
	"fmt"
	"math/rand/v2"
)

// grid is a map of free cells.
type grid struct {
	w, h int
	free []bool
}

func (g *grid) name(i int) string { return fmt.Sprintf("x%dy%d", i%g.w, i/g.w) }

// directions are the steps of the four ways.
var directions = []struct{ dx, dy int }{{0, -1}, {1, 0}, {0, 1}, {-1, 0}}

// step gives the cell that a move leads to, -1 for none.
func (g *grid) step(i, d int) int {
	x, y := i%g.w+directions[d].dx, i/g.w+directions[d].dy
	if x < 0 || y < 0 || x >= g.w || y >= g.h || !g.free[y*g.w+x] {
		return -1
	}
	return y*g.w + x
}

// cells lists the free cells.
func (g *grid) cells() (out []int) {
	for i, f := range g.free {
		if f {
			out = append(out, i)
		}
	}
	return out
}

func (g *grid) names() (out []string) {
	for _, i := range g.cells() {
		out = append(out, g.name(i))
	}
	return out
}

// ways are the moves as objects.
var ways = kind{"way", []string{"north", "east", "south", "west"}}

// links lists LINK(from, way, to) of all moves.
func (g *grid) links() (out []string) {
	for _, i := range g.cells() {
		for d := range directions {
			if j := g.step(i, d); j >= 0 {
				out = append(out, fmt.Sprintf("LINK(%s, %s, %s);", g.name(i), ways.objects[d], g.name(j)))
			}
		}
	}
	return out
}

// maze carves a maze of corridors, and then opens some more walls to make
// loops.
func maze(r *rand.Rand, n, loops int) *grid {
	g := &grid{w: n, h: n, free: make([]bool, n*n)}
	at := []int{0}
	g.free[0] = true
	for len(at) > 0 {
		i := at[len(at)-1]
		var ways []int
		for d := range directions {
			x, y := i%n+2*directions[d].dx, i/n+2*directions[d].dy
			if x >= 0 && y >= 0 && x < n && y < n && !g.free[y*n+x] {
				ways = append(ways, d)
			}
		}
		if len(ways) == 0 {
			at = at[:len(at)-1]
			continue
		}
		d := ways[r.IntN(len(ways))]
		between := i + directions[d].dx + n*directions[d].dy
		j := between + directions[d].dx + n*directions[d].dy
		g.free[between], g.free[j] = true, true
		at = append(at, j)
	}
	for tries := 0; loops > 0 && tries < 1000; tries++ {
		x, y := r.IntN(n), r.IntN(n)
		i := y*n + x
		horizontal := x > 0 && x < n-1 && g.free[i-1] && g.free[i+1]
		vertical := y > 0 && y < n-1 && g.free[i-n] && g.free[i+n]
		if !g.free[i] && horizontal != vertical {
			g.free[i] = true
			loops--
		}
	}
	return g
}
