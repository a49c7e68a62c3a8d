package highs

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/fdplan/fdplan/internal/solve/external"
)

// assembler makes a WebAssembly module that has HiGHS's C interface and answers
// from a table in its memory, so that everything outside the module is tested
// where there is no HiGHS.
type assembler struct {
	types, imports, functions, exports, codes []string
}

// The imported functions that modules use, by their numbers.
const (
	importNow = iota
	importWrite
	importRead
	importOpen
	importGrow
	importAbort
)

// leb writes a number in the signed LEB128 format, which serves for small
// unsigned ones too.
func leb(n int32) string {
	var out []byte
	for {
		b := byte(n & 0x7f)
		n >>= 7
		if n == 0 && b&0x40 == 0 || n == -1 && b&0x40 != 0 {
			return string(append(out, b))
		}
		out = append(out, b|0x80)
	}
}

// size writes a length in the unsigned LEB128 format.
func size(n int) string { return string(binary.AppendUvarint(nil, uint64(n))) }

func vector(items []string) string { return size(len(items)) + strings.Join(items, "") }
func counted(s string) string      { return size(len(s)) + s }
func constant(n int32) string      { return "\x41" + leb(n) }
func local(i int32) string         { return "\x20" + leb(i) }
func call(function int) string     { return "\x10" + size(function) }

// signature adds a type: i is i32, d is f64.
func (a *assembler) signature(params, results string) string {
	names := strings.NewReplacer("i", "\x7f", "d", "\x7c")
	text := "\x60" + counted(names.Replace(params)) + counted(names.Replace(results))
	for i, t := range a.types {
		if t == text {
			return size(i)
		}
	}
	a.types = append(a.types, text)
	return size(len(a.types) - 1)
}

func (a *assembler) load(name, params, results string) {
	a.imports = append(a.imports, counted(importModule)+counted(name)+"\x00"+a.signature(params, results))
}

// define adds a function of HiGHS's interface.
func (a *assembler) define(name, params, results, code string) {
	number := len(a.imports) + len(a.functions)
	a.functions = append(a.functions, a.signature(params, results))
	a.exports = append(a.exports, counted(exports[name])+"\x00"+size(number))
	a.codes = append(a.codes, counted("\x00"+code+"\x0b"))
}

// The memory of a fake: an answer for each letter that tells items and infos
// apart, the fifth of their names.
const (
	vectorAt  = 16  // of a read or a write
	countAt   = 32  // what a read or a write returns
	inputAt   = 48  // data that a callback may change
	columnsAt = 256 // names of columns, four bytes each
	answersAt = 512 // eight bytes a letter
	bufferAt  = 1024
	heapAt    = 8192
)

// fake is what a module answers.
type fake struct {
	status  int32                     // of the model
	columns string                    // names, four bytes each
	run     func(a *assembler) string // code of Highs_run before it returns; nil calls back once for each kind
	without string                    // a function that is missing
}

// callback calls back with a kind of event.
func callback(a *assembler, kind int32) string {
	return constant(kind) + constant(0) + constant(0) + constant(inputAt) + constant(0) +
		"\x23\x01\x11" + a.signature("iiiii", "") + "\x00" // global.get 1, call_indirect
}

