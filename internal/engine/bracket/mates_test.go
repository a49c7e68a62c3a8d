package bracket

import (
	"math"
	"testing"

	"github.com/fdplan/fdplan/internal/engine/policy"
)

// road is a row of places, of which a vehicle is at one: action 1 takes it to the next. The last one pays 1 in each step.
type road struct {
	lock
	family int
}

func (r road) Start(state []uint64)                     { state[0] = 1 }
func (r road) Actions() int                             { return 2 }
func (r road) TermRange(int) (lo, hi float64)           { return 0, 1 }
func (r road) Rules() []Scope                           { return nil }
func (r road) Rule(int, []uint64, uint32) (bool, error) { return true, nil }
func (r road) Terms() []Scope {
	return []Scope{{Reads: []int{r.n - 1}, Classes: []uint32{0, 0}, Count: 1}}
}
func (r road) Needs(i int, _ uint32) []int                { return r.Factors()[i].Reads }
func (r road) Legal([]uint64, []uint32) ([]uint32, error) { return []uint32{0, 1}, nil }

func (r road) Term(_ int, state []uint64, _ uint32) (float64, error) {
	return float64(state[0] >> (r.n - 1) & 1), nil
}

func (r road) Fields() []Field {
	list := r.lock.Fields()
	for i := range list {
		list[i].Family = r.family
	}
	return list
}

func (r road) Factors() (list []Scope) {
	for i := range r.n {
		reads := []int{i - 1, i}
		if i == 0 {
			reads = reads[1:]
		}
		list = append(list, Scope{Reads: reads, Writes: []int{i}, Classes: []uint32{0, 1}, Count: 2})
	}
	return list
}

func (r road) Draw(i int, state []uint64, a uint32) (*Draw, error) {
	x := state[0]
	if a == 1 {
		x = x<<1 | x&(1<<(r.n-1))
	}
	return &Draw{P: []float64{1}, Bits: []uint64{x & (1 << i)}}, nil
}

// TestMates: a pattern that knows that a vehicle is at one place alone has few states, and bounds the reward exactly.
func TestMates(t *testing.T) {
	for _, family := range []int{0, 1} {
		s, err := New(t.Context(), road{lock{14}, family}, Options{Objective: policy.Reward, Horizon: 20, Seed: 1, Leaves: 200})
		if err != nil {
			t.Fatal(err)
		}
		most, _, err := s.Bounds([]uint64{1}, 20)
		if err != nil {
			t.Fatal(err)
		}
		const exact = 20 - 13
		if near := math.Abs(most-exact) < 1e-6; most < exact-1e-6 || near != (family > 0) {
			t.Errorf("family %d: the reward is at most %v, and is %v", family, most, exact)
		}
	}
}
