package ground

import (
	"strings"

	"github.com/fdplan/fdplan/internal/source"
)

// order sorts the fluents with a CPF by dependency: intermediate fluents first, then next
// states, then observations. Within these, they keep the order of declaration as far as
// dependencies allow. A fluent that depends on itself within a step is an error at its cpf.
func (p *Problem) order() ([]int, error) {
	reads, total := p.dependencies()
	const (
		unseen = iota
		open
		done
	)
	state := make([]uint8, len(p.Fluents))
	next := make([]int, len(p.Fluents)) // by open fluent: the read to follow next
	out := make([]int, 0, total)
	// The search has its own stack: chains may be as long as the problem.
	var stack []int
	visit := func(root int) error {
		stack = append(stack[:0], root)
		state[root] = open
		for len(stack) > 0 {
			f := stack[len(stack)-1]
			if next[f] == len(reads[f]) {
				state[f] = done
				out = append(out, f)
				stack = stack[:len(stack)-1]
				continue
			}
			r := reads[f][next[f]]
			next[f]++
			switch state[r] {
			case unseen:
				state[r] = open
				stack = append(stack, r)
			case open:
				return p.cycle(stack, r)
			}
		}
		return nil
	}
	for _, kind := range []Kind{Interm, State, Observ} {
		for i := range p.Fluents {
			if p.Fluents[i].Kind == kind && p.Fluents[i].CPF != nil && state[i] == unseen {
				if err := visit(i); err != nil {
					return nil, err
				}
			}
		}
	}
	return out, nil
}

// dependencies returns for each fluent the fluents of the same step that its CPF
// reads, each once, and the number of fluents with a CPF.
func (p *Problem) dependencies() (reads [][]int, total int) {
	reads = make([][]int, len(p.Fluents))
	for i := range p.Fluents {
		if p.Fluents[i].CPF == nil {
			continue
		}
		total++
		listed := map[int]bool{}
		p.Fluents[i].CPF.Walk(func(n *Node) bool {
			if n.Op == Ref && p.computed(n) && !listed[n.Fluent] {
				listed[n.Fluent] = true
				reads[i] = append(reads[i], n.Fluent)
			}
			return true
		})
	}
	return reads, total
}

// cycle returns the error for the fluents on the stack from first on, each of which reads the
// next, and the last the first.
func (p *Problem) cycle(stack []int, first int) error {
	from := len(stack) - 1
	for stack[from] != first {
		from--
	}
	const most = 12 // a longer path would not help the reader
	var names []string
	for k, f := range stack[from:] {
		if k == most {
			names = append(names, "…")
			break
		}
		names = append(names, p.nextName(f))
	}
	names = append(names, p.nextName(first))
	pos := p.Fluents[first].Pos
	if p.tables != nil {
		if cpf := p.tables.prog.CPFs[p.Fluents[first].Base]; cpf != nil {
			pos = Pos(cpf.Name.Pos)
		}
	}
	return source.Errorf(pos.File, pos.Line, pos.Col, "%s depends on itself within one step: %s; expected an order in which they can be computed", p.nextName(first), strings.Join(names, " -> "))
}

// nextName returns the fluent's name, primed if its next value is computed.
func (p *Problem) nextName(f int) string {
	if p.Fluents[f].Kind == State {
		return primedName(p.Fluents[f].Name)
	}
	return p.Fluents[f].Name
}

// primedName puts the prime where RDDL has it: robot-at'(x14,y20).
func primedName(name string) string {
	base, args, found := strings.Cut(name, "(")
	if !found {
		return name + "'"
	}
	return base + "'(" + args
}
