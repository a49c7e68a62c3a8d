package bound

import (
	"math/bits"
	"slices"

	"github.com/fdplan/fdplan/internal/integer"
)

// A chain hands something on within a step: water that runs past gates, of which an open one takes all of it; a capacity that is handed out in order, each
// taking from what those before it left. Its links are internal variables. The last follows from all actions before it, and a
// group that reads it would read all of these. So links are shared, as actions are: what a group hands on is decided by the group, from what the
// one before handed on to it.

// chainLength is how many links, each of which decides less than the one before, are a chain.
const chainLength = 3

// mostReach bounds the work of finding what links decide, in words of sets.
const mostReach = 1 << 22

// links reports of each variable whether it is a link of a chain.
func (d *definitions) links() []bool {
	out := make([]bool, d.r.numVars+1)
	order, defined := d.inner()
	if len(order) < chainLength {
		return out
	}
	reach := d.reachOf(order, defined)
	if reach == nil {
		return out
	}
	// What a link decides is a part of what those decide that it follows from. The longest ways up and down, where that becomes less:
	above, below := make([]int, len(out)), make([]int, len(out))
	walk := func(v int32, visit func(w int32, less int)) {
		for _, i := range d.using[v] {
			for _, w := range defined[i] {
				if w != v && !slices.Contains(d.rows[v], i) {
					visit(w, min(1, reach[v].size-reach[w].size))
				}
			}
		}
	}
	for _, v := range slices.Backward(order) {
		walk(v, func(w int32, less int) { below[v] = max(below[v], below[w]+less) })
	}
	for _, v := range order {
		walk(v, func(w int32, less int) { above[w] = max(above[w], above[v]+less) })
	}
	for _, v := range order {
		out[v] = reach[v].size > 1 && above[v]+below[v]+1 >= chainLength && d.readBy(v, defined, func(w int32) bool { return reach[w].size < reach[v].size })
	}
	last := map[int32]bool{}
	for _, v := range order {
		if reach[v].size == 1 && above[v]+1 >= chainLength {
			last[v] = d.ofOthers(v, out, reach)
		}
	}
	for _, v := range order {
		out[v] = out[v] || last[v] && d.readBy(v, defined, func(w int32) bool { return !last[w] })
	}
	return out
}

// ofOthers reports whether v, which decides one state variable, follows from others alone, and not from links alone: it is what the last of a chain
// is left then.
func (d *definitions) ofOthers(v int32, links []bool, reach []reach) bool {
	u, others := reach[v].only(), false
	seen := map[int32]bool{v: true}
	for stack := []int32{v}; len(stack) > 0; {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, i := range d.rows[x] {
			for _, w := range d.r.rows[i].vars {
				if seen[w] || links[w] || d.r.isClock[w] {
					continue
				}
				switch seen[w] = true; {
				case d.r.role[w] == now && int(d.r.unit(w)) != u:
					others = true
				case d.r.role[w] == internal && d.rows[w] != nil:
					stack = append(stack, w)
				case d.r.role[w] != action || reach[w].size == 1:
					return false
				}
			}
		}
	}
	return others
}

// inner lists the internal bits of the problem that rows define, each after those that it follows from, and by row what it defines.
func (d *definitions) inner() (order []int32, defined [][]int32) {
	defined = make([][]int32, len(d.r.rows))
	for _, set := range d.order {
		for _, v := range set {
			if d.r.role[v] != internal || d.r.bit[v] < 0 {
				continue
			}
			order = append(order, v)
			for _, i := range d.rows[v] {
				defined[i] = append(defined[i], v)
			}
		}
	}
	return order, defined
}

// readBy reports whether v is read by no definition, or by one of such a variable. Other internal variables are only steps on the way to a link.
func (d *definitions) readBy(v int32, defined [][]int32, such func(w int32) bool) bool {
	return slices.ContainsFunc(d.using[v], func(i int) bool { return !d.defier[i] || slices.ContainsFunc(defined[i], such) })
}

// reach is what a variable decides: state variables, by their numbers, and other internal variables that cost something.
type reach struct {
	set  []uint64
	size int
}

func (x *reach) add(i int) { x.set[i/64] |= 1 << (i % 64) }

// only is the single variable that is decided.
func (x *reach) only() int {
	for i, w := range x.set {
		if w != 0 {
			return 64*i + bits.TrailingZeros64(w)
		}
	}
	return -1
}

func (x *reach) join(y *reach) {
	for k, w := range y.set {
		x.set[k] |= w
	}
}

