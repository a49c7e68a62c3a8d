package part

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/fdplan/fdplan/cluster/internal/cluster"
	"github.com/fdplan/fdplan/internal/command"
	"github.com/fdplan/fdplan/internal/source"
)

// Broker serves until ctx ends.
func (Part) Broker(ctx context.Context, h *command.Host, c *command.Broker) error {
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
		return err
	}
	fmt.Fprintf(h.Out, "%s\n", s.URL())
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
