package process

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		line string
		want []string
		err  string
	}{
		{"python3 sim.py --toy", []string{"python3", "sim.py", "--toy"}, ""},
		{"  a\tb\n c  ", []string{"a", "b", "c"}, ""},
		{`sh -c 'exec cat | tee "x y"' ''`, []string{"sh", "-c", `exec cat | tee "x y"`, ""}, ""},
		{`a"b c"d`, []string{"ab cd"}, ""},
		{"$HOME/*.py", []string{"$HOME/*.py"}, ""},
		{"a 'b", nil, "a quote ' is not closed"},
		{" \t", nil, "empty"},
		{"''", nil, "empty"},
	} {
		got, err := Split(c.line)
		if !slices.Equal(got, c.want) || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: got %q, %v", c.line, got, err)
		}
	}
}

func TestTail(t *testing.T) {
	tail := &Tail{Limit: 5}
	for _, s := range []string{"abc", "defg", strings.Repeat("x", 100) + "12345", "6"} {
		if n, err := tail.Write([]byte(s)); n != len(s) || err != nil {
			t.Fatal(n, err)
		}
	}
	if got := tail.String(); got != "23456" {
		t.Errorf("got %q", got)
	}
}

// TestKillGroup: what the command started ends with it, so that the pipe that
// both hold is closed.
func TestKillGroup(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("sh is not installed")
	}
	cmd := exec.Command("sh", "-c", "sleep 100 & echo started; wait")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	SetGroup(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 100)
	if _, err := out.Read(buf); err != nil {
		t.Fatal(err)
	}
	if err := KillGroup(cmd); err != nil {
		t.Fatal(err)
	}
	if n, err := out.Read(buf); err == nil {
		t.Errorf("%d bytes after the end", n)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the command ended well")
	}
}

// TestCommand: what a command leaves running ends with it, and one whose context ends is asked to
// end.
func TestCommand(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("sh is not installed")
	}
	ctx, cancel := context.WithCancel(t.Context())
	var out bytes.Buffer
	cmd := Command(ctx, 10*time.Second, "sh", "-c", "trap 'echo asked; exit 3' TERM; echo ready; while :; do sleep 0.01; done")
	r, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	b := bufio.NewReader(r)
	if line, err := b.ReadString('\n'); line != "ready\n" {
		t.Fatal(line, err)
	}
	cancel()
	if _, err := out.ReadFrom(b); out.String() != "asked\n" {
		t.Errorf("%q, %v", &out, err)
	}
	var exit *exec.ExitError
	if err := Wait(cmd); !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("it ended with %v", err)
	}
}

// TestChild writes to a program and reads from it; it ends when its input does.
func TestChild(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("sh is not installed")
	}
	if _, err := StartChild(exec.Command("/nowhere/program"), time.Second, 10); err == nil {
		t.Error("a program that is not there starts")
	}
	c, err := StartChild(exec.Command("sh", "-c", "sleep 100 & while read x; do echo got $x; done; echo bye >&2; exit 4"), 100*time.Millisecond, 10)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Out.Close()
	b := bufio.NewReader(c.Out)
	for _, x := range []string{"one", "two"} {
		if _, err := c.In.Write([]byte(x + "\n")); err != nil {
			t.Fatal(err)
		}
		if line, err := b.ReadString('\n'); line != "got "+x+"\n" {
			t.Fatal(line, err)
		}
	}
	c.In.Close()
	<-c.Ended // although another still holds its output open
	if c.Cmd.ProcessState.ExitCode() != 4 || c.Said.String() != "bye" {
		t.Errorf("%v, it said %q", c.Err, c.Said)
	}
	if err := KillGroup(c.Cmd); err != nil {
		t.Error(err)
	}
}
