package rawlog

import (
	"math"
	"slices"
)

// The names of columns that number episodes, without signs. Exports of event logs call an episode
// a case (XES: case:concept:name).
var episodeNames = []string{
	"episode", "episodeid", "episodeindex", "episodenumber", "trajectory", "trajectoryid", "trajid",
	"caseid", "casenumber", "case:concept:name", "traceid", "runid", "sessionid", "rolloutid",
}

// shortNames may also name a state, such as a machine that is to run. They name episodes where
// each value is one block of rows.
var shortNames = []string{"case", "trace", "run", "session", "rollout", "ep", "traj"}

// namesEpisodes reports whether a column names the episode of each row, by its name.
func (c *Column) namesEpisodes() bool {
	name := letters(c.Name)
	return slices.Contains(episodeNames, name) || slices.Contains(shortNames, name) && c.inBlocks()
}

// inBlocks reports whether the rows of each value stand together, with two rows each on average.
func (c *Column) inBlocks() bool {
	seen := map[uint64]bool{}
	n := c.cells.rows
	for i := range n {
		cell := c.cells.at(i)
		if i > 0 && cell == c.cells.at(i-1) {
			continue
		}
		if cell == missing || seen[cell] || 2*len(seen) >= n {
			return false
		}
		seen[cell] = true
	}
	return len(seen) > 1
}

// changesAtEnds reports whether a column of whole numbers has one for each episode: it rises after the rows that end one, and nowhere else.
func (t *Table) changesAtEnds(c *Column, ends []string) bool {
	over := t.ending(ends)
	starts, last := []int{0}, math.Inf(-1)
	for i := range t.Rows() {
		x, ok := c.Number(i)
		if !ok || x != math.Trunc(x) || x < last {
			return false
		}
		if last = x; i > 0 && over(i-1) {
			starts = append(starts, i)
		}
	}
	return len(starts) > leastEnds && t.changesAt(c, starts)
}

// leastStays is how many rows of an episode come after another one of it, at least, for their values to tell that a column stays as it is.
const leastStays = 20

// StaysFor reports whether a column has one value in each episode, and several in all. Episodes are named by a column, or follow rows that end one.
func (t *Table) StaysFor(c *Column, episode string, ends []string) bool {
	if episode == "" && len(ends) == 0 {
		return false
	}
	over := t.ending(ends)
	same := func(i int) bool { return !over(i - 1) }
	if episode != "" {
		ids := &t.Columns[t.Column(episode)]
		same = func(i int) bool { return ids.cells.at(i) == ids.cells.at(i-1) }
	}
	stays, values := 0, map[uint64]bool{}
	for i := range t.Rows() {
		cell := c.cells.at(i)
		if values[cell] = true; cell == missing {
			return false
		}
		if i > 0 && same(i) {
			if stays++; cell != c.cells.at(i-1) {
				return false
			}
		}
	}
	return len(values) > 1 && stays >= leastStays
}
