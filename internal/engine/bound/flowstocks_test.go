package bound

import (
	"math/rand/v2"
	"testing"
)

// TestStockPoints describes random stocks by inequalities, and holds these to all points nearby; what is no stock is refused.
func TestStockPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	described := 0
	for range 200 {
		room, lot, most, price := int64(4+r.IntN(12)), int64(1+r.IntN(3)), int64(1+r.IntN(6)), int64(r.IntN(9))
		odd := r.IntN(4) == 0    // what is taken doubles from the third on
		closed := r.IntN(3) == 0 // nothing can be ordered
		possible := func(now, order, taken int64) bool {
			return taken <= now && taken <= most && (order == 0 || !closed)
		}
		next := func(now, order, taken int64) int64 {
			if odd && taken >= 3 {
				taken *= 2
			}
			return min(max(0, now+lot*order-taken), room)
		}
		var points []point
		for now := range room + 1 {
			for order := range int64(2) {
				for taken := range most + 1 {
					if possible(now, order, taken) {
						points = append(points, point{now: now, after: next(now, order, taken), inputs: []int64{order, -taken}, cost: price * order})
					}
				}
			}
		}
		s := &stock{actions: []int{0}, shared: []int32{0}, inputs: 2, uses: map[int32]affine{}}
		if !s.fit(points) || !s.limit(points) {
			if !odd {
				t.Fatalf("room %d, lots of %d, up to %d: not described", room, lot, most)
			}
			continue
		}
		described++
		for now := int64(-2); now < room+3; now++ {
			for order := range int64(2) {
				for taken := int64(-2); taken < most+3; taken++ {
					p := point{now: now, inputs: []int64{order, -taken}}
					inside := now >= 0 && now <= room && taken >= 0
					for _, x := range append(s.limits, s.ranges...) {
						v := x.sum.of(&p)
						inside = inside && v >= x.low && v <= x.top
					}
					if want := now >= 0 && now <= room && taken >= 0 && possible(now, order, taken); inside != want {
						t.Fatalf("room %d, lots of %d, up to %d: of %d, %d, %d the inequalities say %v", room, lot, most, now, order, taken, inside)
					}
					if inside {
						p.after = min(max(s.next.of(&p), s.least), s.most)
						if p.after != next(now, order, taken) || s.cost.of(&p) != price*order {
							t.Fatalf("of %d, %d, %d follows %d at %d", now, order, taken, p.after, s.cost.of(&p))
						}
					}
				}
			}
		}
	}
	if described < 100 || described > 190 {
		t.Errorf("%d of 200 are described", described)
	}
}
