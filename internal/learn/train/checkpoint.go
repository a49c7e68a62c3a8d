package train

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"

	"github.com/fdplan/fdplan/internal/atomicfile"
	"github.com/fdplan/fdplan/internal/source"
	"github.com/fdplan/fdplan/problem/bnn"
)

// checkpoint is the state of training after an epoch. Everything else follows from the
// settings and the rows, which are identified by checksums.
type checkpoint struct {
	Config    string
	Rows      uint32
	Epoch     int
	AdamSteps int
	Params    []*params
	Best, Raw *kept
	History   []Record
}

// kept is a Result in its stored form.
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

// checkpointHead begins the file; a checksum of the rest and the rest itself follow.
const checkpointHead = "fdplan-training 3\n"

// settings writes the settings that determine the course of training; threads do not.
func (r *run) settings() (string, error) {
	c := r.c
	c.Threads = 0
	text, err := json.Marshal(c)
	return string(text) + r.o.mark, err
}

// rowsSum identifies examples and initial networks.
func (r *run) rowsSum() uint32 {
	h := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	for _, e := range []*Examples{r.e, r.o.Test} {
		if e != nil {
			fmt.Fprintln(h, e.Inputs, e.Outputs, e.In, e.Out, e.Count, e.Weight)
		}
	}
	if r.o.Init != nil {
		fmt.Fprintln(h, r.o.Init.Layers)
	}
	return h.Sum32()
}

// save writes the state to a file.
func (r *run) save(name string) error {
	c := checkpoint{Rows: r.sum, Epoch: r.epoch, AdamSteps: r.s.adam.Steps, Best: keep(r.best), Raw: keep(r.raw), History: r.history}
	var err error
	if c.Config, err = r.settings(); err != nil {
		return err
	}
	for _, l := range r.s.layers {
		c.Params = append(c.Params, l.params)
	}
	return writeState(name, checkpointHead, &c)
}

// writeState writes v after a line with the kind of the file and a checksum. The
// file survives a crash of the machine.
func writeState(name, head string, v any) error {
	var body bytes.Buffer
	if err := json.NewEncoder(&body).Encode(v); err != nil {
		return err
	}
	return atomicfile.WriteDurable(name, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s%08x\n%s", head, crc32.Checksum(body.Bytes(), crc32.MakeTable(crc32.Castagnoli)), body.Bytes())
		return err
	})
}

// removeState removes a file of writeState, if it exists.
func removeState(name string) error {
	if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// readState reads what writeState wrote; there may be no such file.
func readState(name, head string, v any) (found bool, err error) {
	text, err := source.ReadFileUpTo(name, source.MaxData)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	body, ok := bytes.CutPrefix(text, []byte(head))
	if !ok || len(body) < 9 {
		return false, source.Errorf(name, 0, 0, "this is not a state of training, expected one that training has written")
	}
	sum, body := body[:9], body[9:]
	if string(sum) != fmt.Sprintf("%08x\n", crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli))) {
		return false, source.Errorf(name, 0, 0, "the state of training is damaged, expected the checksum %s", sum[:8])
	}
	if err := json.Unmarshal(body, v); err != nil {
		return false, source.Errorf(name, 0, 0, "the state of training cannot be read: %v", err)
	}
	return true, nil
}

// fitsState reports a state of a different training.
func fitsState(name, settings, wantSettings string, rows, wantRows uint32) error {
	switch {
	case settings != wantSettings:
		return source.Errorf(name, 0, 0, "this training has other settings, %s, expected %s", settings, wantSettings)
	case rows != wantRows:
		return source.Errorf(name, 0, 0, "this training is on other rows or from another initial network, expected those that are given")
	}
	return nil
}

func errNotWhole(name string) error {
	return source.Errorf(name, 0, 0, "the state of training is not whole")
}

// resume restores the state from the checkpoint's file; if there is no such file, training
// starts anew.
func (r *run) resume() error {
	name := r.o.Checkpoint
	if err := atomicfile.RemoveStale(name); err != nil {
		return err
	}
	var c checkpoint
	if found, err := readState(name, checkpointHead, &c); err != nil || !found {
		return err
	}
	settings, err := r.settings()
	if err != nil {
		return err
	}
	if err := fitsState(name, c.Config, settings, c.Rows, r.sum); err != nil {
		return err
	}
	if len(c.Params) != len(r.s.layers) || c.Best == nil || c.Raw == nil {
		return errNotWhole(name)
	}
	for i, l := range r.s.layers {
		*l.params = *c.Params[i]
		for j := range l.Units {
			l.quantise(j)
		}
	}
	r.epoch, r.s.adam.Steps = c.Epoch, c.AdamSteps
	r.best, r.raw = c.Best.result(), c.Raw.result()
	r.history = c.History
	return nil
}
