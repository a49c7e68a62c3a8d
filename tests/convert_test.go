package tests

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/problem/bnn"
)

// readNetwork reads a network file.
func readNetwork(t *testing.T, name string) *bnn.File {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := bnn.ReadFile(name, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestConvert takes a network of PyTorch's, and one through the published layout.
func TestConvert(t *testing.T) {
	const npz = "../examples/pytorch/network.npz"
	dir := t.TempDir()
	out := filepath.Join(dir, "out.bnn")
	status, stdout, stderr := session("convert", npz, "--task", "inventory/2", "-o", out, "--json")
	if want := `{"schema":1,"problem":"inventory/2","network":"7:48:48:5","edges":1497,"compared":10000}` + "\n"; status != exitDone || stdout != want {
		t.Fatalf("status %d, stdout %q, stderr %q, want %q", status, stdout, stderr, want)
	}
	status, stdout, _ = session("test", out, "--task", "inventory/2")
	if status != exitDone || !strings.Contains(stdout, "all legal rows: 0 % wrong") {
		t.Errorf("status %d, stdout %q", status, stdout)
	}

	f := readNetwork(t, out)
	weights, norm := filepath.Join(dir, "weights.txt"), filepath.Join(dir, "norm.txt")
	var w, v bytes.Buffer
	if err := bnn.WritePublished(&w, &v, f.Network); err != nil {
		t.Fatal(err)
	}
	const known = `domain d { pvariables { p : { state-fluent, bool, default = false }; a : { action-fluent, bool, default = false }; }; cpfs { p' = a; }; reward = 0; }
instance i { domain = d; horizon = 1; discount = 1.0; }`
	for name, text := range map[string][]byte{
		weights: w.Bytes(), norm: v.Bytes(), filepath.Join(dir, "text.npz"): []byte("bnn\n"),
		filepath.Join(dir, "known.toml"): []byte(`domain = "d.rddl"`), filepath.Join(dir, "d.rddl"): []byte(known),
	} {
		if err := os.WriteFile(name, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	again := filepath.Join(dir, "again.bnn")
	if status, stdout, stderr := session("convert", weights, "--normalization", norm, "--task", "inventory/2", "-o", again); status != exitDone || stdout != "inventory/2: 7:48:48:5, 1497 edges\n" {
		t.Fatalf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
	first, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if second, _ := os.ReadFile(again); !bytes.Equal(first, second) {
		t.Error("the published layout gives another network file")
	}

	bad := filepath.Join(dir, "bad.bnn")
	for want, args := range map[string][]string{
		"network.npz: the network 7:48:48:5 has 7 inputs and 5 outputs, expected 8 and 5 bits as inventory/4 has": {npz, "--task", "inventory/4"},
		"text.npz: no NPZ file": {filepath.Join(dir, "text.npz"), "--task", "inventory/2"},
		"weights.txt: the format of a network is told by its name": {weights, "--task", "inventory/2"},
		"network.npz: an NPZ file holds its batch normalization":   {npz, "--normalization", norm, "--task", "inventory/2"},
		"norm.txt:1:1: the title is":                               {norm, "--normalization", norm, "--task", "inventory/2"},
		"no such file":                                             {filepath.Join(dir, "absent.npz"), "--task", "inventory/2"},
		"nothing is to be learned in":                              {npz, "--task", filepath.Join(dir, "known.toml")},
	} {
		status, stdout, stderr := session(append([]string{"convert", "-o", bad}, args...)...)
		if status != exitUsage || stdout != "" || !strings.HasPrefix(stderr, "fdplan: ") || !strings.Contains(stderr, want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: status %d, stdout %q, stderr %q, want %q", args, status, stdout, stderr, want)
		}
	}
	if _, err := os.Stat(bad); err == nil {
		t.Error("a file is left behind after an error")
	}
}
