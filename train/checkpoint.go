package train

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fdplan/fdplan/bnn"
	"github.com/fdplan/fdplan/source"
)

// checkpoint is the state of training after an epoch. All else follows from the
// settings and the rows, which are told by their sums.
type checkpoint struct {
	Config    string
	Rows      uint32
	Epoch     int
	AdamSteps int
	Params    []*params
	Best, Raw *kept
}

// kept is a Result as it is stored.
type kept struct {
	Result Result
	Float  *Float
	Folded *bnn.Network
}

func keep(r *Result) *kept { return &kept{*r, r.float, r.folded} }

func (k *kept) result() *Result {
	r := k.Result
	r.float, r.folded = k.Float, k.Folded
	return &r
}

// checkpointHead begins the file; the rest is a sum of what follows it, and that.
const checkpointHead = "fdplan-training 1\n"

// settings writes what decides the course of training; threads do not.
func (r *run) settings() (string, error) {
	c := r.c
	c.Threads = 0
	text, err := json.Marshal(c)
	return string(text), err
}

// rowsSum tells examples apart.
func (r *run) rowsSum() uint32 {
	h := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	for _, e := range []*Examples{r.e, r.o.Test} {
		if e != nil {
			fmt.Fprintln(h, e.Inputs, e.Outputs, e.In, e.Out, e.Count)
		}
	}
	return h.Sum32()
}

// save writes the state under a temporary name and renames it.
func (r *run) save(name string) error {
	c := checkpoint{Rows: r.sum, Epoch: r.epoch, AdamSteps: r.s.adam.Steps, Best: keep(r.best), Raw: keep(r.raw)}
	var err error
	if c.Config, err = r.settings(); err != nil {
		return err
	}
	for _, l := range r.s.layers {
		c.Params = append(c.Params, l.params)
	}
	var body bytes.Buffer
	if err := gob.NewEncoder(&body).Encode(&c); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%s%08x\n%s", checkpointHead, crc32.Checksum(body.Bytes(), crc32.MakeTable(crc32.Castagnoli)), body.Bytes())
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// resume takes up the state in the checkpoint's file; where there is no such file
// training begins anew.
func (r *run) resume() error {
	name := r.o.Checkpoint
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	body, ok := bytes.CutPrefix(text, []byte(checkpointHead))
	if !ok || len(body) < 9 {
		return source.Errorf(name, 0, 0, "this is no state of training, expected one that training has written")
	}
	sum, body := body[:9], body[9:]
	if string(sum) != fmt.Sprintf("%08x\n", crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli))) {
		return source.Errorf(name, 0, 0, "the state of training is damaged, expected the checksum %s", sum[:8])
	}
	var c checkpoint
	if err := gob.NewDecoder(bytes.NewReader(body)).Decode(&c); err != nil {
		return source.Errorf(name, 0, 0, "the state of training cannot be read: %v", err)
	}
	settings, err := r.settings()
	switch {
	case err != nil:
		return err
	case c.Config != settings:
		return source.Errorf(name, 0, 0, "this training has other settings, %s, expected %s", c.Config, settings)
	case c.Rows != r.sum:
		return source.Errorf(name, 0, 0, "this training is on other rows, expected those that are given")
	case len(c.Params) != len(r.s.layers) || c.Best == nil || c.Raw == nil:
		return source.Errorf(name, 0, 0, "the state of training is not whole")
	}
	for i, l := range r.s.layers {
		*l.params = *c.Params[i]
		for j := range l.Units {
			l.quantise(j)
		}
	}
	r.epoch, r.s.adam.Steps = c.Epoch, c.AdamSteps
	r.best, r.raw = c.Best.result(), c.Raw.result()
	return nil
}
