package main

import "fmt"

// day states the order of the hours of a day.
func day(hours []string) (nf []string) {
	for i, h := range hours {
		nf = append(nf, fmt.Sprintf("NEXT(%s, %s);", h, hours[(i+1)%len(hours)]))
	}
	return nf
}

// repair draws how fast machines wear, what they need and earn.
func repair(o *options) (*instance, error) {
	r := draw(o)
	names := numbered("m", o.n)
	room := 7
	for room < 2*o.n && room < 31 {
		room = 2*room + 1
	}
	nf := []string{fmt.Sprintf("MOST = %d; CREWS = %d; ROOM = %d;", o.size, o.k, room)}
	var kinds [][3]int
	for range max(o.loops, 1) {
		kinds = append(kinds, [3]int{1 + r.IntN(2), 1 + r.IntN(3), 1 + r.IntN(4)})
	}
	var initial []string
	for i, m := range names {
		kind := kinds[i%len(kinds)]
		if o.loops == 0 {
			kind = [3]int{1 + r.IntN(2), 1 + r.IntN(3), 1 + r.IntN(4)}
		}
		nf = append(nf, fmt.Sprintf("WEARS(%s) = %d; NEED(%s) = %d; VALUE(%s) = %d;", m, kind[0], m, kind[1], m, kind[2]))
		if w := r.IntN(o.size); w > 0 {
			initial = append(initial, fmt.Sprintf("wear(%s) = %d;", m, w))
		}
	}
	ranges := []string{fmt.Sprintf("wear = [0, %d]", o.size), fmt.Sprintf("parts = [0, %d]", room), fmt.Sprintf("order = [0, %d]", min(room/2, 7))}
	return &instance{kinds: []kind{{"machine", names}}, facts: nf, initial: initial, ranges: ranges}, nil
}

// charge draws the hours of trips, what they take and earn.
func charge(o *options) (*instance, error) {
	r := draw(o)
	names, hours := numbered("v", o.n), numbered("h", 6)
	var nf []string
	used := 0
	for _, v := range names {
		for _, h := range hours {
			if r.IntN(3) == 0 {
				n := 1 + r.IntN(o.size/2+1)
				used += n
				nf = append(nf, fmt.Sprintf("TRIP(%s, %s) = %d;", v, h, n))
			}
		}
		nf = append(nf, fmt.Sprintf("EARNS(%s) = %d;", v, 3+r.IntN(5)))
	}
	for _, h := range hours {
		nf = append(nf, fmt.Sprintf("TARIFF(%s) = %d;", h, 1+r.IntN(4)))
	}
	grid := o.k
	if grid == 0 {
		grid = max(2, used*3/4/len(hours))
	}
	nf = append(append(day(hours), fmt.Sprintf("FULL = %d; GRID = %d;", o.size, grid)), nf...)
	ranges := []string{fmt.Sprintf("soc = [0, %d]", o.size), "charge = [0, 3]"}
	return &instance{kinds: []kind{{"vehicle", names}, {"hour", hours}}, facts: nf, initial: []string{"hour(h1);"}, ranges: ranges}, nil
}

// irrigate draws what fields like and yield.
func irrigate(o *options) (*instance, error) {
	r := draw(o)
	names, hours := numbered("f", o.n), numbered("h", 4)
	nf := append(day(hours), "FIRST(f1);", fmt.Sprintf("FULL = %d;", o.size))
	for i, f := range names {
		if i > 0 {
			nf = append(nf, fmt.Sprintf("FROM(%s, %s);", names[i-1], f))
		}
		low := 1 + r.IntN(o.size/2)
		nf = append(nf, fmt.Sprintf("LOW(%s) = %d; HIGH(%s) = %d; YIELD(%s) = %d;", f, low, f, min(low+2+r.IntN(3), o.size), f, 2+r.IntN(4)))
	}
	for _, h := range hours {
		nf = append(nf, fmt.Sprintf("DRY(%s) = %d; RAIN(%s) = %d;", h, r.IntN(2), h, 1+r.IntN(3)))
	}
	ranges := []string{fmt.Sprintf("moist = [0, %d]", o.size), "water = [0, 3]", "release = [0, 3]", "dam = [0, 15]"}
	return &instance{kinds: []kind{{"field", names}, {"hour", hours}}, facts: nf, initial: []string{"hour(h1);"}, ranges: ranges}, nil
}

// inventory draws volumes, demands and prices; three days make a period.
func inventory(o *options) (*instance, error) {
	r := draw(o)
	names, days := numbered("p", o.n), numbered("d", 3)
	var nf []string
	load, store := 0, 0
	for _, name := range names {
		volume, room := 1+r.IntN(3), 1+r.IntN(3)
		nf = append(nf, fmt.Sprintf("VOLUME(%s) = %d; ROOM(%s) = %d; PRICE(%s) = %d; HOLD(%s) = %d;", name, volume, name, room, name, 2+r.IntN(4), name, 1+r.IntN(2)))
		sum := 0
		for _, d := range days {
			n := r.IntN(3)
			sum += n
			nf = append(nf, fmt.Sprintf("DEMAND(%s, %s) = %d;", name, d, n))
		}
		load += volume * (sum + 1)
		store += room * 3
	}
	// Three days' demand in lots of two, a little more than one step's share.
	load = max(load/6+3, 6)
	nf = append(append(day(days), fmt.Sprintf("TRUCK = %d; LOAD = %d; STORE = %d;", o.truck, load, store)), nf...)
	return &instance{kinds: []kind{{"product", names}, {"day", days}}, facts: nf, initial: []string{"today(d1);"}, ranges: []string{"stock = [0, 7]", "lots = [0, 2]"}}, nil
}
