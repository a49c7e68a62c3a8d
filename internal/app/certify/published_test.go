package certify_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/conflict"
	"github.com/fdplan/fdplan/internal/engine/race"
	"github.com/fdplan/fdplan/internal/engine/search"
	"github.com/fdplan/fdplan/internal/extsolver"
	"github.com/fdplan/fdplan/internal/rddl/bundled"
	"github.com/fdplan/fdplan/internal/solve/proof"
)

const published = "../../../../shared/data/fd-sat-plan"

var (
	allPublished    = flag.Bool("published", false, "certify all horizons of the problems with the published networks")
	veripbPublished = flag.Bool("veripb-published", false, "have veripb read the proofs of the published instances, those of sysadmin/5 too")
	veripbLimit     = flag.Duration("veripb-limit", 10*time.Minute, "time of veripb for one proof")
)

// publishedName is the name that the published files have for a problem: they count
// inventories by another number.
func publishedName(name string) string {
	switch name {
	case "inventory/2":
		return "inventory/1"
	case "inventory/4":
		return "inventory/2"
	}
	return name
}

// proven writes the certificate of an engine's answer, which Write has checked, and returns
// problem file and proof.
func proven(t *testing.T, e engine.Engine, p *load.Problem, horizon int, version proof.Format) (opb, pbp string) {
	t.Helper()
	res := solve(t, e, p.Task, horizon, horizon)
	if res.Status != engine.Optimal && res.Status != engine.Infeasible {
		t.Fatalf("%s, horizon %d: %s", p.Problem.Name, horizon, res.Status)
	}
	dir := certificate(t, p.Task, res, horizon, version)
	found, err := filepath.Glob(filepath.Join(dir, "*.pbp"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s, horizon %d: the proofs are %q, %v", p.Problem.Name, horizon, found, err)
	}
	return strings.TrimSuffix(found[0], ".pbp") + ".opb", found[0]
}

// loaded is a problem of the bundled or the published ones.
func loaded(t *testing.T, ref load.Ref) *load.Problem {
	t.Helper()
	p, err := load.Load(context.Background(), ref)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPublished certifies the shortest of each problem of the paper's 27 instances with the
// published networks, all with -published: proofs of at most 3 MB.
func TestPublished(t *testing.T) {
	if _, err := os.Stat(published); err != nil {
		t.Skipf("the published files are not there: %v", err)
	}
	var all int64
	done := map[string]bool{}
	for _, in := range bundled.Published() {
		if done[in.Problem] && !*allPublished {
			continue
		}
		done[in.Problem] = true
		began := time.Now()
		p := loaded(t, load.Ref{Name: publishedName(in.Problem), Source: load.Source{Files: published}})
		_, pbp := proven(t, search.Engine{}, p, in.Horizon, proof.VeriPB12)
		info, err := os.Stat(pbp)
		if err != nil {
			t.Fatal(err)
		}
		all += info.Size()
		if info.Size() > 3<<20 {
			t.Errorf("%s, horizon %d: the proof has %d bytes", in.Problem, in.Horizon, info.Size())
		}
		t.Logf("%s, horizon %d: %d bytes, %.2f s", in.Problem, in.Horizon, info.Size(), time.Since(began).Seconds())
	}
	t.Logf("%d bytes", all)
}

// TestVeriPB has veripb read the proofs of the bundled problems in version 1.2 and,
// with -veripb-published, those of the published networks: it must find the
// contradiction. Of engines that lead to the same proof it reads one.
func TestVeriPB(t *testing.T) {
	extsolver.RequireChecker(t, "veripb")
	refs := []load.Ref{{}}
	if *veripbPublished {
		if _, err := os.Stat(published); err != nil {
			t.Skipf("the published files are not there: %v", err)
		}
		refs = append(refs, load.Ref{Source: load.Source{Files: published}})
	}
	engines := []engine.Engine{search.Engine{}, conflict.PB{}, race.New(search.Engine{}, conflict.PB{})}
	for _, ref := range refs {
		for _, in := range bundled.Published() {
			ref.Name = in.Problem
			if ref.Files != "" {
				ref.Name = publishedName(in.Problem)
			}
			p := loaded(t, ref)
			var read [][]byte
			for _, e := range engines {
				opb, pbp := proven(t, e, p, in.Horizon, proof.VeriPB12)
				text, err := os.ReadFile(pbp)
				if err != nil {
					t.Fatal(err)
				}
				if slices.ContainsFunc(read, func(other []byte) bool { return bytes.Equal(text, other) }) {
					continue
				}
				read = append(read, text)
				user := extsolver.RequireContradiction(t, opb, pbp, *veripbLimit)
				t.Logf("%s %s, horizon %d, %s: %d bytes, %.2f s", ref.Files, ref.Name, in.Horizon, e.Name(), len(text), user.Seconds())
			}
		}
	}
}
