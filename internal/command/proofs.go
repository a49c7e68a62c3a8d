package command

import (
	"bufio"
	"fmt"
	"io"

	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/certify"
	"github.com/fdplan/fdplan/internal/app/proofs"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/packed"
	"github.com/fdplan/fdplan/internal/solve/proof"
)

// proofs makes the proofs that flags ask for: a certificate in a folder, or one in a file; empty
// for none.
func (a *environment) proofs(folder bind.Folder, file, version string, l engine.Limits) (*proofs.Maker, error) {
	v, err := proof.ParseFormat(version)
	if err != nil {
		return nil, err
	}
	m := &proofs.Maker{Folder: string(folder), Options: certify.Options{Format: v, Limits: l, Large: a.large, Again: a.again}}
	if file != "" {
		m.Proof = func(write func(io.Writer) error) error { return a.toPacked(file, write) }
	}
	return m, nil
}

// toPacked writes a file, compressed if its name says so.
func (a *environment) toPacked(name string, f func(io.Writer) error) error {
	return a.toFile(name, func(w io.Writer) error {
		buffered := bufio.NewWriterSize(w, 1<<16)
		z, err := packed.Writer(name, buffered)
		if err != nil {
			return err
		}
		if err := f(z); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
		return buffered.Flush()
	})
}

// again tells of a proof whose time and size are not known.
func (a *environment) again() {
	a.warn("the steps between states are too many for a proof; engine pb solves the problem a second time and writes its own, which may be long and large")
}

// large tells of a proof that will have so many bytes.
func (a *environment) large(bytes int64) {
	a.warn(fmt.Sprintf("the proof will have about %d MB", bytes/1_000_000))
}
