// Command functions compares ways to learn Boolean functions from noise-free rows: the
// structure recipe, the dense recipe and a decision tree. It prints a Markdown table of the
// accuracy on as many rows that were held out:
//
//	go run -C examples ./functions -rows 6400 -epochs 30
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/fdplan/fdplan/internal/learn/structure"
	"github.com/fdplan/fdplan/internal/learn/synthesis"
	"github.com/fdplan/fdplan/internal/learn/train"
	"github.com/fdplan/fdplan/problem/bnn"
)

func main() {
	rows := flag.Int("rows", 6400, "rows to learn from, and rows held out")
	epochs := flag.Int("epochs", 30, "epochs of the dense recipe; 0 leaves it out")
	threads := flag.Int("threads", 1, "threads")
	kind := flag.String("kind", "", "only functions of this kind")
	flag.Parse()
	fmt.Println("| function | inputs | structure, % | edges | dense, % | edges | decision tree, % |\n| --- | --- | --- | --- | --- | --- | --- |")
	for _, f := range functions() {
		if *kind != "" && f.kind != *kind {
			continue
		}
		r, err := compare(context.Background(), &f, *rows, *epochs, *threads)
		if err != nil {
			fmt.Fprintf(os.Stderr, "functions: %s %s: %v\n", f.kind, f.name, err)
			os.Exit(1)
		}
		dense, edges := "", ""
		if r.dense.net != nil {
			dense, edges = percent(r.dense.accuracy), fmt.Sprint(r.dense.net.Edges())
		}
		fmt.Printf("| %s, %s | %d | %s | %d | %s | %s | %s |\n", f.kind, f.name, f.inputs, percent(r.structure.accuracy), r.structure.net.Edges(), dense, edges, percent(r.tree))
	}
}

func percent(x float64) string { return fmt.Sprintf("%.2f", 100*x) }

// learned is a network and its accuracy on the rows held out.
type learned struct {
	net      *bnn.Network
	accuracy float64
}

type result struct {
	structure, dense learned
	tree             float64
}

// compare learns a function in each way.
func compare(ctx context.Context, f *function, rows, epochs, threads int) (r result, err error) {
	seen, held := draw(f, rows, 1), draw(f, rows, 2)
	if r.structure.net, err = byStructure(ctx, f, seen, threads); err != nil {
		return r, err
	}
	if r.structure.accuracy, err = accuracy(r.structure.net, held); err != nil {
		return r, err
	}
	if epochs > 0 {
		res, err := train.Run(ctx, train.Config{Hidden: []int{128, 128}, Epochs: epochs, Seed: 1, Threads: threads}, examples(seen), train.Options{})
		if err != nil {
			return r, err
		}
		r.dense.net = res.Network
		if r.dense.accuracy, err = accuracy(res.Network, held); err != nil {
			return r, err
		}
	}
	all := make([]int, rows)
	for i := range all {
		all[i] = i
	}
	tree, right := cart(seen, all), 0
	for i, x := range held.in {
		if tree.eval(x) == held.out[i] {
			right++
		}
	}
	r.tree = float64(right) / float64(rows)
	return r, nil
}

// byStructure finds the inputs and builds the network.
func byStructure(ctx context.Context, f *function, s *sample, threads int) (*bnn.Network, error) {
	t := structure.NewTable(f.inputs, 1, f.groups)
	for i, x := range s.in {
		in := make([]uint64, bnn.Words(f.inputs))
		for b, v := range x {
			in[b/64] |= uint64(v) << (b % 64)
		}
		out := []uint64{0}
		if s.out[i] {
			out[0] = 1
		}
		t.Add(in, out, nil, nil)
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	st, err := structure.Learn(ctx, t, structure.Options{Seed: 1, Threads: threads, Sums: true})
	if err != nil {
		return nil, err
	}
	return synthesis.Network(ctx, f.inputs, synthesis.Describe(t, st, false), synthesis.Options{Seed: 1, Threads: threads, Effort: 100})
}

// examples are the rows as package train has them.
func examples(s *sample) *train.Examples {
	b := train.NewBuilder(len(s.in[0]), 1)
	in := make([]bool, len(s.in[0]))
	for i, x := range s.in {
		for k, v := range x {
			in[k] = v == 1
		}
		b.Add(in, []bool{s.out[i]})
	}
	return b.Examples()
}

// accuracy is the share of rows that a network is right on.
func accuracy(net *bnn.Network, s *sample) (float64, error) {
	m, err := train.Test(net, examples(s))
	if err != nil {
		return 0, err
	}
	return 1 - m.RowError(), nil
}
