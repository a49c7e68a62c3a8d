package bind

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

type group struct {
	Engine string   `http:"yes" help:"Engine: ${enum}." enum:"${engines}" default:"auto"`
	Rule   []string `sep:"none"`
}

// asked has an option of each kind.
type asked struct {
	Problem string `arg:"" optional:""`
	group
	Horizon    Horizon `short:"H" http:"yes"`
	PlanTime   Duration
	Memory     Size
	Hidden     Widths
	Certify    Folder
	SetInitial Settings `also:"initial"`
	Reward     Lines
	Plan       Plan
	Share      *float64 `min:"0" max:"1"`
	Count      int      `default:"3" min:"1"`
	Polish     bool     `default:"true" negatable:""`
	Property   string   `required:""`
	File       string   `json:"-"`
	CPUs       int      `name:"cpus" json:"processors"`
	Now        func()   `name:"-"`
}

var binder = Binder{Vars: map[string]string{"engines": "auto,search"}}

func TestFlagName(t *testing.T) {
	for field, want := range map[string]string{"Horizon": "horizon", "SetInitial": "set-initial", "JSON": "json", "TLSCert": "tls-cert", "MaxN": "max-n"} {
		if got := FlagName(field); got != want {
			t.Errorf("%s: %s, expected %s", field, got, want)
		}
	}
}

