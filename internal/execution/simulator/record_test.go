package simulator

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/fdplan/fdplan/internal/data/dataset"
)

// TestRecorder: the transitions of two sessions are in one file; those seen twice in a
// session occur once.
func TestRecorder(t *testing.T) {
	p := counter(t)
	for _, ext := range []string{".csv", ".parquet", ".npz"} {
		name := filepath.Join(t.TempDir(), "seen"+ext)
		for i, plan := range [][]string{{"inc", "toggle"}, {"toggle", "inc toggle"}} {
			c, err := NewColumns(p, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			r, err := NewRecorder(name, c)
			if err != nil {
				t.Fatal(err)
			}
			s := NewSession(p, begin(t, p, "judges"), Options{Observe: r.Observe})
			for range 2 {
				if _, err := s.Replay(context.Background(), nil, actions(t, p, plan...)); err != nil {
					t.Fatal(err)
				}
			}
			if want := 2 - i; r.Rows() != want { // the last step of the second is refused
				t.Errorf("%s: %d rows, want %d", ext, r.Rows(), want)
			}
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
		}
		c, err := NewColumns(p, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		d, err := dataset.ReadAs(name, c.Schema)
		if err != nil {
			t.Fatal(err)
		}
		back := filepath.Join(t.TempDir(), "back.csv")
		if err := dataset.Write(back, d); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(back)
		const want = "x,on,inc,toggle,x',on'\n0,false,true,false,1,false\n1,false,false,true,1,true\n0,false,false,true,0,true\n"
		if err != nil || string(got) != want {
			t.Errorf("%s:\n%s", ext, got)
		}
	}
}
