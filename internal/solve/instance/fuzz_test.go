package instance_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/fdplan/fdplan/internal/solve/instance"
	"github.com/fdplan/fdplan/internal/source"
)

// fuzz reads anything: either one line that names the place, or an instance
// that is sound and, written and read again, the same. How the bytes arrive
// does not matter.
func fuzz(f *testing.F, format instance.Format, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	const dir = "testdata/malformed/"
	files, err := os.ReadDir(dir)
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file.Name(), "."+format.String()) {
			data, err := os.ReadFile(dir + file.Name())
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in, err := instance.Read(context.Background(), "f", bytes.NewReader(data), format, instance.Limits{})
		slow, err2 := instance.Read(context.Background(), "f", iotest.OneByteReader(bytes.NewReader(data)), format, instance.Limits{})
		if err != nil {
			var at *source.Error
			if !errors.As(err, &at) || at.Line < 1 || at.Col < 1 || strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("%T %q; expected a *source.Error of one line with a place", err, err)
			}
			if lines := bytes.Split(data, []byte("\n")); at.Line > len(lines) || at.Col > len(lines[at.Line-1])+1 {
				t.Fatalf("%v: there is no such place", err)
			}
			if err2 == nil || err2.Error() != err.Error() {
				t.Fatalf("%v; byte by byte: %v", err, err2)
			}
			return
		}
		if err2 != nil {
			t.Fatalf("byte by byte: %v", err2)
		}
		if err := check(in); err != nil {
			t.Fatal(err)
		}
		plain := text(t, in)
		if text(t, slow) != plain {
			t.Fatal("byte by byte it is another instance")
		}
		again, err := read(plain, in.Format)
		if err != nil {
			t.Fatalf("%v\n%s", err, plain)
		}
		if text(t, again) != plain || again.Format != in.Format {
			t.Fatalf("written\n%s\nread as\n%s", plain, text(t, again))
		}
	})
}

func FuzzCNF(f *testing.F) {
	fuzz(f, instance.CNF, "c\np cnf 3 2\n1 -2 3 0\r\n-1\n0\n", "p cnf 1 1\n1 0\n%\n0\n")
}

func FuzzWCNF(f *testing.F) {
	fuzz(f, instance.WCNF, "c\nh 1 -2 0\n5 2 0\nh 0\n0 0\n", "p wcnf 3 4 10\n10 1 -2 0\n4 2 0\n0 0\n4 0", "p wcnf 1 1\n4 -1 0")
}

func FuzzOPB(f *testing.F) {
	fuzz(f, instance.OPB, "* #variable= 3 #constraint= 2\nmin: +1 x1 -2 ~x2 ;\n+1 x1 +3 x3 >= 1 ;\r\n2 x2<=-7;", "*\n>= 1 ;= 0;", "min:;")
}
