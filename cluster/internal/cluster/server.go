package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/fdplan/fdplan/internal/atomicfile"
)

// ServerConfig describes a server.
type ServerConfig struct {
	Store  string // folder
	Listen string // host:port; the port 0 is any free one
	// Cert and Key are the files for TLS; CA, if given, signs the certificates that
	// clients must show.
	Cert, Key, CA string
	Token         string   // that clients must know; empty for none
	Nkeys         []string // public keys of clients; nil for none
	MaxStore      int64    // bytes on the disk; 0 for three quarters of what is free
	// SyncAlways writes every message to the disk before it is confirmed. Without it,
	// a crash of the machine loses what was not written yet, at most SyncInterval of
	// it; sessions that still wait for results send the work again.
	SyncAlways bool
}

// syncInterval is the time after which what was stored is on the disk.
const syncInterval = 10 * time.Second

// minToken is the least length of a token, in bytes.
const minToken = 16

// lockName is the file in a store that a running server has locked.
const lockName = "lock"

// Server is a server within this process.
type Server struct {
	s    *server.Server
	lock *os.File
	log  *log
	nc   *nats.Conn // to itself
}

// check reports what is wrong with a configuration. Only the loopback address may
// be opened without TLS and credentials.
func (c *ServerConfig) check() (host string, port int, err error) {
	host, text, err := net.SplitHostPort(c.Listen)
	if err == nil {
		port, err = strconv.Atoi(text)
	}
	switch {
	case err != nil || port < 0 || port > 65535:
		return "", 0, fmt.Errorf("%q is not an address to listen on; expected HOST:PORT, such as 127.0.0.1:4222", c.Listen)
	case (c.Cert == "") != (c.Key == ""):
		return "", 0, errors.New("TLS needs a certificate and its key; expected both files")
	case c.CA != "" && c.Cert == "":
		return "", 0, errors.New("certificates of clients are checked with TLS only; expected a certificate and a key of the server")
	case c.Token != "" && len(c.Token) < minToken:
		return "", 0, fmt.Errorf("a token of %d bytes is easily guessed; expected at least %d", len(c.Token), minToken)
	case isLoopback(host):
		return host, port, nil
	case c.Cert == "":
		return "", 0, fmt.Errorf("%s can be reached from other machines; expected TLS: a certificate and a key", c.Listen)
	case c.Token == "" && c.Nkeys == nil:
		return "", 0, fmt.Errorf("%s can be reached from other machines; expected a token or nkeys", c.Listen)
	}
	return host, port, nil
}

// Serve starts a server on a folder, which it creates if necessary.
func Serve(ctx context.Context, c ServerConfig) (*Server, error) {
	host, port, err := c.check()
	if err != nil {
		return nil, err
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	// The server itself reports a port that is taken in its log alone.
	probe, err := net.Listen("tcp", c.Listen)
	if err != nil {
		return nil, fmt.Errorf("starting the server: %w", err)
	}
	probe.Close()
	if err := os.MkdirAll(c.Store, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder of the server: %w", err)
	}
	lock, err := lockStore(c.Store)
	if err != nil {
		return nil, err
	}
	if err := hasRoom(c.Store); err != nil {
		lock.Close()
		return nil, fmt.Errorf("opening the store %s: %w", c.Store, err)
	}
	s := &Server{lock: lock, log: &log{c.Store, make(chan error, 1)}}
	if err := s.launch(ctx, &c, host, port); err != nil {
		lock.Close()
		return nil, fmt.Errorf("starting the server: %w", err)
	}
	return s, nil
}

// lockStore makes sure that no other server uses a folder.
func lockStore(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		if err = atomicfile.Lock(f); err == nil {
			return f, nil
		}
		f.Close()
	}
	if errors.Is(err, atomicfile.ErrLocked) {
		err = errors.New("another server uses it")
	}
	return nil, fmt.Errorf("opening the store %s: %w", dir, err)
}

// leastRoom is what a store needs to begin with, in bytes.
const leastRoom = 1 << 20

// hasRoom tries to write to the disk of a folder.
func hasRoom(dir string) error {
	f, err := os.CreateTemp(dir, "room-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(make([]byte, leastRoom))
	return errors.Join(err, f.Close())
}

// launch starts the server and waits until it is ready.
func (s *Server) launch(ctx context.Context, c *ServerConfig, host string, port int) error {
	o := &server.Options{
		ServerName: "fdplan", Host: host, Port: port, JetStream: true, StoreDir: c.Store, JetStreamMaxStore: c.MaxStore, NoSigs: true, NoLog: true,
		Authorization: c.Token, SyncInterval: syncInterval, SyncAlways: c.SyncAlways, DisableJetStreamBanner: true,
		MaxPayload: 1 << 20, JetStreamMaxMemory: 64 << 20,
	}
	for _, key := range c.Nkeys {
		o.Nkeys = append(o.Nkeys, &server.NkeyUser{Nkey: key})
	}
	if c.Cert != "" {
		var err error
		if o.TLSConfig, err = server.GenTLSConfig(&server.TLSConfigOpts{CertFile: c.Cert, KeyFile: c.Key, CaFile: c.CA, Verify: c.CA != ""}); err != nil {
			return fmt.Errorf("reading the certificate: %w", err)
		}
		o.TLS = true
	}
	self, err := own(o)
	if err != nil {
		return err
	}
	if s.s, err = server.NewServer(o); err != nil {
		return err
	}
	s.s.SetLogger(s.log, false, false)
	go s.s.Start()
	if err = s.ready(ctx, c); err == nil {
		s.nc, err = nats.Connect("", append(self, nats.InProcessServer(s.s))...)
	}
	if err != nil {
		s.s.Shutdown()
	}
	return err
}

// ready waits until the server is ready.
func (s *Server) ready(ctx context.Context, c *ServerConfig) error {
	const step = 50 * time.Millisecond
	for wait := time.Duration(0); !s.s.ReadyForConnections(step); wait += step {
		if ctx.Err() != nil || wait > 30*time.Second || !s.s.Running() && wait > time.Second {
			return fmt.Errorf("it is not ready on %s with the store %s", c.Listen, c.Store)
		}
	}
	if !s.s.JetStreamEnabled() {
		return fmt.Errorf("the store %s cannot be used", c.Store)
	}
	return nil
}

// URL returns the address for clients.
func (s *Server) URL() string { return s.s.ClientURL() }

// Close stops the server and writes its store.
func (s *Server) Close() {
	s.nc.Close()
	s.s.Shutdown()
	s.s.WaitForShutdown()
	s.lock.Close()
}

// IsPublicKey reports whether a text is the public nkey of a user.
func IsPublicKey(text string) bool { return nkeys.IsValidPublicUserKey(text) }
