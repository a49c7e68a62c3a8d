package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// slow names, in the environment of a child process, a file that it begins to
// write and never completes.
const slow = "ATOMICFILE_TEST_SLOW"

func TestMain(m *testing.M) {
	if name := os.Getenv(slow); name != "" {
		err := Write(name, func(w io.Writer) error {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return err
			}
			fmt.Println("half")
			time.Sleep(time.Minute) // until it is killed
			return nil
		})
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// holds fails unless the directory has exactly these files, with these contents.
func holds(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range files {
		b, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got[f.Name()] = string(b)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q, expected %q", got, want)
	}
}

func TestWrite(t *testing.T) {
	for name, write := range map[string]func(string, func(io.Writer) error) error{"Write": Write, "WriteDurable": WriteDurable} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "x")
			if err := write(file, text("old")); err != nil {
				t.Fatal(err)
			}
			fault := errors.New("fault")
			if err := write(file, func(w io.Writer) error { io.WriteString(w, "new"); return fault }); err != fault {
				t.Errorf("error %v", err)
			}
			holds(t, dir, map[string]string{"x": "old"})
			func() {
				defer func() { recover() }()
				write(file, func(io.Writer) error { panic("fault") })
			}()
			holds(t, dir, map[string]string{"x": "old"})
			if err := write(file, text("new")); err != nil {
				t.Fatal(err)
			}
			holds(t, dir, map[string]string{"x": "new"})
		})
	}
}

// TestLongName: a name that is as long as the file system allows.
func TestLongName(t *testing.T) {
	dir, name := t.TempDir(), strings.Repeat("n", 255)
	if err := Write(filepath.Join(dir, name), text("x")); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, map[string]string{name: "x"})
}

// TestLink: the file behind a symbolic link is replaced, not the link.
func TestLink(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	file, link := filepath.Join(other, "x"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(file, []byte("old"), 0o600), os.Symlink(file, link)); err != nil {
		t.Skip(err)
	}
	if err := Write(link, text("new")); err != nil {
		t.Fatal(err)
	}
	holds(t, other, map[string]string{"x": "new"})
	if to, err := os.Readlink(link); err != nil || to != file {
		t.Errorf("the link leads to %q: %v", to, err)
	}
}

// TestErrors: an error is one line with the name that was given.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	absent := filepath.Join(dir, "absent", "x")
	cases := map[string]string{absent: "writing " + absent + ": no such file or directory", dir: "writing " + dir + ": it is a directory"}
	if _, err := os.Stat("/dev/full"); err == nil {
		cases["/dev/full"] = "writing /dev/full: no space left on device"
	}
	for name, want := range cases {
		if err := Write(name, text("x")); err == nil || err.Error() != want {
			t.Errorf("%s: %v, expected %s", name, err, want)
		}
	}
	holds(t, dir, map[string]string{})
}

// TestIsTemp: names that only resemble a temporary file are not removed.
func TestIsTemp(t *testing.T) {
	dir := t.TempDir()
	keep := map[string]string{}
	for _, name := range []string{".x.1-0.fdplan-tm", ".x.1-.fdplan-tmp", ".x.-1.fdplan-tmp", ".x.10.fdplan-tmp", ".x.a-1.fdplan-tmp", ".y.1-0.fdplan-tmp", ".x.1-0", "x.1-0.fdplan-tmp", ".x.1-0-0.fdplan-tmp"} {
		keep[name] = name
	}
	for name := range keep {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{".x.1-0.fdplan-tmp", ".x.4194304-17.fdplan-tmp"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := RemoveStale(filepath.Join(dir, "x")); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, keep)
}

// TestKilled: a process is killed while it writes. The file stays as it was, and
// the next writer removes what was left, but not while the process lives.
func TestKilled(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "x")
	if err := Write(file, text("old")); err != nil {
		t.Fatal(err)
	}
	child := exec.Command(self)
	child.Env = append(os.Environ(), slow+"="+file)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer child.Process.Kill()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "half\n" {
		t.Fatalf("%q: %v", line, err)
	}
	temporary := func() int {
		files, err := filepath.Glob(filepath.Join(dir, ".x.*"+suffix))
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	if err := Write(file, text("meanwhile")); err != nil {
		t.Fatal(err)
	}
	if n := temporary(); n != 1 {
		t.Fatalf("%d temporary files while a process writes, expected its own", n)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	child.Wait()
	if n := temporary(); n != 1 {
		t.Fatalf("%d temporary files after the process was killed, expected 1", n)
	}
	if b, err := os.ReadFile(file); string(b) != "meanwhile" {
		t.Errorf("%q: %v", b, err)
	}
	if err := Write(file, text("new")); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, map[string]string{"x": "new"})
}

// TestAbortAll: what is being written goes, what is complete stays, and what
// begins later is not touched.
func TestAbortAll(t *testing.T) {
	dir := t.TempDir()
	complete, cut, later := filepath.Join(dir, "complete"), filepath.Join(dir, "cut"), filepath.Join(dir, "later")
	write := func(w io.Writer) error { _, err := io.WriteString(w, "text"); return err }
	if err := Write(complete, write); err != nil {
		t.Fatal(err)
	}
	err := Write(cut, func(w io.Writer) error {
		AbortAll()
		return write(w)
	})
	if err == nil || err.Error() != "writing "+cut+": the process is ending" {
		t.Errorf("got %v", err)
	}
	if err := Write(later, write); err != nil {
		t.Error(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 2 || files[0].Name() != "complete" || files[1].Name() != "later" {
		t.Errorf("%v, %v", files, err)
	}
}
