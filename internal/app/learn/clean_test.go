package learn

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/problem/factored"
)

// stepMachine is a step of a machine that heats, works, wears and cools.
func stepMachine(_ *rand.Rand, s, a []int) ([]int, float64, bool) {
	s = slices.Clone(s) // mode: idle, heat, work, cool, fault; temperature, wear, parts
	mode := s[0]
	switch act := a[0]; {
	case act == 0:
		s[3] = min(4, s[3]+2)
	case act == 1 && (mode == 0 || mode == 4):
		s[0], s[2] = 0, 0
	case act == 2 && mode == 0 && s[3] > 0:
		s[0] = 1
	case mode == 1:
		if s[1] = min(7, s[1]+2); s[1] >= 6 {
			s[0] = 2
		}
	case mode == 2:
		s[3], s[2] = max(0, s[3]-1), min(5, s[2]+1)
		if s[2] >= 5 {
			s[0] = 4
		} else if s[3] == 0 {
			s[0] = 3
		}
	case mode == 3:
		if s[1] = max(0, s[1]-1); s[1] == 0 {
			s[0] = 0
		}
	}
	return s, 0, false
}

// TestCleanContexts: a clean log of a machine of rare events is learned with fewer wrong unseen states than by functions of bits, and without chance.
func TestCleanContexts(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	x := &system{
		states:  []factored.Variable{ranged("mode", 4), ranged("temperature", 7), ranged("wear", 5), ranged("parts", 4)},
		actions: []factored.Variable{ranged("act", 3)},
		start:   func(*rand.Rand) []int { return []int{0, 0, 0, 2} },
		step:    stepMachine,
	}
	trained, wrongOf := x.learnStates(t, r, 400)
	if trained.Chance != nil || trained.Train.Wrong > 0 {
		t.Errorf("%d rows wrong, %s", trained.Train.Wrong, trained.Chance)
	}
	wrong, rows := 0, 5000
	state := x.start(r)
	for range rows {
		now := append(slices.Clone(state), r.IntN(4))
		next, _, _ := stepMachine(r, now[:4], now[4:])
		state = next
		if len(wrongOf(now, next)) > 0 {
			wrong++
		}
	}
	if wrong > 170 { // 207 by functions of bits
		t.Errorf("%d of %d further rows are wrong", wrong, rows)
	}
}
