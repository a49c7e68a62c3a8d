package load

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/app/apptest"
	"github.com/fdplan/fdplan/internal/rddl/bundled"
	"github.com/fdplan/fdplan/problem/bnn"
)

// TestReadTrained reads network files with invalid sets of rows and checks the reported
// position.
func TestReadTrained(t *testing.T) {
	f := apptest.NetworkFile(t, "inventory/2")
	at := slices.IndexFunc(f.Meta, func(kv [2]string) bool { return kv[0] == MetaSeen })
	if at < 0 {
		t.Fatal("the bundled network does not say what it was trained on")
	}
	for _, c := range []struct {
		meta [][2]string
		want string
	}{
		{[][2]string{{"seen", "all"}}, `f:2:11: "all" of 1 words is not a set of rows`},
		{[][2]string{{"seed", "1"}, {"seen", ""}}, `f:3:11: "" of 1 words is not a set of rows`},
		{[][2]string{{"seen", "legal 64"}, {"seed", "1"}, {"seen", "legal 64"}}, "f:4:5: there are two sets of rows"},
		{[][2]string{{"seen", "rows 64 AAAA"}}, "f:2:11: 3 bytes of rows"},
		{[][2]string{{"support", "tables"}}, `f:2:14: "tables" is not the first line of support`},
		{[][2]string{{"support", "unseen none"}, {"seed", "1"}, {"support", "7 - all none"}}, `f:4:14: "7" is not an output; expected 0..4`},
		{[][2]string{{"support", "unseen none"}, {"support", "4 1,3 map 1 gA== map 1 gA=="}}, "f:3:14: cell 0 is both on and off"},
		{[][2]string{{"support", "unseen none"}, {"support", "4 1,3 map 1 gA== none"}, {"support", "0 - all none"}}, ""},
		{nil, ""},
		{[][2]string{{"seed", "1"}}, ""},
		{[][2]string{{"seen", "legal 64"}}, ""},
	} {
		f.Meta = c.meta
		_, err := ReadTrained("f", f)
		if got := ""; err != nil && c.want != "" {
			if got = err.Error(); !strings.HasPrefix(got, c.want) {
				t.Errorf("%v: %s, want %s", c.meta, got, c.want)
			}
		} else if (err != nil) != (c.want != "") {
			t.Errorf("%v: %v, want %q", c.meta, err, c.want)
		}
	}
	// A task with such a file does not
	f.Meta = [][2]string{{"seen", "legal none"}}
	dir := t.TempDir()
	var text bytes.Buffer
	if err := bnn.WriteFile(&text, f); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]func() ([]byte, error){
		"network.bnn":   func() ([]byte, error) { return text.Bytes(), nil },
		"domain.rddl":   func() ([]byte, error) { return bundled.Read("problems/inventory/domain.rddl") },
		"instance.rddl": func() ([]byte, error) { return bundled.Read("problems/inventory/2/instance.rddl") },
		"task.toml": func() ([]byte, error) {
			b, err := bundled.Read("problems/inventory/2/task.toml")
			return bytes.ReplaceAll(b, []byte("../domain"), []byte("domain")), err
		},
	} {
		b, err := content()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Load(context.Background(), Ref{Name: filepath.Join(dir, "task.toml")})
	if want := filepath.Join(dir, "network.bnn") + `:2:11: "none" is not a number of rows`; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
