package structure

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/fdplan/fdplan/internal/source"
)

// checkpointHead begins the checkpoint of the structure recipe. A line for each finished piece of
// work follows, which is written when the piece is finished. A last line that is not whole is
// what a crash leaves.
const checkpointHead = "fdplan-structure 1\n"

// Checkpoint keeps what was learned in a file, so that an interrupted run can be continued. It is used from
// several goroutines at a time.
type Checkpoint struct {
	mu    sync.Mutex
	file  *os.File
	found map[string]*Found
	err   error // of writing
}

// piece is a line of the file.
type piece struct {
	Key   string `json:"key"`
	Found *Found `json:"found"`
}

// OpenCheckpoint makes a new checkpoint, or resumes one if the file exists.
func OpenCheckpoint(name string, resume bool) (*Checkpoint, error) {
	c := &Checkpoint{found: map[string]*Found{}}
	whole := int64(0) // bytes of whole lines
	if resume {
		text, err := source.ReadFileUpTo(name, source.MaxData)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		default:
			if whole, err = c.read(name, text); err != nil {
				return nil, err
			}
		}
	}
	var err error
	if c.file, err = os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o666); err != nil {
		return nil, fmt.Errorf("writing the checkpoint: %w", err)
	}
	if err = c.file.Truncate(whole); err == nil {
		_, err = c.file.Seek(whole, 0)
	}
	if err == nil && whole == 0 {
		_, err = c.file.WriteString(checkpointHead)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("writing the checkpoint: %w", err), c.file.Close())
	}
	return c, nil
}

// read takes the pieces of a file, and returns the length of its whole lines.
func (c *Checkpoint) read(name string, text []byte) (whole int64, err error) {
	body, ok := bytes.CutPrefix(text, []byte(checkpointHead))
	if !ok {
		return 0, source.Errorf(name, 1, 0, "this is no checkpoint of the structure recipe; expected one, or --recipe dense for its own")
	}
	whole = int64(len(checkpointHead))
	lines := bufio.NewReader(bytes.NewReader(body))
	for n := 2; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return whole, nil // the end, or a line that was cut off
		}
		var p piece
		if err := json.Unmarshal(line, &p); err != nil || p.Found == nil {
			return 0, source.Errorf(name, n, 0, "the checkpoint is damaged; expected a finished piece of work")
		}
		c.found[p.Key] = p.Found
		whole += int64(len(line))
	}
}

// Load returns what was stored under a key, which must not be changed.
func (c *Checkpoint) Load(key string) (*Found, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f, ok := c.found[key]
	return f, ok
}

// Store adds a line to the file.
func (c *Checkpoint) Store(key string, f *Found) {
	line, err := json.Marshal(piece{key, f})
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		_, err = c.file.Write(append(line, '\n'))
	}
	if c.err == nil && err != nil {
		c.err = fmt.Errorf("writing the checkpoint: %w", err)
	}
}

// Close closes the file and returns the first error of writing.
func (c *Checkpoint) Close() error {
	return errors.Join(c.err, c.file.Close())
}
