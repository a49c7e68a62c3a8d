package main

import (
	"flag"
	"fmt"
	"strings"
)

// instanceText is the text of an instance: objects and non-fluents, the initial state.
func instanceText(domain, objects string, nf []string, initial string, horizon int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "non-fluents nf {\n\tdomain = %s;\n\tobjects { %s };\n\tnon-fluents {\n", domain, objects)
	for _, s := range nf {
		fmt.Fprintf(&b, "\t\t%s\n", s)
	}
	fmt.Fprintf(&b, "\t};\n}\n\ninstance scaling {\n\tdomain = %s;\n\tnon-fluents = nf;\n", domain)
	if initial != "" {
		fmt.Fprintf(&b, "\tinit-state { %s };\n", initial)
	}
	fmt.Fprintf(&b, "\tmax-nondef-actions = pos-inf;\n\thorizon = %d;\n\tdiscount = 1.0;\n}\n", horizon)
	return b.String()
}

// numbered are the names of n objects.
func numbered(letter string, n int) []string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("%s%d", letter, i+1))
	}
	return names
}

// day states the order of the hours of a day.
func day(hours []string) (nf []string) {
	for i, h := range hours {
		nf = append(nf, fmt.Sprintf("NEXT(%s, %s);", h, hours[(i+1)%len(hours)]))
	}
	return nf
}

func repairFlags(s *flag.FlagSet, o *options) {
	s.IntVar(&o.n, "n", 10, "machines")
	s.IntVar(&o.k, "k", 3, "crews")
	s.IntVar(&o.size, "size", 5, "the most wear of a machine")
	s.IntVar(&o.loops, "kinds", 0, "kinds of machines; 0: each is drawn by itself")
}

const repairDomain = `// Machines wear and earn less. A repair takes a crew and spare parts of one
// store, which holds so many.
domain repair {
	types { machine : object; };
	pvariables {
		WEARS(machine) : { non-fluent, int, default = 1 };
		NEED(machine)  : { non-fluent, int, default = 1 };
		VALUE(machine) : { non-fluent, int, default = 2 };
		MOST  : { non-fluent, int, default = 5 };
		CREWS : { non-fluent, int, default = 3 };
		ROOM  : { non-fluent, int, default = 15 };
		PRICE : { non-fluent, int, default = 2 };
		wear(machine)   : { state-fluent, int, default = 0 };
		parts           : { state-fluent, int, default = 4 };
		repair(machine) : { action-fluent, bool, default = false };
		order           : { action-fluent, int, default = 0 };
	};
	cpfs {
		wear'(?m) = if (repair(?m)) then 0 else min[MOST, wear(?m) + WEARS(?m)];
		parts' = min[ROOM, parts - (sum_{?m : machine} [NEED(?m) * repair(?m)]) + order];
	};
	reward = (sum_{?m : machine} [VALUE(?m) * (MOST - wear(?m))]) - PRICE * order;
	action-preconditions {
		(sum_{?m : machine} [repair(?m)]) <= CREWS;
		(sum_{?m : machine} [NEED(?m) * repair(?m)]) <= parts;
	};
}
`

// repair draws how fast machines wear, what they need and earn.
func repair(o *options) (*files, error) {
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
	text := instanceText("repair", "machine : { "+strings.Join(names, ", ")+" };", nf, strings.Join(initial, " "), o.h)
	return &files{repairDomain, text, taskFile("", o.h, fmt.Sprintf("wear = [0, %d]", o.size), fmt.Sprintf("parts = [0, %d]", room), fmt.Sprintf("order = [0, %d]", min(room/2, 7)))}, nil
}

func chargeFlags(s *flag.FlagSet, o *options) {
	s.IntVar(&o.n, "n", 10, "vehicles")
	s.IntVar(&o.k, "k", 0, "power of the grid; 0: about what the trips use")
	s.IntVar(&o.size, "size", 7, "what a battery holds")
}

