package command

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/limit"
	"github.com/fdplan/fdplan/internal/serve"
	"github.com/fdplan/fdplan/internal/source"
)

type serveCmd struct {
	stdioFlags
	Listen    string `help:"Host and port to listen on; port 0 is a free one. A host other than this machine's loopback needs --token-file, --tls-cert and --tls-key." default:"127.0.0.1:0" placeholder:"HOST:PORT"`
	NoBrowser bool   `help:"Do not open the page in a browser."`
	TokenFile string `help:"File with the token that requests need, at least 16 characters; which it does not print; default: a random one." placeholder:"FILE"`
	TLSCert   string `name:"tls-cert" help:"Certificate of the server, PEM." placeholder:"FILE"`
	TLSKey    string `name:"tls-key" help:"Its key, PEM." placeholder:"FILE"`

	Data      string   `help:"Folder of the problems, logs and jobs, which are kept there; default: a temporary one, removed at the end." placeholder:"DIR"`
	Simulator []string `help:"A simulator or device that jobs may name: NAME=COMMAND (docs/simulators.md); repeatable. No other command is run for a request." placeholder:"NAME=COMMAND" sep:"none"`
	Results   []string `help:"Folder of a bench to show; repeatable." placeholder:"DIR" sep:"none" type:"existingdir"`

	Jobs      int           `help:"Jobs that run at the same time; others wait." default:"2" placeholder:"N"`
	JobMemory bind.Size     `help:"Bound on the memory of each job; default: half of what the machine or the control group has, at most 4GiB." placeholder:"SIZE"`
	JobTime   bind.Duration `help:"Bound on the time of each job; default: none." placeholder:"TIME"`
}

// Run serves until a signal ends it.
func (c *serveCmd) Run(ctx context.Context, a *environment) (err error) {
	if c.Stdio {
		return c.session(a)
	}
	a.guard.patient.Store(true) // the jobs end first
	config, err := c.config(a)
	if err != nil {
		return err
	}
	if c.Data == "" {
		if config.Data, err = os.MkdirTemp("", "fdplan-serve-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(config.Data)) }()
	}
	l, loopback, err := c.listen()
	if err != nil {
		return err
	}
	defer l.Close()
	config.Address, config.Anyhost = l.Addr().String(), !loopback
	s, err := serve.New(config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	remove := c.announce(a, s, &config)
	defer func() { err = errors.Join(err, remove()) }()
	return s.Serve(a.guard.ctx, l)
}

// announce prints the address of a server and lets a browser open it. The address has a code
// that is good for one session; the token is only shown to those who have not chosen it.
func (c *serveCmd) announce(a *environment, s *serve.Server, config *serve.Config) (remove func() error) {
	url := "http://"
	if c.TLSCert != "" {
		url = "https://"
	}
	url += config.Address + "/"
	if c.TokenFile != "" {
		fmt.Fprintf(a.out, "fdplan serves at %s\n", url)
		if text := loose(c.TokenFile); text != "" {
			a.warn(text)
		}
	} else {
		fmt.Fprintf(a.out, "fdplan serves at %s#code=%s\nThe token for programs is %s\n", url, s.NewCode(0), config.Token)
	}
	if c.NoBrowser {
		return func() error { return nil }
	}
	remove, err := openBrowser(a.guard.ctx, url+"#code="+s.NewCode(codeLife))
	if err != nil {
		a.warn(fmt.Sprintf("no browser was opened: %v", err))
		return func() error { return nil }
	}
	return remove
}

// config returns what the flags say of the server, without its address.
func (c *serveCmd) config(a *environment) (serve.Config, error) {
	config := serve.Config{
		Data: c.Data, Kept: c.Data != "", TLS: c.TLSCert != "", Now: a.now, Log: log.New(a.err, "fdplan: ", 0), Version: buildVersion(),
		Simulators: map[string]string{}, Results: map[string]string{},
		Limits: serve.Limits{
			Upload: source.MaxData, Body: 16 << 20, Running: c.Jobs, Queued: 100, Kept: 1000, Uploads: 500, Memory: int64(c.JobMemory), Threads: max(1, app.Threads(0)/max(1, c.Jobs)), MostThreads: app.Threads(0),
			Time: time.Duration(c.JobTime), Request: 30 * time.Second,
		},
	}
	if c.Jobs < 1 {
		return config, fmt.Errorf("--jobs %d; expected at least 1", c.Jobs)
	}
	if most := limit.Available(); config.Limits.Memory == 0 {
		config.Limits.Memory = limit.DefaultMemory()
	} else if config.Limits.Memory > most {
		return config, fmt.Errorf("--job-memory is %d bytes; expected at most %d, which the machine or its control group has", c.JobMemory, most)
	}
	for _, text := range c.Simulator {
		name, command, ok := strings.Cut(text, "=")
		if !ok || name == "" || command == "" || name == "rddl" {
			return config, fmt.Errorf("--simulator %s; expected NAME=COMMAND, and a name other than rddl", text)
		}
		config.Simulators[name] = command
	}
	for _, dir := range c.Results {
		path, err := filepath.Abs(dir)
		if err != nil {
			return config, err
		}
		name := filepath.Base(path)
		if other, ok := config.Results[name]; ok && other != path {
			return config, fmt.Errorf("--results %s: %s has the same name; expected different ones", dir, other)
		}
		config.Results[name] = path
	}
	config.Program = []string{thisProgram()}
	if a.parts.Laboratory == nil {
		config.Laboratory = func() (string, error) { return a.programOf("paper", checkout()) }
	}
	var err error
	config.Token, err = c.token()
	return config, err
}

// token returns the token of --token-file, or a random one.
func (c *serveCmd) token() (string, error) {
	if c.TokenFile == "" {
		return rand.Text(), nil
	}
	text, err := source.ReadFileUpTo(c.TokenFile, 4096)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	if len(token) < 16 || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\",;\\", r) }) {
		return "", source.Errorf(c.TokenFile, 0, 0, "it has no token; expected at least 16 letters and digits on one line")
	}
	return token, nil
}

// listen opens the port. It reports whether only this machine can reach it.
func (c *serveCmd) listen() (l net.Listener, loopback bool, err error) {
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return nil, false, fmt.Errorf("--listen %s: %w; expected HOST:PORT such as 127.0.0.1:8080", c.Listen, err)
	}
	ip := net.ParseIP(host)
	loopback = host == "localhost" || ip != nil && ip.IsLoopback()
	switch {
	case (c.TLSCert == "") != (c.TLSKey == ""):
		return nil, false, errors.New("--tls-cert and --tls-key go together")
	case !loopback && (c.TokenFile == "" || c.TLSCert == ""):
		return nil, false, fmt.Errorf("--listen %s: other machines can reach this address; expected --token-file, --tls-cert and --tls-key too", c.Listen)
	}
	var pair tls.Certificate
	if c.TLSCert != "" {
		if pair, err = tls.LoadX509KeyPair(c.TLSCert, c.TLSKey); err != nil {
			return nil, false, fmt.Errorf("--tls-cert %s, --tls-key %s: %w", c.TLSCert, c.TLSKey, err)
		}
	}
	if l, err = net.Listen("tcp", c.Listen); err != nil {
		return nil, false, fmt.Errorf("--listen %s: %w", c.Listen, err)
	}
	if c.TLSCert != "" {
		l = tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12})
	}
	return l, loopback, nil
}
