package policy

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/engine/policy"
)

// Aim is what a policy is to achieve.
type Aim struct {
	Failures Failures         `http:"yes" help:"With --policy, hold in every run with at most so many disturbances, draws that do not have their most likely outcome; P% takes so many that a run has more with at most that probability." placeholder:"N|P%"`
	Blind    bool             `http:"yes" help:"With --policy, find a plan that sees nothing: what to do at each step, whatever happens."`
	Maximize policy.Objective `http:"yes" help:"What a policy maximises: success, the probability that the goal is reached, or reward, the expected sum; default: success if there is a goal." enum:"success,reward," default:"" placeholder:"WHAT"`
}

// Failures bounds the disturbances of a run: a number, a share such as 1%, or "" for no bound.
type Failures string

// UnmarshalText reads 3 or 1%.
func (f *Failures) UnmarshalText(text []byte) error {
	*f = Failures(text)
	_, err := f.robust()
	return err
}

// UnmarshalJSON reads 3 or "1%".
func (f *Failures) UnmarshalJSON(text []byte) error { return f.UnmarshalText(bytes.Trim(text, `"`)) }

// Schema describes the JSON.
func (Failures) Schema() map[string]any {
	return map[string]any{"anyOf": []any{map[string]any{"type": "integer", "minimum": 0, "maximum": mostFailures}, map[string]any{"type": "string", "pattern": "^[0-9.]+%?$"}}}
}

// mostFailures is the greatest number of disturbances.
const mostFailures = 1000

// robust is what the bound asks for; nil for none.
func (f Failures) robust() (r *Robust, err error) {
	if f == "" {
		return nil, nil
	}
	r = &Robust{}
	if share, ok := strings.CutSuffix(string(f), "%"); ok {
		r.Risk, err = strconv.ParseFloat(strings.TrimSpace(share), 64)
		if r.Risk /= 100; err == nil && r.Risk > 0 && r.Risk < 1 {
			return r, nil
		}
	} else if r.Disturbances, err = strconv.Atoi(string(f)); err == nil && r.Disturbances >= 0 && r.Disturbances <= mostFailures {
		return r, nil
	}
	return nil, fmt.Errorf("%.40q is not a bound on disturbances; expected a number up to %d, or a probability above 0%% and below 100%%", string(f), mostFailures)
}

// Check refuses an aim that does not go with the rest of what is asked for: whether a policy is, the
// rule of determinisation, and the horizon.
func (a Aim) Check(wanted bool, rule string, h bind.Horizon) error {
	switch {
	case !wanted && a != Aim{}:
		return errors.New("--maximize, --failures and --blind tell what a policy is to achieve; expected --policy too")
	case !wanted:
	case rule != "none":
		return errors.New("--determinize leaves nothing to chance, and --policy plans with it; expected one of them")
	case h.Min != h.Max && a.Failures == "":
		return errors.New("--policy takes one horizon, unless --failures is given; expected -H N")
	}
	return nil
}

// Request asks for a policy with this aim.
func (a Aim) Request(h bind.Horizon) (r Request, err error) {
	r.Objective, r.Horizon, r.Blind = a.Maximize, h.Max, a.Blind
	if r.Robust, err = a.Failures.robust(); err == nil && r.Robust != nil && h.Min < h.Max {
		r.Robust.MinHorizon = h.Min
	}
	return r, err
}
