package tube

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/fdplan/fdplan/certify/robust"
)

// written returns a record as the checker reads it.
func (r *Record) written(t *testing.T) *robust.Record {
	t.Helper()
	out, err := r.read()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (r *Record) read() (*robust.Record, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return robust.Read("none.json", bytes.NewReader(text))
}

// TestRecord: the checker accepts what None proves of small systems, as many cases, and refuses these proofs of systems that have a plan, and
// proofs that lack a line or a multiplier.
func TestRecord(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	proven, follow, others, needless := 0, 0, 0, 0
	var last *Record
	for n := range *instances {
		s := randomTask(rng)
		h := 1 + rng.IntN(3)
		p, err := s.None(context.Background(), h, true)
		if err != nil {
			if last != nil && s.exists(last.Steps) {
				other := *last
				other.Task = s
				r, err := other.read()
				if err != nil {
					continue // the systems have different lists
				}
				if others++; !refused(t, r) {
					t.Fatalf("system %d has a plan of %d steps, and the proof that another one has none is accepted", n, last.Steps)
				}
			}
			continue
		}
		proven++
		r := p.Record.written(t)
		shown, err := r.Check(t.Context())
		if err != nil || shown.Cases != p.Cases || shown.Courses > p.Courses || shown.Follows != p.Follows {
			t.Fatalf("system %d: %+v, %v; expected %+v", n, shown, err, p)
		}
		if p.Follows {
			follow++
		}
		last = p.Record
		at := rng.IntN(len(r.Proof))
		if l := &r.Proof[at]; len(l.Rows) > 0 {
			l.Rows, l.By = l.Rows[1:], l.By[1:]
		} else {
			r.Proof = append(r.Proof[:at:at], r.Proof[at+1:]...)
		}
		if !refused(t, r) {
			needless++ // what comes after it suffices
		}
	}
	t.Logf("%d proofs accepted, %d of them with courses that follow the plan; %d refused for another system, %d accepted without a part", proven, follow, others, needless)
	if proven < *instances/10 || *instances >= 2000 && follow == 0 || others == 0 || 5*needless > proven {
		t.Error("expected more that are accepted, and more that are refused")
	}
}

// refused reports whether a proof is refused.
func refused(t *testing.T, r *robust.Record) bool {
	_, err := r.Check(t.Context())
	return err != nil
}
