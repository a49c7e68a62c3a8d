package rddl

import (
	"bytes"
	"fmt"
	"testing"
)

// BenchmarkNonFluents reads and checks 90,000 values of a non-fluent.
func BenchmarkNonFluents(b *testing.B) {
	var src bytes.Buffer
	fmt.Fprint(&src, `domain m { types { x : object; }; pvariables { W(x, x) : { non-fluent, real, default = 0.0 }; p(x) : { state-fluent, bool, default = false }; };
	cpfs { p'(?x) = p(?x); }; reward = sum_{?x : x, ?y : x} W(?x, ?y); }
	non-fluents nf { domain = m; objects { x : {o0`)
	const n = 300
	for i := 1; i < n; i++ {
		fmt.Fprintf(&src, ", o%d", i)
	}
	fmt.Fprint(&src, "}; }; non-fluents {\n")
	for i := range n * n {
		fmt.Fprintf(&src, "W(o%d, o%d) = %d.25;\n", i/n, i%n, i)
	}
	fmt.Fprint(&src, "}; }\ninstance i { domain = m; non-fluents = nf; horizon = 5; discount = 1.0; }")
	b.SetBytes(int64(src.Len()))
	for b.Loop() {
		f, err := Parse("m.rddl", src.Bytes())
		if err != nil {
			b.Fatal(err)
		}
		if p, err := CheckAll(f); err != nil || len(p) != 1 {
			b.Fatal(p, err)
		}
	}
}
