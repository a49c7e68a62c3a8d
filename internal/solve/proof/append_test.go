package proof_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/solve/proof"
)

// TestAppend appends a proof to another and compares the lines: numbers of constraints and of
// variables beyond the problem's are new.
func TestAppend(t *testing.T) {
	const part = "pseudo-Boolean proof version 2.0\nf 2\n* a remark\nred 1 x2 1 ~x4 >= 1 ; x4 -> 0\nrup 1 ~x1 1 x3 >= 1 ;\n" +
		"pol 1 3 2 * + 4 + x3 5 * + 2 d s\ndel id 4\nia 2 x4 >= -1 ; 5\noutput NONE\nconclusion NONE\nend pseudo-Boolean proof\n"
	const common = "rup 1 x1 >= 1 ;\nrup 1 x2 >= 1 ;\nred 1 x2 1 ~x8 >= 1 %[1]s x8 -> 0%[2]s\nrup 1 ~x1 1 x3 >= 1 ;\n" +
		"pol 1 5 2 * + 6 + x3 5 * + 2 d s%[2]s\ndel id 6%[2]s\n%[3]s%[2]s\n"
	for format, want := range map[proof.Format]string{
		proof.VeriPB12: fmt.Sprintf(common, ";", "", "j 7 2 x8 >= -1 ;"),
		proof.VeriPB20: fmt.Sprintf(common, ";", "", "ia 2 x8 >= -1 ; 7"),
		proof.VeriPB30: fmt.Sprintf(common, ":", " ;", "ia 2 x8 >= -1 : 7"),
	} {
		var b bytes.Buffer
		l := proof.New(&b, proof.Options{Format: format, Constraints: 2})
		l.Learn([]proof.Lit{1})
		l.Learn([]proof.Lit{2})
		got, err := l.Append(strings.NewReader(part), 3, 7)
		if err != nil {
			t.Fatal(err)
		}
		if got.Result != 8 || got.Variables != 8 || !slices.Equal(got.Live, []proof.ID{5, 7, 8}) {
			t.Errorf("%v: %+v", format, got)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), want) {
			t.Errorf("%v:\n%s\nexpected\n%s", format, b.String(), want)
		}
	}
}

// TestAppendFaults reads proofs that are no parts.
func TestAppendFaults(t *testing.T) {
	const head, tail = "pseudo-Boolean proof version 2.0\nf 2\n", "output NONE\nconclusion NONE\nend pseudo-Boolean proof\n"
	for name, text := range map[string]string{
		"empty":               "",
		"another version":     "pseudo-Boolean proof version 1.2\nf 2\nrup >= 0 ;\n" + tail,
		"another problem":     "pseudo-Boolean proof version 2.0\nf 3\nrup >= 0 ;\n" + tail,
		"no step":             head + tail,
		"no end":              head + "rup >= 0 ;\n",
		"no conclusion":       head + "rup >= 0 ;\nend pseudo-Boolean proof\n",
		"a conclusion":        head + "rup >= 0 ;\noutput NONE\nconclusion UNSAT : 3\nend pseudo-Boolean proof\n",
		"more after the end":  head + "rup >= 0 ;\n" + tail + "rup >= 0 ;\n",
		"a solution":          head + "soli x1\n" + tail,
		"a variable 0":        head + "rup 1 x0 >= 1 ;\n" + tail,
		"a variable too high": head + "rup 1 x2147483647 >= 1 ;\n" + tail,
		"no constraint":       head + "pol\n" + "pol 4\n" + tail,
		"nothing implies":     head + "ia 1 x1 >= 0 ;\n" + tail,
		"deletes by range":    head + "rup >= 0 ;\ndel range 3 4\n" + tail,
		"deletes the rows":    head + "rup >= 0 ;\ndel id 1\n" + tail,
		"no witness":          head + "red 1 x4 >= 1\n" + tail,
		"deletes twice":       head + "rup >= 0 ;\ndel id 3 3\n" + tail,
	} {
		l := proof.New(new(bytes.Buffer), proof.Options{Format: proof.VeriPB20, Constraints: 2})
		if got, err := l.Append(strings.NewReader(text), 3, 7); !errors.Is(err, proof.ErrPart) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	l := proof.New(new(bytes.Buffer), proof.Options{Format: proof.DRAT})
	if _, err := l.Append(strings.NewReader(""), 0, 0); !errors.Is(err, proof.ErrUnsupported) {
		t.Errorf("DRAT: %v", err)
	}
}

// FuzzAppend reads any text as a part: it is refused or copied, without a panic.
func FuzzAppend(f *testing.F) {
	f.Add("pseudo-Boolean proof version 2.0\nf 2\nrup 1 x4 >= 0 ;\npol 1 3 2 * + x3 +\noutput NONE\nconclusion NONE\nend pseudo-Boolean proof\n")
	f.Add("pseudo-Boolean proof version 2.0\nf 2\nia 1 ~x4 >= 0 ; 1\ndel id 3\nred 1 x5 >= 0 ; x5 -> 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		l := proof.New(new(bytes.Buffer), proof.Options{Format: proof.VeriPB20, Constraints: 2})
		got, err := l.Append(strings.NewReader(text), 3, 7)
		if err == nil && (got.Result <= 2 || got.Variables < 7) {
			t.Errorf("%+v", got)
		}
	})
}
