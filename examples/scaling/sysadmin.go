package main

import (
	"flag"
	"fmt"
	"strings"
)

func sysadminFlags(s *flag.FlagSet, o *options) {
	s.IntVar(&o.n, "n", 10, "computers")
	s.IntVar(&o.k, "k", 3, "reboots a step at most")
	s.StringVar(&o.graph, "graph", "ring", "ring, path, star, tree (binary) or random (at most 4 neighbours)")
}

const sysadminDomain = `// All computers must run. A computer that is old runs on only if enough of its
// neighbours do; with all of them running, that is a matter of how many it has.
domain sysadmin {
	types { computer : object; };
	pvariables {
		CONNECTED(computer, computer) : { non-fluent, bool, default = false };
		MAX-AGE : { non-fluent, int, default = 3 };
		S-MAX   : { non-fluent, int, default = 1 };
		D-MAX   : { non-fluent, real, default = 0.9 };
		reboot(computer)  : { action-fluent, bool, default = false };
		running(computer) : { state-fluent, bool, default = false };
		age(computer)     : { state-fluent, int, default = 0 };
	};
	cpfs {
		running'(?c) = reboot(?c)
			| ( running(?c) ^ age(?c) <= S-MAX )
			| ( running(?c) ^ age(?c) * (1 - (sum_{?o : computer} [CONNECTED(?c, ?o) * running(?o)])
			                                 / (1 + (sum_{?o : computer} CONNECTED(?c, ?o)))) <= D-MAX );
		age'(?c) = if (~running(?c) | reboot(?c)) then 0 else min[age(?c) + 1, MAX-AGE];
	};
	reward = -(sum_{?c : computer} reboot(?c));
	state-invariants { forall_{?c : computer} running(?c); };
}
`

func sysadmin(o *options) (*files, error) {
	edges, err := graph(o)
	if err != nil {
		return nil, err
	}
	return &files{sysadminDomain, sysadminInstance(o, edges), taskFile("forall_{?c : computer} running(?c)", o.h, "age = [0, 3]")}, nil
}

func sysadminInstance(o *options, edges [][2]int) string {
	var b strings.Builder
	b.WriteString("non-fluents nf {\n\tdomain = sysadmin;\n\tobjects { computer : { ")
	for i := range o.n {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "c%d", i+1)
	}
	b.WriteString(" }; };\n\tnon-fluents {\n")
	for _, e := range edges {
		fmt.Fprintf(&b, "\t\tCONNECTED(c%d, c%d); CONNECTED(c%d, c%d);\n", e[0]+1, e[1]+1, e[1]+1, e[0]+1)
	}
	b.WriteString("\t};\n}\n\ninstance scaling {\n\tdomain = sysadmin;\n\tnon-fluents = nf;\n\tinit-state {")
	for i := range o.n {
		fmt.Fprintf(&b, " running(c%d);", i+1)
	}
	fmt.Fprintf(&b, " };\n\tmax-nondef-actions = %d;\n\thorizon = %d;\n\tdiscount = 1.0;\n}\n", o.k, o.h)
	return b.String()
}

// graph lists the edges of a graph over computers 0..n-1.
func graph(o *options) ([][2]int, error) {
	var out [][2]int
	switch o.graph {
	case "ring", "path":
		for i := 1; i < o.n; i++ {
			out = append(out, [2]int{i - 1, i})
		}
		if o.graph == "ring" && o.n > 2 {
			out = append(out, [2]int{o.n - 1, 0})
		}
	case "star":
		for i := 1; i < o.n; i++ {
			out = append(out, [2]int{0, i})
		}
	case "tree":
		for i := 1; i < o.n; i++ {
			out = append(out, [2]int{(i - 1) / 2, i})
		}
	case "random":
		r := draw(o)
		degree := make([]int, o.n)
		seen := map[[2]int]bool{}
		for range 8 * o.n {
			e := [2]int{r.IntN(o.n), r.IntN(o.n)}
			if e[0] >= e[1] || seen[e] || degree[e[0]] == 4 || degree[e[1]] == 4 || len(out) >= 2*o.n-2 {
				continue
			}
			seen[e] = true
			degree[e[0]]++
			degree[e[1]]++
			out = append(out, e)
		}
	default:
		return nil, fmt.Errorf("there is no graph %q; expected ring, path, star, tree or random", o.graph)
	}
	return out, nil
}
