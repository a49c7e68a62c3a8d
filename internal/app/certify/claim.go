package certify

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"regexp"
	"strconv"

	"github.com/fdplan/fdplan/certify/translation"
	"github.com/fdplan/fdplan/certify/veripb"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/packed"
	"github.com/fdplan/fdplan/internal/source"
)

// Claim is what a proof shows about one problem file.
type Claim struct {
	File     string   `json:"file"` // the problem, in OPB, WCNF or CNF
	Proof    string   `json:"proof"`
	Horizon  int      `json:"horizon"`  // as the file says; 0 if it does not
	Shows    string   `json:"shows"`    // in terms of the file: optimal 4, bounds 3 INF, unsatisfiable, none
	Reward   *float64 `json:"reward"`   // of a plan that the proof shows
	Bound    *float64 `json:"bound"`    // no plan has a higher reward
	Accepted bool     `json:"accepted"` // by this program's checker, and as much as the answer says
	Refused  string   `json:"refused,omitempty"`
	// Translation reports whether the file is the problem over the horizon; null
	// where no problem was given to compare it with.
	Translation *bool     `json:"translation"`
	Others      []Verdict `json:"others,omitempty"`

	kind veripb.Kind
}

// said is what an answer says of one horizon.
type said struct {
	status        engine.Status
	reward, bound *float64
}

// refuse notes the first reason why a claim is refused.
func (c *Claim) refuse(format string, args ...any) {
	if c.Accepted || c.Refused == "" {
		c.Accepted, c.Refused = false, fmt.Sprintf(format, args...)
	}
}

// refuseFault refuses a claim for what its checker found. The checker's errors are
// about "formula" or "proof"; the refusal names the file.
func (c *Claim) refuseFault(fault *source.Error) {
	if fault.File == "formula" {
		fault.File = c.File
	} else {
		fault.File = c.Proof
	}
	c.refuse("%v", fault)
}

// compare refuses a proof that shows less than an answer says.
func (c *Claim) compare(s said) {
	if !c.Accepted {
		return
	}
	wants := func(status engine.Status, kind veripb.Kind) bool { return s.status == status && c.kind != kind }
	switch {
	case wants(engine.Optimal, veripb.Optimal), wants(engine.Infeasible, veripb.Unsat):
		c.refuse("the answer is %s, the proof shows only: %s", s.status, c.Shows)
	case s.status == engine.Infeasible:
	case s.reward != nil && c.Reward == nil:
		c.refuse("the answer has a plan of reward %v, the proof shows none", *s.reward)
	case s.reward != nil && *c.Reward != *s.reward:
		c.refuse("the answer has a plan of reward %v, the proof one of %v", *s.reward, *c.Reward)
	case s.bound != nil && c.kind != veripb.Unsat && c.Bound == nil:
		c.refuse("the answer bounds the reward by %v, the proof by nothing", *s.bound)
	case s.bound != nil && c.Bound != nil && *c.Bound > *s.bound:
		c.refuse("the answer bounds the reward by %v, the proof by %v", *s.bound, *c.Bound)
	}
}

// checkFiles has the checker read a proof about a problem file and, where there is a
// task, compares the file with it, but for plans that are excluded. Files that cannot be read are errors.
func checkFiles(ctx context.Context, opb, proof string, t *engine.Task, excluded []engine.Landmark) (*Claim, error) {
	c := &Claim{File: opb, Proof: proof, Accepted: true}
	h, err := c.read(ctx, veripb.Check)
	if err != nil || !c.Accepted || t == nil {
		return c, err
	}
	same := true
	c.Translation = &same
	again, err := open(ctx, opb)
	if err != nil {
		return nil, err
	}
	defer again.Close()
	var without []translation.Excluded
	for _, x := range excluded {
		without = append(without, translation.Excluded{Trace: x.Trace, Depth: x.Depth})
	}
	r, err := translation.Check(t.Problem, t.Network, h.horizon, opb, again, without...)
	if err == nil && (r.Constant != h.constant || r.Scale != h.scale) {
		err = errors.New("its comments differ about the reward")
	}
	if err != nil {
		same = false
		c.refuse("the file is not the problem %s: %v", t.Problem.Name, err)
	}
	return c, ctx.Err()
}

// read has a checker read the proof, and notes its verdict and what the problem file
// says about itself.
func (c *Claim) read(ctx context.Context, check func(problem, proof io.Reader) (veripb.Verdict, error)) (head, error) {
	h, err := readHead(c.File)
	if err != nil {
		return h, err
	}
	c.Horizon = h.horizon
	problem, err := open(ctx, c.File)
	if err != nil {
		return h, err
	}
	defer problem.Close()
	steps, err := open(ctx, c.Proof)
	if err != nil {
		return h, err
	}
	defer steps.Close()
	v, err := check(problem, steps)
	var fault *source.Error
	switch {
	case ctx.Err() != nil:
		return h, context.Cause(ctx)
	case errors.As(err, &fault):
		c.refuseFault(fault)
		return h, nil
	case err == nil:
		c.take(v, h)
	}
	return h, err
}

// take notes a verdict.
func (c *Claim) take(v veripb.Verdict, h head) {
	c.kind, c.Shows = v.Kind, v.String()
	reward := func(value *big.Int) *float64 {
		if value == nil || h.scale == 0 {
			return nil
		}
		sum := new(big.Int).Neg(new(big.Int).Add(value, big.NewInt(h.constant)))
		f, _ := new(big.Rat).SetFrac(sum, big.NewInt(h.scale)).Float64()
		return &f
	}
	if v.Kind == veripb.Optimal || v.Kind == veripb.Bounds {
		c.Reward, c.Bound = reward(v.Upper), reward(v.Lower)
	}
}

// head is what the comments of a problem file say.
type head struct {
	horizon         int
	constant, scale int64 // reward = -(objective + constant) / scale; scale 0 where the file does not say
}

var (
	horizonLine = regexp.MustCompile(`^[*c] fdplan: problem .*, horizon (\d+)\s*$`)
	rewardLine  = regexp.MustCompile(`reward = -\(objective \+ (-?\d+)\) / (\d+)\s*$`)
)

func readHead(name string) (head, error) {
	var h head
	f, err := open(context.Background(), name)
	if err != nil {
		return h, err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	for range 20 {
		line, err := in.ReadString('\n')
		if err != nil || len(line) == 0 || line[0] != '*' && line[0] != 'c' {
			break // what is wrong is said by the checker
		}
		if m := horizonLine.FindStringSubmatch(line); m != nil && h.horizon == 0 {
			h.horizon, _ = strconv.Atoi(m[1])
		}
		if m := rewardLine.FindStringSubmatch(line); m != nil && h.scale == 0 { // the first, as in package translation
			constant, err1 := strconv.ParseInt(m[1], 10, 64)
			scale, err2 := strconv.ParseInt(m[2], 10, 64)
			if err1 == nil && err2 == nil {
				h.constant, h.scale = constant, scale
			}
		}
	}
	return h, nil
}

// file is an open file whose reads end with a context.
type file struct {
	ctx context.Context
	io.Reader
	closers    []io.Closer
	compressed bool
}

func (f *file) Read(b []byte) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	return f.Reader.Read(b)
}

// Close closes the file.
func (f *file) Close() error {
	var errs []error
	for _, c := range f.closers {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// open opens a file, compressed or not.
func open(ctx context.Context, name string) (*file, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	z, compressed, err := packed.Reader(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	return &file{ctx, z, []io.Closer{z, f}, compressed}, nil
}
