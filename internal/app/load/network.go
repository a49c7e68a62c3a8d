package load

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/fdplan/fdplan/internal/learn/coverage"
	"github.com/fdplan/fdplan/internal/rddl/bundled"
	"github.com/fdplan/fdplan/internal/rddl/task"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/bnn"
	"github.com/fdplan/fdplan/problem/expr"
	"github.com/fdplan/fdplan/problem/factored"
)

// The metadata keys with which a network's file describes its training data.
const (
	MetaData = "data" // train.Examples.Digest of all rows, including held-out ones
	MetaSeen = "seen" // coverage.Set of the inputs of the training rows
	// MetaLog has the coverage.Record of the rows, and the following ones the names of its
	// further bits and of its files.
	MetaLog       = "log"
	MetaLogInput  = "log-input"
	MetaLogOutput = "log-output"
	MetaLogFile   = "log-file"
	MetaErrors    = "errors" // number of training rows that are wrong
	// MetaSupport are the lines of a coverage.Support, in order.
	MetaSupport = "support"
	// MetaReward is the reward of a step that was learned, as an expression.
	MetaReward = "reward"
	// MetaRewardRows is a RewardRows as JSON.
	MetaRewardRows = "reward-rows"
	// MetaLifted has a function that all objects of a type share; see package lift. There is
	// one for each learned fluent.
	MetaLifted = "lifted"
	// MetaChance are the lines of a chance.Model, in order.
	MetaChance = "chance"
	// MetaEarlier is an Earlier as JSON.
	MetaEarlier = "earlier"
	// MetaMet has a lift.Met: which values the rows of a lifted network have together.
	MetaMet = "met"
)

// ErrNoNetwork is the error of loading a problem whose network is yet to be learned,
// where the network is needed.
var ErrNoNetwork = errors.New("there is no network yet")

// ErrNothingLearned is wrapped if a task has no fluent to learn.
var ErrNothingLearned = errors.New("nothing is to be learned")

// Learns returns an error that wraps ErrNothingLearned if no state fluent of the
// problem is learned.
func (p *Problem) Learns() error {
	if len(p.Problem.Outputs) == 0 {
		return fmt.Errorf("%w in %s; expected learned = […] in its task file", ErrNothingLearned, p.Problem.Name)
	}
	return nil
}

// missingNetwork is ErrNoNetwork at its place.
type missingNetwork struct{ error }

// Is reports whether target is ErrNoNetwork.
func (*missingNetwork) Is(target error) bool { return target == ErrNoNetwork }

// Trained is what a network's file records about the rows that it was trained on.
type Trained struct {
	Seen    *coverage.Set     // the inputs of the rows; nil if unknown
	Record  *coverage.Record  // the rows, those held out too; nil if they are not recorded
	Support *coverage.Support // what they settle; nil if that is not recorded
	Reward  string            // of a step, as it was learned; empty for none
	// RewardRows are the rows that it was learned from; nil if that is not recorded.
	RewardRows *RewardRows
	Errors     int // training rows that the network has wrong; 0 if unknown
	// Functions are next values that the network does not give; nil for none.
	Functions *Functions
	// Chance is what is drawn in a step, of a problem with its network; nil if nothing is. The network has the
	// most likely values.
	Chance *task.Chance
	// Earlier says that the rows refute that state and action decide what is drawn; nil where they do not.
	Earlier *Earlier
	// Residuals are the errors of functions on held-out rows, in the order of time, in steps, by fluent. Logged is what
	// the log has of actions that are numbers. Both are nil if that is not recorded.
	Residuals map[string][]int64
	Logged    map[string]Logged

	rewardLine  int // in the file
	chanceLines []string
	chanceAt    []int // of each
}

// firstMeta is the first line of a network's file with metadata.
const firstMeta = 2

// ReadTrained returns what a network's file records about its training rows.
func ReadTrained(name string, f *bnn.File) (t Trained, err error) {
	var lines []string
	var at []int
	for i, kv := range f.Meta {
		switch kv[0] {
		case MetaReward:
			t.Reward, t.rewardLine = kv[1], firstMeta+i
		case MetaRewardRows:
			t.RewardRows = &RewardRows{}
			err = json.Unmarshal([]byte(kv[1]), t.RewardRows)
		case MetaEarlier:
			t.Earlier = &Earlier{}
			err = json.Unmarshal([]byte(kv[1]), t.Earlier)
		case MetaChance:
			t.chanceLines, t.chanceAt = append(t.chanceLines, kv[1]), append(t.chanceAt, firstMeta+i)
		case MetaResiduals, MetaLogged:
			err = t.readErrors(kv[0], kv[1])
		case MetaErrors:
			t.Errors, _ = strconv.Atoi(kv[1]) // anything may be there
		case MetaSupport:
			lines, at = append(lines, kv[1]), append(at, firstMeta+i)
		case MetaSeen:
			if t.Seen != nil {
				return t, source.Errorf(name, firstMeta+i, len("meta "), "there are two sets of rows that training has seen; expected one")
			}
			t.Seen, err = coverage.Parse(kv[1], f.Network.Inputs())
		}
		if err != nil {
			return t, source.Errorf(name, firstMeta+i, len("meta "+kv[0]+" ")+1, "%v", err)
		}
	}
	if len(lines) > 0 {
		var line int
		if t.Support, line, err = coverage.ParseSupport(lines, f.Network.Inputs(), f.Network.Outputs()); err != nil {
			return t, source.Errorf(name, at[line], len("meta "+MetaSupport+" ")+1, "%v", err)
		}
	}
	if t.Record, err = readRecord(name, f); err != nil {
		return t, err
	}
	if t.Functions, err = ReadFunctions(name, f); err != nil {
		return t, err
	}
	if t.Seen == nil && t.Record != nil && t.Record.Whole {
		t.Seen = t.Record.Seen()
	}
	return t, nil
}

