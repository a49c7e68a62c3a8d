package serve

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/request"
)

// kinds are the kinds of jobs: the commands that they run.
var kinds = request.Jobs()

// JobRequest is what a job is to do: fields of the server's own, and those options of the use
// case that programs of others may set.
type JobRequest struct {
	jobFields
	options bind.Fields // of the use case
	wrote   bind.Fields // all fields
}

// jobFields are the server's own. They take the place of options of the same name, for the
// kinds in the tag.
type jobFields struct {
	Kind      string          `help:"The use case."`
	Problem   string          `kinds:"plan explain validate verify run learn train test" help:"Identifier of a problem; all kinds but bench."`
	Label     string          `help:"Text for lists, at most 200 bytes."`
	Simulator string          `kinds:"plan validate run learn" help:"run, learn, plan, validate: rddl, or a name of the server's list."`
	Certify   bool            `kinds:"plan verify" help:"plan, verify: write and check a certificate; the file certificate.zip."`
	Plan      json.RawMessage `kinds:"explain validate" help:"explain, validate: an answer of fdplan plan --json; validate: one of plan --policy, too."`
	Of        string          `kinds:"explain validate test" help:"explain, validate: the job whose plan is meant, instead of plan; test: the job that trained the network."`
	Data      string          `kinds:"learn train test" help:"learn, train, test: a file of the problem, or the identifier of a log; default: the problem's data set, and nothing for learn."`
	Network   string          `kinds:"test" help:"test: a file of the problem; default: the one that its task names."`
	Install   *bool           `kinds:"train" help:"train: put the network into the uploaded problem when it is done; default: true."`
	Quick     *bool           `kinds:"bench" help:"bench: a selection that ends in less than 5 minutes on 2 cores; default: true."`
}

// maxText bounds each text of a request but plans and policies.
const maxText = 1 << 16

// documents are the fields that may be long.
var documents = []string{"plan", "policy"}

// UnmarshalJSON reads the fields, of which the options are not checked yet.
func (q *JobRequest) UnmarshalJSON(text []byte) error {
	var err error
	if q.wrote, err = bind.Parse(text); err != nil {
		return bad("the body: %v", err)
	}
	for name, value := range q.wrote {
		if !slices.Contains(documents, name) && (len(value) > maxText || strings.Contains(string(value), `\u0000`)) {
			return bad("%.40s has more than %d bytes, or one that is 0", name, maxText)
		}
	}
	q.options = maps.Clone(q.wrote)
	if err := app.Binder().Take(q.options, &q.jobFields, nil); err != nil {
		return bad("the body: %v", err)
	}
	return nil
}

// MarshalJSON writes what was asked.
func (q JobRequest) MarshalJSON() ([]byte, error) { return json.Marshal(q.wrote) }

// brief is the request without what may be long.
func (q JobRequest) brief() JobRequest {
	q.wrote = maps.Clone(q.wrote)
	maps.DeleteFunc(q.wrote, func(name string, _ json.RawMessage) bool { return slices.Contains(documents, name) })
	return q
}

// public reports whether programs of others may set an option.
func public(o *bind.Option) bool { return o.HTTP && !reserved(o.Name) }

// reserved reports whether the server has a field of its own with this name.
func reserved(name string) bool {
	return slices.ContainsFunc(bind.Binder{}.Options(jobFields{}), func(o *bind.Option) bool { return o.Name == name })
}

// check refuses fields that the kind of job does not have, those it needs, and values beyond
// the server's limits.
func (q *JobRequest) check(l Limits) error {
	if !slices.Contains(kinds, q.Kind) {
		return bad("%.40q is not a kind of job; expected one of %s", q.Kind, strings.Join(kinds, ", "))
	}
	own := reflect.ValueOf(q.jobFields)
	for i := range own.NumField() {
		f := own.Type().Field(i)
		if of, limited := f.Tag.Lookup("kinds"); limited && !own.Field(i).IsZero() && !slices.Contains(strings.Fields(of), q.Kind) {
			return bad("a job of kind %s has no %s; expected it with %s", q.Kind, strings.ToLower(f.Name), strings.ReplaceAll(of, " ", ", "))
		}
	}
	switch {
	case q.Problem == "" && q.Kind != "bench":
		return bad("no problem is named; expected problem")
	case (q.Kind == "run" || q.Kind == "learn") && q.Simulator == "":
		return bad("no simulator is named; expected simulator")
	case q.Kind == "validate" && q.Plan == nil && q.Of == "":
		return bad("no plan is given; expected plan, or the job that found it as of")
	case q.Plan != nil && q.Of != "":
		return bad("plan and of are two plans; expected one of them")
	case len(q.Label) > 200:
		return bad("the label has %d bytes; expected at most 200", len(q.Label))
	}
	rest := maps.Clone(q.options)
	if err := app.Binder().Take(rest, request.Job(q.Kind), public); err != nil {
		return bad("%v", err)
	}
	if len(rest) > 0 {
		return elsewhere(slices.Min(slices.Collect(maps.Keys(rest))), q.Kind)
	}
	return q.checkBounds(l)
}

