package experiment

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdplan/fdplan/internal/experiment/journal"
	"github.com/fdplan/fdplan/internal/source"
)

// sampleJournal has runs of two engines.
const sampleJournal = `{"schema":1,"kind":"plan","id":"a","table":"engines","problem":"cellda/x","horizon":10,"engine":"pb","model":"bundled","status":"optimal","reward":-9,"seconds":1.25}
{"schema":1,"kind":"plan","id":"b","table":"literal","problem":"cellda/x","horizon":10,"planner":"FD-SAT-Plan+","engine":"maxsat","encoding":"paper","model":"bundled","status":"unknown","seconds":10.1,"time_limit":10}
`

// pack writes a compressed journal into a new folder.
func pack(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := io.WriteString(z, text)
	if err = errors.Join(err, z.Close(), os.WriteFile(filepath.Join(dir, "journal.jsonl.gz"), b.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// toFile writes a file.
func toFile(name string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	return os.WriteFile(name, b.Bytes(), 0o666)
}

// TestReadme puts the main table of a compressed journal into a file.
func TestReadme(t *testing.T) {
	dir := pack(t, sampleJournal)
	readme := filepath.Join(dir, "README.md")
	const head, tail = "top\n<!-- fdplan report: begin -->\n", "<!-- fdplan report: end -->\nbottom\n"
	if err := os.WriteFile(readme, []byte(head+tail), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Report(t.Context(), dir, Output{Write: toFile, Readme: readme}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(readme)
	if err != nil || !strings.HasPrefix(string(text), head) || !strings.HasSuffix(string(text), tail) || !strings.Contains(string(text), "| Cellda,x,10 | – | 197.16 | 106.93 | &gt; 10 | – | – | – | – | 1.25 | – | – |\n") {
		t.Errorf("%s, %v", text, err)
	}
	// A file without the lines stays as it is.
	if err := os.WriteFile(readme, []byte("top\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var at *source.Error
	if err := Report(t.Context(), dir, Output{Write: toFile, Readme: readme}); !errors.As(err, &at) {
		t.Error(err)
	}
	if text, err := os.ReadFile(readme); err != nil || string(text) != "top\n" {
		t.Errorf("%s, %v", text, err)
	}
	// A journal that is not compressed comes first, and a damaged one is an error.
	if err := os.WriteFile(filepath.Join(dir, "journal.jsonl.gz"), []byte("no gzip"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Report(t.Context(), dir, Output{Write: toFile}); !errors.As(err, &at) || !strings.Contains(err.Error(), "journal.jsonl.gz: cannot be read") {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "journal.jsonl"), []byte(sampleJournal), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Report(t.Context(), dir, Output{Write: toFile}); err != nil {
		t.Error(err)
	}
}

// TestResults holds the table of README.md to the journal of docs/results.
func TestResults(t *testing.T) {
	journals, err := filepath.Glob("../../../docs/results/*/journal.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	if len(journals) == 0 {
		t.Skip("there is no docs/results: no bench is kept")
	}
	last := journals[len(journals)-1]
	data, err := os.ReadFile(last)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	dir := pack(t, string(text))
	want, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := filepath.Join(dir, "README.md")
	if err := os.WriteFile(readme, want, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Report(t.Context(), dir, Output{Write: toFile, Readme: readme}); err != nil {
		t.Fatalf("%v; expected README.md with the table of %s", err, last)
	}
	got, err := os.ReadFile(readme)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("README.md differs from what fdplan report --readme README.md %s writes, %v", filepath.Dir(last), err)
	}
	// The page is that of the journal too, and small enough for a repository.
	kept, err := os.ReadFile(filepath.Join(filepath.Dir(last), journal.PageName))
	made, err2 := os.ReadFile(filepath.Join(dir, journal.PageName))
	if err = errors.Join(err, err2); err != nil || !bytes.Equal(kept, made) {
		t.Errorf("%s beside %s is not that of the journal, %v", journal.PageName, last, err)
	}
	// What else a report writes is not kept.
	size := int64(len(kept))
	info, err := os.Stat(last)
	if err == nil {
		size += info.Size()
	}
	if err != nil || size > 3<<20 {
		t.Errorf("%s has %d bytes, %v; expected at most 3 MB", filepath.Dir(last), size, err)
	}
	j, err := readJournal(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range j.Records {
		for _, arg := range r.Args {
			if strings.HasPrefix(arg, "/") || strings.Contains(arg, "=/") {
				t.Errorf("%s names a folder of a machine: %s", r.ID, arg)
			}
		}
	}
}
