// Package device simulates a goods lift with four floors. Its log is an example of what
// fdplan learns from, and its code is the truth that plans are compared with.
package device

import (
	"math/rand/v2"
)

// State is the state of the lift.
type State struct {
	Floor int     // 0..3
	Open  bool    // the door
	Load  float64 // kg
	Temp  float64 // of the motor, in °C
	Call  [4]bool // a pallet waits at the floor; never at 0
}

// The limits of the motor.
const (
	Overload = 600.0 // from this load on the lift does not move
	Hot      = 80.0  // from this temperature on the lift does not move
)

// Commands are the values of the action.
var Commands = []string{"wait", "up", "down", "open", "close"}

// Initial is the state after switching on.
func Initial() State {
	return State{Temp: 25, Call: [4]bool{1: true, 2: true, 3: true}}
}

// Next returns the state after a command. A pallet weighs 240 to 260 kg, as drawn from rng.
func Next(s State, command string, rng *rand.Rand) State {
	target := s.Floor
	switch command {
	case "up":
		target = min(3, s.Floor+1)
	case "down":
		target = max(0, s.Floor-1)
	case "close":
		s.Open = false
	case "open":
		s.Open = true
		if s.Floor == 0 {
			s.Load = 0
		} else if s.Call[s.Floor] {
			s.Call[s.Floor] = false
			s.Load += 240 + 20*rng.Float64()
		}
	}
	if target != s.Floor && !s.Open && s.Load < Overload && s.Temp < Hot {
		s.Floor = target
		s.Temp += 15
	} else {
		s.Temp = max(25, s.Temp-15)
	}
	return s
}
