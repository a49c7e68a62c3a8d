package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// drawn is a value of each object: a non-fluent, or where the state begins.
type drawn struct {
	name        string
	least, most int
}

// operation makes the instances of a family that has one kind of object with values that are drawn.
type operation struct {
	name, kind     string
	facts, initial []drawn
	ranges         []string
	more           func(o *options, r *rand.Rand, names []string, x *instance) // what else there is
}

func (f *operation) build(o *options) (*instance, error) {
	if o.n < 2 {
		return nil, fmt.Errorf("-n is %d; expected two or more", o.n)
	}
	r, names := draw(o), numbered(f.kind[:1], o.n)
	x := &instance{kinds: []kind{{f.kind, names}}, ranges: f.ranges}
	for _, name := range names {
		values := func(list []drawn) string {
			var b strings.Builder
			for _, d := range list {
				fmt.Fprintf(&b, "%s(%s) = %d; ", d.name, name, d.least+r.IntN(d.most-d.least+1))
			}
			return strings.TrimSpace(b.String())
		}
		x.facts, x.initial = append(x.facts, values(f.facts)), append(x.initial, values(f.initial))
	}
	if f.more != nil {
		f.more(o, r, names, x)
	}
	return x, nil
}

// operations are families in which sums over all objects decide what is next and what it costs.
var operations = []operation{
	{
		name:    "staff",
		kind:    "dept",
		facts:   []drawn{{"NEED0", 0, 5}, {"NEED1", 0, 5}, {"WAGE", 1, 3}, {"MISS", 5, 9}},
		initial: []drawn{{"skilled", 1, 3}},
		ranges:  []string{"skilled = [0, 8]", "trainee = [0, 3]", "pool = [0, 40]", "week = [0, 5]", "hire = [0, 3]", "fire = [0, 3]"},
		more: func(o *options, _ *rand.Rand, _ []string, x *instance) {
			x.initial = append(x.initial, fmt.Sprintf("pool = %d;", min(o.n+3, 40)))
		},
	},
	{
		name:    "lots",
		kind:    "product",
		facts:   []drawn{{"DEMAND", 1, 3}, {"RATE", 2, 5}, {"HOLD", 1, 2}},
		initial: []drawn{{"stock", 1, 4}},
		ranges:  []string{"stock = [0, 12]", "clock = [0, 3]"},
		more: func(_ *options, r *rand.Rand, names []string, x *instance) {
			for _, p := range names {
				period := 2 + r.IntN(3)
				x.facts = append(x.facts, fmt.Sprintf("PERIOD(%s) = %d;", p, period))
				x.initial = append(x.initial, fmt.Sprintf("clock(%s) = %d;", p, r.IntN(period)))
			}
			x.initial = append(x.initial, fmt.Sprintf("ready(%s);", names[0]))
		},
	},
	{
		name:    "rivers",
		kind:    "reservoir",
		facts:   []drawn{{"INFLOW", 0, 2}, {"CAP", 6, 12}, {"HEAD", 1, 3}, {"MOST", 2, 4}},
		initial: []drawn{{"level", 2, 6}},
		ranges:  []string{"level = [0, 14]", "transit = [0, 4]", "hour = [0, 7]", "release = [0, 4]"},
		more: func(_ *options, r *rand.Rand, names []string, x *instance) {
			for i, name := range names[1:] { // into which one of the two before flows
				x.facts = append(x.facts, fmt.Sprintf("FROM(%s, %s);", names[max(0, i-r.IntN(2))], name))
			}
		},
	},
	{
		name:    "heating",
		kind:    "building",
		facts:   []drawn{{"LOSS", 1, 2}, {"GAIN", 2, 4}, {"COMFORT", 4, 8}},
		initial: []drawn{{"temp", 3, 8}},
		ranges:  []string{"temp = [0, 12]", "tank = [0, 20]", "hour = [0, 5]", "valve = [0, 2]", "boiler = [0, 7]"},
	},
	{
		name:    "wards",
		kind:    "class",
		facts:   []drawn{{"COME0", 0, 2}, {"COME1", 0, 1}, {"NURSES", 1, 3}, {"PAIN", 1, 4}},
		initial: []drawn{{"waiting", 0, 3}},
		ranges:  []string{"waiting = [0, 7]", "new = [0, 3]", "old = [0, 3]", "admit = [0, 3]"},
		more: func(o *options, _ *rand.Rand, _ []string, x *instance) {
			x.facts = append(x.facts, fmt.Sprintf("BEDS = %d; STAFF = %d;", 3*o.n/2+2, 2*o.n))
		},
	},
	{
		name:    "fleet",
		kind:    "plane",
		facts:   []drawn{{"LIMIT", 4, 7}, {"LENGTH", 1, 3}, {"SEATS", 1, 3}},
		initial: []drawn{{"hours", 0, 4}},
		ranges:  []string{"hours = [0, 7]", "left = [0, 3]", "day = [0, 6]"},
		more: func(o *options, _ *rand.Rand, _ []string, x *instance) {
			x.facts = append(x.facts, fmt.Sprintf("HANGAR = %d; WANT0 = %d; WANT1 = %d;", max(1, o.n/5), o.n, o.n*17/10))
		},
	},
	{
		name:    "depot",
		kind:    "car",
		facts:   []drawn{{"CAP", 6, 12}, {"LEAVE", 6, 20}, {"NEED", 3, 6}},
		initial: []drawn{{"soc", 0, 3}},
		ranges:  []string{"soc = [0, 12]", "clock = [0, 31]", "charge = [0, 2]"},
		more: func(o *options, _ *rand.Rand, _ []string, x *instance) {
			x.facts = append(x.facts, fmt.Sprintf("GRID = %d;", o.n))
		},
	},
	{
		name:    "canal",
		kind:    "field",
		facts:   []drawn{{"DRY", 0, 2}, {"YIELD", 1, 6}},
		initial: []drawn{{"moist", 0, 3}},
		ranges:  []string{"dam = [0, 15]", "moist = [0, 5]", "release = [0, 3]"},
		more: func(_ *options, _ *rand.Rand, names []string, x *instance) {
			for i, name := range names {
				for _, before := range names[:i] {
					x.facts = append(x.facts, fmt.Sprintf("BEFORE(%s, %s);", before, name))
				}
			}
		},
	},
	{
		name:    "rations",
		kind:    "camp",
		facts:   []drawn{{"NEED0", 0, 1}, {"NEED1", 0, 1}, {"HARM", 1, 6}},
		initial: []drawn{{"lack", 0, 3}},
		ranges:  []string{"depot = [0, 20]", "lack = [0, 5]", "send = [0, 6]", "buy = [0, 6]"},
		more: func(_ *options, _ *rand.Rand, names []string, x *instance) {
			x.facts = append(x.facts, fmt.Sprintf("FIRST(%s);", names[0]))
			for i, name := range names[1:] {
				x.facts = append(x.facts, fmt.Sprintf("AFTER(%s, %s);", names[i], name))
			}
		},
	},
	{
		name:   "calls",
		kind:   "agent",
		facts:  []drawn{{"SPEED", 1, 2}, {"WAGE", 1, 2}},
		ranges: []string{"hour = [0, 5]", "waiting = [0, 9]", "since = [0, 6]"},
		more: func(o *options, r *rand.Rand, names []string, x *instance) {
			queues := numbered("q", max(2, o.n/2))
			x.kinds = append(x.kinds, kind{"queue", queues})
			for i, q := range queues {
				x.facts = append(x.facts, fmt.Sprintf("COME0(%s) = %d; COME1(%s) = %d; WAIT(%s) = %d;", q, r.IntN(2), q, r.IntN(3), q, 1+r.IntN(3)))
				x.initial = append(x.initial, fmt.Sprintf("waiting(%s) = %d;", q, r.IntN(4)))
				for k, name := range names {
					if k%len(queues) == i || r.IntN(3) == 0 {
						x.facts = append(x.facts, fmt.Sprintf("KNOWS(%s, %s);", name, q))
					}
				}
			}
		},
	},
	{
		name:    "turbines",
		kind:    "turbine",
		facts:   []drawn{{"LIFE", 3, 7}},
		initial: []drawn{{"age", 0, 3}},
		ranges:  []string{"day = [0, 6]", "age = [0, 7]", "spares = [0, 8]", "way = [0, 2]", "order = [0, 2]"},
		more: func(o *options, r *rand.Rand, names []string, x *instance) {
			boats := numbered("b", max(2, o.n/6))
			x.kinds = append(x.kinds, kind{"boat", boats})
			x.facts = append(x.facts, fmt.Sprintf("FAST(%s); ROOM = %d;", boats[0], max(2, o.n/5)))
			for _, name := range names {
				if r.IntN(3) == 0 {
					x.facts = append(x.facts, fmt.Sprintf("FAR(%s);", name))
				}
			}
		},
	},
	{
		name:    "crews",
		kind:    "job",
		facts:   []drawn{{"FINE", 1, 6}},
		initial: []drawn{{"todo", 1, 5}},
		ranges:  []string{"todo = [0, 5]"},
		more: func(o *options, r *rand.Rand, names []string, x *instance) {
			crews := numbered("c", max(2, o.n/3))
			x.kinds = append(x.kinds, kind{"crew", crews})
			x.ranges = append(x.ranges, fmt.Sprintf("hour = [0, %d]", o.h))
			for i, c := range crews {
				x.facts = append(x.facts, fmt.Sprintf("COMES(%s) = %d;", c, r.IntN(1+o.h/2)))
				for k, name := range names {
					if k%len(crews) == i || r.IntN(2) == 0 {
						x.facts = append(x.facts, fmt.Sprintf("SKILL(%s, %s); RATE(%s, %s) = %d;", c, name, c, name, 1+r.IntN(2)))
					}
				}
			}
			for _, name := range names {
				x.facts = append(x.facts, fmt.Sprintf("DUE(%s) = %d;", name, 2+r.IntN(max(1, o.h*2/3))))
			}
		},
	},
}

// operationFamilies are these families as the others are.
func operationFamilies() (out []family) {
	for i := range operations {
		f := &operations[i]
		out = append(out, family{f.name, []option{{"n", 6, f.kind + " objects"}}, f.build})
	}
	return out
}
