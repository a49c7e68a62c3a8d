package report

import (
	"fmt"
	"strings"
	"testing"
)

// TestContradictions: compatible claims are not contradictions, incompatible ones are, and
// only answers to the same question are compared.
func TestContradictions(t *testing.T) {
	line := func(k int, rest string) string {
		all := fmt.Sprintf(`{"schema":1,"id":"r%d"`, k)
		for field, standard := range map[string]string{"kind": `"plan"`, "table": `"engines"`, "problem": `"p"`, "horizon": "4", "model": `"network"`, "engine": `"pb"`} {
			if !strings.Contains(rest, `"`+field+`":`) {
				all += fmt.Sprintf(`,"%s":%s`, field, standard)
			}
		}
		return all + "," + rest + "}\n"
	}
	const optimum = `"status":"optimal","reward":-4`
	const none = "None. One instance has answers of more than one run"
	const alone = "there is nothing to compare"
	const wrong = "at 1 of them something is wrong"
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"one run":               {[]string{optimum}, alone},
		"the same optimum":      {[]string{optimum, optimum}, none},
		"rounded":               {[]string{optimum, `"status":"optimal","reward":-4.0000000001`}, none},
		"other optima":          {[]string{optimum, `"status":"optimal","reward":-5`}, wrong},
		"no plan":               {[]string{optimum, `"status":"infeasible"`}, wrong},
		"no plan twice":         {[]string{`"status":"infeasible"`, `"status":"infeasible"`}, none},
		"no plan, but one":      {[]string{`"status":"feasible","reward":-9`, `"status":"infeasible"`}, wrong},
		"a worse plan":          {[]string{optimum, `"status":"feasible","reward":-9`}, none},
		"a better plan":         {[]string{optimum, `"status":"feasible","reward":-3`}, wrong},
		"a bound above":         {[]string{optimum, `"status":"unknown","bound":-3`}, none},
		"a bound below":         {[]string{optimum, `"status":"unknown","bound":-5`}, wrong},
		"no answer":             {[]string{optimum, `"status":"unknown"`, `"status":"error"`}, alone},
		"another horizon":       {[]string{optimum, `"status":"optimal","reward":-5,"horizon":5`}, alone},
		"another problem":       {[]string{optimum, `"status":"optimal","reward":-5,"problem":"q"`}, alone},
		"another model":         {[]string{optimum, `"status":"optimal","reward":-5,"model":"rddl"`}, alone},
		"other files":           {[]string{optimum, `"status":"optimal","reward":-5,"files":"/d"`}, alone},
		"tried in a simulator":  {[]string{optimum, `"status":"optimal","reward":-5,"landmarks":"prefix"`}, alone},
		"another table":         {[]string{optimum, `"status":"optimal","reward":-5,"table":"encodings"`}, wrong},
		"the furthest of many":  {[]string{optimum, `"kind":"reach","table":"reach","status":"measured","reward":-5`}, wrong},
		"sizes are told apart":  {[]string{`"kind":"reach","table":"size","status":"measured","reward":-5,"size":8`, `"kind":"reach","table":"size","status":"measured","reward":-4,"size":9`}, alone},
		"the same size differs": {[]string{`"kind":"reach","table":"size","status":"measured","reward":-5,"size":8`, `"kind":"reach","table":"size","status":"measured","reward":-4,"size":8`}, wrong},
	} {
		t.Run(name, func(t *testing.T) {
			var text string
			for k, l := range c.lines {
				text += line(k, l)
			}
			r, got := files(t, readText(t, text))
			_, said, _ := strings.Cut(string(got["report.md"]), "## Contradictions\n\n")
			if said, _, _ = strings.Cut(said, "\n"); !strings.Contains(said, c.want) {
				t.Errorf("the page says %q, expected %q", said, c.want)
			}
			disputed := c.want == wrong
			table := string(got["tables/contradictions.csv"])
			if disputed != (r.Disputed == 1) || disputed != (table != "") || disputed != strings.Contains(string(got["report.html"]), `<p class="warn">`) {
				t.Errorf("%d disputed, table %q", r.Disputed, table)
			}
			for k := range c.lines {
				if disputed && !strings.Contains(table, fmt.Sprintf("r%d\n", k)) {
					t.Errorf("the table does not name r%d:\n%s", k, table)
				}
			}
		})
	}
}