// module makes the module. The solution is x1 = 1, x2 = 0, one = 1; its objective
// is 5, the bound 2, and there were 7 nodes.
func (f *fake) module() []byte {
	a := &assembler{}
	for _, i := range [][3]string{{"c", "", "d"}, {"f", "iiii", "i"}, {"g", "iiii", "i"}, {"i", "iiii", "i"}, {"q", "i", "i"}, {"k", "", ""}} {
		a.load(i[0], i[1], i[2])
	}
	define := func(name, params, results, code string) {
		if name != f.without {
			a.define(name, params, results, code)
		}
	}
	// slot is the address of the answer for the name at a local.
	slot := func(name int32) string {
		return local(name) + "\x2d\x00\x04" + constant('a') + "\x6b" + constant(8) + "\x6c" + constant(answersAt) + "\x6a"
	}
	ok := constant(0)
	define("initialize", "", "", "")
	define("malloc", "i", "i", "\x23\x00"+"\x23\x00"+local(0)+"\x6a"+constant(7)+"\x6a"+constant(-8)+"\x71"+"\x24\x00")
	define("free", "i", "", "")
	define("Highs_create", "", "i", constant(1))
	define("Highs_readModel", "ii", "i",
		constant(vectorAt)+constant(bufferAt)+"\x36\x02\x00"+
			constant(vectorAt)+constant(4096)+"\x36\x02\x04"+
			constant(0)+local(1)+constant(0)+constant(0)+call(importOpen)+
			constant(vectorAt)+constant(1)+constant(countAt)+call(importRead)+"\x1a"+
			constant(vectorAt)+constant(countAt)+"\x28\x02\x00"+"\x36\x02\x04"+
			constant(1)+constant(vectorAt)+constant(1)+constant(countAt)+call(importWrite))
	define("Highs_setIntOptionValue", "iii", "i", ok)
	define("Highs_setDoubleOptionValue", "iid", "i", ok)
	for _, name := range []string{"Highs_getIntInfoValue", "Highs_getDoubleInfoValue", "Highs_getInt64InfoValue"} {
		define(name, "iii", "i", local(2)+slot(1)+"\x29\x03\x00"+"\x37\x03\x00"+ok)
	}
	define("Highs_getSolution", "iiiii", "i",
		local(1)+constant(answersAt+8*('s'-'a'))+"\x29\x03\x00\x37\x03\x00"+
			local(1)+constant(answersAt+8*('s'-'a'))+"\x29\x03\x08\x37\x03\x08"+
			local(1)+constant(answersAt+8*('s'-'a'))+"\x29\x03\x10\x37\x03\x10"+ok)
	define("Highs_getModelStatus", "i", "i", constant(f.status))
	define("Highs_setSolution", "iiiii", "i", ok)
	define("Highs_setCallback", "iii", "i", local(1)+"\x24\x01"+ok)
	define("Highs_startCallback", "ii", "i", ok)
	define("Highs_getNumCol", "i", "i", constant(int32(len(f.columns)/4)))
	define("Highs_getColName", "iii", "i", local(2)+local(1)+constant(4)+"\x6c"+constant(columnsAt)+"\x6a"+"\x28\x02\x00\x36\x02\x00"+ok)
	define("Highs_getCallbackDataOutItem", "ii", "i", slot(1))
	run := ""
	if f.run != nil {
		run = f.run(a)
	} else {
		for _, kind := range []int32{callbackMIPInterrupt, callbackImprovingSolution, callbackMIPLogging} {
			run += callback(a, kind)
		}
	}
	define("Highs_run", "i", "i", run+ok)
	a.exports = append(a.exports, counted(exportTable)+"\x01\x00", counted("memory")+"\x02\x00")

	answers := make([]byte, 8*26)
	put := func(letter rune, at int, bits uint64) {
		binary.LittleEndian.PutUint64(answers[8*(int(letter-'a')+at):], bits)
	}
	put('a', 0, 2) // primal_solution_status: feasible
	put('c', 0, math.Float64bits(5))
	put('d', 0, math.Float64bits(2))
	put('n', 0, 7)
	put('p', 0, math.Float64bits(5))
	put('s', 0, math.Float64bits(1))
	put('s', 2, math.Float64bits(1))
	data := func(at int32, text string) string { return "\x00" + constant(at) + "\x0b" + counted(text) }
	global := func(value int32) string { return "\x7f\x01" + constant(value) + "\x0b" }
	module := "\x00asm\x01\x00\x00\x00"
	for _, s := range []struct{ id, body string }{
		{"\x01", vector(a.types)}, {"\x02", vector(a.imports)}, {"\x03", vector(a.functions)},
		{"\x04", "\x01\x70\x00\x01"}, {"\x05", "\x01\x00\x01"}, {"\x06", vector([]string{global(heapAt), global(0)})},
		{"\x07", vector(a.exports)}, {"\x0a", vector(a.codes)},
		{"\x0b", vector([]string{data(columnsAt, f.columns), data(answersAt, string(answers))})},
	} {
		module += s.id + counted(s.body)
	}
	return []byte(module)
}

