package main

import (
	"flag"
	"fmt"
	"strings"
)

func jobsFlags(s *flag.FlagSet, o *options) {
	s.IntVar(&o.n, "n", 8, "jobs")
	s.IntVar(&o.k, "k", 2, "machines")
	s.IntVar(&o.size, "size", 2, "the most steps that a job takes")
	s.IntVar(&o.loops, "kinds", 3, "kinds of jobs, for each of which a machine is set up")
}

const jobsDomain = `// A machine is set up for one kind of jobs, and setting it up takes a step. A
// job takes some steps, on any machines; until it is done it costs.
domain jobs {
	types { machine : object; kind : object; job : object; };
	pvariables {
		KIND(job, kind) : { non-fluent, bool, default = false };
		WEIGHT(job)     : { non-fluent, int, default = 1 };
		SETUP           : { non-fluent, int, default = 1 };
		left(job)          : { state-fluent, int, default = 1 };
		set(machine, kind) : { state-fluent, bool, default = false };
		work(machine, job) : { action-fluent, bool, default = false };
		setup(machine, kind) : { action-fluent, bool, default = false };
	};
	cpfs {
		left'(?j) = max[0, left(?j) - (sum_{?m : machine} work(?m, ?j))];
		set'(?m, ?k) = setup(?m, ?k) | (set(?m, ?k) ^ ~(exists_{?l : kind} [setup(?m, ?l)]));
	};
	reward = -(sum_{?j : job} [WEIGHT(?j) * (left(?j) > 0)]) - (sum_{?m : machine, ?k : kind} [SETUP * setup(?m, ?k)]);
	action-preconditions {
		forall_{?m : machine} [((sum_{?j : job} work(?m, ?j)) + (sum_{?k : kind} setup(?m, ?k))) <= 1];
		forall_{?j : job} [(sum_{?m : machine} work(?m, ?j)) <= 1];
		forall_{?m : machine, ?j : job, ?k : kind} [(KIND(?j, ?k) ^ work(?m, ?j)) => set(?m, ?k)];
	};
}
`

// jobs draws what jobs take and cost.
func jobs(o *options) (*files, error) {
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
	objects := fmt.Sprintf("machine : { %s }; kind : { %s }; job : { %s };", strings.Join(machines, ", "), strings.Join(kinds, ", "), strings.Join(names, ", "))
	text := instanceText("jobs", objects, nf, strings.Join(initial, " "), o.h)
	return &files{jobsDomain, text, taskFile("", o.h, fmt.Sprintf("left = [0, %d]", o.size))}, nil
}

func liftsFlags(s *flag.FlagSet, o *options) {
	s.IntVar(&o.n, "n", 6, "guests")
	s.IntVar(&o.k, "k", 2, "lifts")
	s.IntVar(&o.size, "size", 6, "floors")
	s.IntVar(&o.loops, "seats", 2, "seats of a lift")
}

const liftsDomain = `// Lifts take guests to their floors. A lift goes one floor a step. Guests cost
// until they are where they want to be.
domain lifts {
	types { lift : object; floor : object; guest : object; };
	pvariables {
		ABOVE(floor, floor) : { non-fluent, bool, default = false };
		FROM(guest, floor)  : { non-fluent, bool, default = false };
		TO(guest, floor)    : { non-fluent, bool, default = false };
		SEATS   : { non-fluent, int, default = 2 };
		at(lift, floor)    : { state-fluent, bool, default = false };
		waits(guest)       : { state-fluent, bool, default = true };
		rides(guest, lift) : { state-fluent, bool, default = false };
		up(lift)           : { action-fluent, bool, default = false };
		down(lift)         : { action-fluent, bool, default = false };
		board(guest, lift) : { action-fluent, bool, default = false };
		leave(guest, lift) : { action-fluent, bool, default = false };
	};
	cpfs {
		at'(?l, ?f) = if (up(?l)) then exists_{?g : floor} [ABOVE(?f, ?g) ^ at(?l, ?g)]
			else if (down(?l)) then exists_{?g : floor} [ABOVE(?g, ?f) ^ at(?l, ?g)]
			else at(?l, ?f);
		waits'(?g) = waits(?g) ^ ~(exists_{?l : lift} [board(?g, ?l)]);
		rides'(?g, ?l) = board(?g, ?l) | (rides(?g, ?l) ^ ~leave(?g, ?l));
	};
	reward = -(sum_{?g : guest} waits(?g)) - (sum_{?g : guest, ?l : lift} rides(?g, ?l)) - (sum_{?l : lift} [up(?l) + down(?l)]);
	action-preconditions {
		forall_{?l : lift} [~(up(?l) ^ down(?l))];
		forall_{?l : lift, ?f : floor} [(up(?l) ^ at(?l, ?f)) => exists_{?g : floor} [ABOVE(?g, ?f)]];
		forall_{?l : lift, ?f : floor} [(down(?l) ^ at(?l, ?f)) => exists_{?g : floor} [ABOVE(?f, ?g)]];
		forall_{?g : guest, ?l : lift} [board(?g, ?l) => waits(?g)];
		forall_{?g : guest} [(sum_{?l : lift} board(?g, ?l)) <= 1];
		forall_{?g : guest, ?l : lift, ?f : floor} [(FROM(?g, ?f) ^ board(?g, ?l)) => (at(?l, ?f) ^ ~up(?l) ^ ~down(?l))];
		forall_{?g : guest, ?l : lift, ?f : floor} [(TO(?g, ?f) ^ leave(?g, ?l)) => (rides(?g, ?l) ^ at(?l, ?f) ^ ~up(?l) ^ ~down(?l))];
		forall_{?l : lift} [((sum_{?g : guest} rides(?g, ?l)) + (sum_{?g : guest} board(?g, ?l)) - (sum_{?g : guest} leave(?g, ?l))) <= SEATS];
	};
}
`

