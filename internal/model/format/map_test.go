package format

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/randprob"
)

// TestMap reads maps back, and refuses maps of other problems.
func TestMap(t *testing.T) {
	m := lamp(t)
	var b bytes.Buffer
	if err := WriteMap(&b, m, Options{Kind: OPB}); err != nil {
		t.Fatal(err)
	}
	good := b.String()
	names, err := ReadMap(strings.NewReader(good))
	if err != nil {
		t.Fatal(err)
	}
	isTrue := map[int32]bool{999: true}
	for _, v := range names.Variables {
		// Step 1 switches, and the charge falls from 1 to 0 and stays there.
		isTrue[int32(v.File)] = v.Step == 1 && (v.Variable == "switch" || v.Variable == "charge" && v.Weight == 1) || v.Step > 1 && v.Variable == "on"
	}
	trace, err := names.Trace(m.Problem, isTrue)
	if err != nil {
		t.Fatal(err)
	}
	if reward, err := randprob.Replay(m.Problem, m.Network, trace.Steps); err != nil || reward != 30+30-12+5+5 {
		t.Errorf("reward %d, %v; expected 58", reward, err)
	}
	for _, bad := range []struct{ what, old, new string }{
		{"cut short", "]}", ""},
		{"another schema", `"schema":1`, `"schema":2`},
		{"no horizon", `"horizon":2`, `"horizon":0`},
		{"a vast horizon", `"horizon":2`, `"horizon":1000000000`},
		{"no scale", `"scale":10`, `"scale":0`},
		{"an unknown variable", `"on"`, `"off"`},
		{"a bit too many", `"bit":1`, `"bit":2`},
		{"a negative bit", `"bit":1`, `"bit":-1`},
		{"a step too late", `"step":3`, `"step":4`},
		{"step 0", `"step":1`, `"step":0`},
		{"a late action", `"step":2,"variable":"switch"`, `"step":3,"variable":"switch"`},
		{"a bad file variable", `"x1"`, `"y1"`},
		{"file variable 0", `"x1"`, `0`},
	} {
		text := strings.ReplaceAll(good, bad.old, bad.new)
		if text == good {
			t.Fatalf("%s: nothing was replaced", bad.what)
		}
		names, err := ReadMap(strings.NewReader(text))
		if err == nil {
			_, err = names.Trace(m.Problem, nil)
		}
		if !errors.Is(err, ErrMap) {
			t.Errorf("%s: error %v, expected ErrMap", bad.what, err)
		}
	}
}
