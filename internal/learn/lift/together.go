package lift

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/problem/factored"
)

// Met tells which values of bits the rows have, alone and together. Bits of all objects are
// taken together: a bit is named by its atom over ?1, ?2, … and by the degrees of these in all
// relations, as in "age(?1)#0 | 2 CONNECTED(?1,_)". So are two bits where the objects of the one
// are among those of the other. Other pairs are named by the atoms and the relations between
// them, as in "age(?1)#0 running(?2) | CONNECTED(?1,?2)".
type Met struct {
	// Values has 1 for a bit that is 0 in some row, plus 2 for one that is 1.
	Values map[string]uint8 `json:"values"`
	// Pairs has, for the values a and b of two bits that some row has, bit a + 2 b.
	Pairs map[string]uint8 `json:"pairs"`
}

// ReadMet reads what json.Marshal writes of a Met.
func ReadMet(text string) (*Met, error) {
	m := new(Met)
	return m, decode(text, m)
}

// relatedBy separates relations and degrees in the name of a bit or a pair.
const relatedBy = " | "

// inputBit is a bit of the network's inputs.
type inputBit struct {
	d    *declaration
	name string // of its atom and bit, the arguments apart
	args []int
}

// thing is an object.
type thing struct {
	typ   *objects
	place int
}

// tuple is a choice of arguments for which a relation holds.
type tuple struct {
	d    *declaration
	args []int
}

// namer names bits and pairs of bits of an instance.
type namer struct {
	bits  []inputBit
	links map[[2]thing][]tuple // the tuples with two objects in them
	// degrees counts the tuples that have an object at one place, by what else they have.
	degrees map[thing]map[string]int
}

func newNamer(w *World) (*namer, error) {
	n := &namer{bits: make([]inputBit, len(w.Problem.Inputs)), links: map[[2]thing][]tuple{}, degrees: map[thing]map[string]int{}}
	for _, d := range w.order {
		switch {
		case d.Static && d.listed:
			n.link(d)
		case !d.Static:
			choices(d.params, func(at []int) { n.take(w, d, slices.Clone(at)) })
		}
	}
	if i := slices.IndexFunc(n.bits, func(b inputBit) bool { return b.d == nil }); i >= 0 {
		return nil, fmt.Errorf("%s is no fluent of the RDDL", w.Problem.BitName(w.Problem.Inputs[i]))
	}
	return n, nil
}

// link takes the tuples of a relation.
func (n *namer) link(d *declaration) {
	for _, args := range d.holding {
		var of []thing
		for k, p := range d.params {
			if p.object {
				of = append(of, thing{p, args[k]})
			}
		}
		for k, p := range d.params {
			if p.object {
				n.count(d, args, k)
			}
		}
		for _, a := range of {
			for _, b := range of {
				if a != b {
					n.links[[2]thing{a, b}] = append(n.links[[2]thing{a, b}], tuple{d, args})
				}
			}
		}
	}
}

// count adds a tuple to the degrees of the object at a place of it.
func (n *namer) count(d *declaration, args []int, at int) {
	a := Atom{Name: d.Name}
	for k, p := range d.params {
		switch {
		case k == at:
			a.Args = append(a.Args, "?")
		case p.object:
			a.Args = append(a.Args, "_")
		default:
			a.Args = append(a.Args, p.names[args[k]])
		}
	}
	x := thing{d.params[at], args[at]}
	if n.degrees[x] == nil {
		n.degrees[x] = map[string]int{}
	}
	n.degrees[x][a.String()]++
}