// reachOf finds what each state bit, action and internal variable decides; nil where that is too much work.
func (d *definitions) reachOf(order []int32, defined [][]int32) []reach {
	r := d.r
	costs, _ := r.weights()
	words := (len(r.Task.Problem.Variables) + len(order) + 63) / 64
	if words*int(r.numVars) > mostReach {
		return nil
	}
	out := make([]reach, r.numVars+1)
	ends := d.ends(words)
	follow := func(v int32) {
		x := &out[v]
		x.set = make([]uint64, words)
		for _, i := range d.using[v] {
			if slices.Contains(d.rows[v], i) {
				continue
			}
			if ends[i] != nil {
				x.join(ends[i])
			}
			for _, w := range defined[i] {
				x.join(&out[w])
			}
		}
	}
	for k, v := range slices.Backward(order) {
		if follow(v); costs[v] != 0 {
			out[v].add(len(r.Task.Problem.Variables) + k)
		}
	}
	for v := int32(1); v <= r.numVars; v++ {
		if r.role[v] == now || r.role[v] == action {
			follow(v)
		}
	}
	for v := range out {
		for _, y := range out[v].set {
			out[v].size += bits.OnesCount64(y)
		}
	}
	return out
}

// ends has by row the state variables whose next values it decides, directly or together with rows that it shares internal variables with which no rows define.
func (d *definitions) ends(words int) []*reach {
	r := d.r
	out, root := make([]*reach, len(r.rows)), integer.Below[int](int(r.numVars)+1)
	find := func(v int) int {
		for root[v] != v {
			root[v] = root[root[v]]
			v = root[v]
		}
		return v
	}
	open := func(v int32) bool { return r.role[v] == internal && d.rows[v] == nil }
	for i := range r.rows {
		first := -1
		for _, v := range r.rows[i].vars {
			if !open(v) {
				continue
			}
			if first < 0 {
				first = find(int(v))
			}
			root[find(int(v))] = first
		}
	}
	shared := map[int]*reach{}
	for i := range r.rows {
		x := (*reach)(nil)
		for _, v := range r.rows[i].vars {
			if open(v) && x == nil {
				if x = shared[find(int(v))]; x == nil {
					x = &reach{set: make([]uint64, words)}
					shared[find(int(v))] = x
				}
			}
		}
		for _, v := range r.rows[i].vars {
			if r.role[v] != after {
				continue
			}
			if x == nil {
				x = &reach{set: make([]uint64, words)}
			}
			x.add(int(r.unit(v)))
		}
		out[i] = x
	}
	return out
}

// findLinks notes the links among what groups share.
func (s *structure) findLinks() {
	for i := range s.asks {
		if a := &s.asks[i]; a.link {
			if s.links == nil {
				s.links = make([]bool, s.r.numVars+1)
			}
			for _, v := range a.defines {
				s.links[v] = true
			}
		}
	}
}

// readsLinks reports whether a group reads links.
func (s *structure) readsLinks(g *group) bool {
	return s.links != nil && slices.ContainsFunc(g.reads, func(v int32) bool { return int(v) < len(s.links) && s.links[v] })
}

// repeatRows adds to groups that read links the rows that are about what they read alone, such as the range of a sum, though others have them: what
// no value has makes no class then.
func (s *structure) repeatRows() {
	for _, g := range s.groups {
		if !s.readsLinks(g) {
			continue
		}
		for _, v := range g.reads {
			for _, i := range s.d.using[v] {
				if !slices.Contains(g.rows, i) && !slices.ContainsFunc(s.r.rows[i].vars, func(w int32) bool { return !slices.Contains(g.reads, w) }) {
					g.rows = append(g.rows, i)
				}
			}
		}
	}
}

// handedOn orders groups, those that read links before those that decide them, and lists for each group what it may take from such a group, by that group, beside
// links: what both read of others, such as how much there is to hand out, of which the links tell what is gone. As joint values with the
// links that says more than copies of each. It is nil where no group reads links.
func (s *structure) handedOn() (order []int32, handed [][]handing) {
	if s.links == nil {
		return integer.Below[int32](len(s.groups)), nil
	}
	before := make([][]int32, len(s.groups)) // by group: those that decide what it reads, if it reads or decides links
	for id, g := range s.groups {
		if s.readsLinks(g) {
			for _, v := range g.reads {
				if h := s.home[v]; h >= 0 && h != int32(id) && (s.links[v] || s.r.role[v] == action) && !s.r.clocked(v) {
					before[id] = insert(before[id], h)
				}
			}
		}
	}
	place := make([]int, len(s.groups)) // plus one
	var visit func(id int32)
	visit = func(id int32) {
		if place[id] != 0 {
			return
		}
		place[id] = -1
		for _, h := range before[id] {
			visit(h)
		}
		order = append(order, id)
		place[id] = len(order)
	}
	for id := range s.groups {
		visit(int32(id))
	}
	slices.Reverse(order)
	handed = make([][]handing, len(s.groups))
	for id, g := range s.groups {
		for _, h := range before[id] {
			x := handing{by: h}
			for _, v := range g.reads {
				from := s.home[v]
				if from >= 0 && from != int32(id) && from != h && !s.r.clocked(v) && place[h] < place[id] && slices.Contains(s.groups[h].reads, v) {
					x.vars = append(x.vars, v)
				}
			}
			if len(x.vars) > 0 {
				handed[id] = append(handed[id], x)
			}
		}
	}
	return order, handed
}

// handing is what a group may take from another one that does not decide it, but reads it too.
type handing struct {
	by   int32
	vars []int32
}
