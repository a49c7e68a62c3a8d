package main

import "fmt"

func sysadmin(o *options) (*instance, error) {
	edges, err := graph(o)
	if err != nil {
		return nil, err
	}
	names := numbered("c", o.n)
	x := &instance{kinds: []kind{{"computer", names}}, most: fmt.Sprint(o.k), goal: "forall_{?c : computer} running(?c)", ranges: []string{"age = [0, 3]"}}
	for _, e := range edges {
		x.facts = append(x.facts, fmt.Sprintf("CONNECTED(%s, %s); CONNECTED(%s, %s);", names[e[0]], names[e[1]], names[e[1]], names[e[0]]))
	}
	for _, c := range names {
		x.initial = append(x.initial, "running("+c+");")
	}
	return x, nil
}

func failing(o *options) (*instance, error) {
	if o.limit < 0 || o.limit > 3 {
		return nil, fmt.Errorf("the limit is %v; expected 0 to 3", o.limit)
	}
	x, err := sysadmin(o)
	if err == nil {
		x.goal, x.facts = "", append(x.facts, fmt.Sprintf("D-MAX = %v; COST = %d;", o.limit, o.cost))
	}
	return x, err
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