const chargeDomain = `// Vehicles share a grid. A trip is made or not; it starts at its hour,
// earns, and takes charge. Power costs more at some hours.
domain charge {
	types { vehicle : object; hour : object; };
	pvariables {
		NEXT(hour, hour)    : { non-fluent, bool, default = false };
		TRIP(vehicle, hour) : { non-fluent, int, default = 0 };
		EARNS(vehicle)      : { non-fluent, int, default = 5 };
		TARIFF(hour)        : { non-fluent, int, default = 1 };
		FULL : { non-fluent, int, default = 7 };
		GRID : { non-fluent, int, default = 6 };
		soc(vehicle)    : { state-fluent, int, default = 3 };
		hour(hour)      : { state-fluent, bool, default = false };
		trip(vehicle)   : { action-fluent, bool, default = false };
		charge(vehicle) : { action-fluent, int, default = 0 };
	};
	cpfs {
		soc'(?v) = min[FULL, soc(?v) + charge(?v)] - trip(?v) * (sum_{?h : hour} [TRIP(?v, ?h) * hour(?h)]);
		hour'(?h) = exists_{?g : hour} [hour(?g) ^ NEXT(?g, ?h)];
	};
	reward = (sum_{?v : vehicle, ?h : hour} [trip(?v) * hour(?h) * TRIP(?v, ?h) * EARNS(?v)])
		- (sum_{?v : vehicle, ?h : hour} [TARIFF(?h) * hour(?h) * charge(?v)]);
	action-preconditions {
		(sum_{?v : vehicle} [charge(?v)]) <= GRID;
		forall_{?v : vehicle} [trip(?v) => (soc(?v) >= (sum_{?h : hour} [TRIP(?v, ?h) * hour(?h)]))];
		forall_{?v : vehicle} [trip(?v) => (charge(?v) == 0)];
	};
}
`

// charge draws the hours of trips, what they take and earn.
func charge(o *options) (*files, error) {
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
	text := instanceText("charge", "vehicle : { "+strings.Join(names, ", ")+" }; hour : { "+strings.Join(hours, ", ")+" };", nf, "hour(h1);", o.h)
	return &files{chargeDomain, text, taskFile("", o.h, fmt.Sprintf("soc = [0, %d]", o.size), "charge = [0, 3]")}, nil
}

func irrigateFlags(s *flag.FlagSet, o *options) {
	s.IntVar(&o.n, "n", 4, "fields")
	s.IntVar(&o.size, "size", 7, "what a field holds")
}

const irrigateDomain = `// Water runs along a ditch, one field a step. A field with an open gate takes
// all that comes; the rest passes on. Fields dry, and earn while they are moist.
domain irrigate {
	types { field : object; hour : object; };
	pvariables {
		NEXT(hour, hour)   : { non-fluent, bool, default = false };
		FROM(field, field) : { non-fluent, bool, default = false };
		FIRST(field)       : { non-fluent, bool, default = false };
		DRY(hour)    : { non-fluent, int, default = 1 };
		RAIN(hour)   : { non-fluent, int, default = 0 };
		LOW(field)   : { non-fluent, int, default = 2 };
		HIGH(field)  : { non-fluent, int, default = 5 };
		YIELD(field) : { non-fluent, int, default = 3 };
		FULL : { non-fluent, int, default = 7 };
		DAM  : { non-fluent, int, default = 15 };
		hour(hour)   : { state-fluent, bool, default = false };
		moist(field) : { state-fluent, int, default = 3 };
		water(field) : { state-fluent, int, default = 0 };
		dam          : { state-fluent, int, default = 8 };
		open(field)  : { action-fluent, bool, default = false };
		release      : { action-fluent, int, default = 0 };
	};
	cpfs {
		hour'(?h) = exists_{?g : hour} [hour(?g) ^ NEXT(?g, ?h)];
		moist'(?f) = max[0, min[FULL, moist(?f) + open(?f) * water(?f)] - (sum_{?h : hour} [DRY(?h) * hour(?h)])];
		water'(?f) = if (FIRST(?f)) then release else (sum_{?g : field} [FROM(?g, ?f) * ((~open(?g)) * water(?g))]);
		dam' = min[DAM, dam - release + (sum_{?h : hour} [RAIN(?h) * hour(?h)])];
	};
	reward = (sum_{?f : field} [YIELD(?f) * (moist(?f) >= LOW(?f) ^ moist(?f) <= HIGH(?f))]) - (sum_{?f : field} open(?f));
	action-preconditions { release <= dam; };
}
`

// irrigate draws what fields like and yield.
func irrigate(o *options) (*files, error) {
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
	text := instanceText("irrigate", "field : { "+strings.Join(names, ", ")+" }; hour : { "+strings.Join(hours, ", ")+" };", nf, "hour(h1);", o.h)
	return &files{irrigateDomain, text, taskFile("", o.h, fmt.Sprintf("moist = [0, %d]", o.size), "water = [0, 3]", "release = [0, 3]", "dam = [0, 15]")}, nil
}
