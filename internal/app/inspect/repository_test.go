package inspect

import (
	"context"
	"errors"
	"flag"
	"io/fs"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/app/load"
)

var (
	repository = flag.String("repository", "", "folder of rddlrepository, all of whose pairs of a domain and an instance are checked")
	compiled   = flag.Bool("repository-compile", false, "compile the determinised pairs too, and list what is refused")
)

// outside matches what is refused for a reason that docs/rddl.md gives, or that lies in the files:
// matrix functions, and instances of another domain than the one beside them.
var outside = regexp.MustCompile(`found '=' in an expression|is of domain .* which is not among the files`)

// TestRepository checks every pair of a domain and an instance below a folder: each file beside
// a domain.rddl is taken for an instance.
func TestRepository(t *testing.T) {
	if *repository == "" {
		t.Skip("no -repository")
	}
	pairs, refused := 0, 0
	err := filepath.WalkDir(*repository, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".rddl" || d.Name() == "domain.rddl" {
			return err
		}
		domain := filepath.Join(filepath.Dir(path), "domain.rddl")
		pairs++
		began := time.Now()
		if _, err := CheckRDDL(context.Background(), []string{domain, path}); err != nil {
			say := t.Errorf
			if outside.MatchString(err.Error()) {
				say = t.Logf
			}
			say("%s: %v", path, err)
			return nil
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Logf("%s: %.0f s", path, took.Seconds())
		}
		if *compiled {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			_, err := load.Load(ctx, load.Ref{Source: load.Source{Domain: domain, Instance: path, Determinize: "mean", IgnoreDiscount: true}})
			if errors.Is(err, context.DeadlineExceeded) {
				t.Logf("%s: not compiled within a minute", path)
			}
			if err != nil {
				refused++
				t.Logf("%s: refused: %v", path, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if pairs == 0 {
		t.Errorf("%s has no RDDL files", *repository)
	}
	t.Logf("%d pairs, %d refused by the compiler", pairs, refused)
}