// elsewhere is the error for an option that a kind of job does not have.
func elsewhere(name, kind string) error {
	var with []string
	for _, k := range kinds {
		if slices.ContainsFunc(app.Binder().Options(request.Job(k)), func(o *bind.Option) bool { return o.Name == name && public(o) }) {
			with = append(with, k)
		}
	}
	if with == nil {
		return bad("there is no field %.40q", name)
	}
	return bad("a job of kind %s has no %s; expected it with %s", kind, name, strings.Join(with, ", "))
}

// effort are the bounds that the request asks for.
func (q *JobRequest) effort() (e app.Effort, err error) {
	return e, app.Binder().Take(maps.Clone(q.options), &e, nil)
}

// leastMemory is the least bound on memory, in bytes, that a job may ask for.
const leastMemory = 1 << 20

// checkBounds refuses values beyond the server's limits.
func (q *JobRequest) checkBounds(l Limits) error {
	e, err := q.effort()
	switch {
	case err != nil:
		return bad("%v", err)
	case e.Threads < 0:
		return bad("threads is %d; expected at least 0", e.Threads)
	case e.Threads > l.MostThreads:
		return bad("threads is %d; expected at most %d, which the machine has", e.Threads, l.MostThreads)
	case int64(e.Memory) > l.Memory:
		return bad("memory is %d; expected %d to %d bytes, the server's bound for each job", e.Memory, leastMemory, l.Memory)
	case l.Time > 0 && time.Duration(e.TimeLimit) > l.Time:
		return bad("time_limit is %v; expected at most %v, the server's bound for each job", e.TimeLimit, l.Time)
	}
	return nil
}

// document is a command with its request, as fdplan reads it from standard input.
type document struct {
	Command string         `json:"command"`
	Request map[string]any `json:"request"`
}

// document begins the document of a job: the options of the request, and limits, which are the
// server's own or those of the request. It returns the time after which the job is ended, too; 0
// for never.
func (q *JobRequest) document(l Limits) (document, time.Duration, error) {
	e, err := q.effort()
	if err != nil {
		return document{}, 0, bad("%v", err)
	}
	d := document{q.Kind, map[string]any{}}
	for name, value := range q.options {
		d.Request[name] = value
	}
	limit := l.Time
	if e.TimeLimit > 0 {
		limit = time.Duration(e.TimeLimit)
	}
	if e.Memory == 0 {
		d.Request["memory"] = l.Memory
	}
	if limit > 0 {
		d.Request["time_limit"] = limit.String()
	}
	if q.Kind == "bench" { // whose time limit is that of each run
		return d, l.Time, nil
	}
	for _, o := range app.Binder().Options(request.Job(q.Kind)) {
		if o.Name == "threads" && e.Threads == 0 {
			d.Request[o.Name] = l.Threads
		}
	}
	return d, limit, nil
}

// line is the command line that does the same.
func (d document) line() string { return lineOf(d.Command, request.Job(d.Command), d.Request) }

// lineOf is the command line of a request whose options have a place in of.
func lineOf(command string, of any, options map[string]any) string {
	text, err := json.Marshal(options)
	if err != nil {
		return ""
	}
	f, err := bind.Parse(text)
	if err != nil || app.Binder().Take(f, of, nil) != nil {
		return "fdplan " + command
	}
	return "fdplan " + ShellWords(append([]string{command}, app.Binder().Words(of)...))
}
