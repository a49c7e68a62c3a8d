package tests

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/command/commandtest"
)

// TestKilledTraining kills training, a plain one and a grid, at moments drawn at
// random, with a signal that no process can handle, and resumes it, until it ends:
// the network and the answer are those of a run that nothing interrupts.
func TestKilledTraining(t *testing.T) {
	dir := t.TempDir()
	program := commandtest.Link(t, dir)
	data := filepath.Join(dir, "rows.parquet")
	if status, _, stderr := session("collect", "sysadmin/4", "--policy", "restart", "-n", "20000", "--seed", "1", "-o", data); status != exitDone {
		t.Fatal(stderr)
	}
	times := regexp.MustCompile(`"seconds":[^,}]*`)
	for name, flags := range map[string][]string{
		"plain": {"--hidden", "64,64", "--epochs", "300", "--no-polish"},
		"grid":  {"--grid", "--widths", "8,48,64", "--depths", "2,1", "--epochs", "60"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			state, whole, resumed := filepath.Join(dir, "state"), filepath.Join(dir, "whole.bnn"), filepath.Join(dir, "resumed.bnn")
			flags := append([]string{"train", data, "--task", "sysadmin/4", "--json", "--seed", "3"}, flags...)
			status, want, stderr := session(append(flags, "-o", whole, "--threads", "1")...)
			if status != exitDone {
				t.Fatal(stderr)
			}
			rng := rand.New(rand.NewPCG(1, 2))
			kills, begun := 0, 0
			for wait := 100 * time.Millisecond; ; wait += 60 * time.Millisecond {
				if _, err := os.Stat(state); err == nil {
					begun++
				}
				cmd := exec.Command(program, append(flags, "-o", resumed, "--checkpoint", state, "--resume")...)
				var stdout, stderr bytes.Buffer
				cmd.Stdout, cmd.Stderr = &stdout, &stderr
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				done := make(chan error, 1)
				go func() { done <- cmd.Wait() }()
				killed := false
				var err error
				select {
				case err = <-done:
				case <-time.After(wait + time.Duration(rng.Int64N(int64(50*time.Millisecond)))):
					killed = cmd.Process.Kill() == nil
					err = <-done
				}
				if err == nil {
					if !json.Valid(stdout.Bytes()) || times.ReplaceAllString(stdout.String(), "") != times.ReplaceAllString(want, "") {
						t.Errorf("after %d kills\n%s\nnot\n%s", kills, stdout.String(), want)
					}
					break
				}
				if !killed {
					t.Fatalf("%v after %d kills: %s", err, kills, stderr.String())
				}
				kills++
			}
			if kills == 0 || begun == 0 {
				t.Errorf("%d kills, %d with some work done", kills, begun)
			}
			t.Logf("%d kills, %d with some work done", kills, begun)
			one, err1 := os.ReadFile(whole)
			two, err2 := os.ReadFile(resumed)
			if err1 != nil || err2 != nil || !bytes.Equal(one, two) {
				t.Errorf("another network: %v %v", err1, err2)
			}
		})
	}
}
