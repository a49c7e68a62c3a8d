package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"time"

	"github.com/fdplan/fdplan/internal/app/spread"
	"github.com/fdplan/fdplan/internal/cluster"
	"github.com/fdplan/fdplan/internal/source"
)

// clusterFlags name a server and what it asks for.
type clusterFlags struct {
	Connect   string `help:"Send the work to the workers of this server, nats://HOST:PORT or tls://HOST:PORT (docs/cluster.md)." placeholder:"URL"`
	TokenFile string `help:"With --connect, file with the token that the server asks for." placeholder:"FILE"`
	Nkey      string `help:"With --connect, file with the seed of the nkey that the server knows." placeholder:"FILE"`
	CA        string `name:"ca" help:"With --connect, file with the certificates that sign the server's; default: the system's." placeholder:"FILE"`

	ClientCert string       `help:"With --connect, file with the certificate of this client, if the server asks for one." placeholder:"FILE"`
	ClientKey  string       `help:"With --connect, file with the key of the client's certificate." placeholder:"FILE"`
	GiveUp     durationFlag `help:"With --connect, end when the server does not answer for this time." default:"10m" placeholder:"TIME"`
}

// options are those of a connection.
func (f *clusterFlags) options(a *environment, name string) (cluster.Options, error) {
	o := cluster.Options{
		URL: f.Connect, Name: name, Seed: f.Nkey, CA: f.CA, Cert: f.ClientCert, Key: f.ClientKey, Patience: time.Duration(f.GiveUp),
		Now: a.now, Jitter: rand.Float64, Warn: a.warn,
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
func (f *clusterFlags) dial(ctx context.Context, a *environment, what string) (*cluster.Client, error) {
	if f.Connect == "" {
		return nil, errors.New("there is no server to connect to; expected --connect URL")
	}
	o, err := f.options(a, what+" "+machineName())
	if err != nil {
		return nil, err
	}
	return cluster.Connect(ctx, o)
}

// coordinator connects to the server as one that wants results. The returned
// function ends that.
func (f *clusterFlags) coordinator(ctx context.Context, a *environment, what string, memory int64) (*spread.Coordinator, func(), error) {
	version, err := resultVersion()
	if err != nil {
		return nil, nil, err
	}
	c, err := f.dial(ctx, a, what)
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
func resultVersion() (string, error) {
	program, err := thisProgram()
	if err != nil {
		return "", err
	}
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
