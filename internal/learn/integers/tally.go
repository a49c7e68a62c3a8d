package integers

// tally counts values of a small range.
type tally struct {
	counts []int32
	least  int32
}

// widestTally is the most values that a tally counts.
const widestTally = 1 << 16

// begin empties the tally for values from lo to hi. It reports whether they are few enough; else nothing may be added.
func (t *tally) begin(lo, hi int32) bool {
	n := int(hi) - int(lo) + 1
	if t.counts = t.counts[:0]; n > widestTally {
		return false
	}
	if cap(t.counts) < n {
		t.counts = make([]int32, n)
	}
	t.counts, t.least = t.counts[:n], lo
	clear(t.counts)
	return true
}

func (t *tally) add(v int32, n int) { t.counts[v-t.least] += int32(n) }

// most is the value that was counted most often, the least of equals, and how often; 0 times if none was.
func (t *tally) most() (value int32, n int) {
	for i, k := range t.counts {
		if int(k) > n {
			value, n = t.least+int32(i), int(k)
		}
	}
	return value, n
}

// of is how often a value was counted.
func (t *tally) of(v int32) int {
	if i := int(v) - int(t.least); i >= 0 && i < len(t.counts) {
		return int(t.counts[i])
	}
	return 0
}