// columns are those of most fakes.
const columns = "x1\x00\x00x2\x00\x00one\x00"

// solveFake has a fake solve a problem of two columns.
func solveFake(t *testing.T, ctx context.Context, f fake, o Options, l external.Limits, report func(external.Progress)) (external.Answer, error) {
	t.Helper()
	e := &Engine{code: f.module(), cache: wazero.NewCompilationCache()}
	defer e.Close(context.Background())
	in := external.Input{
		Write: func(w io.Writer, _ external.Dialect) error { _, err := io.WriteString(w, "the problem"); return err },
		Start: map[int32]int64{2: 1},
	}
	return e.Solve(ctx, in, l, o, report)
}

// TestFakeAnswers has each verdict of HiGHS read, and what it reports on the way.
func TestFakeAnswers(t *testing.T) {
	for _, c := range []struct {
		name   string
		fake   fake
		status external.Status
		err    string
	}{
		{"optimal", fake{status: int32(statusOptimal), columns: columns}, external.Optimal, ""},
		{"infeasible", fake{status: int32(statusInfeasible), columns: columns}, external.Unsatisfiable, ""},
		{"unbounded or infeasible", fake{status: int32(statusUnboundedOrInfeasible), columns: columns}, external.Unsatisfiable, ""},
		{"time limit", fake{status: int32(statusTimeLimit), columns: columns}, external.Satisfiable, ""},
		{"another status", fake{status: 4, columns: columns}, 0, "model status 4"},
		{"a strange column", fake{status: int32(statusOptimal), columns: "y1\x00\x00"}, 0, `column "y1"`},
		{"a missing function", fake{status: int32(statusOptimal), columns: columns, without: "Highs_run"}, 0, "no function Highs_run"},
		{"aborts", fake{columns: columns, run: func(*assembler) string { return call(importAbort) }}, 0, "HiGHS aborted"},
	} {
		var seen []external.Progress
		var printed bytes.Buffer
		a, err := solveFake(t, context.Background(), c.fake, Options{Log: &printed}, external.Limits{Time: time.Minute}, func(p external.Progress) { seen = append(seen, p) })
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, expected an error with %q", c.name, err, c.err)
			}
			continue
		}
		if err != nil || a.Status != c.status || a.Nodes != 7 {
			t.Errorf("%s: %+v, %v", c.name, a, err)
			continue
		}
		if c.status != external.Unsatisfiable && (!a.True[1] || len(a.True) != 1 || *a.Objective != 5 || a.Log != "the problem") {
			t.Errorf("%s: %+v", c.name, a)
		}
		if bound := map[external.Status]int64{external.Optimal: 5, external.Satisfiable: 2}[c.status]; bound != 0 && *a.Bound != bound {
			t.Errorf("%s: the bound %d, expected %d", c.name, *a.Bound, bound)
		}
		if printed.String() != "the problem" || len(seen) != 1 || seen[0].Solutions != 1 || !seen[0].True[1] || *seen[0].Objective != 5 || *seen[0].Bound != 2 || seen[0].Nodes != 7 {
			t.Errorf("%s: printed %q, reports %+v", c.name, printed.String(), seen)
		}
	}
}

// TestFakeStops ends computations that listen to the callback, that only look at
// the clock, and that want more memory than they may have.
func TestFakeStops(t *testing.T) {
	code := func(code string) func(*assembler) string { return func(*assembler) string { return code } }
	// The first loops until it is asked to stop, the second for ever.
	listening := func(a *assembler) string {
		return "\x03\x40" + callback(a, callbackMIPInterrupt) + constant(inputAt) + "\x28\x02\x00" + "\x45\x0d\x00\x0b"
	}
	looking := code("\x03\x40" + call(importNow) + "\x1a\x0c\x00\x0b")
	for _, c := range []struct {
		name   string
		run    func(*assembler) string
		status external.Status
	}{
		{"listening", listening, external.Satisfiable},
		{"looking at the clock", looking, external.Unknown},
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		a, err := solveFake(t, ctx, fake{status: int32(statusInterrupt), columns: columns, run: c.run}, Options{}, external.Limits{}, nil)
		cancel()
		if err != nil || a.Status != c.status {
			t.Errorf("%s: %+v, %v", c.name, a, err)
		}
	}
	run := code(constant(1<<30) + call(importGrow) + "\x1a" + call(importAbort))
	if _, err := solveFake(t, context.Background(), fake{columns: columns, run: run}, Options{Memory: 1 << 20}, external.Limits{}, nil); !errors.Is(err, ErrMemory) {
		t.Errorf("%v, expected ErrMemory", err)
	}
	run = code(constant(1<<17) + call(importGrow) + "\x1a")
	if a, err := solveFake(t, context.Background(), fake{status: int32(statusOptimal), columns: columns, run: run}, Options{}, external.Limits{}, nil); err != nil || a.Status != external.Optimal {
		t.Errorf("with more memory: %+v, %v", a, err)
	}
}