// readRecord returns the rows in a network's file; nil if there are none.
func readRecord(name string, f *bnn.File) (*coverage.Record, error) {
	named := map[string][]string{}
	at := -1
	for i, kv := range f.Meta {
		switch kv[0] {
		case MetaLogInput, MetaLogOutput, MetaLogFile:
			named[kv[0]] = append(named[kv[0]], kv[1])
		case MetaLog:
			if at >= 0 {
				return nil, source.Errorf(name, firstMeta+i, len("meta "), "there are two records of rows; expected one")
			}
			at = i
		}
	}
	if at < 0 {
		return nil, nil
	}
	inputs := f.Network.Inputs()
	if len(f.Network.Layers) == 0 { // the further inputs are those that a network would have
		inputs, named[MetaLogInput] = len(named[MetaLogInput]), nil
	}
	r, err := coverage.ParseRecord(f.Meta[at][1], inputs, f.Network.Outputs(), named[MetaLogInput], named[MetaLogOutput], named[MetaLogFile])
	if err != nil {
		return nil, source.Errorf(name, firstMeta+at, len("meta "+MetaLog+" ")+1, "%v", err)
	}
	return r, nil
}

// RecordLines is the metadata that records rows.
func RecordLines(r *coverage.Record) (meta [][2]string) {
	add := func(key string, values ...string) {
		for _, v := range values {
			meta = append(meta, [2]string{key, v})
		}
	}
	add(MetaLogInput, r.MoreInputs...)
	add(MetaLogOutput, r.MoreOutputs...)
	for _, name := range r.Files {
		add(MetaLogFile, printable(name))
	}
	add(MetaLog, r.String())
	return meta
}

// printable replaces what metadata cannot have.
func printable(name string) string {
	return strings.Map(func(c rune) rune {
		if source.BadByte(string(c)) >= 0 {
			return '\uFFFD'
		}
		return c
	}, strings.ToValidUTF8(name, "\uFFFD"))
}

// SupportLines is the metadata that records what training rows settle; nil where that is too
// much for a network's file.
func SupportLines(s *coverage.Support) (meta [][2]string) {
	lines, err := s.Lines()
	if err != nil {
		return nil
	}
	for _, l := range lines {
		meta = append(meta, [2]string{MetaSupport, l})
	}
	return meta
}

// RewardRows tells how a reward that was learned does on its rows.
type RewardRows struct {
	Rows int `json:"rows"` // that have a reward
	// Wrong counts the rows with another reward; null if no function gives rewards exactly, as
	// where they were measured with noise.
	Wrong *int `json:"wrong"`
	// Floor counts those of which no function of the states and action is right, since other
	// rows with the same ones have another reward.
	Floor int `json:"floor"`
	// Error is the mean absolute error over the rows, but the wrong ones if these are known.
	Error float64 `json:"error"`
	// Missed are some of the wrong rows, first those of the reward that is missed most.
	Missed []MissedReward `json:"missed"`
}

// MissedReward is a row with another reward than the learned one.
type MissedReward struct {
	Line    int32   `json:"line"`
	Reward  float64 `json:"reward"`  // of the row
	Learned float64 `json:"learned"` // that the function gives
}

// Warning says in which rows the reward is another one; empty if there are none.
func (r *RewardRows) Warning() string {
	switch {
	case r == nil:
		return ""
	case r.Wrong == nil:
		return fmt.Sprintf("the learned reward is off by %.4g on average in its %d rows", r.Error, r.Rows)
	case *r.Wrong == 0:
		return ""
	}
	return fmt.Sprintf("the learned reward is wrong in %d of its %d rows%s", *r.Wrong, r.Rows, r.Examples())
}

