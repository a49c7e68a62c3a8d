package fdsat

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
)

// oneLine fails unless err is a one-line report.
func oneLine(t *testing.T, err error) {
	t.Helper()
	var at *source.Error
	if !errors.As(err, &at) || strings.ContainsAny(err.Error(), "\n\r") {
		t.Fatalf("%T %q; expected a *source.Error of one line", err, err)
	}
}

// baseProblem is testdata/base and its files, by name relative to it.
func baseProblem(t testing.TB) (*factored.Problem, map[string]string) {
	t.Helper()
	p, _, err := Load("testdata/base", "tiny", "1")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	paths, err := filepath.Glob("testdata/base/*/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(path)] = string(data)
	}
	return p, files
}

func FuzzConstraints(f *testing.F) {
	p, files := baseProblem(f)
	other := mixed(f)
	for name, text := range files {
		if strings.Contains(name, "transitions") || strings.Contains(name, "constraints") || strings.Contains(name, "initial") {
			f.Add([]byte(text), strings.Contains(name, "transitions"))
		}
	}
	f.Add([]byte("at(x1,y2)',~level#1,~at(x1,y3,z),<=,-7\r\n\r\n"), true)
	f.Add([]byte("~~x''',,==,99999999999999999999"), true)
	f.Fuzz(func(t *testing.T, data []byte, next bool) {
		for _, p := range []*factored.Problem{p, other} {
			cs, err := ReadConstraints(p, "c.txt", bytes.NewReader(data), next)
			if err != nil {
				oneLine(t, err)
				continue
			}
			q := *p
			if q.Global = cs; next {
				q.Global, q.Transition = nil, cs
			}
			if err := q.Check(); err != nil {
				t.Fatal(err)
			}
			// Written in the layout's syntax, they read back unchanged.
			for i := range cs {
				c := &cs[i]
				var text strings.Builder
				for _, term := range c.Terms {
					text.WriteString(p.LitName(term.Lit) + ",")
				}
				text.WriteString(strings.TrimLeft(p.Format(&factored.Constraint{Op: c.Op, K: c.K}), "0 "))
				again, err := Constraint(p, strings.Replace(text.String(), "= ", "=,", 1), next)
				if err != nil || !slices.Equal(again.Terms, c.Terms) || again.Op != c.Op || again.K != c.K {
					t.Fatalf("%s: %v, %v", &text, again, err)
				}
			}
		}
	})
}

func FuzzReward(f *testing.F) {
	p, files := baseProblem(f)
	other := mixed(f)
	f.Add([]byte(files["reward_tiny_1.txt"]))
	f.Add([]byte("~warm[$k1| $a],0.125\r\nring bell,-1e-3\n\n"))
	f.Add([]byte("level,-2.5\nat(x1,y2),3\nlevel#0,1"))
	f.Add([]byte("fill,1e999\nheat,1e-999"))
	f.Add([]byte("fill,+.5e+1\nheat,9."))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, p := range []*factored.Problem{p, other} {
			r, err := ReadReward(p, "r.txt", bytes.NewReader(data))
			if err != nil {
				oneLine(t, err)
				continue
			}
			q := *p
			q.Reward = r
			if err := q.Check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func FuzzVariables(f *testing.F) {
	_, files := baseProblem(f)
	f.Add([]byte(files["pvariables_tiny_1.txt"]))
	f.Add([]byte("action: a\r\n"))
	f.Add([]byte("state_data_label:  b ,state_label: c: d,auxiliary: \u2028"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p := factored.NewProblem("fuzz")
		columns, err := readVariables(p, "v.txt", bytes.NewReader(data))
		if err != nil {
			oneLine(t, err)
			return
		}
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		line, _, _ := strings.Cut(string(data), "\n")
		for i, v := range p.Variables {
			if !strings.HasPrefix(line[columns[i]-1:], v.Name) {
				t.Fatalf("%q is not at column %d", v.Name, columns[i])
			}
			c, err := Constraint(p, "~"+v.Name+",>=,0", false)
			if err != nil || c.Terms[0].Lit != (factored.Lit{Bit: v.First, Neg: true}) {
				t.Fatalf("%q cannot be named: %v, %v", v.Name, c, err)
			}
		}
	})
}

func FuzzLoad(f *testing.F) {
	_, files := baseProblem(f)
	parts := []string{"bnn", "normalization", "pvariables", "constraints", "initial", "goals", "transitions", "reward"}
	add := func(edit map[string]string) {
		var text [8]string
		for i, part := range parts {
			text[i] = files[part+"_tiny_1.txt"]
			if s, ok := edit[part]; ok {
				text[i] = s
			}
		}
		f.Add(text[0], text[1], text[2], text[3], text[4], text[5], text[6], text[7])
	}
	add(nil)
	add(map[string]string{"reward": ""}) // an empty part counts as absent here
	add(map[string]string{"transitions": ""})
	add(map[string]string{
		"pvariables": "action_data: a,state_data_label: s", "bnn": "bnn\r\n2,1\r\n01\r\n", "normalization": "normalization\n1e3",
		"constraints": "a,s,<=,1", "initial": "s,==,0", "goals": "s,==,1", "transitions": "", "reward": "~a,.5",
	})
	f.Fuzz(func(t *testing.T, weights, norm, variables, constraints, initial, goals, transitions, reward string) {
		text := map[string]string{}
		for i, s := range []string{weights, norm, variables, constraints, initial, goals, transitions, reward} {
			text[parts[i]+"_f_1.txt"] = s
		}
		l := loader{domain: "f", instance: "1", open: func(path string) (io.ReadCloser, error) {
			if s := text[filepath.Base(path)]; s != "" {
				return io.NopCloser(strings.NewReader(s)), nil
			}
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}}
		p, n, err := l.load()
		if err != nil {
			oneLine(t, err)
			return
		}
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		if err := n.Check(); err != nil {
			t.Fatal(err)
		}
		if n.Inputs() != len(p.Inputs) || n.Outputs() != len(p.Outputs) {
			t.Fatalf("%s for %d and %d bits", n.Shape(), len(p.Inputs), len(p.Outputs))
		}
	})
}
