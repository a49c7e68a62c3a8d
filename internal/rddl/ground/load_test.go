package ground

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/rddl"
)

// TestInstances grounds every instance of the competitions.
func TestInstances(t *testing.T) {
	root := "../../../../shared/data/rddl"
	instances, _ := filepath.Glob(filepath.Join(root, "*", "*", "instance*.rddl"))
	if len(instances) == 0 {
		t.Skip("no instances under", root)
	}
	for _, name := range instances {
		start := time.Now()
		p, err := Load(context.Background(), filepath.Join(filepath.Dir(name), "domain.rddl"), name)
		if err != nil {
			t.Error(err)
			continue
		}
		kinds := map[Kind]int{}
		for _, f := range p.Fluents {
			kinds[f.Kind]++
		}
		nodes := 0
		p.Walk(func(*Node) bool { nodes++; return true })
		short, _ := filepath.Rel(root, name)
		t.Logf("%-45s %5d states %5d actions %4d others %8d nodes %4d+%d+%d conditions %8v", short,
			kinds[State], kinds[Action], kinds[Interm]+kinds[Observ], nodes,
			len(p.Preconditions), len(p.Invariants), len(p.Termination), time.Since(start).Round(time.Millisecond))
		if p.Horizon <= 0 || kinds[State] == 0 || kinds[Action] == 0 || len(p.Order) != kinds[State]+kinds[Interm]+kinds[Observ] {
			t.Errorf("%s: horizon %d, %v, %d in order", name, p.Horizon, kinds, len(p.Order))
		}
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	cut := strings.Index(foldDomain, "non-fluents nf")
	both, domain, instance := write("both.rddl", foldDomain), write("domain.rddl", foldDomain[:cut]), write("instance.rddl", foldDomain[cut:])
	for _, files := range [][2]string{{both, ""}, {"", both}, {domain, instance}} {
		p, err := Load(context.Background(), files[0], files[1])
		if err != nil || p.Domain != "fold" || p.Instance != "i" || p.Horizon != 3 {
			t.Errorf("%v: %v", files, err)
		}
	}
	for want, files := range map[string][2]string{
		"has no instance": {domain, ""},
		"no such file":    {domain, filepath.Join(dir, "none")},
		"second domain":   {domain, both},
		"expected domain": {write("empty", "x"), ""},
	} {
		if _, err := Load(context.Background(), files[0], files[1]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: got %v, want %s", files, err, want)
		}
	}
}

// TestLimit grounds quantifiers that would otherwise never finish, or fill the memory.
func TestLimit(t *testing.T) {
	objects := make([]string, 400)
	for i := range objects {
		objects[i] = fmt.Sprintf("o%d", i)
	}
	text := func(declare, expr, more string) string {
		return "domain d {\n types { t : object; };\n pvariables {\n" + declare + `
p(t) : { state-fluent, bool, default = false };
a : { action-fluent, bool, default = false };
};
cpfs {
p'(?x) = ` + expr + `;
` + more + `};
reward = 0; }
non-fluents n { domain = d; objects { t : {` + strings.Join(objects, ", ") + `}; }; }
instance i { domain = d; non-fluents = n; horizon = 1; discount = 1.0; }`
	}
	for _, c := range []struct{ declare, expr, want, more string }{
		{"N(t, t, t, t, t, t) : { non-fluent, bool, default = false };", "p(?x)", "test.rddl:4:1: grounding N makes more than", ""},
		{"N(t, t, t) : { non-fluent, bool, default = false };", "N(?x, ?x, @o1) | p(?x)", "", ""},
		{"q(t, t, t, t) : { state-fluent, bool, default = false };", "p(?x)", "test.rddl:4:1: grounding q makes more than", "q'(?x, ?y, ?z, ?u) = true;\n"},
		{"", "exists_{?y : t, ?z : t} [p(?y) ^ p(?z)]", "test.rddl:9:1: the cpf of p grows beyond 20000 nodes", ""},
		{"N(t, t) : { non-fluent, bool, default = true };", "exists_{?u : t, ?v : t, ?w : t} [~N(?u, ?v) ^ ~N(?v, ?x)]", "expressions to ground", ""},
	} {
		f := mustParse(t, text(c.declare, c.expr, c.more))
		d, nf, inst, err := f.Select("")
		if err != nil {
			t.Fatal(err)
		}
		prog, err := rddl.Check(d, nf, inst)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_, err = groundWith(prog, newBuilder(context.Background(), 20_000))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.expr, err, c.want)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s: %v until the limit", c.expr, took)
		}
	}
}

// TestEnds: grounding that would take minutes ends with its context.
func TestEnds(t *testing.T) {
	var names []string
	for i := range 2000 {
		names = append(names, fmt.Sprintf("l%d", i))
	}
	f := mustParse(t, `domain d { types { l : object; }; pvariables { N(l, l) : { non-fluent, bool, default = true }; p(l) : { state-fluent, bool, default = false }; };
cpfs { p'(?x) = exists_{?u : l, ?v : l, ?w : l} [~N(?u, ?v) ^ ~N(?v, ?w) ^ ~N(?w, ?x)]; }; reward = 0; }
non-fluents n { domain = d; objects { l : {`+strings.Join(names, ", ")+`}; }; }
instance i { domain = d; non-fluents = n; max-nondef-actions = 0; horizon = 3; discount = 1.0; }`)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := File(ctx, f, ""); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// BenchmarkGround grounds the game of life on a square of 900 cells, with the
// neighbours in a table of 810,000.
func BenchmarkGround(b *testing.B) {
	const side = 30
	var text, xs, ys strings.Builder
	for i := range side {
		fmt.Fprintf(&xs, ", x%d", i)
		fmt.Fprintf(&ys, ", y%d", i)
	}
	text.WriteString(`domain life { types { xpos : object; ypos : object; };
pvariables {
NEIGHBOR(xpos, ypos, xpos, ypos) : { non-fluent, bool, default = false };
alive(xpos, ypos) : { state-fluent, bool, default = false };
set(xpos, ypos) : { action-fluent, bool, default = false };
};
cpfs { alive'(?x, ?y) = if (alive(?x, ?y) ^ ([sum_{?u : xpos, ?v : ypos} (NEIGHBOR(?x, ?y, ?u, ?v) ^ alive(?u, ?v))] >= 2)
	^ ([sum_{?u : xpos, ?v : ypos} (NEIGHBOR(?x, ?y, ?u, ?v) ^ alive(?u, ?v))] <= 3) | set(?x, ?y)) then Bernoulli(0.9) else Bernoulli(0.1); };
reward = [sum_{?x : xpos, ?y : ypos} (alive(?x, ?y) - set(?x, ?y))]; }
non-fluents n { domain = life; objects { xpos : {` + xs.String()[2:] + "}; ypos : {" + ys.String()[2:] + "}; };\nnon-fluents {\n")
	for x := range side {
		for y := range side {
			for u := max(0, x-1); u <= min(side-1, x+1); u++ {
				for v := max(0, y-1); v <= min(side-1, y+1); v++ {
					if u != x || v != y {
						fmt.Fprintf(&text, "NEIGHBOR(x%d, y%d, x%d, y%d);\n", x, y, u, v)
					}
				}
			}
		}
	}
	text.WriteString("}; }\ninstance i { domain = life; non-fluents = n; horizon = 40; discount = 1.0; }\n")
	f, err := rddl.Parse("life.rddl", []byte(text.String()))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		p, err := File(context.Background(), f, "")
		if err != nil || len(p.Fluents) != 2*side*side {
			b.Fatal(err)
		}
	}
}
