package decision

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/fdplan/fdplan/internal/engine/bracket"
)

// memo remembers a part of a step by what it depends on.
type memo[T any] struct {
	scope  bracket.Scope
	places []place // of its reads
	size   uint64  // joint values of these; 0 if they are too many to be numbered
	dense  []T
	known  []bool
	sparse map[uint64]T
	wide   map[string]T // by the words of the state, without what is not read, and the class of the action
	mask   []uint64     // of each word
	key    []byte
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
	// mostNumbered bounds the joint values that are numbered, so that classes of actions have room beside them.
	mostNumbered = math.MaxUint64 >> 16
)

// newMemo prepares to remember a part that reads some fields. Joint actions with equal texts make no difference to it.
func newMemo[T any](fields []bracket.Field, reads []int, actions int, text func(action int) string) memo[T] {
	c := memo[T]{size: 1}
	for _, k := range reads {
		f := fields[k]
		mask := uint64(1)<<bits.Len64(f.Most) - 1
		c.scope.Reads = append(c.scope.Reads, k)
		c.places = append(c.places, place{f.Word, f.Shift, mask, c.size})
		c.mask = append(c.mask, make([]uint64, max(0, f.Word+1-len(c.mask)))...)
		c.mask[f.Word] |= mask << f.Shift
		if n := f.Most + 1; n == 0 || c.size > mostNumbered/n {
			c.size = 0
		} else {
			c.size *= n
		}
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
	switch n := c.size * uint64(len(seen)); {
	case c.size == 0:
		c.wide = map[string]T{}
	case n <= mostDense:
		c.dense, c.known = make([]T, n), make([]bool, n)
	default:
		c.sparse = map[uint64]T{}
	}
	return c
}

// get returns what is remembered, or computes it.
func (c *memo[T]) get(state []uint64, action uint32, compute func() (T, error)) (T, error) {
	class := c.scope.Classes[action]
	if c.wide != nil {
		c.key = binary.LittleEndian.AppendUint32(c.key[:0], class)
		for i, m := range c.mask {
			c.key = binary.LittleEndian.AppendUint64(c.key, state[i]&m)
		}
		if v, ok := c.wide[string(c.key)]; ok {
			return v, nil
		}
		return remember(c.wide, string(c.key), compute)
	}
	at := uint64(class) * c.size
	for _, p := range c.places {
		at += state[p.word] >> p.shift & p.mask * p.stride
	}
	if c.dense == nil {
		if v, ok := c.sparse[at]; ok {
			return v, nil
		}
		return remember(c.sparse, at, compute)
	}
	if c.known[at] {
		return c.dense[at], nil
	}
	v, err := compute()
	if err == nil {
		c.dense[at], c.known[at] = v, true
	}
	return v, err
}

// remember computes what is to be remembered under a key.
func remember[K comparable, T any](known map[K]T, key K, compute func() (T, error)) (T, error) {
	v, err := compute()
	if err != nil {
		return v, err
	}
	if len(known) >= mostSparse {
		clear(known)
	}
	known[key] = v
	return v, nil
}

// parts are those of a step, remembered, and the conjuncts of the goal.
type parts struct {
	draws []memo[*bracket.Draw]
	sums  []memo[float64]
	rules []memo[bool]
	goals []bracket.Scope
}

// Factors implements bracket.Model.
func (p *parts) Factors() []bracket.Scope { return scopes(p.draws) }

// Terms implements bracket.Model.
func (p *parts) Terms() []bracket.Scope { return scopes(p.sums) }

// Rules implements bracket.Model.
func (p *parts) Rules() []bracket.Scope { return scopes(p.rules) }

// Conditions implements bracket.Model.
func (p *parts) Conditions() []bracket.Scope { return p.goals }

// scopes lists the scopes of parts.
func scopes[T any](parts []memo[T]) (list []bracket.Scope) {
	for i := range parts {
		list = append(list, parts[i].scope)
	}
	return list
}
