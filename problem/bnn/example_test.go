package bnn_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/fdplan/fdplan/problem/bnn"
)

// Example runs a network of one unit, active when two of its three inputs agree
// with their weights, and writes it to a file.
func Example() {
	net := &bnn.Network{Layers: []bnn.Layer{{Inputs: 3, Weights: []int8{1, 1, -1}, Thresholds: []int32{2}}}}
	if err := net.Check(); err != nil {
		log.Fatal(err)
	}
	e := bnn.NewEvaluator(net)
	out, scratch := make([]uint64, 1), e.NewScratch()
	for _, in := range []uint64{0b000, 0b001, 0b101, 0b111} { // bit i is input i
		e.Forward(out, []uint64{in}, scratch)
		fmt.Printf("%03b: %d\n", in, out[0])
	}
	var text strings.Builder
	if err := bnn.WriteFile(&text, &bnn.File{Network: net, Inputs: []string{"a", "b", "c"}, Outputs: []string{"a"}}); err != nil {
		log.Fatal(err)
	}
	fmt.Print(text.String())
	// Output:
	// 000: 0
	// 001: 1
	// 101: 0
	// 111: 1
	// fdplan-network 1
	// input a
	// input b
	// input c
	// output a
	// layer 3 1
	// 2 ++-
	// checksum crc32c 462b13c5
}
