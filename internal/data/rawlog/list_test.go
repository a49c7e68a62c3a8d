package rawlog

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestLists reads lists, of JSON and as Python and NumPy print them, as a column for each place.
func TestLists(t *testing.T) {
	for name, c := range map[string]struct {
		log   string
		names string // of the columns
		rows  string
	}{
		"log.jsonl": {
			`{"obs":[0,1.5],"a":"x","info":{"n":1,"deep":[[true],[false]]},"none":[]}` + "\n" + `{"obs":[2,3,4],"a":"y","info":{}}` + "\n",
			"obs_0 obs_1 a info.n info.deep_0_0 info.deep_1_0 obs_2",
			"0 1.5 x 1 true false ;2 3 y    4",
		},
		"python.csv":   {"obs,a,next_obs\n\"[0, 1]\",1,\"(1, 1)\"\n\"[1, 1]\",0,\"(0, 1)\"\n", "obs_0 obs_1 a next_obs_0 next_obs_1", "0 1 1 1 1;1 1 0 0 1"},
		"numpy.csv":    {"obs,a\n[0. 1.  2.5],1\n[ 3. 4. 5.],0\n[ 3. 4.],0\n", "obs_0 obs_1 obs_2 a", "0 1 2.5 1;3 4 5 0;[ 3. 4.] [ 3. 4.] [ 3. 4.] 0"},
		"decimal.csv":  {"obs;a\n\"[0,5; 1]\";1\n\"[1; 2,25]\";0\n", "obs_0 obs_1 a", "0.5 1 1;1 2.25 0"},
		"one row.csv":  {"obs,a\n\"array([7, 8])\",1\n", "obs_0 obs_1 a", "7 8 1"},
		"unequal.csv":  {"obs,a\n\"[0, 1]\",1\n\"[1]\",0\n", "obs a", "[0, 1] 1;[1] 0"},
		"no lists.csv": {"obs,a\n[a b],1\n[c d],0\n", "obs a", "[a b] 1;[c d] 0"},
	} {
		x, err := Open(t.Context(), write(t, name, c.log), Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var rows []string
		for i := range x.Rows() {
			var row []string
			for j := range x.Columns {
				row = append(row, x.Columns[j].Text(i))
			}
			rows = append(rows, strings.Join(row, " "))
		}
		if names, got := strings.Join(x.names(), " "), strings.Join(rows, ";"); names != c.names || got != c.rows {
			t.Errorf("%s: %s: %q, expected %s: %q", name, names, got, c.names, c.rows)
		}
		if got := x.Elements([]string{"obs", "a", "b"}); strings.HasPrefix(c.names, "obs_0 ") != (len(got) > 3) || !slices.Contains(got, "b") {
			t.Errorf("%s: obs, a and b are %v", name, got)
		}
	}
	deep := fmt.Sprintf("{\"a\":%s1%s}\n", strings.Repeat("[", 40), strings.Repeat("]", 40))
	if _, err := Open(t.Context(), write(t, "deep.jsonl", deep), Options{}); err == nil || !strings.Contains(err.Error(), "expected at most 16") {
		t.Error(err)
	}
}

// TestUnits reads numbers with a unit as numbers, if most texts of the column are.
func TestUnits(t *testing.T) {
	for log, want := range map[string]string{
		"x;a\n12,5 kW;1\n-3 kW;0\n4;1\n":          "kW: 12.5 -3 4",
		"x,a\n40 %,1\n\"1,200 %\",0\n50%,1\n":     "%: 40 1200 50",
		"x,a\n20 °C,1\n21.5 °C,0\nbroken,1\n":     "°C: 20 21.5 broken",
		"x,a\n12A,1\n14B,0\n9C,1\n":               ": 12A 14B 9C",
		"x,a\n3 apples,1\n4 apples,0\n":           ": 3 apples 4 apples",
		"x,a\n900 W,1\n1.2 kW,0\n3 W,1\n#N/A,1\n": "W: 900 1.2 kW 3 ",
	} {
		x, err := Open(t.Context(), write(t, "log.csv", log), Options{})
		if err != nil {
			t.Fatal(err)
		}
		c := &x.Columns[0]
		got := c.Unit + ":"
		for i := range x.Rows() {
			got += " " + c.Text(i)
			if _, number := c.Number(i); number != (strings.Trim(c.Text(i), "-.0123456789") == "" && !c.Missing(i)) {
				t.Errorf("%q: number %v in row %d", log, number, i)
			}
		}
		if got != want {
			t.Errorf("%q: %q, expected %q", log, got, want)
		}
	}
}
