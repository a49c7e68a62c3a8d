package source

import (
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
)

// MaxText and MaxData are the most bytes of a file that is read whole: of text
// such as RDDL, plans and networks, and of data sets.
const (
	MaxText = maxFileSize
	MaxData = 4 << 30
)

// Open opens an input: a file, or a pipe, which is read to its end. Folders and
// devices, which have no end, are refused; the null device is an empty file. An
// error of the system is an *fs.PathError.
func Open(name string) (*os.File, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = readable(name, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// OpenRegular is Open for formats that are not read from the beginning to the
// end: a pipe is refused too.
func OpenRegular(name string) (*os.File, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, Errorf(name, 0, 0, "is %s; expected a regular file", kindOf(info, err))
	}
	return f, nil
}

// readable refuses what has no end.
func readable(name string, info fs.FileInfo) error {
	mode := info.Mode()
	if mode.IsRegular() || mode&fs.ModeNamedPipe != 0 || name == os.DevNull {
		return nil
	}
	return Errorf(name, 0, 0, "is %s; expected a file", kindOf(info, nil))
}

func kindOf(info fs.FileInfo, err error) string {
	switch {
	case err != nil:
		return "no file"
	case info.IsDir():
		return "a folder"
	case info.Mode()&fs.ModeNamedPipe != 0:
		return "a pipe"
	case info.Mode()&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}

// ReadFile is os.ReadFile for an input of text: it refuses what Open refuses,
// and more than MaxText bytes.
func ReadFile(name string) ([]byte, error) { return ReadFileUpTo(name, MaxText) }

// ReadFileUpTo is ReadFile for an input of at most so many bytes. A file that is
// larger is refused before it is read.
func ReadFileUpTo(name string, most int64) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return ReadUpTo(name, f, most)
}

// ReadUpTo reads an opened input whole, with at most so many bytes.
func ReadUpTo(name string, f *os.File, most int64) ([]byte, error) {
	size := int64(512)
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		if size = info.Size(); size > most {
			return nil, tooLarge(name, most)
		}
	}
	// One byte more than there should be: a file that is as long as it says is
	// read without growing, and one that grows is seen.
	data := make([]byte, 0, min(size, math.MaxInt-1)+1)
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > most:
			return nil, tooLarge(name, most)
		case err == io.EOF:
			return data, nil
		case err != nil:
			return nil, err
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
}

// UpTo is a reader of at most so many bytes of an opened input, for formats that
// are read as they come. Beyond them it returns the error of ReadUpTo, and errors of r name the input.
func UpTo(name string, r io.Reader, most int64) io.Reader { return &bounded{name, r, most, most} }

type bounded struct {
	name       string
	r          io.Reader
	most, left int64
}

// Read reads one byte more than is left before it refuses the input.
func (b *bounded) Read(to []byte) (int, error) {
	n, err := b.r.Read(to[:min(int64(len(to)), b.left+1)])
	if b.left -= int64(n); b.left < 0 {
		return 0, tooLarge(b.name, b.most)
	}
	if err != nil && err != io.EOF {
		err = Errorf(b.name, 0, 0, "cannot be read: %v", Cause(err))
	}
	return n, err
}

func tooLarge(name string, most int64) error {
	return Errorf(name, 0, 0, "is larger than %s, the most that is read", sizeText(most))
}

func sizeText(n int64) string {
	if n >= 1<<30 && n%(1<<30) == 0 {
		return fmt.Sprintf("%d GiB", n>>30)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}