// Examples are a few of the missed rewards, beginning with a colon; empty for none.
func (r *RewardRows) Examples() string {
	const most = 3
	var parts []string
	for _, m := range r.Missed[:min(most, len(r.Missed))] {
		parts = append(parts, fmt.Sprintf("%v at line %d, not %v", m.Reward, m.Line, m.Learned))
	}
	if len(r.Missed) > most {
		parts = append(parts, "…")
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

// setReward makes the reward that was learned that of the problem, unless the task gives one
// itself.
func (p *Problem) setReward(network string) error {
	if p.Reward == "" || p.Declared != nil && p.Declared.Reward != "" {
		return nil
	}
	if err := expr.SetReward(p.Problem, p.Reward, "learned reward"); err != nil {
		return source.Errorf(network, p.rewardLine, len("meta "+MetaReward+" ")+1, "%v", err)
	}
	p.LearnedReward = true
	return nil
}

// Drawn has the names of the variables whose next values are drawn in a learned model.
func (p *Problem) Drawn() map[string]bool {
	drawn := map[string]bool{}
	if p.Chance != nil {
		for _, v := range p.Chance.Outputs() {
			drawn[p.Problem.Variables[v].Name] = true
		}
	}
	return drawn
}

// ReadChance sets Chance to what the network's file of a problem says to be drawn.
func (t *Trained) ReadChance(name string, p *factored.Problem) error {
	if len(t.chanceLines) == 0 {
		return nil
	}
	var line int
	var err error
	if t.Chance, line, err = task.ReadChance(p, t.chanceLines); err != nil {
		return source.Errorf(name, t.chanceAt[line], len("meta "+MetaChance+" ")+1, "%v", err)
	}
	return nil
}

// readNetwork reads the network that a task names and compares its bits with the problem's.
func readNetwork(t *task.Task, p *factored.Problem, read task.ReadFile) (*bnn.Network, Trained, error) {
	if t.Network == "" {
		return nil, Trained{}, fmt.Errorf("%w; expected network = \"FILE\" here, or planning with the RDDL itself",
			&missingNetwork{source.Errorf(t.File, 1, 0, "%s has no network yet", p.Name)})
	}
	f, err := readFile(t.Network, read)
	if _, absent := os.Stat(t.Network); err != nil && errors.Is(absent, fs.ErrNotExist) {
		err = fmt.Errorf("%w; fdplan train DATA --task %s -o %s writes it", err, t.File, t.Network)
	}
	if err != nil {
		return nil, Trained{}, err
	}
	trained, err := ReadTrained(t.Network, f)
	if err == nil && trained.Functions != nil {
		err = trained.Functions.Define(t.Network, p)
	}
	if err == nil {
		err = Fits(t.Network, f, p)
	}
	if err == nil {
		err = trained.ReadChance(t.Network, p)
	}
	if len(f.Network.Layers) == 0 {
		if r := trained.Record; r != nil && r.Inputs != len(p.Inputs) {
			trained.Record, trained.Seen = nil, nil // of another problem
		}
		return nil, trained, err
	}
	return f.Network, trained, err
}

// ReadNetwork reads a network of the problem's bits: a file, or the network of a bundled problem.
func ReadNetwork(name string, p *factored.Problem) (*bnn.File, error) {
	if !slices.Contains(bundled.Names(), name) {
		return fitting(name, p, ReadFile)
	}
	t, err := bundled.Task(name)
	if err != nil {
		return nil, err
	}
	return fitting(t.Network, p, bundled.Read)
}

// fitting reads a network's file and compares its bits with the problem's.
func fitting(name string, p *factored.Problem, read task.ReadFile) (*bnn.File, error) {
	f, err := readFile(name, read)
	if err != nil {
		return nil, err
	}
	return f, Fits(name, f, p)
}

func readFile(name string, read task.ReadFile) (*bnn.File, error) {
	data, err := read(name)
	if err != nil {
		return nil, err
	}
	return bnn.ReadFile(name, bytes.NewReader(data))
}

// Fits compares the names of a network's bits with the problem's.
func Fits(name string, f *bnn.File, p *factored.Problem) error {
	for i, kv := range f.Meta {
		if kv[0] == MetaFunction && len(p.Functions) == 0 {
			return source.Errorf(name, firstMeta+i, 1, "it has functions of quantities beside the network; expected a network alone")
		}
	}
	for _, side := range []struct {
		what string
		got  []string
		bits []factored.Bit
	}{{"inputs", f.Inputs, p.Inputs}, {"outputs", f.Outputs, p.Outputs}} {
		want := BitNames(p, side.bits)
		if len(p.Outputs) == 0 {
			want = []string{} // there is no network
		}
		if !slices.Equal(side.got, want) {
			return source.Errorf(name, 0, 0, "its %s are %s; the problem has %s", side.what, strings.Join(side.got, ", "), strings.Join(want, ", "))
		}
	}
	return nil
}

// BitNames lists the names of bits.
func BitNames(p *factored.Problem, bits []factored.Bit) []string {
	out := make([]string, len(bits))
	for i, b := range bits {
		out[i] = p.BitName(b)
	}
	return out
}

// HasNetwork reports whether the file of the network exists that a task file names, if there
// is something to learn. Of other problems it is true.
func HasNetwork(r Ref) bool {
	if !strings.HasSuffix(r.Name, ".toml") || r.Files != "" || r.known() {
		return true
	}
	t, err := task.Load(r.Name, ReadFile)
	if err != nil || !t.Declares() && len(t.Learned) == 0 {
		return true // an error is that of loading, too
	}
	_, err = os.Stat(t.Network)
	return !errors.Is(err, fs.ErrNotExist) && t.Network != ""
}
