package command

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/fdplan/fdplan/internal/atomicfile"
)

// TestProveInTime leaves a proof behind that does not look at its context: the answer does
// not wait for it, and nothing is left of its file.
func TestProveInTime(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	release, committed := make(chan struct{}), make(chan error, 1)
	_, err := proveInTime(ctx, func() (int, error) {
		f, err := atomicfile.Create(filepath.Join(dir, "a.pbp"))
		if err != nil {
			t.Error(err)
		}
		cancel()
		<-release
		committed <- f.Commit()
		return 1, nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, expected %v", err, context.Canceled)
	}
	close(release)
	if err := <-committed; err == nil {
		t.Error("the file of a proof that was left behind is complete")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("the folder has %v, %v", left, err)
	}
	if got, err := proveInTime(context.Background(), func() (int, error) { return 7, nil }); got != 7 || err != nil {
		t.Errorf("a proof in time: %v, %v", got, err)
	}
}
