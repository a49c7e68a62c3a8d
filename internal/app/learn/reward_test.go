package learn

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/data/dataset"
	"github.com/fdplan/fdplan/internal/learn/collect"
	"github.com/fdplan/fdplan/internal/learn/train"
)

// jsonLines writes a data set as a log of JSON objects.
func jsonLines(d *dataset.Data) []byte {
	var b bytes.Buffer
	for i := range d.Rows {
		b.WriteString("{")
		for k, v := range d.Row(i) {
			c := &d.Schema.Columns[k]
			if c.Type == dataset.Bool {
				fmt.Fprintf(&b, "%q: %v, ", c.Name, v != 0)
			} else {
				fmt.Fprintf(&b, "%q: %v, ", c.Name, v)
			}
		}
		fmt.Fprintf(&b, "\"reward\": %v}\n", d.Rewards[i])
	}
	return b.Bytes()
}

// TestRewardFormats learns the reward of a shop from each format of data, with one row whose
// reward is wrong and one that is there twice, with another reward.
func TestRewardFormats(t *testing.T) {
	p, err := load.Load(context.Background(), load.Ref{Name: "../../../examples/two-product/task.toml", Untrained: true})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Columns(p)
	if err != nil {
		t.Fatal(err)
	}
	d, err := dataset.ReadAs(collected(t, p, collect.Options{Rows: 200, Policy: collect.Restart, Seed: 1}), s)
	if err != nil {
		t.Fatal(err)
	}
	at := func(row int, name string) float64 {
		i := slices.IndexFunc(s.Columns, func(c dataset.Column) bool { return c.Name == name })
		return d.Row(row)[i]
	}
	for i := range d.Rows {
		d.Rewards = append(d.Rewards, 2.5*at(i, "stock(milk)")-3*at(i, "order(bread)")*at(i, "order(milk)")-1)
	}
	d.Rewards[6]++ // row 7
	var values []float64
	for i := range d.Rows {
		values = append(values, d.Row(i)...)
	}
	rewards := append(d.Rewards, d.Rewards[10]-20)
	d = dataset.NewData(s, append(values, d.Row(10)...))
	d.Rewards = rewards
	for _, ext := range []string{".csv", ".parquet", ".npz", ".jsonl"} {
		name := filepath.Join(t.TempDir(), "rows"+ext)
		if ext == ".jsonl" {
			err = os.WriteFile(name, jsonLines(d), 0o600)
		} else {
			err = dataset.Write(name, d)
		}
		if err != nil {
			t.Fatal(err)
		}
		res, err := Train(context.Background(), p, name, Training{Recipe: RecipeStructure, LearnReward: true, Config: train.Config{Threads: 1}})
		if err != nil {
			t.Fatalf("%s: %v", ext, err)
		}
		first := int32(0)
		if ext == ".csv" {
			first = 1 // the header
		}
		r := res.Reward
		if r == nil || r.Reward != "2.5*stock(milk) - 3*(order(bread) ^ order(milk)) - 1" || !r.Exact || r.Rows != 201 ||
			!slices.Equal(r.WrongLines, []int32{7 + first, 201 + first}) || !slices.Contains(r.Contradictory, 201+first) {
			t.Errorf("%s: %+v", ext, r)
		}
	}
}
