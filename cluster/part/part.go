// Package part has the commands of a cluster, and sends the work of others to one.
package part

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"

	"github.com/fdplan/fdplan/cluster/internal/cluster"
	"github.com/fdplan/fdplan/cluster/internal/spread"
	"github.com/fdplan/fdplan/internal/command"
	"github.com/fdplan/fdplan/internal/source"
)

// Part is the part of fdplan that needs the server of a cluster.
type Part struct{}

// options are those of a connection.
func options(f *command.Connect, h *command.Host, name string) (cluster.Options, error) {
	o := cluster.Options{
		URL: f.URL, Name: name, Seed: f.Nkey, CA: f.CA, Cert: f.ClientCert, Key: f.ClientKey, Patience: cmp.Or(f.Patience, command.GiveUp),
		Now: h.Now, Jitter: rand.Float64, Warn: h.Warn,
	}
	var err error
	if f.TokenFile != "" {
		o.Token, err = readToken(f.TokenFile)
	}
	return o, err
}

// readToken reads the file of a token.
func readToken(name string) (string, error) {
	text, err := source.ReadFile(name)
	if err != nil {
		return "", err
	}
	token := string(bytes.TrimSpace(text))
	if token == "" || bytes.ContainsAny([]byte(token), " \t\n") {
		return "", source.Errorf(name, 1, 1, "expected a token on one line")
	}
	return token, nil
}

// dial connects to the server.
func dial(ctx context.Context, h *command.Host, f *command.Connect, what string) (*cluster.Client, error) {
	if f.URL == "" {
		return nil, errors.New("there is no server to connect to; expected --connect URL")
	}
	o, err := options(f, h, what+" "+machineName())
	if err != nil {
		return nil, err
	}
	return cluster.Connect(ctx, o)
}

// Coordinate connects to the server as one that wants results.
func (Part) Coordinate(ctx context.Context, h *command.Host, f *command.Connect, what string, memory int64) (command.Coordinator, func(), error) {
	version, err := resultVersion(h.Program)
	if err != nil {
		return nil, nil, err
	}
	c, err := dial(ctx, h, f, what)
	if err != nil {
		return nil, nil, err
	}
	s, err := c.NewSession()
	if err != nil {
		c.Close()
		return nil, nil, err
	}
	return &spread.Coordinator{Session: s, Version: version, Memory: memory}, func() { s.Close(); c.Close() }, nil
}

// resultVersion is the result version of this build.
func resultVersion(program string) (string, error) {
	info, _ := debug.ReadBuildInfo()
	return spread.ResultVersion(info, program)
}

// machineName names this process among others.
func machineName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s-%d", host, os.Getpid())
}
