package dataset

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// same compares numbers, NaN being equal to itself.
func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// TestRewards writes rewards in each format, some of them unknown, reads them back, and adds
// rows without rewards where a file can grow.
func TestRewards(t *testing.T) {
	smallGroups(t)
	for _, ext := range []string{".csv", ".parquet", ".npz"} {
		for _, rows := range []int{1, 100, rowGroup + 3} {
			want := sampleData(t, rows)
			for i := range rows {
				y := float64(i%7) - 2.5
				if i%5 == 4 {
					y = math.NaN()
				}
				want.Rewards = append(want.Rewards, y)
			}
			name := filepath.Join(t.TempDir(), "data"+ext)
			if err := Write(name, want); err != nil {
				t.Fatal(ext, rows, err)
			}
			got, err := ReadAs(name, want.Schema)
			if err != nil || !slices.EqualFunc(got.Rewards, want.Rewards, same) || !slices.Equal(valuesOf(got), valuesOf(want)) {
				t.Fatalf("%s: the rewards of %d rows do not come back: %v", ext, rows, err)
			}
			a, err := Append(name, want.Schema)
			if err == nil {
				err = a.WriteRows(want.Row(0))
			}
			if err == nil {
				err = a.Close()
			}
			if err != nil {
				t.Fatal(ext, rows, err)
			}
			if got, err = ReadAs(name, want.Schema); err != nil || !slices.EqualFunc(got.Rewards, append(want.Rewards, math.NaN()), same) {
				t.Errorf("%s: the rewards of %d rows and one more do not come back: %v", ext, rows, err)
			}
		}
	}
}

// TestAppendRewards adds rows with and without rewards: a file without a column of rewards gains
// one with the first.
func TestAppendRewards(t *testing.T) {
	row := []float64{0, 3, 1, 1, 1, 3}
	unknown := math.NaN()
	for _, ext := range []string{".csv", ".parquet", ".npz"} {
		for _, parts := range [][][]float64{ // rewards of single rows, by opening
			{{1, 2}, {3}}, {{unknown}, {2.5, unknown}, {unknown}, {-1}}, {{}, {1}}, {{unknown, 1}},
		} {
			name := filepath.Join(t.TempDir(), "d"+ext)
			var want []float64
			for _, part := range parts {
				a, err := Append(name, switches(t))
				if err != nil {
					t.Fatal(ext, parts, err)
				}
				for _, y := range part {
					want = append(want, y)
					if err := a.WriteRewarded(row, []float64{y}); err != nil {
						t.Fatal(ext, parts, err)
					}
				}
				if err := a.Close(); err != nil {
					t.Fatal(ext, parts, err)
				}
			}
			d, err := ReadAs(name, switches(t))
			if err != nil || d.Rows != len(want) || !slices.EqualFunc(d.Rewards, want, same) {
				t.Errorf("%s %v: got %v, %v", ext, parts, d, err)
			}
		}
	}
}

// TestRewardFaults: a reward is a number.
func TestRewardFaults(t *testing.T) {
	for _, ext := range []string{".parquet", ".npz"} {
		d := sampleData(t, 3)
		d.Rewards = []float64{1, math.Inf(1), 2}
		name := filepath.Join(t.TempDir(), "data"+ext)
		if err := Write(name, d); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(name); err == nil || !strings.Contains(err.Error(), "row 2, column reward: +Inf, expected a number") {
			t.Errorf("%s: %v", ext, err)
		}
	}
}

// TestFluentReward: a fluent of the name reward is no reward of steps.
func TestFluentReward(t *testing.T) {
	s, err := NewSchema("", []Column{{Name: "reward", Type: Int, Bounded: true, Hi: 9}}, []Column{{Name: "go", Type: Bool}})
	if err != nil {
		t.Fatal(err)
	}
	d := NewData(s, []float64{1, 0, 2, 2, 1, 3})
	d.Rewards = []float64{5, 6}
	for _, ext := range []string{".csv", ".parquet", ".npz"} {
		name := filepath.Join(t.TempDir(), "data"+ext)
		if err := Write(name, d); err != nil {
			t.Fatal(err)
		}
		got, err := ReadAs(name, s)
		if err != nil || got.Rewards != nil || !slices.Equal(valuesOf(got), valuesOf(d)) {
			t.Errorf("%s: %+v, %v", ext, got, err)
		}
	}
}
