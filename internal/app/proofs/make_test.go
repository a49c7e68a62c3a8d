package proofs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/atomicfile"
)

// TestAttempt leaves a proof behind that does not look at its context: the answer does
// not wait for it, and nothing is left of its file.
func TestAttempt(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	release, committed := make(chan struct{}), make(chan error, 1)
	var m Maker
	made, err := m.attempt(ctx, func() error {
		f, err := atomicfile.Create(filepath.Join(dir, "a.pbp"))
		if err != nil {
			t.Error(err)
		}
		cancel()
		<-release
		committed <- f.Commit()
		return nil
	})
	if made || err != nil || !errors.Is(m.None, certify.ErrNoProof) {
		t.Errorf("made %v, %v, without a proof for %v", made, err, m.None)
	}
	close(release)
	if err := <-committed; err == nil {
		t.Error("the file of a proof that was left behind is complete")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("the folder has %v, %v", left, err)
	}
	if made, err := new(Maker).attempt(context.Background(), func() error { return nil }); !made || err != nil {
		t.Errorf("a proof in time: %v, %v", made, err)
	}
}
