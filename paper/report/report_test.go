package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/picture"
	"github.com/fdplan/fdplan/internal/source"
)

var update = flag.Bool("update", false, "write testdata anew, to be looked at")

func draw(name string, data []byte) (Picture, error) {
	p, err := picture.Read(name, data)
	if err != nil {
		return nil, err
	}
	return picture.New(p, picture.Facts{})
}

func readText(t *testing.T, text string) *Journal {
	t.Helper()
	j, err := Read("j", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func sample(t *testing.T) *Journal {
	t.Helper()
	text, err := os.ReadFile("testdata/sample.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return readText(t, string(text))
}

// files makes a report and writes its files.
func files(t *testing.T, j *Journal) (*Report, map[string][]byte) {
	t.Helper()
	r, err := New(j, draw)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for _, f := range r.Files() {
		var b bytes.Buffer
		if err := f.Write(&b); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		if out[f.Name] != nil {
			t.Errorf("two files are named %s", f.Name)
		}
		out[f.Name] = b.Bytes()
	}
	return r, out
}

// TestGolden compares all files of the sample with those in testdata, which were
// looked at.
func TestGolden(t *testing.T) {
	_, got := files(t, sample(t))
	if *update {
		if err := os.RemoveAll("testdata/report"); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range got {
		kept := filepath.Join("testdata/report", name)
		if *update {
			if err := errors.Join(os.MkdirAll(filepath.Dir(kept), 0o755), os.WriteFile(kept, text, 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(kept)
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(text, want) {
			t.Errorf("%s differs from testdata; look at what -update writes", name)
		}
	}
	err := filepath.WalkDir("testdata/report", func(path string, d os.DirEntry, err error) error {
		if name, _ := filepath.Rel("testdata/report", path); err == nil && !d.IsDir() && got[filepath.ToSlash(name)] == nil {
			t.Errorf("%s is not written any more", name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestOrder: the order in which runs ended does not show.
func TestOrder(t *testing.T) {
	j := sample(t)
	_, want := files(t, j)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3 {
		// Sessions of one machine have different IDs: the first is kept.
		rest := j.Records[2:]
		rng.Shuffle(len(rest), func(a, b int) { rest[a], rest[b] = rest[b], rest[a] })
		_, got := files(t, j)
		for name := range want {
			if !bytes.Equal(got[name], want[name]) {
				t.Fatalf("%s depends on the order of the journal", name)
			}
		}
	}
}

// element is an element of a page, with the text inside of it.
type element struct {
	name  string
	attr  map[string]string
	text  string
	inner []*element
}

func (e *element) walk(f func(*element, []*element), above ...*element) {
	f(e, above)
	for _, x := range e.inner {
		x.walk(f, append(slices.Clone(above), e)...)
	}
}

// parse reads a page or a drawing; it must be well-formed but for elements of HTML
// that have no end.
func parse(t *testing.T, text []byte) *element {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(text))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	root := &element{}
	stack := []*element{root}
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return root
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		switch x := tok.(type) {
		case xml.StartElement:
			e := &element{name: x.Name.Local, attr: map[string]string{}}
			for _, a := range x.Attr {
				e.attr[a.Name.Local] = a.Value
			}
			top := stack[len(stack)-1]
			top.inner = append(top.inner, e)
			stack = append(stack, e)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.CharData:
			for _, e := range stack {
				e.text += string(x)
			}
		}
	}
}

// TestText looks at cells that the sample was made for.
func TestText(t *testing.T) {
	_, got := files(t, sample(t))
	for name, wants := range map[string][]string{
		"tables/appendix-learned-bundled.csv": {
			`"Nav,3x3,6",,9.19,17.82,not run,not run,not run,0.014,0.224,"10<, 75 %",not run,"10<, 100 %",engines navigation/3x3`,
			`"Nav,3x3,4",,3.15,1.41,4.10,5.00,not run,0.011,0.022,0.123,"3.21<, no sol.",2.35,`, `"Nav,3x3,5",,5.55,3.78,not run,not run,"10<, no sol.",0.012,0.123,1.23,not run,"10<, no sol.",`,
			`"Inv,2,5",,26.92,0.37,not run,not run,not run,0.015,0.326,4.50,not run,error,`, `"Sys,5,3",,"3600<, 75 %","3600<, no sol.",not run,not run,not run,not run,not run,not run,not run,not run,` + "\n",
		},
		"tables/appendix-landmarks-bundled.csv":   {`"Sys,4,3",6≤,n/a,not run,not run,not run,12,6 ≤,not run,`},
		"tables/appendix-landmarks-trained.csv":   {`"Sys,4,2",0,0,not run,not run,not run,3,not run,`},
		"tables/appendix-incremental-trained.csv": {`0.272, no plan"`},
		"tables/table1-learning.csv":              {"Navigation(3),13:36:36:9,0.0,13:36:9,1.401 ± 0.379,10.000 ± 0.000,4.000 ± 4.969,15.500 ± 0.000,45,25.12 ± 3.79,not run,", "SysAdmin(5),20:128:128:128:15,0.984,unknown,"},
		"tables/table2-learned-bundled.csv":       {"Coverage,27/27,20/27,\"1/27, 26 not run\"", "PAR-2", `"4/27, 23 not run"`},
		"tables/reach.csv":                        {"navigation/5x5,≥ 1000,100,not run,not run,", "sysadmin/5,not run,not run,not run,none,"},
		"tables/size.csv":                         {"navigation: cells along a side,≥ 200 (H 593),20 (H 53),not run,not run,", "sysadmin: computers,9 (H 4),9 (H 4),not run,none,"},
		"tables/contradictions.csv":               {`"Nav,3x3,6",bundled,optimum -4,search; pb,engines`, `"Nav,3x3,6",bundled,"a plan with -1, none above 0",blp,engines`},
		"report.md":                               {"### Figure 1", "The naive plan, as if the enemy stood still, is caught", "waits 2 steps, and escapes", "](figures/figure1-1.svg)", "## What was not run"},
		"report.html": {"<dt>clasp (engine maxsat)</dt><dd>clasp 1.2: <code>clasp {in}</code></dd>", "<dt>built in (engine blp)</dt><dd>HiGHS 1.15.3, WebAssembly</dd>", "title=\"the bench ends at horizon 1000; the limit was not reached\n", "title=\"size 26: feasible after 60.10 s, the time limit of 60s was reached\n",
			"Runs contradict each other about 1 instance: ", "out of &lt;memory&gt; &amp; &#34;more&#34;", "src=\"data:image/svg&#43;xml;base64,"},
	} {
		for _, want := range wants {
			if !strings.Contains(string(got[name]), want) {
				t.Errorf("%s does not have %q", name, want)
			}
		}
	}
}

// TestPaper: the means of the paper's tables follow from its appendix, so that the
// copy is right.
func TestPaper(t *testing.T) {
	p, err := readPaper()
	if err != nil {
		t.Fatal(err)
	}
	if len(p.instances) != 27 || len(p.learning) != 9 {
		t.Fatalf("%d instances, %d problems", len(p.instances), len(p.learning))
	}
	for _, c := range []struct {
		rows [][]string
		of   func(*paperInstance) [2]string
	}{
		{p.learned, func(i *paperInstance) [2]string { return [2]string{i.sat, i.blp} }},
		{p.incremental, func(i *paperInstance) [2]string { return [2]string{i.incSAT, i.incBLP} }},
	} {
		for k, d := range domains {
			for column := range 2 {
				sum, n := 0.0, 0
				for i := range p.instances {
					if p.instances[i].domain() == d.key {
						s, _ := paperSeconds(c.of(&p.instances[i])[column])
						sum, n = sum+s, n+1
					}
				}
				// The paper cuts some of its means and rounds others.
				if want, err := strconv.ParseFloat(c.rows[k][column+1], 64); err != nil || math.Abs(sum/float64(n)-want) > 0.011 {
					t.Errorf("%s, column %d: the mean is %v, the paper's %s", d.name, column+1, sum/float64(n), c.rows[k][column+1])
				}
			}
		}
		for column := range 2 {
			proved, plans := 0, 0
			for i := range p.instances {
				text := c.of(&p.instances[i])[column]
				if _, in := paperSeconds(text); in {
					proved++
				}
				if !strings.HasSuffix(text, "no sol.") {
					plans++
				}
			}
			if got := [2]string{fmt.Sprintf("%d/27", plans), fmt.Sprintf("%d/27", proved)}; got != [2]string{c.rows[4][column+1], c.rows[5][column+1]} {
				t.Errorf("column %d: %v, the paper has %v", column+1, got, c.rows[4:])
			}
		}
	}
}

// TestHostile: whatever texts a journal has, they stay texts.
func TestHostile(t *testing.T) {
	evil := `</title></svg><script>alert(1)</script><img src=x onerror=alert(2)>"'&|` + "`" + "\u2028\x01\n# h ![x](http://e.example/)"
	var text strings.Builder
	for k, r := range sample(t).Records {
		rec := r
		rec.ID += evil
		rec.Status, rec.Error, rec.Args = rec.Status+map[bool]string{true: evil}[k%5 == 0], evil, []string{evil}
		for _, s := range []*string{&rec.Problem, &rec.Planner, &rec.Engine, &rec.Encoding, &rec.Help, &rec.Solver, &rec.Version, &rec.Command, &rec.Model, &rec.Landmarks, &rec.Recipe, &rec.Network, &rec.Same} {
			if k%2 == 0 || *s != "" {
				*s += evil
			}
		}
		rec.Files = evil
		rec.Document, _ = json.Marshal(map[string]any{"schema": 1, "simulator_says": evil, "plan": []any{map[string]any{}}})
		if rec.Machine != nil {
			rec.Machine = map[string]string{evil: evil}
		}
		b, err := json.Marshal(rec)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(b, '\n'))
	}
	_, got := files(t, readText(t, text.String()))
	for name, b := range got {
		switch filepath.Ext(name) {
		case ".html", ".svg":
			parse(t, b).walk(func(e *element, _ []*element) {
				if e.name == "script" || e.name == "img" && !strings.HasPrefix(e.attr["src"], "data:") {
					t.Errorf("%s: an element %s", name, e.name)
				}
				for a := range e.attr {
					if strings.HasPrefix(a, "on") {
						t.Errorf("%s: an attribute %s", name, a)
					}
				}
			})
		case ".md":
			if regexp.MustCompile(`<(script|img)|[^\\]\]\(http|(?m)^# h`).Match(b) {
				t.Errorf("%s: a text became more than that", name)
			}
		}
	}
}

// TestSelfContained: nothing on the page is elsewhere.
func TestSelfContained(t *testing.T) {
	_, got := files(t, sample(t))
	parse(t, got["report.html"]).walk(func(e *element, _ []*element) {
		for a, v := range e.attr {
			switch a {
			case "src", "href", "action", "srcset", "data":
				if !strings.HasPrefix(v, "#") && !strings.HasPrefix(v, "data:") {
					t.Errorf("%s of %s is %q", a, e.name, v)
				}
			case "xmlns":
			default:
				if strings.Contains(v, "://") {
					t.Errorf("%s of %s is %q", a, e.name, v)
				}
			}
		}
		if e.name == "style" && regexp.MustCompile(`@import|url\(`).MatchString(e.text) {
			t.Error("a style sheet loads another file")
		}
	})
}

// TestNothing: an empty journal gives a page on which nothing was run, and each part
// of a journal gives a page.
func TestNothing(t *testing.T) {
	r, got := files(t, &Journal{})
	page := string(got["report.html"])
	if strings.Contains(page, `class="ours`) || !strings.Contains(page, "The journal is empty.") || !strings.Contains(page, "not run") {
		t.Error("the page of an empty journal has figures of ours, or does not say that nothing was run")
	}
	missing := map[string]bool{}
	for _, m := range r.Missing {
		for _, w := range strings.Split(m.Where, "; ") {
			missing[w] = true
		}
		if m.Of != "all" {
			t.Errorf("%s: %s: %s", m.Where, m.What, m.Of)
		}
	}
	for _, it := range r.items() {
		if it.Table != nil && !missing[it.Table.Title] || it.Figure != nil && !missing[it.Figure.Title] {
			t.Errorf("%v is not among what was not run", it)
		}
	}
	whole := sample(t)
	for k := range whole.Records {
		for _, part := range [][]Record{whole.Records[:k], whole.Records[k : k+1]} {
			files(t, &Journal{Records: part})
		}
	}
}

func TestRead(t *testing.T) {
	ok := `{"schema":1,"kind":"plan","id":"a","future":{"x":[1]},"seconds":1}` + "\n"
	for name, c := range map[string]struct{ text, want string }{
		"no JSON":         {ok + "{]\n", "j:2:2: no record: "},
		"an array":        {"[]\n", "j:1:1: "},
		"a type":          {ok + "\n" + `{"schema":1,"id":"b","horizon":"x"}` + "\n", "j:3:34: \"horizon\" is a string, expected a int"},
		"schema":          {`{"schema":2,"id":"b"}` + "\n", "j:1:1: schema 2, expected 1"},
		"no id":           {`{"schema":1}` + "\n", "j:1:1: a record without an id"},
		"negative":        {`{"schema":1,"id":"b","seconds":-1}` + "\n", "j:1:1: -1 seconds"},
		"negative reach":  {`{"schema":1,"id":"b","reach":[{"horizon":3,"seconds":-1}]}` + "\n", "j:1:1: horizon 3 took -1"},
		"torn in between": {`{"schema":1,"id":` + "\n" + ok, "j:1:"},
	} {
		var at *source.Error
		if _, err := Read("j", strings.NewReader(c.text)); !errors.As(err, &at) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %s", name, err, c.want)
		}
	}
	for _, torn := range []string{`{"schema":1,"id":"b"`, `{"schema":1,"id":"b"}`} {
		if j := readText(t, ok+torn); len(j.Records) != 1 || j.Warning != "j:2: the last line was not written to its end; it is left out" {
			t.Errorf("%d records, warning %q", len(j.Records), j.Warning)
		}
	}
	j := readText(t, ok+strings.Replace(ok, `"seconds":1`, `"seconds":2`, 1)+"\n\n")
	if len(j.Records) != 1 || j.Records[0].Seconds != 2 || j.Warning != "" {
		t.Errorf("of two lines with one ID: %+v", j)
	}
}

// TestPublished: with published files the inventories are numbered.
func TestPublished(t *testing.T) {
	_, got := files(t, readText(t, `{"schema":1,"kind":"plan","table":"engines","id":"a","problem":"inventory/1","files":"/d","horizon":5,"engine":"pb","status":"optimal","seconds":1}`+"\n"))
	if want := `"Inv,2,5",,26.92,0.37,not run,not run,not run,1.00,`; !strings.Contains(string(got["tables/appendix-learned-published.csv"]), want) {
		t.Errorf("there is no %s in\n%s", want, got["tables/appendix-learned-published.csv"])
	}
}

// FuzzRead reads anything as a journal. Of one journal in 8, chosen by its text, it orders the
// runs, and of one in 512 it makes the report, which takes a thousand times as long.
func FuzzRead(f *testing.F) {
	text, err := os.ReadFile("testdata/sample.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<12 {
			return
		}
		j, err := Read("j", bytes.NewReader(text))
		if err != nil {
			return
		}
		switch sum := crc32.ChecksumIEEE(text); {
		case sum%8 != 0:
		case sum%512 != 0:
			if _, err := newBook(j); err != nil {
				t.Fatal(err)
			}
		default:
			r, err := New(j, draw)
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range r.Files() {
				if err := file.Write(io.Discard); err != nil {
					t.Fatalf("%s: %v", file.Name, err)
				}
			}
		}
	})
}
