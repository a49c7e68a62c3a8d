package randprob

import (
	"fmt"
	"math/rand/v2"

	"github.com/fdplan/fdplan/problem/factored"
)

// Tokens returns a problem of tokens on the cells of a random graph. An action
// moves the token of one cell to an empty neighbour, at a cost of 1..3; to do
// nothing is free, and some tokens may move at a time. The goal puts some tokens
// at cells. With names the names of the fluents tell tokens and cells.
func Tokens(seed uint64, tokens, cells, moves int, names bool) *factored.Problem {
	b := &board{p: factored.NewProblem("tokens"), rng: rand.New(rand.NewPCG(seed, 0)), names: names}
	for t := range tokens {
		b.at = append(b.at, nil)
		for c := range cells {
			b.at[t] = append(b.at[t], b.bit(factored.State, "at", fmt.Sprint("t", t), fmt.Sprint("c", c)))
		}
	}
	var none []factored.Term
	for from := range cells {
		for to := range cells {
			if from != to && (from+1 == to || to+1 == from || b.rng.IntN(4) == 0) {
				e := boardEdge{from, to, b.bit(factored.Action, "move", fmt.Sprint("c", from), fmt.Sprint("c", to))}
				b.edges = append(b.edges, e)
				none = append(none, no(e.bit))
				b.p.Reward.Terms = append(b.p.Reward.Terms, factored.RewardTerm{Lit: factored.Lit{Bit: e.bit}, Weight: -1 - b.rng.Int64N(3)})
			}
		}
	}
	atLeast(&b.p.Global, int64(len(none)-moves), none...)
	for i := range b.edges {
		b.move(i)
	}
	b.frame(cells)
	b.ends(cells)
	return b.p
}

// board is a problem of tokens under construction.
type board struct {
	p     *factored.Problem
	rng   *rand.Rand
	names bool
	at    [][]factored.Bit // by token and cell
	edges []boardEdge
}

// boardEdge is the move of a token between two cells.
type boardEdge struct {
	from, to int
	bit      factored.Bit
}

func atLeast(list *[]factored.Constraint, k int64, terms ...factored.Term) {
	*list = append(*list, factored.Constraint{Terms: terms, Op: factored.GE, K: k, Origin: "tokens"})
}

func yes(b factored.Bit) factored.Term { return factored.Term{Coef: 1, Lit: factored.Lit{Bit: b}} }

func no(b factored.Bit) factored.Term {
	return factored.Term{Coef: 1, Lit: factored.Lit{Bit: b, Neg: true}}
}

func next(t factored.Term) factored.Term { t.Lit.Next = true; return t }

// bit adds a Boolean variable.
func (b *board) bit(kind factored.Kind, fluent, x, y string) factored.Bit {
	name := fmt.Sprintf("%s(%s,%s)", fluent, x, y)
	if !b.names {
		name = fmt.Sprintf("%s_%s_%s", fluent, x, y)
	}
	v, err := b.p.AddVariable(factored.Variable{Name: name, Kind: kind, Bool: true})
	if err != nil {
		panic(err) // the names are distinct
	}
	return b.p.Variables[v].First
}

// move adds when an edge may be used, and what it does.
func (b *board) move(i int) {
	e, p := b.edges[i], b.p
	some := []factored.Term{no(e.bit)}
	for _, at := range b.at {
		some = append(some, yes(at[e.from]))
		atLeast(&p.Global, 1, no(e.bit), no(at[e.to]))
		atLeast(&p.Transition, 1, no(e.bit), no(at[e.from]), next(yes(at[e.to])))
		atLeast(&p.Transition, 1, no(e.bit), yes(at[e.from]), next(no(at[e.to])))
		atLeast(&p.Transition, 1, no(e.bit), next(no(at[e.from])))
	}
	atLeast(&p.Global, 1, some...)
	for _, f := range b.edges[:i] { // two tokens do not go to one cell
		if e.to == f.to {
			atLeast(&p.Global, 1, no(e.bit), no(f.bit))
		}
	}
}

// frame adds that nothing else changes.
func (b *board) frame(cells int) {
	for _, at := range b.at {
		for c := range cells {
			stays, comes := []factored.Term{no(at[c]), next(yes(at[c]))}, []factored.Term{yes(at[c]), next(no(at[c]))}
			for _, e := range b.edges {
				if e.from == c {
					stays = append(stays, yes(e.bit))
				}
				if e.to == c {
					comes = append(comes, yes(e.bit))
				}
			}
			atLeast(&b.p.Transition, 1, stays...)
			atLeast(&b.p.Transition, 1, comes...)
		}
	}
}

// ends draws where the tokens are at first, and the goal.
func (b *board) ends(cells int) {
	start, goal := b.rng.Perm(cells), b.rng.Perm(cells)
	for t, at := range b.at {
		for c := range cells {
			if c == start[t] {
				atLeast(&b.p.Initial, 1, yes(at[c]))
			} else {
				atLeast(&b.p.Initial, 1, no(at[c]))
			}
		}
		if t == 0 || b.rng.IntN(4) > 0 {
			atLeast(&b.p.Goal, 1, yes(at[goal[t]]))
		}
	}
}
