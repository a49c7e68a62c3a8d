package bound

import "slices"

// assertion is a set of rows that must hold together, with the internal
// variables that only they and definitions mention.
type assertion struct {
	rows  []int
	hides []int32 // internal variables that are eliminated
	reads []int32 // state, action and shared internal variables
	owner int     // a unit whose group takes it, though it reads more then, plus one; 0 for none
	// defines are the visible variables that follow from the rest of what it reads: where that is known, they make no more moves.
	defines []int32
	link    bool // it defines a link of a chain
	couples bool // it is a rule between groups, whatever these read
	homes   int  // how many actions it reads that are the owner's rather than that of a group with fewer choices; 0 for none
}

// maxReads bounds what an assertion may read: its values are listed. With links of chains there may be maxLinked more.
const (
	maxReads  = 14
	maxLinked = 4
)

// closure gathers what rows need to be judged: the definitions of the internal
// variables that are not visible, and theirs.
func (d *definitions) closure(rows []int, visible []bool) assertion {
	var a assertion
	seen := map[int32]bool{}
	have := map[int]bool{}
	stack := slices.Clone(rows)
	for len(stack) > 0 {
		i := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if have[i] {
			continue
		}
		have[i] = true
		a.rows = append(a.rows, i)
		for _, v := range d.r.rows[i].vars {
			if seen[v] {
				continue
			}
			seen[v] = true
			if d.r.role[v] != internal || visible[v] {
				a.reads = append(a.reads, v)
				continue
			}
			a.hides = append(a.hides, v)
			if d.rows[v] != nil {
				stack = append(stack, d.rows[v]...)
			} else {
				stack = append(stack, d.using[v]...)
			}
		}
	}
	slices.Sort(a.rows)
	slices.Sort(a.hides)
	slices.Sort(a.reads)
	return a
}

// assertions splits all rows into sets that are judged by themselves. Internal
// variables that are defined over too many others become visible: shared
// between groups like actions are.
func (d *definitions) assertions() (out []assertion, visible []bool) {
	links := d.links()
	visible = slices.Clone(links)
	for _, i := range d.r.defining { // what contributes to an amount is shared
		for _, v := range d.r.rows[i].vars {
			visible[v] = true
		}
	}
	for changed := true; changed && !d.r.stop(); {
		changed = false
		out = out[:0]
		covered := make([]bool, len(d.r.rows))
		add := func(rows []int, defines ...int32) {
			a := d.closure(rows, visible)
			a.defines, a.link = defines, len(defines) > 0 && links[defines[0]]
			if d.presentReads(&a) > mostReads(&a, links) && len(a.hides) > 0 {
				// Hide less: share what these rows mention.
				for _, i := range rows {
					for _, v := range d.r.rows[i].vars {
						if d.r.role[v] == internal && !visible[v] {
							visible[v], changed = true, true
						}
					}
				}
			}
			for _, i := range a.rows {
				covered[i] = true
			}
			out = append(out, a)
		}
		for i := range d.r.rows {
			if !d.defier[i] && !covered[i] && !d.r.stop() {
				add([]int{i})
			}
		}
		for v := range d.rows {
			if !visible[v] || d.rows[v] == nil {
				continue
			}
			together := d.definedAs(int32(v))
			if first := slices.IndexFunc(together, func(w int32) bool { return visible[w] }); together[first] != int32(v) {
				continue
			}
			if a := d.closure(d.rows[v], visible); d.presentReads(&a) <= mostReads(&a, links) {
				add(d.rows[v], together...)
				continue
			}
			for _, i := range d.rows[v] {
				add([]int{i})
			}
		}
		for i := range d.r.rows { // definitions of what nothing reads
			if !covered[i] {
				add([]int{i})
			}
		}
	}
	return out, visible
}

// mostReads is what an assertion may read: of links a group reads joint values, which are few.
func mostReads(a *assertion, links []bool) int {
	n := 0
	for _, v := range a.reads {
		if links[v] {
			n++
		}
	}
	return maxReads + min(n, maxLinked)
}

// definedAs lists the variables that the rows that define v define.
func (d *definitions) definedAs(v int32) (out []int32) {
	for _, i := range d.rows[v] {
		for _, w := range d.r.rows[i].vars {
			if slices.Equal(d.rows[w], d.rows[v]) {
				out = insert(out, w)
			}
		}
	}
	return out
}

// presentReads counts what an assertion reads of the present step.
func (d *definitions) presentReads(a *assertion) int {
	n := 0
	for _, v := range a.reads {
		if d.r.counts(v) && !d.follows(v, a) {
			n++
		}
	}
	return n
}

// follows reports whether an internal variable follows from one state variable that an assertion is about.
func (d *definitions) follows(v int32, a *assertion) bool {
	u := d.unitOf(v)
	return u >= 0 && slices.ContainsFunc(a.reads, func(w int32) bool {
		return (d.r.role[w] == now || d.r.role[w] == after) && d.r.unit(w) == u
	})
}

// counts reports whether a variable of the present step makes what reads it larger: a bit that
// is known at every step does not, and the bits of an amount have few values together.
func (r *relation) counts(v int32) bool {
	return r.role[v] != after && r.role[v] != quantity && !r.isClock[v]
}
