package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/fdplan/fdplan/internal/cluster"
	"github.com/fdplan/fdplan/internal/source"
)

type brokerCmd struct {
	Store     string    `arg:"" help:"Folder of the queue, the results and the files that units read."`
	Listen    string    `help:"Address to listen on. Any but that of this machine itself needs --cert and --key, and --token-file or --nkeys." default:"127.0.0.1:4222" placeholder:"HOST:PORT"`
	Cert      string    `help:"File with the certificate for TLS." placeholder:"FILE"`
	Key       string    `help:"File with the key of the certificate." placeholder:"FILE"`
	ClientCA  string    `name:"client-ca" help:"File with the certificates that sign those of clients, which must then have one." placeholder:"FILE"`
	TokenFile string    `help:"File with the token that clients must know." placeholder:"FILE"`
	Nkeys     string    `help:"File with the public nkeys of clients, one per line." placeholder:"FILE"`
	MaxStore  bytesFlag `help:"Bound on the folder; default: three quarters of what is free." placeholder:"SIZE"`
	Sync      bool      `help:"Write every message to the disk before it is confirmed; otherwise every 10 seconds, and a crash of the machine costs work that is repeated."`
}

// Run serves until a signal.
func (c *brokerCmd) Run(a *environment) error {
	a.guard.patient.Store(true)
	ctx := a.guard.ctx
	o := cluster.ServerConfig{Store: c.Store, Listen: c.Listen, Cert: c.Cert, Key: c.Key, CA: c.ClientCA, MaxStore: int64(c.MaxStore), SyncAlways: c.Sync}
	if c.TokenFile != "" && c.Nkeys != "" {
		return errors.New("--token-file and --nkeys are two ways to know clients; expected one of them")
	}
	var err error
	if c.TokenFile != "" {
		if o.Token, err = readToken(c.TokenFile); err != nil {
			return err
		}
	}
	if c.Nkeys != "" {
		if o.Nkeys, err = readNkeys(c.Nkeys); err != nil {
			return err
		}
	}
	s, err := cluster.Serve(ctx, o)
	if err != nil {
		return limited(ctx, err)
	}
	fmt.Fprintf(a.out, "%s\n", s.URL())
	defer s.Close()
	select {
	case <-ctx.Done():
		return nil
	case err := <-s.Failed():
		s.Dismiss(err)
		return err
	}
}

// readNkeys reads a file of public keys.
func readNkeys(name string) ([]string, error) {
	text, err := source.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var out []string
	for n, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if !cluster.IsPublicKey(line) {
			return nil, source.Errorf(name, n+1, 1, "not the public nkey of a user; expected 56 letters and digits that begin with U")
		}
		out = append(out, line)
	}
	if out == nil {
		return nil, source.Errorf(name, 1, 1, "no key; expected at least one")
	}
	return out, nil
}
