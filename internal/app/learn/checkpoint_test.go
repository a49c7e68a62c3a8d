package learn

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/learn/train"
)

// TestResumeStructure: a run that was interrupted, by a crash that cuts off a line too, ends with
// the network of a whole one, and does not learn again what the checkpoint has.
func TestResumeStructure(t *testing.T) {
	ctx := context.Background()
	p, data := restartRows(t, "sysadmin/5", 300, 0)
	state := filepath.Join(t.TempDir(), "state")
	learned := func(ctx context.Context, o Training) (string, error) {
		o.Recipe, o.Config = RecipeStructure, train.Config{Threads: 2, Seed: 3}
		res, err := Train(ctx, p, data, o)
		if err != nil {
			return "", err
		}
		var text bytes.Buffer
		err = res.Write(&text)
		return text.String(), err
	}
	want, err := learned(ctx, Training{})
	if err != nil {
		t.Fatal(err)
	}
	cut, cancel := context.WithCancel(ctx)
	defer cancel()
	if _, err := learned(cut, Training{Checkpoint: state, Structure: func(string, float64) {
		// What is done is told before it is written.
		if text, err := os.ReadFile(state); err == nil && bytes.Count(text, []byte("\n")) >= 3 {
			cancel()
		}
	}}); err == nil {
		t.Fatal("the run was not interrupted")
	}
	text, err := os.ReadFile(state)
	if err != nil || bytes.Count(text, []byte("\n")) < 3 {
		t.Fatalf("a checkpoint of %d bytes, %v; expected some pieces of work", len(text), err)
	}
	half := text[:len(text)-20]
	if err := os.WriteFile(state, half, 0o666); err != nil {
		t.Fatal(err)
	}
	got, err := learned(ctx, Training{Checkpoint: state, Resume: true})
	if err != nil || got != want {
		t.Errorf("the network of the resumed run differs, error %v", err)
	}
	whole, err := os.ReadFile(state)
	if err != nil || !bytes.HasPrefix(whole, half[:bytes.LastIndexByte(half, '\n')+1]) {
		t.Errorf("the checkpoint does not go on where it was cut, error %v", err)
	}
	if again, err := learned(ctx, Training{Checkpoint: state, Resume: true}); err != nil || again != want {
		t.Errorf("the network of a run that was done differs, error %v", err)
	}
	if after, err := os.ReadFile(state); err != nil || !bytes.Equal(after, whole) {
		t.Errorf("a run that was done learned something again, error %v", err)
	}
	for content, want := range map[string]string{
		"fdplan-training 2\n1234":       "state:1: this is no checkpoint of the structure recipe",
		"fdplan-structure 1\n" + "{}\n": "state:2: the checkpoint is damaged",
		"fdplan-structure 1\n" + "{\n":  "state:2: the checkpoint is damaged",
	} {
		if err := os.WriteFile(state, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := learned(ctx, Training{Checkpoint: state, Resume: true}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, expected %q", content, err, want)
		}
		if kept, err := os.ReadFile(state); err != nil || string(kept) != content {
			t.Errorf("%q: the file was changed to %q, %v", content, kept, err)
		}
	}
}
