package robust

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	checker "github.com/fdplan/fdplan/certify/robust"
	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/engine/tube"
)

// ProofFile is the name of the proof in the folder of a certificate, beside certify.AnswerFile.
const ProofFile = "none.json"

// none proves that no plan of h steps holds, by what a certificate can have if one is asked for and can be made.
func (m *model) none(ctx context.Context, h int, r Request) (*tube.Refutation, error) {
	if r.Folder == "" {
		return m.task.None(ctx, h, false)
	}
	p, err := m.task.None(ctx, h, true)
	if err == nil {
		m.record = p.Record
		return p, nil
	}
	if p, err = m.task.None(ctx, h, false); err == nil {
		r.Warn("no certificate was written: the proof bounds by induction how fast states change, which certify does not read")
	}
	return p, err
}

// write writes the answer and its proof into a folder, and has them checked.
func (m *model) write(ctx context.Context, d *plan.Document, dir string) error {
	d.Certified(dir)
	if err := certify.WriteFiles(dir, map[string]any{ProofFile: m.record, certify.AnswerFile: d}); err != nil {
		return err
	}
	report, err := Certify(ctx, dir, m.p)
	if err == nil && !report.Accepted {
		err = fmt.Errorf("%w: the checker refuses the proof that no plan holds: %s", app.ErrInternal, report.Refused)
	}
	return err
}

// Certify checks the certificate that no plan of a problem holds against every error. What is refused is in the report; errors are about
// files that cannot be read, and the end of ctx.
func Certify(ctx context.Context, dir string, p *load.Problem) (*certify.Report, error) {
	name, proof := filepath.Join(dir, certify.AnswerFile), filepath.Join(dir, ProofFile)
	r := &certify.Report{Schema: app.Schema, Accepted: true, Answer: name, Claims: []certify.Claim{}, Unchecked: []string{}}
	refuse := func(err error) (*certify.Report, error) {
		r.Accepted, r.Refused = false, err.Error()
		return r, nil
	}
	data, err := os.ReadFile(name)
	text, failed := os.ReadFile(proof)
	if err = cmp.Or(err, failed); err != nil {
		return nil, err
	}
	said := &plan.Document{}
	if err := app.ReadExact(name, data, said, "an answer as plan --robust --json prints it"); errors.As(err, new(*app.NamesError)) {
		return refuse(err)
	} else if err != nil {
		return nil, err
	}
	record, err := checker.Read(proof, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	if said.Robust == nil || said.Horizon == nil || said.Proof == nil || said.Proof.Certificate == nil {
		return refuse(fmt.Errorf("%s does not say that no plan holds", name))
	}
	m, err := newModel(p, Against{Robust: bind.Share(fmt.Sprintf("%.12g%%", 100*said.Robust.Coverage)), WithinLog: record.Task.Change != nil})
	if err != nil {
		return nil, err
	}
	if err := m.asked(text); err != nil {
		return refuse(fmt.Errorf("%s: %w", proof, err))
	}
	shown, err := record.Check(ctx)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	h := *said.Horizon
	if err == nil && (h < record.Steps || h > record.Steps && !record.Anywhere && !record.Rules) {
		err = fmt.Errorf("it is about %d steps, and %s about %d", record.Steps, name, h)
	}
	if err != nil {
		return refuse(fmt.Errorf("%s: %w", proof, err))
	}
	again, err := m.again(record, shown, said)
	if err != nil {
		return nil, err
	}
	r.Claims = append(r.Claims, certify.Claim{File: p.Problem.Name, Proof: proof, Horizon: h, Shows: again.Verdict, Accepted: true})
	e := certify.Expected{Answer: again, Unchecked: []string{"engine", "seconds", "stats", "stopped", "proof.by", "proof.certificate"}}
	if r.Unchecked, err = e.Compare(data); err != nil {
		return refuse(err)
	}
	r.Trusted = []string{"that the problem as it was read, with the functions and errors of its network, is the one that is meant",
		"the translation of its functions, rules and goal to linear forms, which plans are made with too", "the checker itself"}
	return r, nil
}

// asked reports in what a proof is not about the task of the problem.
func (m *model) asked(text []byte) error {
	var got struct {
		Task json.RawMessage `json:"task"`
	}
	if err := json.Unmarshal(text, &got); err != nil {
		return err
	}
	want, err := json.Marshal(m.task)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := json.Compact(&b, got.Task); err != nil || !bytes.Equal(b.Bytes(), want) {
		return errors.New("its functions, bands, rules or goal are not those of the problem as it is asked about")
	}
	return nil
}

// again derives the answer anew.
func (m *model) again(r *checker.Record, shown *checker.Shown, said *plan.Document) (*plan.Document, error) {
	d := m.about(*said.Horizon)
	d.Engine, d.Seconds, d.Stats, d.Stopped = said.Engine, said.Seconds, said.Stats, said.Stopped
	d.Status = engine.Infeasible
	proof := &tube.Refutation{Steps: r.Steps, Anywhere: r.Anywhere, Rules: r.Rules, Courses: shown.Courses, Cases: shown.Cases, Follows: shown.Follows}
	m.refused(d.Robust, proof, nil, 0)
	d.Sum(m.p.Task)
	d.Verdict = d.Robust.Says[0]
	d.Certified(*said.Proof.Certificate)
	d.Proof.By = said.Proof.By
	return d, nil
}