// lifts draws where guests wait and want to go.
func lifts(o *options) (*files, error) {
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
	objects := fmt.Sprintf("lift : { %s }; floor : { %s }; guest : { %s };", strings.Join(cabins, ", "), strings.Join(floors, ", "), strings.Join(guests, ", "))
	text := instanceText("lifts", objects, nf, strings.Join(initial, " "), o.h)
	return &files{liftsDomain, text, taskFile("", o.h)}, nil
}

func warehouseFlags(s *flag.FlagSet, o *options) {
	s.IntVar(&o.n, "n", 2, "robots")
	s.IntVar(&o.k, "k", 3, "goods")
	s.IntVar(&o.size, "size", 10, "places")
	s.IntVar(&o.loops, "loops", 3, "ways beside those of a tree")
}

const warehouseDomain = `// Robots carry goods to their desks along the ways of a warehouse, one thing
// each. No two are ever at one place, and no two change places.
domain warehouse {
	types { robot : object; place : object; good : object; };
	pvariables {
		WAY(place, place) : { non-fluent, bool, default = false };
		DESK(good, place) : { non-fluent, bool, default = false };
		at(robot, place)    : { state-fluent, bool, default = false };
		lies(good, place)   : { state-fluent, bool, default = false };
		has(robot, good)    : { state-fluent, bool, default = false };
		home(good)          : { state-fluent, bool, default = false };
		go(robot, place)    : { action-fluent, bool, default = false };
		take(robot, good)   : { action-fluent, bool, default = false };
		give(robot, good)   : { action-fluent, bool, default = false };
	};
	cpfs {
		at'(?r, ?p) = go(?r, ?p) | (at(?r, ?p) ^ ~(exists_{?q : place} [go(?r, ?q)]));
		lies'(?g, ?p) = lies(?g, ?p) ^ ~(exists_{?r : robot} [take(?r, ?g)]);
		has'(?r, ?g) = take(?r, ?g) | (has(?r, ?g) ^ ~give(?r, ?g));
		home'(?g) = home(?g) | (exists_{?r : robot} [give(?r, ?g)]);
	};
	reward = -(sum_{?g : good} [~home(?g)]) - (sum_{?r : robot, ?p : place} go(?r, ?p));
	action-preconditions {
		forall_{?r : robot} [((sum_{?p : place} go(?r, ?p)) + (sum_{?g : good} take(?r, ?g)) + (sum_{?g : good} give(?r, ?g))) <= 1];
		forall_{?r : robot, ?p : place} [go(?r, ?p) => exists_{?q : place} [at(?r, ?q) ^ WAY(?q, ?p)]];
		forall_{?r : robot, ?g : good} [take(?r, ?g) => exists_{?p : place} [at(?r, ?p) ^ lies(?g, ?p)]];
		forall_{?r : robot, ?g : good, ?h : good} [take(?r, ?g) => ~has(?r, ?h)];
		forall_{?g : good} [(sum_{?r : robot} take(?r, ?g)) <= 1];
		forall_{?r : robot, ?g : good} [give(?r, ?g) => (has(?r, ?g) ^ (exists_{?p : place} [at(?r, ?p) ^ DESK(?g, ?p)]))];
		forall_{?r : robot, ?s : robot, ?p : place, ?q : place} [(?r ~= ?s ^ WAY(?p, ?q)) => ~(at(?r, ?p) ^ go(?r, ?q) ^ at(?s, ?q) ^ go(?s, ?p))];
	};
	state-invariants {
		forall_{?p : place} [(sum_{?r : robot} at(?r, ?p)) <= 1];
	};
}
`

// warehouse draws a tree of places with some more ways, and where everything is.
func warehouse(o *options) (*files, error) {
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
	objects := fmt.Sprintf("robot : { %s }; place : { %s }; good : { %s };", strings.Join(robots, ", "), strings.Join(places, ", "), strings.Join(goods, ", "))
	text := instanceText("warehouse", objects, nf, strings.Join(initial, " "), o.h)
	return &files{warehouseDomain, text, taskFile("", o.h)}, nil
}