// TestTrueVariables checks values for being 0 or 1.
func TestTrueVariables(t *testing.T) {
	r := &run{names: []int32{3, 0, 7}}
	if got, err := r.trueVariables([]float64{1 - 1e-6, 1, 1e-6}); err != nil || len(got) != 1 || !got[3] {
		t.Errorf("%v, %v", got, err)
	}
	for _, values := range [][]float64{{1, 1}, {0.5, 1, 0}, {2, 1, 0}, {-1, 1, 0}, {math.NaN(), 1, 0}} {
		if got, err := r.trueVariables(values); err == nil {
			t.Errorf("%v gives %v", values, got)
		}
	}
	for _, x := range []float64{math.Inf(1), math.NaN(), 1 << 60} {
		if v := wholeObjective(x); v != nil {
			t.Errorf("the objective %v is %d", x, *v)
		}
	}
}

// TestHost reads and seeks in the model's file.
func TestHost(t *testing.T) {
	ctx := context.Background()
	runtime := wazero.NewRuntime(ctx)
	defer runtime.Close(ctx)
	m, err := runtime.Instantiate(ctx, []byte("\x00asm\x01\x00\x00\x00\x05\x03\x01\x00\x01"))
	if err != nil {
		t.Fatal(err)
	}
	h := &host{modelName: "/model.lp", model: []byte("abcdef")}
	m.Memory().WriteString(64, "/model.lp\x00/other\x00")
	open := func(at uint64) int32 {
		s := []uint64{0, at, 0, 0}
		h.open(m, s)
		return api.DecodeI32(s[0])
	}
	if fd := open(64); fd != modelFD {
		t.Errorf("the model opens as %d", fd)
	}
	if fd := open(74); fd != -noEntry {
		t.Errorf("another file opens as %d", fd)
	}
	m.Memory().WriteUint32Le(16, 128)
	m.Memory().WriteUint32Le(20, 4)
	read := func(fd uint64) (uint64, string) {
		s := []uint64{fd, 16, 1, 32}
		h.read(m, s)
		n, _ := m.Memory().ReadUint32Le(32)
		text, _ := m.Memory().Read(128, n)
		return s[0], string(text)
	}
	seek := func(fd uint64, at int64, whence uint64) uint64 {
		s := []uint64{fd, uint64(at), whence, 40}
		h.seek(m, s)
		return s[0]
	}
	for _, c := range []struct {
		at     int64
		whence uint64
		want   string
		errno  uint64
	}{
		{0, io.SeekStart, "abcd", 0}, {-2, io.SeekCurrent, "cdef", 0}, {-1, io.SeekEnd, "f", 0}, {9, io.SeekStart, "", invalid}, {-1, io.SeekStart, "", invalid},
	} {
		errno := seek(modelFD, c.at, c.whence)
		if errno != c.errno {
			t.Errorf("seeking %d from %d: %d", c.at, c.whence, errno)
		}
		if _, got := read(modelFD); errno == 0 && got != c.want {
			t.Errorf("after seeking %d from %d: %q, expected %q", c.at, c.whence, got, c.want)
		}
	}
	if errno, _ := read(1); errno != badFile {
		t.Errorf("reading standard output: %d", errno)
	}
	if errno := seek(1, 0, 0); errno != badFile {
		t.Errorf("seeking in standard output: %d", errno)
	}
}
