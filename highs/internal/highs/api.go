package highs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/fdplan/fdplan/internal/solve/external"
)

// exports are the shortened names of the functions of HiGHS's C interface in
// the file.
var exports = map[string]string{
	"initialize":                   "v", // what emscripten's runtime calls first
	"malloc":                       "uc",
	"free":                         "tc",
	"Highs_create":                 "F",
	"Highs_run":                    "N",
	"Highs_readModel":              "P",
	"Highs_setBoolOptionValue":     "ia",
	"Highs_setIntOptionValue":      "ja",
	"Highs_setDoubleOptionValue":   "ka",
	"Highs_getIntInfoValue":        "Aa",
	"Highs_getDoubleInfoValue":     "Ba",
	"Highs_getInt64InfoValue":      "Ca",
	"Highs_getSolution":            "Ea",
	"Highs_getModelStatus":         "Ga",
	"Highs_setSolution":            "Va",
	"Highs_setCallback":            "Xa",
	"Highs_startCallback":          "Ya",
	"Highs_getNumCol":              "_",
	"Highs_getColName":             "Mb",
	"Highs_getCallbackDataOutItem": "nc",
}

// modelStatus is HiGHS's verdict.
type modelStatus int32

// The verdicts that are told apart, kHighsModelStatus...
const (
	statusEmpty                 modelStatus = 6
	statusOptimal               modelStatus = 7
	statusInfeasible            modelStatus = 8
	statusUnboundedOrInfeasible modelStatus = 9
	statusBound                 modelStatus = 11
	statusTarget                modelStatus = 12
	statusTimeLimit             modelStatus = 13
	statusIterationLimit        modelStatus = 14
	statusSolutionLimit         modelStatus = 16
	statusInterrupt             modelStatus = 17
)

// The callbacks that are used, kHighsCallback...
const (
	callbackSimplexInterrupt  = 1
	callbackImprovingSolution = 4
	callbackMIPLogging        = 5
	callbackMIPInterrupt      = 6
)

// Items of a callback's data, in the order of run.item.
const (
	itemObjective = iota
	itemNodes
	itemPrimal
	itemDual
	itemSolution
	numItems
)

var itemNames = [numItems]string{"objective_function_value", "mip_node_count", "mip_primal_bound", "mip_dual_bound", "mip_solution"}

// nameSize is what HiGHS writes of a column's name at most, kHighsMaximumStringLength.
const nameSize = 512

// statusError is what the functions of the C interface return on failure.
const statusError = -1

// caller calls functions of the C interface until one fails.
type caller struct {
	ctx context.Context
	r   *run
	err error
}

// call returns a function's result.
func (c *caller) call(name string, args ...uint64) uint64 {
	if c.err != nil {
		return 0
	}
	f := c.r.m.ExportedFunction(exports[name])
	if f == nil {
		c.err = fmt.Errorf("HiGHS has no function %s", name)
		return 0
	}
	results, err := f.Call(c.ctx, args...)
	if err != nil {
		c.err = fmt.Errorf("in %s: %w", name, err)
		return 0
	}
	if len(results) == 0 {
		return 0
	}
	return results[0]
}

func (c *caller) int(name string, args ...uint64) int32 { return int32(uint32(c.call(name, args...))) }

// must is int where -1 is a failure.
func (c *caller) must(name string, args ...uint64) {
	if c.int(name, args...) == statusError && c.err == nil {
		c.err = fmt.Errorf("%s fails", name)
	}
}

// alloc returns memory that stays until the end.
func (c *caller) alloc(size uint32) uint32 {
	p := uint32(c.call("malloc", uint64(max(size, 8))))
	if p == 0 && c.err == nil {
		c.err = errors.New("HiGHS is out of memory")
	}
	return p
}

// string returns a string that ends in 0.
func (c *caller) string(s string) uint64 {
	p := c.alloc(uint32(len(s)) + 1)
	c.r.m.Memory().Write(p, append([]byte(s), 0))
	return uint64(p)
}

func (c *caller) info(function, name string) uint32 {
	at := c.alloc(8)
	c.r.m.Memory().WriteUint64Le(at, 0)
	c.call(function, uint64(c.r.pointer), c.string(name), uint64(at))
	return at
}

func (c *caller) intInfo(name string) int32 {
	v, _ := c.r.m.Memory().ReadUint32Le(c.info("Highs_getIntInfoValue", name))
	return int32(v)
}

func (c *caller) int64Info(name string) int64 {
	v, _ := c.r.m.Memory().ReadUint64Le(c.info("Highs_getInt64InfoValue", name))
	return int64(v)
}

func (c *caller) doubleInfo(name string) float64 {
	v, ok := c.r.m.Memory().ReadFloat64Le(c.info("Highs_getDoubleInfoValue", name))
	if !ok {
		return math.NaN()
	}
	return v
}

