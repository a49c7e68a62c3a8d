package validate

import "github.com/fdplan/fdplan/problem/factored"

// Memory keeps what the steps of one problem and one network lead to, as it was found from their definition, for policies that are evaluated one after
// another. It is not for several goroutines.
type Memory struct {
	steps map[string]known
}

// mostKnown bounds the steps that are kept.
const mostKnown = 1 << 19

// known is what a step leads to with the values that are drawn.
type known struct {
	then   []bool // by bit of the states
	reward int64
}

// NewMemory returns one that keeps nothing yet.
func NewMemory() *Memory { return &Memory{steps: map[string]known{}} }

// Remembering returns a chance whose steps are kept in a memory, and looked up there.
func Remembering(c Chance, m *Memory) Chance { return &remembering{c, m} }

type remembering struct {
	Chance
	memory *Memory
}

// key tells a step by its state, its action, what is drawn then, and the values of that.
func (s *spread) key() string {
	if s.place == "" { // the same for all outcomes
		s.place = s.now.Key(s.g.states) + s.now.Key(s.g.actions) + factored.Valuation(s.drawn).Key(s.g.states)
		for _, b := range s.g.states {
			if s.drawn[b] {
				s.bits = append(s.bits, b)
			}
		}
	}
	return s.place + s.then.Key(s.bits)
}

// recall sets the next state as it is known, and returns the reward of the step.
func (s *spread) recall(key string) (reward int64, ok bool) {
	k, ok := s.g.memory.steps[key]
	if !ok {
		return 0, false
	}
	for i, b := range s.g.states {
		s.then[b] = k.then[i]
	}
	return k.reward, true
}

// keep keeps the next state and the reward of a step.
func (s *spread) keep(key string, reward int64) {
	if len(s.g.memory.steps) >= mostKnown {
		return
	}
	then := make([]bool, len(s.g.states))
	for i, b := range s.g.states {
		then[i] = s.then[b]
	}
	s.g.memory.steps[key] = known{then, reward}
}
