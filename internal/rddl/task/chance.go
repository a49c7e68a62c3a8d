package task

import (
	"github.com/fdplan/fdplan/problem/chance"
	"github.com/fdplan/fdplan/problem/factored"
)

// Chance is what is drawn in the steps of a task.
type Chance = chance.Model

// ReadChance reads what is drawn from the lines of a network's file. The error is about the line, from 0, that it
// returns beside.
func ReadChance(p *factored.Problem, lines []string) (*Chance, int, error) {
	return chance.Parse(p, lines)
}
