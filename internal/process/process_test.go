package process

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
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