// TestDecode reads requests, and writes them again.
func TestDecode(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"problem":"p","horizon":[2,4],"plan_time":1.5,"memory":2097152,"hidden":[3,4],"certify":true,"initial":{"a":true,"b":"x"},"property":"q"}`,
			`{"certify":"certificate","hidden":[3,4],"horizon":"2..4","memory":2097152,"plan_time":"1.5s","problem":"p","property":"q","set_initial":["a=true","b=x"]}`},
		{`{"property":"q","horizon":"3","memory":"1MiB","plan_time":"2s","set_initial":["a=1"],"certify":"there","polish":false,"share":0.5,"rule":["x,y"]}`,
			`{"certify":"there","horizon":3,"memory":1048576,"plan_time":"2s","polish":false,"property":"q","rule":["x,y"],"set_initial":["a=1"],"share":0.5}`},
		{`{"property":"q","processors":2,"engine":"search","certify":false,"horizon":null}`, `{"engine":"search","processors":2,"property":"q"}`},
	} {
		var v asked
		f, err := Parse([]byte(c.text))
		if err == nil {
			err = binder.Decode(f, &v, nil)
		}
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		out, err := binder.Encode(&v)
		text, err2 := json.Marshal(out)
		if err != nil || err2 != nil || string(text) != c.want {
			t.Errorf("%s: %s %v %v, expected %s", c.text, text, err, err2, c.want)
		}
		var again asked
		if err := binder.Decode(out, &again, nil); err != nil || !reflect.DeepEqual(v, again) {
			t.Errorf("%s: read again it is %+v, %v", text, again, err)
		}
	}
	var v asked
	if err := binder.Decode(Fields{"property": json.RawMessage(`"q"`), "reward": json.RawMessage(`{"b":-1.5,"a":2}`), "plan": json.RawMessage(`[{}]`)}, &v, nil); err != nil {
		t.Fatal(err)
	}
	if v.Reward.Text != "a,2\nb,-1.5\n" || string(v.Plan.Text) != `{"schema":1,"plan":[{}]}` || v.Count != 3 || !v.Polish || v.Engine != "auto" {
		t.Errorf("%+v", v)
	}
}

// TestWrong are requests that are refused, with the names that they have.
func TestWrong(t *testing.T) {
	for text, want := range map[string]string{
		`{"property":"q","horizont":3}`:        `there is no field "horizont"; did you mean horizon?`,
		`{"property":"q","file":"x"}`:          `there is no field "file"`,
		`{"property":"q","now":1}`:             `there is no field "now"`,
		`{"property":"q","hidden":[0]}`:        `hidden: [0] is not a list of layer widths`,
		`{"property":"q","engine":"steam"}`:    `engine is "steam"; expected one of auto, search`,
		`{"property":"q","engine":3}`:          `engine is the number; expected a text`,
		`{"property":"q","count":0}`:           `count is 0; expected at least 1`,
		`{"property":"q","count":1.5}`:         `count is the number 1.5; expected a whole number`,
		`{"property":"q","share":2}`:           `share is 2; expected 0..1`,
		`{"property":"q","horizon":[3]}`:       `horizon: [3] is not a horizon`,
		`{"property":"q","memory":5}`:          `memory: 5 is not a size`,
		`{"property":"q","plan_time":-1}`:      `plan_time: -1 is not a time`,
		`{"property":"q","plan":"x"}`:          `plan: "x" is not a plan`,
		`{"property":"q","set_initial":3}`:     `set_initial: 3; expected an object`,
		`{"property":"q","count":1,"count":2}`: `the name "count" is there twice`,
		`{"count":1}`:                          `there is no property; expected one`,
		`{`:                                    `it ends before`,
		`{} {}`:                                `expected nothing after`,
		`[]`:                                   `it is a list; expected an object`,
	} {
		f, err := Parse([]byte(text))
		if err == nil {
			err = binder.Decode(f, new(asked), nil)
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, expected %s", text, err, want)
		}
	}
	may := func(o *Option) bool { return o.HTTP }
	if err := binder.Decode(Fields{"memory": json.RawMessage("1048576")}, new(asked), may); err == nil || !strings.HasPrefix(err.Error(), `there is no field "memory"`) {
		t.Errorf("%v, expected that memory is no field", err)
	}
}

// TestCheckFlags has the names of the command line.
func TestCheckFlags(t *testing.T) {
	v := asked{group: group{Engine: "steam"}, Count: 1}
	if err := binder.Check(&v, Flags); err == nil || err.Error() != `--engine is "steam"; expected one of auto, search` {
		t.Error(err)
	}
}

// TestWords are a command line that asks for the same.
func TestWords(t *testing.T) {
	v := asked{Problem: "p", Horizon: Horizon{2, 4}, Hidden: Widths{3, 4}, group: group{Engine: "auto", Rule: []string{"a", "b,c"}}, Count: 3}
	got := strings.Join(binder.Words(&v), " ")
	if want := "p --rule=a --rule=b,c --horizon=2..4 --hidden=3,4 --no-polish"; got != want {
		t.Errorf("%s, expected %s", got, want)
	}
}

// TestInJSON replaces flags by the names in a document.
func TestInJSON(t *testing.T) {
	for text, want := range map[string]string{
		"--set-initial x=1: no": "initial x=1: no",
		"a horizon, with -H":    "a horizon, with horizon",
		"--unknown, -1 and a-b": "--unknown, -1 and a-b",
		"expected --plan-time.": "expected plan_time.",
	} {
		if got := binder.InJSON(text, asked{}, Fields{"initial": nil}); got != want {
			t.Errorf("%s: %s, expected %s", text, got, want)
		}
	}
}

// TestSchema describes the options that others may set.
func TestSchema(t *testing.T) {
	text, err := json.Marshal(binder.Schema(asked{}, func(o *Option) bool { return o.HTTP || o.Name == "count" }))
	want := `{"additionalProperties":false,"properties":{"count":{"default":3,"minimum":1,"type":"integer"},"engine":{"default":"auto","description":"Engine: auto, search.","enum":["auto","search"],"type":"string"},"horizon":`
	if err != nil || !strings.HasPrefix(string(text), want) {
		t.Errorf("%s %v, expected %s", text, err, want)
	}
	all := binder.Schema(asked{}, nil)
	if required, _ := all["required"].([]string); !slices.Equal(required, []string{"property"}) {
		t.Errorf("required are %v", required)
	}
}

// FuzzDecode: a request that is read can be written and read again.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"horizon":"2..3","memory":"1GiB","property":"x","initial":{"a":1}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		fields, err := Parse(text)
		var v asked
		if err != nil || binder.Decode(fields, &v, nil) != nil || v.Reward.Given() || v.Plan.Text != nil {
			return
		}
		out, err := binder.Encode(&v)
		if err != nil {
			t.Fatal(err)
		}
		if err := binder.Decode(out, new(asked), nil); err != nil {
			t.Errorf("%s: %v: %s", text, err, out)
		}
	})
}
