package rawlog

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// RewardColumn is the name of the column that has the reward of each step.
const RewardColumn = "reward"

// AddReward appends the column RewardColumn, a sum of columns times weights. It is missing in rows in which one of these is.
func (t *Table) AddReward(weights map[string]float64) error {
	names := slices.Sorted(maps.Keys(weights))
	var columns []*Column
	for _, name := range names {
		i := t.Column(name)
		if i < 0 {
			return fmt.Errorf("the reward counts column %s; the columns of %s are %s%s", name, t.File, strings.Join(t.names(), ", "), t.hint(name))
		}
		columns = append(columns, &t.Columns[i])
	}
	reward := Column{Name: RewardColumn}
	for i := range t.Rows() {
		sum, all := 0.0, true
		for k, c := range columns {
			x, ok := c.Number(i)
			sum, all = sum+weights[names[k]]*x, all && ok
		}
		if all {
			reward.addNumber(sum)
		} else {
			reward.addMissing()
		}
	}
	reward.settle()
	t.Columns = append(t.Columns, reward)
	return nil
}
