package report

import (
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"
)

// TestStale: files from a larger journal that the present one lacks are stale, and nothing
// else is.
func TestStale(t *testing.T) {
	_, large := files(t, sample(t))
	small, few := files(t, &Journal{})
	dir := fstest.MapFS{}
	var want []string
	for name, text := range large {
		dir[name] = &fstest.MapFile{Data: text}
		if few[name] == nil {
			want = append(want, name)
		}
	}
	slices.Sort(want)
	for _, name := range []string{"journal.jsonl", "tables/mine.csv", "figures/mine.svg", "figures/reach.png", "figures/figure1-x.svg", "figures/figure1-01.svg", "figures/reach-1.svg",
		"networks/tables/reach.csv", "size.svg"} {
		dir[name] = &fstest.MapFile{}
	}
	// Names of ours that are no files.
	dir["figures/figure1-8.svg"] = &fstest.MapFile{Mode: fs.ModeDir}
	dir["figures/figure1-9.svg"] = &fstest.MapFile{}
	dir["figures/figure2-encodings.svg"] = &fstest.MapFile{}
	want = append(want, "figures/figure1-9.svg", "figures/figure2-encodings.svg")
	got, err := small.Stale(dir)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("stale are %q, expected %q", got, want)
	}
	for _, name := range []string{"tables/contradictions.csv", "figures/size.svg", "figures/figure1-2.svg"} {
		if !slices.Contains(got, name) {
			t.Errorf("%s is not stale", name)
		}
	}
	whole, _ := files(t, sample(t))
	delete(dir, "figures/figure1-9.svg")
	delete(dir, "figures/figure2-encodings.svg")
	if got, err := whole.Stale(dir); err != nil || len(got) > 0 {
		t.Errorf("of its own files %q are stale, %v", got, err)
	}
	if got, err := small.Stale(fstest.MapFS{}); err != nil || len(got) > 0 {
		t.Errorf("an empty folder has %q, %v", got, err)
	}
}
