package decision

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/fdplan/fdplan/internal/engine/bracket"
)

// memo remembers a part of a step by what it depends on.
type memo[T any] struct {
	scope  bracket.Scope
	places []place // of its reads
	size   uint64  // joint values of these
	dense  []T
	known  []bool
	sparse map[uint64]T
}

// place is where a packed state has a value, and what that adds to a key.
type place struct {
	word         int
	shift        uint
	mask, stride uint64
}

const (
	// mostDense bounds the remembered combinations that have a place each.
	mostDense = 1 << 16
	// mostSparse bounds those that have none.
	mostSparse = 1 << 18
)

// newMemo prepares to remember a part that reads some fields. Joint actions with equal texts make no difference to it.
func newMemo[T any](fields []bracket.Field, reads []int, actions int, text func(action int) string) (memo[T], error) {
	c := memo[T]{size: 1}
	for _, k := range reads {
		f := fields[k]
		n := f.Most + 1
		if n == 0 || c.size > math.MaxUint64>>16/n {
			return c, fmt.Errorf("%w: the next value of a variable depends on too many others", bracket.ErrNotFactored)
		}
		c.scope.Reads = append(c.scope.Reads, k)
		c.places = append(c.places, place{f.Word, f.Shift, 1<<bits.Len64(f.Most) - 1, c.size})
		c.size *= n
	}
	seen := map[string]uint32{}
	for a := range actions {
		key := text(a)
		if _, ok := seen[key]; !ok {
			seen[key] = uint32(len(seen))
		}
		c.scope.Classes = append(c.scope.Classes, seen[key])
	}
	c.scope.Count = len(seen)
	if n := c.size * uint64(len(seen)); n <= mostDense {
		c.dense, c.known = make([]T, n), make([]bool, n)
	} else {
		c.sparse = map[uint64]T{}
	}
	return c, nil
}

// get returns what is remembered, or computes it.
func (c *memo[T]) get(state []uint64, action uint32, compute func() (T, error)) (T, error) {
	at := uint64(c.scope.Classes[action]) * c.size
	for _, p := range c.places {
		at += state[p.word] >> p.shift & p.mask * p.stride
	}
	if c.dense != nil {
		if c.known[at] {
			return c.dense[at], nil
		}
	} else if v, ok := c.sparse[at]; ok {
		return v, nil
	}
	v, err := compute()
	if err != nil {
		return v, err
	}
	if c.dense != nil {
		c.dense[at], c.known[at] = v, true
		return v, nil
	}
	if len(c.sparse) >= mostSparse {
		clear(c.sparse)
	}
	c.sparse[at] = v
	return v, nil
}

// parts are those of a step, remembered, and the conjuncts of the goal.
type parts struct {
	draws []memo[*bracket.Draw]
	sums  []memo[float64]
	goals []bracket.Scope
}

// Factors implements bracket.Model.
func (p *parts) Factors() []bracket.Scope { return scopes(p.draws) }

// Terms implements bracket.Model.
func (p *parts) Terms() []bracket.Scope { return scopes(p.sums) }

// Conditions implements bracket.Model.
func (p *parts) Conditions() []bracket.Scope { return p.goals }

// scopes lists the scopes of parts.
func scopes[T any](parts []memo[T]) (list []bracket.Scope) {
	for i := range parts {
		list = append(list, parts[i].scope)
	}
	return list
}
