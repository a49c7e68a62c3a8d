package backward

import (
	"fmt"
	"slices"

	"github.com/fdplan/fdplan/internal/model"
	"github.com/fdplan/fdplan/internal/model/propagate"
	"github.com/fdplan/fdplan/internal/solve/proof"
)

// tree is a case distinction that derives a contradiction from literals. A clause is
// written for the case in which a literal is true; with it, propagation gives the other.
type tree struct {
	w      *writer
	l      *layer
	st     *propagate.State
	branch []model.Lit  // what is decided, in this order
	closed func() bool  // reports whether what is assigned is refuted; it may assign what follows
	leaf   func() error // takes what is not refuted when all is decided; nil if there is to be nothing

	path  []model.Lit
	paths [][]model.Lit // the clauses, the root's last, without the literals that the root is about
}

// refute derives a contradiction from what is assigned.
func (r *tree) refute() error {
	r.path, r.paths = r.path[:0], nil
	return r.split(0)
}

// refuted notes that propagation alone gives the contradiction.
func (r *tree) refuted() { r.paths = [][]model.Lit{nil} }

// split lists the clauses below the path; what comes before branch[from] is decided.
func (r *tree) split(from int) error {
	if err := r.w.interrupted(); err != nil {
		return err
	}
	for !r.closed() {
		for from < len(r.branch) && r.st.Value(r.branch[from]) != 0 {
			from++
		}
		if from == len(r.branch) && r.leaf != nil {
			if err := r.leaf(); err != nil {
				return err
			}
			break
		}
		if from == len(r.branch) {
			return fmt.Errorf("%w: step %d is cheaper", ErrClaim, r.l.t)
		}
		x := r.branch[from]
		mark := r.st.Mark()
		r.path = append(r.path, -r.l.global(x))
		if r.st.Assign(x) {
			if err := r.split(from + 1); err != nil {
				return err
			}
		} else {
			r.paths = append(r.paths, slices.Clone(r.path))
		}
		r.st.Undo(mark)
		r.path = r.path[:len(r.path)-1]
		if !r.st.Assign(-x) {
			break
		}
	}
	r.paths = append(r.paths, slices.Clone(r.path))
	return nil
}

// The least tree whose root has a literal of its own: its clauses, and the literals
// that the root is about.
const (
	manyPaths = 4
	wideRoot  = 16
)

// write writes the clauses, each with those of root. It returns the last one, and what was made
// for it.
func (r *tree) write(root []model.Lit) (last proof.ID, made []proof.ID) {
	log, own := r.w.log, root
	if len(r.paths) >= manyPaths && len(root) >= wideRoot {
		var terms []proof.Term
		for _, x := range root {
			terms = append(terms, proof.Term{Coef: 1, Lit: -x})
		}
		r.w.vars++
		only, when := log.Reify(r.w.vars, terms, int64(len(terms)))
		made = append(made, only, when)
		own = []model.Lit{-r.w.vars}
	}
	for _, path := range r.paths {
		made = append(made, log.Learn(slices.Concat(own, path)))
	}
	if len(own) == len(root) {
		n := len(made) - 1
		return made[n], made[:n]
	}
	return log.Learn(root), made
}