// kinds names the degrees of some objects.
func (n *namer) kinds(named []thing) string {
	var parts []string
	for i, x := range named {
		for _, name := range slices.Sorted(maps.Keys(n.degrees[x])) {
			parts = append(parts, fmt.Sprintf("%d %s", n.degrees[x][name], strings.Replace(name, "?", objectName(i), 1)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return relatedBy + strings.Join(parts, " ")
}

// take notes the bits of a fluent of some objects.
func (n *namer) take(w *World, d *declaration, args []int) {
	a := Atom{Name: d.Name}
	for k, p := range d.params {
		a.Args = append(a.Args, p.names[args[k]])
	}
	v, ok := w.Problem.Lookup(a.String())
	if !ok {
		return // computed within the step
	}
	for j := range v.Width {
		i, ok := w.inputs[v.First+factored.Bit(j)]
		if !ok {
			continue
		}
		suffix := ""
		if !v.Bool {
			suffix = fmt.Sprintf("#%d", v.Width-1-j)
		}
		n.bits[i] = inputBit{d, suffix, args}
	}
}

// objects lists the objects of a bit's atom.
func (b *inputBit) objects() []thing {
	var out []thing
	for k, p := range b.d.params {
		if p.object {
			out = append(out, thing{p, b.args[k]})
		}
	}
	return out
}

// atom names what is said of some objects, by their places among those that are named.
func atom(d *declaration, args []int, named []thing) string {
	a := Atom{Name: d.Name}
	for k, p := range d.params {
		name := p.names[args[k]]
		if p.object {
			name = objectName(slices.Index(named, thing{p, args[k]}))
		}
		a.Args = append(a.Args, name)
	}
	return a.String()
}

// single names a bit.
func (n *namer) single(i int) string {
	b := &n.bits[i]
	named := distinct(b.objects())
	return atom(b.d, b.args, named) + b.name + n.kinds(named)
}

func distinct(all []thing) []thing {
	var out []thing
	for _, x := range all {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// pairName is the name of a pair of bits, in the order whose name comes first.
type pairName struct {
	atoms, whole string // without and with degrees or relations
	apart        bool   // each bit has an object that the other does not have
	swapped      bool   // the second bit is named first
	alike        bool   // both orders have the same name
	atomsAlike   bool   // but for relations
}

func (n *namer) pair(i, j int) pairName {
	p, back := n.ordered(i, j), n.ordered(j, i)
	p.alike, p.atomsAlike = p.whole == back.whole, p.atoms == back.atoms
	if back.whole < p.whole {
		p.atoms, p.whole, p.swapped = back.atoms, back.whole, true
	}
	return p
}

// ordered names a pair of bits in this order.
func (n *namer) ordered(i, j int) (p pairName) {
	a, b := &n.bits[i], &n.bits[j]
	first, second := a.objects(), b.objects()
	named := distinct(slices.Concat(first, second))
	p.atoms = atom(a.d, a.args, named) + a.name + " " + atom(b.d, b.args, named) + b.name
	var relations []string
	for _, x := range first {
		for _, y := range second {
			if slices.Contains(second, x) || slices.Contains(first, y) {
				continue
			}
			p.apart = true
			for _, t := range n.links[[2]thing{x, y}] {
				if t.among(named) {
					relations = append(relations, atom(t.d, t.args, named))
				}
			}
		}
	}
	switch {
	case !p.apart:
		p.whole = p.atoms + n.kinds(named)
	case len(relations) == 0:
		p.whole = p.atoms
	default:
		slices.Sort(relations)
		p.whole = p.atoms + relatedBy + strings.Join(slices.Compact(relations), " ")
	}
	return p
}

// among reports whether all objects of a tuple are among some.
func (t *tuple) among(named []thing) bool {
	for k, p := range t.d.params {
		if p.object && !slices.Contains(named, thing{p, t.args[k]}) {
			return false
		}
	}
	return true
}

// swap exchanges the two bits of a mask of pairs.
func swap(mask uint8) uint8 { return mask&0b1001 | mask&0b0010<<1 | mask&0b0100>>1 }

// Meet finds which values of bits rows have, alone and together.
func (w *World) Meet(rows []Row) (*Met, error) {
	n, err := newNamer(w)
	if err != nil {
		return nil, err
	}
	col := columnsOf(len(n.bits), rows)
	m := &Met{map[string]uint8{}, map[string]uint8{}}
	for i := range n.bits {
		for v := range 2 {
			if slices.ContainsFunc(col(i, v), func(x uint64) bool { return x != 0 }) {
				m.Values[n.single(i)] |= 1 << v
			}
		}
		for j := range i {
			m.meet(n.pair(j, i), func(a, b int) bool { return meet(col(j, a), col(i, b)) })
		}
	}
	return m, nil
}

// meet adds the values of a pair of bits that some row has.
func (m *Met) meet(name pairName, has func(a, b int) bool) {
	old := m.Pairs[name.whole]
	if old == 0b1111 {
		return
	}
	var mask uint8
	for v := range 4 {
		if has(v&1, v>>1) {
			mask |= 1 << v
		}
	}
	if name.swapped {
		mask = swap(mask)
	}
	if name.alike {
		mask |= swap(mask)
	}
	m.Pairs[name.whole] = old | mask
}

// columnsOf returns the rows, as bits of words, in which a bit is known to have a value.
func columnsOf(bits int, rows []Row) func(bit, value int) []uint64 {
	words := (len(rows) + 63) / 64
	all := make([]uint64, 2*bits*words)
	for r := range rows {
		for b, v := range rows[r].In {
			if rows[r].InKnown == nil || rows[r].InKnown[b] {
				all[(2*b+int(bit64(v)))*words+r/64] |= 1 << (r % 64)
			}
		}
	}
	return func(bit, value int) []uint64 { return all[(2*bit+value)*words : (2*bit+value+1)*words] }
}

func meet(a, b []uint64) bool {
	for i := range a {
		if a[i]&b[i] != 0 {
			return true
		}
	}
	return false
}

// unseen lists the combinations of one and two literals of an instance's inputs that no row
// had for any objects; see coverage.Support. Objects without a relation count as any
// others where no row had two such.
func (m *Met) unseen(w *World) ([][3]coverage.Literal, error) {
	n, err := newNamer(w)
	if err != nil {
		return nil, err
	}
	anyhow := map[string]uint8{} // whatever the relations
	for name, mask := range m.Pairs {
		atoms, _, _ := strings.Cut(name, relatedBy)
		anyhow[atoms] |= mask
	}
	never := make([]bool, 2*len(n.bits))
	for l := range never {
		never[l] = m.Values[n.single(l/2)]>>(l%2)&1 == 0
	}
	var found [][3]coverage.Literal
	for i := range n.bits {
		var of [2][][3]coverage.Literal // with either value of bit i
		for v := range of {
			if l := 2*i + v; never[l] {
				of[v] = append(of[v], [3]coverage.Literal{l, l, l})
			}
		}
		for j := i + 1; j < len(n.bits); j++ {
			mask := m.pairs(n.pair(i, j), anyhow)
			for v := range 4 {
				if a, b := 2*i+v&1, 2*j+v>>1; mask>>v&1 == 0 && !never[a] && !never[b] {
					of[v&1] = append(of[v&1], [3]coverage.Literal{a, b, b})
				}
			}
		}
		found = append(append(found, of[0]...), of[1]...)
	}
	return found, nil
}

// strange adds the outputs of objects with degrees that no row has.
func (m *Met) strange(w *World, to *Applied) error {
	n, err := newNamer(w)
	if err != nil {
		return err
	}
	for o, b := range w.Problem.Outputs {
		i, read := w.inputs[b]
		if !read {
			continue
		}
		name := n.single(i)
		if _, ok := m.Values[name]; ok {
			continue
		}
		output := w.Problem.BitName(b)
		if slices.ContainsFunc(to.Unseen, func(u Unseen) bool { return u.Output == output && u.Always }) {
			continue
		}
		_, degrees, _ := strings.Cut(name, relatedBy)
		to.Unseen = append(to.Unseen, Unseen{output, true, "no row has such an object: " + degrees})
		to.Support.Tables[o] = nil
	}
	return nil
}

// pairs are the values that rows have of a pair of bits.
func (m *Met) pairs(name pairName, anyhow map[string]uint8) uint8 {
	mask, ok := m.Pairs[name.whole]
	if !ok && name.apart && name.whole == name.atoms {
		if mask = anyhow[name.atoms]; name.atomsAlike {
			mask |= swap(mask)
		}
	}
	if name.swapped {
		mask = swap(mask)
	}
	return mask
}
