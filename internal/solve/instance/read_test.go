package instance_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/fdplan/fdplan/internal/literal"
	"github.com/fdplan/fdplan/internal/solve/instance"
	"github.com/fdplan/fdplan/internal/source"
)

func read(text string, f instance.Format) (*instance.Instance, error) {
	return instance.Read(context.Background(), "f", strings.NewReader(text), f, instance.Limits{})
}

// text writes an instance in the format that it was read in.
func text(t testing.TB, in *instance.Instance) string {
	t.Helper()
	b, err := Text(in, Dialect{Format: in.Format})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestRead has one table of odd but right files and how they are written
// plainly.
func TestRead(t *testing.T) {
	const top = math.MaxInt64
	for _, c := range []struct {
		name   string
		format instance.Format
		text   string
		want   string // a file that means the same, as Text writes it
	}{
		{"nothing", instance.CNF, "p cnf 0 0\n", "p cnf 0 0\n"},
		{"no final line end in the header", instance.CNF, "p cnf 3 0", "p cnf 3 0\n"},
		{"comments and blanks", instance.CNF, "c\nc x\n\n \tp  cnf\t3  2 \nc\n 1  2\t0\ncomment\n-3 0\n\n", "p cnf 3 2\n1 2 0\n-3 0\n"},
		{"clauses over lines", instance.CNF, "p cnf 3 2\n1\n2\nc 7\n0 -3\n0", "p cnf 3 2\n1 2 0\n-3 0\n"},
		{"clauses on one line", instance.CNF, "p cnf 3 2\n1 2 0 -3 0", "p cnf 3 2\n1 2 0\n-3 0\n"},
		{"CR LF", instance.CNF, "c\r\np cnf 2 1\r\n1 -2 0\r\n", "p cnf 2 1\n1 -2 0\n"},
		{"an empty clause", instance.CNF, "p cnf 1 2\n0\n1 0\n", "p cnf 1 2\n0\n1 0\n"},
		{"repeated and opposite literals", instance.CNF, "p cnf 2 2\n1 1 -2 1 0\n2 -2 0\n", "p cnf 2 2\n1 1 -2 1 0\n2 -2 0\n"},
		{"zeros before", instance.CNF, "p cnf 002 01\n-0000000000000000000000000000000001 00\n", "p cnf 2 1\n-1 0\n"},
		{"SATLIB's end", instance.CNF, "p cnf 1 1\n 1 0\n%\n0\n\n", "p cnf 1 1\n1 0\n"},
		{"largest variable", instance.CNF, "p cnf 1073741823 1\n-1073741823 0\n", "p cnf 1073741823 1\n-1073741823 0\n"},

		{"nothing", instance.WCNF, "", ""},
		{"comments alone", instance.WCNF, "c", ""},
		{"hard and soft", instance.WCNF, "c\nh 1 -2 0\r\n5 2 0\nh 0\n7 0\n0 3 0", "h 1 -2 0\nh 0\n5 2 0\n7 0\n0 3 0\n"},
		{"over lines", instance.WCNF, "h\n1\n-2 0 5\nc\n2 0", "h 1 -2 0\n5 2 0\n"},
		{"opposite literals", instance.WCNF, "h 1 -1 0\n5 2 2 -2 0", "h 1 -1 0\n5 2 2 -2 0\n"},
		{"weights just within 61 bits", instance.WCNF, "2305843009213693940 1 0\n6 2 0\n0 3 0\n", "2305843009213693940 1 0\n6 2 0\n0 3 0\n"},
		{"old", instance.WCNF, "c\np wcnf 3 4 10\n10 1 -2 0\n4 2 0\n0 0\n4 0", "p wcnf 3 4 9\n9 1 -2 0\n4 2 0\n0 0\n4 0\n"},
		{"old, beyond top", instance.WCNF, "p wcnf 2 2 10\n11 1 -2 0\n9 2 0", "p wcnf 2 2 10\n10 1 -2 0\n9 2 0\n"},
		{"old, no top", instance.WCNFOld, "p wcnf 2 2\r\n11 1 -2 0\n9 2 0", "p wcnf 2 2 21\n11 1 -2 0\n9 2 0\n"},
		{"old, largest top", instance.WCNF, fmt.Sprintf("p wcnf 2 2 %d\n%d 1 -2 0\n9 2 0", top, top), "p wcnf 2 2 10\n10 1 -2 0\n9 2 0\n"},

		{"nothing", instance.OPB, "", "* #variable= 0 #constraint= 0\n"},
		{"header alone", instance.OPB, "* #variable= 3 #constraint= 0", "* #variable= 3 #constraint= 0\n"},
		{"header after other comments", instance.OPB, "*\n* by hand\n* #variable=3   #constraint=0 #equal= 0 intsize= 7\n", "* #variable= 3 #constraint= 0\n"},
		{"second header is a comment", instance.OPB, "* #variable= 3 #constraint= 0\n* #variable= 2 #constraint= 9\n", "* #variable= 3 #constraint= 0\n"},
		{"no header", instance.OPB, "+1 x1 -2 ~x4 >= -1 ;", "* #variable= 4 #constraint= 1\n+1 x1 -2 ~x4 >= -1 ;\n"},
		{"no objective", instance.OPB, "* #variable= 2 #constraint= 1\n+1 x1 = 1 ;\n", "* #variable= 2 #constraint= 1\n+1 x1 = 1 ;\n"},
		{"empty objective", instance.OPB, "min: ;\n", "* #variable= 0 #constraint= 0\nmin: ;\n"},
		{"objective alone", instance.OPB, "min:+1 x1 0 ~x2;", "* #variable= 2 #constraint= 0\nmin: +1 x1 +0 ~x2 ;\n"},
		{"relations", instance.OPB, "1 x1<=1;2 x2=+2;3 x3>=-3;", "* #variable= 3 #constraint= 3\n+1 x1 <= 1 ;\n+2 x2 = 2 ;\n+3 x3 >= -3 ;\n"},
		{"over lines, CR LF", instance.OPB, "min:\r\n+1\r\nx1\r\n;\r\n*\r\n+1 x1\r\n* here\r\n+1 x2\r\n>=\r\n1\r\n;\r\n", "* #variable= 2 #constraint= 1\nmin: +1 x1 ;\n+1 x1 +1 x2 >= 1 ;\n"},
		{"repeated and opposite literals", instance.OPB, "+1 x1 +1 x1 -3 ~x1 >= 1 ;", "* #variable= 1 #constraint= 1\n+1 x1 +1 x1 -3 ~x1 >= 1 ;\n"},
		{"empty sum", instance.OPB, ">= 1 ;", "* #variable= 0 #constraint= 1\n>= 1 ;\n"},
		{"largest numbers", instance.OPB, "2305843009213693940 x1 -7 x2 4 x3 >= -2305843009213693951 ;", "* #variable= 3 #constraint= 1\n+2305843009213693940 x1 -7 x2 +4 x3 >= -2305843009213693951 ;\n"},
		{"objective just within 61 bits", instance.OPB, "min: 2305843009213693944 x1 -7 x2 ;", "* #variable= 2 #constraint= 0\nmin: +2305843009213693944 x1 -7 x2 ;\n"},
	} {
		in, err := read(c.text, c.format)
		if err != nil {
			t.Errorf("%v, %s: %v", c.format, c.name, err)
			continue
		}
		if err := check(in); err != nil {
			t.Errorf("%v, %s: %v", c.format, c.name, err)
		}
		if got := text(t, in); got != c.want {
			t.Errorf("%v, %s: read as\n%s\nwant\n%s", c.format, c.name, got, c.want)
		}
		if in.Optimises != (c.format != instance.CNF && (c.format != instance.OPB || strings.Contains(c.want, "min:"))) {
			t.Errorf("%v, %s: optimises: %v", c.format, c.name, in.Optimises)
		}
		slow, err := instance.Read(context.Background(), "f", iotest.OneByteReader(strings.NewReader(c.text)), c.format, instance.Limits{})
		if err != nil || text(t, slow) != c.want {
			t.Errorf("%v, %s: byte by byte: %v", c.format, c.name, err)
		}
	}
}

// TestWritten reads what Text writes.
func TestWritten(t *testing.T) {
	for seed := range uint64(200) {
		for _, in := range []*instance.Instance{ThreeSAT(seed, 30), WCNF(seed, 30, 1e15), OPB(seed, 30, 1e15)} {
			want := text(t, in)
			got, err := read(want, in.Format)
			if err != nil {
				t.Fatal(err)
			}
			if again := text(t, got); again != want || got.Format != in.Format {
				t.Errorf("%v, seed %d: written\n%s\nread as\n%s", in.Format, seed, want, again)
			}
		}
	}
}

// TestPlaces has faults behind long lines, many lines, and the first buffer.
func TestPlaces(t *testing.T) {
	const n = 100_000
	for _, c := range []struct {
		name, before, fault, after string
		format                     instance.Format
		line, col                  int
	}{
		{"long line", "p cnf 2 1\n" + strings.Repeat("1 -2 ", n), "x", "", instance.CNF, 2, 5*n + 1},
		{"many lines", fmt.Sprintf("p cnf 2 %d\n", n+1) + strings.Repeat("1 -2 0\n", n) + "1 ", "3", " 0", instance.CNF, n + 2, 3},
		{"long comment", "h 1 0\nc" + strings.Repeat("1 -2 ", n) + "\n ", "-", "", instance.WCNF, 3, 2},
		{"long weight", strings.Repeat("\n", n) + " ", strings.Repeat("9", n), " 1 0\n", instance.WCNF, n + 1, 2},
		{"long sum", strings.Repeat("+1 x1 ", n), "~x1", " >= 1 ;", instance.OPB, 1, 6*n + 1},
		{"long coefficient", "min: +1 x1 ;\n" + strings.Repeat(" ", n), strings.Repeat("9", n), " x1 >= 1 ;", instance.OPB, 2, n + 1},
	} {
		_, err := read(c.before+c.fault+c.after, c.format)
		var at *source.Error
		if !errors.As(err, &at) || at.Line != c.line || at.Col != c.col {
			t.Errorf("%s: %v; expected line %d, column %d", c.name, err, c.line, c.col)
		}
	}
}

// TestReadFile reads each format by name, packed and plain.
func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	pack := func(s string) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write([]byte(s)); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	file := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, want := range map[string]struct {
		text   string
		format instance.Format
	}{
		"a.cnf":   {"p cnf 2 1\n1 -2 0\n", instance.CNF},
		"a.wcnf":  {"h 1 -2 0\n3 1 0\n", instance.WCNF},
		"b.wcnf":  {"p wcnf 2 2 4\n4 1 -2 0\n3 1 0\n", instance.WCNFOld},
		"a.b.opb": {"* #variable= 2 #constraint= 1\nmin: +1 x1 ;\n+1 x1 +1 x2 >= 1 ;\n", instance.OPB},
	} {
		for _, path := range []string{file(name, []byte(want.text)), file(name+".gz", pack(want.text)), file("two-"+name+".gz", append(pack(want.text[:9]), pack(want.text[9:])...))} {
			in, err := instance.ReadFile(context.Background(), path, instance.Limits{})
			if err != nil {
				t.Error(err)
				continue
			}
			if got := text(t, in); got != want.text || in.Format != want.format {
				t.Errorf("%s: %v\n%s", path, in.Format, got)
			}
		}
	}
	data := pack(strings.Repeat("h 1 -2 0\n", 1000))
	for name, bad := range map[string][]byte{"cut": data[:len(data)-10], "changed": append(append([]byte{}, data[:len(data)-8]...), 1, 2, 3, 4, 5, 6, 7, 8)} {
		path := file(name+".wcnf.gz", bad)
		if _, err := instance.ReadFile(context.Background(), path, instance.Limits{}); err == nil || !strings.HasPrefix(err.Error(), path+": cannot be read: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := instance.ReadFile(context.Background(), dir+"/none.cnf", instance.Limits{}); err == nil || err.Error() != dir+"/none.cnf: cannot be read: no such file or directory" {
		t.Error(err)
	}
	if _, err := instance.ReadFile(context.Background(), file("d.cnf", nil)[:len(dir)+1], instance.Limits{}); err == nil {
		t.Error("a folder was read")
	}
}

// TestLimits stops reading for the context, for memory, and for a broken
// reader; each is told instead of the fault that it looks like.
func TestLimits(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	long := "p cnf 2 200000\n" + strings.Repeat("1 -2 0\n", 200_000)
	if _, err := instance.Read(ended, "f", strings.NewReader(long), instance.CNF, instance.Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancelling: %v", err)
	}
	for name, c := range map[string]struct {
		text   string
		format instance.Format
	}{
		"many clauses":       {long, instance.CNF},
		"many soft clauses":  {strings.Repeat("1 1 0\n", 200_000), instance.WCNF},
		"many terms":         {strings.Repeat("+1 x1 ", 200_000) + ">= 1 ;", instance.OPB},
		"many constraints":   {strings.Repeat("+1 x1 >= 1 ;", 200_000), instance.OPB},
		"announced":          {"p cnf 1000000000 1\n1 0\n", instance.CNF},
		"a variable far out": {"h 1000000000 0\n", instance.WCNF},
	} {
		want := "f: needs more than the 1 MiB of memory that are allowed"
		if _, err := instance.Read(context.Background(), "f", strings.NewReader(c.text), c.format, instance.Limits{Memory: 1 << 20}); err == nil || err.Error() != want {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := instance.Read(context.Background(), "f", strings.NewReader(c.text), c.format, instance.Limits{Memory: 1 << 40}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	broken := io.MultiReader(strings.NewReader("p cnf 2 2\n1 "), iotest.ErrReader(errors.New("broken")))
	if _, err := instance.Read(context.Background(), "f", broken, instance.CNF, instance.Limits{}); err == nil || err.Error() != "f: cannot be read: broken" {
		t.Errorf("broken reader: %v", err)
	}
}

// TestCheck refuses instances that no file gives.
func TestCheck(t *testing.T) {
	for name, in := range map[string]*instance.Instance{
		"variables":       {NumVars: -1},
		"too many":        {NumVars: instance.MaxVariable + 1},
		"soft literal":    {NumVars: 2, Optimises: true, Soft: []instance.Soft{{Weight: 1, Clause: []literal.Lit{3}}}},
		"zero literal":    {NumVars: 2, Linear: []instance.Linear{{Terms: []instance.Term{{Coef: 1}}}}},
		"objective lit":   {NumVars: 2, Optimises: true, Objective: []instance.Term{{Coef: 1, Lit: -3}}},
		"coefficient":     {NumVars: 2, Linear: []instance.Linear{{Terms: []instance.Term{{Coef: math.MinInt64, Lit: 1}}}}},
		"right-hand side": {NumVars: 2, Linear: []instance.Linear{{K: math.MinInt64}}},
		"relation":        {NumVars: 2, Linear: []instance.Linear{{Op: 3}}},
		"weight":          {NumVars: 2, Optimises: true, Soft: []instance.Soft{{Weight: -1}}},
		"weights":         {NumVars: 2, Optimises: true, Soft: []instance.Soft{{Weight: math.MaxInt64}, {Weight: 1}}},
		"objective":       {NumVars: 2, Optimises: true, Soft: []instance.Soft{{Weight: math.MaxInt64 - 1}}, Objective: []instance.Term{{Coef: -2, Lit: 1}}},
		"not optimised":   {NumVars: 2, Objective: []instance.Term{{Coef: -2, Lit: 1}}},
	} {
		if check(in) == nil {
			t.Errorf("%s: no error", name)
		}
	}
	in := &instance.Instance{NumVars: 2}
	in.Clauses.Add(1, -3)
	if check(in) == nil {
		t.Error("clause: no error")
	}
}
