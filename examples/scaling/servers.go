package main

import "fmt"

// jobs draws what jobs take and cost.
func jobs(o *options) (*instance, error) {
	r := draw(o)
	names, machines, kinds := numbered("j", o.n), numbered("m", o.k), numbered("k", o.loops)
	var nf, initial []string
	for _, j := range names {
		nf = append(nf, fmt.Sprintf("KIND(%s, %s); WEIGHT(%s) = %d;", j, kinds[r.IntN(len(kinds))], j, 1+r.IntN(4)))
		initial = append(initial, fmt.Sprintf("left(%s) = %d;", j, 1+r.IntN(o.size)))
	}
	for i, m := range machines {
		initial = append(initial, fmt.Sprintf("set(%s, %s);", m, kinds[i%len(kinds)]))
	}
	return &instance{kinds: []kind{{"machine", machines}, {"kind", kinds}, {"job", names}}, facts: nf, initial: initial, ranges: []string{fmt.Sprintf("left = [0, %d]", o.size)}}, nil
}

// lifts draws where guests wait and want to go.
func lifts(o *options) (*instance, error) {
	r := draw(o)
	guests, cabins, floors := numbered("g", o.n), numbered("l", o.k), numbered("f", o.size)
	nf := []string{fmt.Sprintf("SEATS = %d;", o.loops)}
	for i := 1; i < len(floors); i++ {
		nf = append(nf, fmt.Sprintf("ABOVE(%s, %s);", floors[i], floors[i-1]))
	}
	for _, g := range guests {
		from := r.IntN(o.size)
		to := (from + 1 + r.IntN(o.size-1)) % o.size
		nf = append(nf, fmt.Sprintf("FROM(%s, %s); TO(%s, %s);", g, floors[from], g, floors[to]))
	}
	var initial []string
	for i, l := range cabins {
		initial = append(initial, fmt.Sprintf("at(%s, %s);", l, floors[i*(o.size-1)/max(1, o.k-1)]))
	}
	return &instance{kinds: []kind{{"lift", cabins}, {"floor", floors}, {"guest", guests}}, facts: nf, initial: initial}, nil
}

// warehouse draws a tree of places with some more ways, and where everything is.
func warehouse(o *options) (*instance, error) {
	r := draw(o)
	if o.n > o.size || o.size < 2 {
		return nil, fmt.Errorf("%d robots do not fit %d places", o.n, o.size)
	}
	robots, goods, places := numbered("r", o.n), numbered("g", o.k), numbered("p", o.size)
	var nf, initial []string
	way := func(a, b int) {
		nf = append(nf, fmt.Sprintf("WAY(%s, %s); WAY(%s, %s);", places[a], places[b], places[b], places[a]))
	}
	linked := map[[2]int]bool{}
	for i := 1; i < o.size; i++ {
		j := max(0, i-1-r.IntN(3))
		linked[[2]int{j, i}] = true
		way(i, j)
	}
	for range o.loops {
		a, b := r.IntN(o.size), r.IntN(o.size)
		if a > b {
			a, b = b, a
		}
		if a != b && !linked[[2]int{a, b}] {
			linked[[2]int{a, b}] = true
			way(a, b)
		}
	}
	for _, g := range goods {
		nf = append(nf, fmt.Sprintf("DESK(%s, %s);", g, places[r.IntN(2)]))
		initial = append(initial, fmt.Sprintf("lies(%s, %s);", g, places[2+r.IntN(o.size-2)]))
	}
	for i, p := range r.Perm(o.size)[:o.n] {
		initial = append(initial, fmt.Sprintf("at(%s, %s);", robots[i], places[p]))
	}
	return &instance{kinds: []kind{{"robot", robots}, {"place", places}, {"good", goods}}, facts: nf, initial: initial}, nil
}

// bikes draws what rides from station to station, and where bikes and trucks are.
func bikes(o *options) (*instance, error) {
	if o.n < 1 || o.size < 1 {
		return nil, fmt.Errorf("there are %d trucks and %d stations; expected one of each at least", o.n, o.size)
	}
	r := draw(o)
	trucks, stations, hours := numbered("t", o.n), numbered("s", o.size), numbered("h", 4)
	var nf []string
	initial := []string{"hour(h1);"}
	for i, h := range hours {
		nf = append(nf, fmt.Sprintf("NEXT(%s, %s);", h, hours[(i+1)%len(hours)]))
	}
	for _, s := range stations {
		drift := r.IntN(4)/2 + r.IntN(2) - 1
		nf = append(nf, fmt.Sprintf("EMPTY(%s) = %d;", s, 3+r.IntN(7)))
		for _, h := range hours {
			nf = append(nf, fmt.Sprintf("NET(%s, %s) = %d;", s, h, max(-2, min(2, drift+r.IntN(3)-1))))
		}
		initial = append(initial, fmt.Sprintf("bikes(%s) = %d;", s, 1+r.IntN(8)))
	}
	for _, t := range trucks {
		initial = append(initial, fmt.Sprintf("at(%s, %s);", t, stations[r.IntN(o.size)]))
	}
	return &instance{kinds: []kind{{"truck", trucks}, {"station", stations}, {"hour", hours}}, facts: nf, initial: initial, ranges: []string{"bikes = [0, 9]", "load = [0, 4]"}}, nil
}
