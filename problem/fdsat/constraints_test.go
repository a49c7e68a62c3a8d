package fdsat

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/factored"
)

// mixed is a problem that could come from another layout: names with commas, and an integer
// variable of three bits.
func mixed(t testing.TB) *factored.Problem {
	t.Helper()
	p := factored.NewProblem("mixed/1")
	for _, v := range []factored.Variable{
		{Name: "move", Kind: factored.Action, Bool: true},
		{Name: "at(x1,y2)", Kind: factored.State, Bool: true},
		{Name: "at(x1,y3,z)", Kind: factored.State, Bool: true},
		{Name: "level", Kind: factored.State, Lo: -4, Hi: 3},
		{Name: "aux", Kind: factored.Auxiliary, Bool: true},
		{Name: "dead", Kind: factored.State, Bool: true},
	} {
		if _, err := p.AddVariable(v); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func TestConstraint(t *testing.T) {
	p := mixed(t)
	for _, c := range []struct {
		text string
		next bool
		want string // the constraint, or the error after "!"
	}{
		{"move,<=,0", false, "move <= 0"},
		{"move,~dead,>=,-1", false, "move + ~dead >= -1"},
		{"move,dead,==,1152921504606846976", false, "move + dead == 1152921504606846976"},
		{"at(x1,y2),==,1", false, "at(x1,y2) == 1"},
		{"~at(x1,y3,z)',at(x1,y3,z),aux,==,1", true, "~at(x1,y3,z)' + at(x1,y3,z) + aux == 1"},
		{"level#2,~level#0,>=,1", false, "level in -4..0, 2"},
		{"at(x1,y2),at(x1,y2),==,1", false, `!"at(x1,y2),at(x1,y2),==,1": at(x1,y2) occurs twice in one constraint`},
		{"at(x1,y3),==,1", false, `!"at(x1,y3),==,1": there is no variable "at(x1"`},
		{"at(x1,y2)',==,1", false, `!"at(x1,y2)',==,1": "at(x1,y2)'": ' is for the next step, which only transitions have`},
		{"level,==,1", false, `!"level,==,1": "level" is an integer variable of 3 bits; expected one bit, level#0 the lowest`},
		{"level#3,==,1", false, `!"level#3,==,1": there is no variable "level#3"; did you mean level?`},
		{"level#01,==,1", false, `!"level#01,==,1": there is no variable "level#01"`},
		{"dead#0,==,1", false, `!"dead#0,==,1": there is no variable "dead#0"; did you mean dead?`},
		{"dead,==,1\ndead,==,1", false, `!"dead,==,1\ndead,==,1": byte 0x0a; expected UTF-8 without control characters`},
		{"", false, `!"": "" has too few fields; expected LIT,...,OP,K`},
	} {
		got, err := Constraint(p, c.text, c.next)
		s := p.Format(&got)
		if err != nil {
			s = "!" + err.Error()
		} else if got.Origin != c.text {
			t.Errorf("%s: origin %s", c.text, got.Origin)
		}
		if s != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.text, s, c.want)
		}
	}
}

func TestReadConstraints(t *testing.T) {
	p := mixed(t)
	cs, err := ReadConstraints(p, "some/where/c.txt", strings.NewReader("dead',~dead,>=,1\r\nmove,aux,<=,1"), true)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "constraints", formatted(p, cs), []string{"c.txt:1 dead' + ~dead >= 1", "c.txt:2 move + aux <= 1"})
	cs, err = ReadConstraints(p, "c.txt", strings.NewReader(""), false)
	if err != nil || len(cs) != 0 {
		t.Errorf("an empty file gives %v, %v", cs, err)
	}
	if _, err = ReadStateConstraints(p, "i.txt", strings.NewReader("dead,==,0\nmove,==,1\n")); err == nil || !strings.HasPrefix(err.Error(), "i.txt:2:1: ") {
		t.Errorf("an action among states: %v", err)
	}
	_, err = ReadConstraints(p, "c.txt", iotest.ErrReader(io.ErrUnexpectedEOF), false)
	var at *source.Error
	if !errors.As(err, &at) || !strings.HasPrefix(err.Error(), "c.txt: cannot be read: ") {
		t.Errorf("a reader that fails: %v", err)
	}
}

// TestLongText checks that reports of long lines are short, and that the cost of names with
// commas grows only with their number.
func TestLongText(t *testing.T) {
	p := mixed(t)
	long := strings.Repeat("at(x1,", 1<<18)
	if _, err := Constraint(p, long+"==,1", false); err == nil || len(err.Error()) > 400 {
		t.Errorf("%v", err)
	}
	if _, err := ReadReward(p, "r.txt", strings.NewReader(long+"1")); err == nil || len(err.Error()) > 400 {
		t.Errorf("%v", err)
	}
}

func TestReadReward(t *testing.T) {
	p := mixed(t)
	for _, c := range []struct{ text, want string }{
		{"", "(-1*move)/1"},
		{"\n\r\n", "(-1*move)/1"},
		{"move,-1", "(-1*move)/1"},
		{"move,-0.5\r\nat(x1,y2),2\r\n", "(-1*move + 4*at(x1,y2)')/2"},
		{"~dead,1.25e1\n~move,1", "(25*~dead' + 2*~move)/2"},
		{"dead,0\nmove,0.0", "()/1"},
		{"level,-1", "(4*level#2' + -2*level#1' + -1*level#0')/1"},
		{"level#1,3", "(3*level#1')/1"},
		{"move,1152921504606846976", "(1152921504606846976*move)/1"},
		{"level,1152921504606846976", "!r.txt:1:1: the weights of the bits, scaled to integers, sum to more than 2^60"},
		{"level,1\nlevel#0,1", `!r.txt:2:1: "level#0" occurs twice in the reward`},
		{"~level,1", `!r.txt:1:1: "level" is an integer variable, which has no negation; expected a Boolean after ~`},
		{"aux,1", `!r.txt:1:1: "aux" is an auxiliary variable; a reward is on state and action variables`},
		{"move,1\nat(x1,y2),0.1\ndead,1e18\n", `!r.txt:3:6: with the weight "1e18" the weights are too large or too fine: scaled to integers by 10 they sum to more than 2^60`},
		{"move,1e-999", `!r.txt:1:6: with the weight "1e-999" the weights are too large or too fine: they do not fit 60 bits`},
	} {
		got, err := ReadReward(p, "r.txt", strings.NewReader(c.text))
		s := rewardText(p, got)
		if err != nil {
			s = "!" + err.Error()
		}
		if s != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.text, s, c.want)
		}
	}
}
