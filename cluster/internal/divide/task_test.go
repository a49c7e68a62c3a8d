package divide_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/cluster/internal/divide"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/randprob"
)

// TestEncode writes random problems and reads them back: their models and best rewards are
// the same.
func TestEncode(t *testing.T) {
	for seed := range uint64(40) {
		p, net, horizon := randprob.New(seed, randprob.Options{})
		task := engine.Task{Problem: p, Network: net}
		text, err := divide.Encode(task)
		if err != nil {
			t.Fatal(err)
		}
		back, err := divide.Decode(text)
		if err != nil {
			t.Fatalf("%d: %v", seed, err)
		}
		again, err := divide.Encode(back)
		if err != nil || !bytes.Equal(text, again) {
			t.Fatalf("%d: %v\n%s\n%s", seed, err, text, again)
		}
		one, _ := problemFile(t, task, horizon, true)
		two, _ := problemFile(t, back, horizon, true)
		if !bytes.Equal(one, two) || !reflect.DeepEqual(net, back.Network) {
			t.Fatalf("%d: the problems differ", seed)
		}
	}
}

// TestDecodeFaults reads what is no problem.
func TestDecodeFaults(t *testing.T) {
	const variable = `"Variables":[{"Name":"s","Kind":0,"Bool":true}]`
	for name, text := range map[string]string{
		"nothing":          "",
		"not an object":    "[]",
		"no name":          `{"Variables":[{"Bool":true}],"Reward":{"Scale":1}}`,
		"no kind":          `{"Variables":[{"Name":"s","Kind":7,"Bool":true}],"Reward":{"Scale":1}}`,
		"an empty range":   `{"Variables":[{"Name":"s","Lo":3,"Hi":2}],"Reward":{"Scale":1}}`,
		"no scale":         "{" + variable + "}",
		"a bit too many":   "{" + variable + `,"Reward":{"Scale":1},"Global":[{"Terms":[{"Coef":1,"Lit":{"Bit":1}}]}]}`,
		"reward's bit":     "{" + variable + `,"Reward":{"Scale":1,"Terms":[{"Lit":{"Bit":5}}]}}`,
		"negative bit":     "{" + variable + `,"Reward":{"Scale":1},"Inputs":[-1]}`,
		"no network":       "{" + variable + `,"Reward":{"Scale":1},"Outputs":[0]}`,
		"an empty network": "{" + variable + `,"Reward":{"Scale":1},"Outputs":[0],"Inputs":[0],"Network":{"Layers":[]}}`,
		"another network":  "{" + variable + `,"Reward":{"Scale":1},"Outputs":[0],"Inputs":[0],"Network":{"Layers":[{"Inputs":2,"Weights":[1,1],"Thresholds":[1]}]}}`,
	} {
		if task, err := divide.Decode([]byte(text)); err == nil {
			t.Errorf("%s: %+v", name, task)
		}
	}
}

// FuzzDecode reads any text: it is refused, or a problem that can be written again.
func FuzzDecode(f *testing.F) {
	for seed := range uint64(5) {
		p, net, _ := randprob.New(seed, randprob.Options{})
		text, err := divide.Encode(engine.Task{Problem: p, Network: net})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
		f.Add(strings.ReplaceAll(string(text), "1", "-1"))
	}
	f.Fuzz(func(t *testing.T, text string) {
		task, err := divide.Decode([]byte(text))
		if err != nil {
			return
		}
		if _, err := divide.Encode(task); err != nil {
			t.Error(err)
		}
	})
}
