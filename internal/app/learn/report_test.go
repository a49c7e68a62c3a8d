package learn

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"path/filepath"
	"reflect"
	"strconv"
	"testing"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/learn/collect"
	"github.com/fdplan/fdplan/internal/learn/train"
)

// reported trains on rows of inventory/2 and returns the files of the report.
func reported(t *testing.T, ctx context.Context, config train.Config, change func(*Training)) (*Trained, map[string][]byte) {
	t.Helper()
	p, err := load.Load(context.Background(), load.Ref{Name: "inventory/2", Untrained: true})
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(t.TempDir(), "data.csv")
	if err := Collect(context.Background(), p, data, collect.Options{Rows: 300, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	o := Training{Split: train.SplitDistinct, Config: config}
	if change != nil {
		change(&o)
	}
	res, err := Train(ctx, p, data, o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReport(ctx, p, res)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, f := range r.Files() {
		var b bytes.Buffer
		if err := f.Write(&b); err != nil {
			t.Fatal(err)
		}
		files[f.Name] = b.Bytes()
	}
	return res, files
}

// TestReport: the files say what training said, and are the same again, on other
// threads and after an interruption.
func TestReport(t *testing.T) {
	ctx := context.Background()
	config := train.Config{Hidden: []int{12, 12}, Epochs: 30, Seed: 2, Threads: 1}
	var told []train.Epoch
	res, files := reported(t, ctx, config, func(o *Training) { o.Progress = func(e train.Epoch) { told = append(told, e) } })
	rows, err := csv.NewReader(bytes.NewReader(files["epochs.csv"])).ReadAll()
	if err != nil || len(rows) != 1+len(told) || rows[0][4] != "train_wrong" || rows[0][7] != "test_wrong" {
		t.Fatalf("%v: %d lines for %d epochs", err, len(rows), len(told))
	}
	for i, e := range told {
		line := rows[i+1]
		if line[0] != strconv.Itoa(e.Epoch) || line[2] != strconv.Itoa(e.Edges) || line[4] != strconv.Itoa(e.Train.WrongRows) || line[7] != strconv.Itoa(e.Test.WrongRows) || (line[3] == "1") != e.Best {
			t.Errorf("epoch %d: %v", e.Epoch, line)
		}
		if x, err := strconv.ParseFloat(line[1], 64); err != nil || x != e.Loss {
			t.Errorf("epoch %d: loss %s, want %v", e.Epoch, line[1], e.Loss)
		}
	}
	if err := xml.Unmarshal(files["epochs.svg"], new(struct{})); err != nil {
		t.Errorf("the plot is no XML: %v", err)
	}
	wrong := res.Train.Wrong
	if res.HeldOut != nil {
		wrong += res.HeldOut.Wrong
	}
	var tested Tested
	if err := json.Unmarshal(files["errors.json"], &tested); err != nil {
		t.Fatal(err)
	}
	if tested.Network != res.Network || tested.Rows != res.Rows || tested.Wrong != wrong || tested.Legal == nil || tested.Legal.Rows != 64 {
		t.Errorf("%+v of %+v", tested, res)
	}
	config.Threads = 2
	if _, again := reported(t, ctx, config, nil); !reflect.DeepEqual(again, files) {
		t.Error("another report on 2 threads")
	}
	state := filepath.Join(t.TempDir(), "state")
	stopped, cancel := context.WithCancelCause(ctx)
	_, half := reported(t, stopped, config, func(o *Training) {
		o.Checkpoint = state
		o.Progress = func(e train.Epoch) {
			if e.Epoch == 7 {
				cancel(errors.New("it was stopped"))
			}
		}
	})
	if err := json.Unmarshal(half["errors.json"], &tested); err != nil || tested.Unlisted != "not measured, it was stopped" || tested.Rows != res.Rows {
		t.Errorf("%v: %s", err, half["errors.json"])
	}
	if _, again := reported(t, ctx, config, func(o *Training) { o.Checkpoint, o.Resume = state, true }); !reflect.DeepEqual(again, files) {
		t.Error("another report after an interruption")
	}
}

// TestReportFails: an error of the file is handed on.
func TestReportFails(t *testing.T) {
	r := &Report{history: []train.Record{{Epoch: 1}}, tested: &Tested{}}
	for _, f := range r.Files() {
		if err := f.Write(failing{}); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }
