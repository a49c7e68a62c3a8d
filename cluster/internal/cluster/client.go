package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Options describe a connection.
type Options struct {
	URL   string // nats://host:port or tls://host:port
	Name  string // of this client, for the server
	Token string // empty for none
	Seed  string // file with the seed of an nkey; empty for none
	CA    string // file with the certificates that sign the server's; empty for the system's
	Cert  string // files of a client's certificate; empty for none
	Key   string

	// Patience is the time after which a server that does not answer is given up.
	Patience time.Duration

	Now    func() time.Time
	Jitter func() float64 // in [0, 1)
	Warn   func(string)   // called when the connection is lost and found; may be nil
}

// Client is a connection to a server.
type Client struct {
	o        Options
	nc       *nats.Conn
	js       jetstream.JetStream
	results  jetstream.KeyValue
	objects  jetstream.KeyValue
	attempts jetstream.KeyValue
	aside    jetstream.KeyValue
	boards   jetstream.KeyValue
	lost     atomic.Int64 // times that the connection was lost
	told     atomic.Bool  // that the server does not answer
	life     context.Context
	end      context.CancelCauseFunc // of life, with a StoppedError

	mu    sync.Mutex
	epoch chan struct{} // closed, and replaced, when the connection is found again
}

// Names of the stores and subjects.
const (
	unitStream    = "fdplan-units"
	resultBucket  = "fdplan-results"
	objectBucket  = "fdplan-objects"
	attemptBucket = "fdplan-attempts"
	asideBucket   = "fdplan-aside"
	boardBucket   = "fdplan-boards"

	unitSubject   = "fdplan.unit."   // and the version, a dot and the ID
	doneSubject   = "fdplan.done."   // and the ID: a result or an aside was stored, or with a reason cannot be
	cancelSubject = "fdplan.cancel." // and the ID: the unit is not wanted any more
	stopSubject   = "fdplan.stop"    // the server ends for good, with the reason
	pingSubject   = "fdplan.ping"    // each worker answers with its WorkerStatus
)

// Connect connects to a server and creates the stores that it lacks. A server that
// cannot be reached is tried again until the patience ends.
func Connect(ctx context.Context, o Options) (*Client, error) {
	opts, err := o.connection()
	if err != nil {
		return nil, err
	}
	c := &Client{o: o, epoch: make(chan struct{})}
	c.life, c.end = context.WithCancelCause(context.WithoutCancel(ctx))
	opts = append(opts,
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			c.lost.Add(1)
			if err != nil {
				c.Warn(fmt.Sprintf("the connection to %s was lost: %v", o.URL, err))
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) {
			c.Warn(fmt.Sprintf("connected to %s again", o.URL))
			c.mu.Lock()
			defer c.mu.Unlock()
			close(c.epoch)
			c.epoch = make(chan struct{})
		}),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // the default one prints
	)
	if err := c.try(ctx, func(context.Context) error { c.nc, err = nats.Connect(o.URL, opts...); return err }); err != nil {
		return nil, refused(o.URL, err)
	}
	if c.js, err = jetstream.New(c.nc); err == nil {
		err = c.listen()
	}
	if err == nil {
		err = c.try(ctx, c.makeStores)
	}
	if err != nil {
		c.Close()
		return nil, refused(o.URL, err)
	}
	return c, nil
}

// connection returns the options of the connection itself.
func (o *Options) connection() ([]nats.Option, error) {
	secret := o.Token != "" || o.Seed != ""
	loopback, err := checkURL(o.URL)
	if err != nil {
		return nil, err
	}
	opts := []nats.Option{
		nats.Name(o.Name), nats.Timeout(opTime), nats.MaxReconnects(-1), nats.ReconnectWait(200 * time.Millisecond), nats.ReconnectJitter(500*time.Millisecond, time.Second),
		nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2),
		nats.ReconnectBufSize(-1), // what cannot be sent is an error, and sent again later
	}
	if o.Token != "" {
		opts = append(opts, nats.Token(o.Token))
	}
	if o.Seed != "" {
		key, err := nats.NkeyOptionFromSeed(o.Seed)
		if err != nil {
			return nil, fmt.Errorf("%s: not the seed of an nkey: %w", o.Seed, err)
		}
		opts = append(opts, key)
	}
	if o.CA != "" {
		opts = append(opts, nats.RootCAs(o.CA))
	}
	if (o.Cert == "") != (o.Key == "") {
		return nil, errors.New("a client's certificate needs its key; expected both files")
	}
	if o.Cert != "" {
		opts = append(opts, nats.ClientCert(o.Cert, o.Key))
	}
	if secret && !loopback {
		opts = append(opts, nats.Secure()) // never a secret in the open
	}
	return opts, nil
}

// checkURL reports whether a server's address is of this machine.
func checkURL(text string) (loopback bool, err error) {
	loopback = true
	for one := range strings.SplitSeq(text, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		if err != nil || u.Scheme != "nats" && u.Scheme != "tls" || u.Hostname() == "" {
			return false, fmt.Errorf("%q is not the address of a server; expected nats://HOST:PORT or tls://HOST:PORT", text)
		}
		if u.User != nil {
			return false, errors.New("the address contains a secret, which other users can see; expected it in a file")
		}
		loopback = loopback && isLoopback(u.Hostname())
	}
	return loopback, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// refused names the server in an error of connecting.
func refused(at string, err error) error {
	if Gone(err) {
		return err
	}
	return fmt.Errorf("connecting to %s: %w", at, err)
}

// connected returns a channel that is closed when the connection was lost and is
// found again: what the server was asked for before, it does not know any more.
func (c *Client) connected() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.epoch
}

// Warn tells the user of this client something.
func (c *Client) Warn(text string) {
	if c.o.Warn != nil {
		c.o.Warn(text)
	}
}

// Close closes the connection.
func (c *Client) Close() {
	c.end(nil)
	if c.nc != nil {
		c.nc.Close()
	}
}

// makeStores creates what is missing of the stores. Together they are bounded by the
// server's own limit. Stores that an operator has made, such as ones with replicas
// and bounds of their own, are used as they are.
func (c *Client) makeStores(ctx context.Context) error {
	_, err := c.js.Stream(ctx, unitStream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		_, err = c.js.CreateStream(ctx, jetstream.StreamConfig{
			Name: unitStream, Subjects: []string{unitSubject + ">"}, Retention: jetstream.WorkQueuePolicy,
			Discard: jetstream.DiscardNew, MaxMsgsPerSubject: 1, DiscardNewPerSubject: true, MaxMsgSize: MaxUnit + headerRoom,
		})
	}
	if err != nil {
		return fmt.Errorf("making the queue: %w", full(err))
	}
	for _, b := range []struct {
		to   *jetstream.KeyValue
		name string
		size int32
		ttl  time.Duration // 0 for ever
	}{
		{&c.results, resultBucket, MaxResult, 0}, {&c.objects, objectBucket, chunkSize, 0},
		{&c.attempts, attemptBucket, 2 * maxTail, 0}, {&c.aside, asideBucket, MaxUnit + 2*maxTail, 0},
		{&c.boards, boardBucket, MaxBoard, boardTime},
	} {
		kv, err := c.js.KeyValue(ctx, b.name)
		if errors.Is(err, jetstream.ErrBucketNotFound) {
			kv, err = c.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: b.name, History: 1, MaxValueSize: b.size + headerRoom, TTL: b.ttl})
		}
		if err != nil {
			return fmt.Errorf("making the store %s: %w", b.name, full(err))
		}
		if *b.to == nil {
			*b.to = kv // it stays valid if the bucket is made anew
		}
	}
	return nil
}

// headerRoom is what the headers of a stored value may take, which the server counts
// as a part of it.
const headerRoom = 1024