// solve reads the model, sets everything up, runs, and reads the answer.
func (r *run) solve(ctx context.Context, runtime wazero.Runtime) (external.Answer, error) {
	c := &caller{ctx: ctx, r: r}
	c.call("initialize")
	index, err := r.install(ctx, runtime)
	if err != nil {
		return external.Answer{}, err
	}
	r.pointer = uint32(c.call("Highs_create"))
	h := uint64(r.pointer)
	for i, name := range itemNames {
		r.item[i] = uint32(c.string(name))
	}
	c.must("Highs_readModel", h, c.string(r.host.modelName))
	c.must("Highs_setDoubleOptionValue", h, c.string("mip_rel_gap"), api.EncodeF64(0))
	c.must("Highs_setIntOptionValue", h, c.string("threads"), 1)
	if r.limit > 0 {
		// HiGHS counts from its run on, the limit covers what came before, too.
		left := max(r.limit-time.Since(r.host.started), 10*time.Millisecond)
		c.must("Highs_setDoubleOptionValue", h, c.string("time_limit"), api.EncodeF64(left.Seconds()))
	}
	if c.err != nil {
		return external.Answer{}, c.err
	}
	if err := r.columns(c); err != nil {
		return external.Answer{}, err
	}
	c.must("Highs_setCallback", h, uint64(index), 0)
	callbacks := []uint64{callbackSimplexInterrupt, callbackImprovingSolution, callbackMIPLogging, callbackMIPInterrupt}
	for _, k := range callbacks {
		c.must("Highs_startCallback", h, k)
	}
	if r.start != nil {
		c.must("Highs_setSolution", h, uint64(r.solution(c, r.start)), 0, 0, 0)
	}
	c.must("Highs_run", h)
	if c.err != nil {
		return external.Answer{}, c.err
	}
	return r.answer(ctx)
}

// columns reads the columns' names.
func (r *run) columns(c *caller) error {
	n := c.int("Highs_getNumCol", uint64(r.pointer))
	buffer := c.alloc(nameSize)
	for i := range n {
		c.must("Highs_getColName", uint64(r.pointer), uint64(i), uint64(buffer))
		if c.err != nil {
			return c.err
		}
		v, err := Column(text(r.m, buffer))
		if err != nil {
			return err
		}
		r.names = append(r.names, v)
	}
	return c.err
}

// solution puts a solution into the memory inside.
func (r *run) solution(c *caller, values map[int32]int64) uint32 {
	at := c.alloc(8 * uint32(len(r.names)))
	for i, v := range r.names {
		x := float64(values[max(v, -v)])
		if v == 0 {
			x = 1
		}
		r.m.Memory().WriteFloat64Le(at+8*uint32(i), x)
	}
	return at
}

// install puts the callback into the table of functions and returns its index.
func (r *run) install(ctx context.Context, runtime wazero.Runtime) (uint32, error) {
	const i = api.ValueTypeI32
	_, err := runtime.NewHostModuleBuilder(glueModule).NewFunctionBuilder().
		WithGoModuleFunction(api.GoModuleFunc(func(ctx context.Context, _ api.Module, s []uint64) {
			r.callback(ctx, api.DecodeI32(s[0]), api.DecodeU32(s[2]), api.DecodeU32(s[3]))
		}), []api.ValueType{i, i, i, i, i}, nil).Export("callback").Instantiate(ctx)
	if err != nil {
		return 0, fmt.Errorf("preparing the callback of HiGHS: %w", err)
	}
	m, err := runtime.Instantiate(ctx, glue())
	if err != nil {
		return 0, fmt.Errorf("preparing the callback of HiGHS: %w", err)
	}
	index, err := m.ExportedFunction("install").Call(ctx)
	if err != nil || api.DecodeI32(index[0]) < 0 {
		return 0, fmt.Errorf("preparing the callback of HiGHS: its table cannot grow: %w", err)
	}
	return uint32(index[0]), nil
}

// callback is called by HiGHS while it runs. out and in point to its data.
func (r *run) callback(ctx context.Context, kind int32, out, in uint32) {
	switch kind {
	case callbackSimplexInterrupt, callbackMIPInterrupt:
		if r.ask.Load() {
			r.m.Memory().WriteUint32Le(in, 1) // user_interrupt is the first member
		}
	case callbackImprovingSolution, callbackMIPLogging:
		r.progress(&caller{ctx: ctx, r: r}, kind, out)
	}
}

// progress reports a callback's data where they are new.
func (r *run) progress(c *caller, kind int32, out uint32) {
	item := func(k int) uint32 {
		return uint32(c.call("Highs_getCallbackDataOutItem", uint64(out), uint64(r.item[k])))
	}
	double := func(k int) float64 {
		v, _ := r.m.Memory().ReadFloat64Le(item(k))
		return v
	}
	var solution map[int32]bool
	objective := double(itemPrimal)
	if kind == callbackImprovingSolution {
		objective = double(itemObjective)
		// Values other than 0 and 1 are not a solution; the next ones may be.
		solution, _ = r.trueVariables(doubles(r.m, item(itemSolution), uint32(len(r.names))))
	}
	nodes, _ := r.m.Memory().ReadUint64Le(item(itemNodes))
	bound := external.RoundBound(double(itemDual))
	if c.err != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	changed := solution != nil
	if solution != nil {
		r.best.True, r.best.Objective = solution, wholeObjective(objective)
		r.solutions++
	}
	if bound != nil && (r.best.Bound == nil || *r.best.Bound < *bound) {
		r.best.Bound, changed = bound, true
	}
	changed = changed || int64(nodes) > r.best.Nodes
	r.best.Nodes = int64(nodes)
	if changed && !r.over && r.report != nil {
		r.report(external.Progress{Objective: r.best.Objective, Bound: r.best.Bound, True: r.best.True, Solutions: r.solutions, Nodes: r.best.Nodes})
	}
}
