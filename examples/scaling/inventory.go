package main

import (
	"flag"
	"fmt"
	"strings"
)

func inventoryFlags(s *flag.FlagSet, o *options) {
	s.IntVar(&o.n, "n", 10, "products")
	s.IntVar(&o.truck, "truck", 8, "cost of a step in which anything is ordered")
}

const inventoryDomain = `// Products are ordered in lots, which one truck brings before the day's demand
// is met. Orders fill the truck, stock the store; both are paid.
domain inventory {
	types { product : object; day : object; };
	pvariables {
		NEXT(day, day)       : { non-fluent, bool, default = false };
		DEMAND(product, day) : { non-fluent, int, default = 0 };
		LOT(product)    : { non-fluent, int, default = 2 };
		PRICE(product)  : { non-fluent, int, default = 3 };
		HOLD(product)   : { non-fluent, int, default = 1 };
		VOLUME(product) : { non-fluent, int, default = 1 };
		ROOM(product)   : { non-fluent, int, default = 1 };
		TRUCK : { non-fluent, int, default = 0 };
		LOAD  : { non-fluent, int, default = 10 };
		STORE : { non-fluent, int, default = 20 };
		stock(product) : { state-fluent, int, default = 2 };
		today(day)     : { state-fluent, bool, default = false };
		lots(product)  : { action-fluent, int, default = 0 };
	};
	cpfs {
		stock'(?p) = stock(?p) + LOT(?p) * lots(?p) - (sum_{?d : day} [DEMAND(?p, ?d) * today(?d)]);
		today'(?d) = exists_{?e : day} [today(?e) ^ NEXT(?e, ?d)];
	};
	reward = -(sum_{?p : product} [PRICE(?p) * lots(?p) + HOLD(?p) * stock'(?p)])
		- TRUCK * (exists_{?p : product} [lots(?p) > 0]);
	action-preconditions {
		(sum_{?p : product} [VOLUME(?p) * lots(?p)]) <= LOAD;
	};
	state-invariants {
		(sum_{?p : product} [ROOM(?p) * stock(?p)]) <= STORE;
	};
}
`

// inventory draws volumes, demands and prices; three days make a period.
func inventory(o *options) (*files, error) {
	r := draw(o)
	var names, nf []string
	load, store := 0, 0
	for p := range o.n {
		name := fmt.Sprintf("p%d", p+1)
		names = append(names, name)
		volume, room := 1+r.IntN(3), 1+r.IntN(3)
		nf = append(nf, fmt.Sprintf("VOLUME(%s) = %d; ROOM(%s) = %d; PRICE(%s) = %d; HOLD(%s) = %d;", name, volume, name, room, name, 2+r.IntN(4), name, 1+r.IntN(2)))
		sum := 0
		for d := range 3 {
			n := r.IntN(3)
			sum += n
			nf = append(nf, fmt.Sprintf("DEMAND(%s, d%d) = %d;", name, d+1, n))
		}
		load += volume * (sum + 1)
		store += room * 3
	}
	// Three days' demand in lots of two, a little more than one step's share.
	load = max(load/6+3, 6)
	var b strings.Builder
	fmt.Fprintf(&b, "non-fluents nf {\n\tdomain = inventory;\n\tobjects { product : { %s }; day : { d1, d2, d3 }; };\n", strings.Join(names, ", "))
	fmt.Fprintf(&b, "\tnon-fluents {\n\t\tNEXT(d1, d2); NEXT(d2, d3); NEXT(d3, d1);\n\t\tTRUCK = %d; LOAD = %d; STORE = %d;\n", o.truck, load, store)
	for _, s := range nf {
		fmt.Fprintf(&b, "\t\t%s\n", s)
	}
	fmt.Fprintf(&b, "\t};\n}\n\ninstance scaling {\n\tdomain = inventory;\n\tnon-fluents = nf;\n\tinit-state { today(d1); };\n\tmax-nondef-actions = pos-inf;\n\thorizon = %d;\n\tdiscount = 1.0;\n}\n", o.h)
	return &files{inventoryDomain, b.String(), taskFile("", o.h, "stock = [0, 7]", "lots = [0, 2]")}, nil
}
