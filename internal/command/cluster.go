package command

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/fdplan/fdplan/internal/app"
	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/learn"
	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/app/plan"
	"github.com/fdplan/fdplan/internal/app/solve"
	"github.com/fdplan/fdplan/internal/engine"
	"github.com/fdplan/fdplan/internal/learn/collect"
)

// Cluster does what needs the server of a cluster. The program fdplan-cluster has it.
type Cluster interface {
	Broker(ctx context.Context, h *Host, c *Broker) error
	Worker(ctx context.Context, h *Host, c *Worker) error
	Unit(ctx context.Context, h *Host, c *Unit) error
	Status(ctx context.Context, h *Host, c *Status) error
	// Coordinate connects to the server for a command that wants results. Units have so many bytes
	// of memory, 0 for what their workers give. The returned function ends the connection.
	Coordinate(ctx context.Context, h *Host, c *Connect, what string, memory int64) (Coordinator, func(), error)
}

// Coordinator does the work of commands on the workers of a server.
type Coordinator interface {
	Plan(o plan.Division) (func(engine.Engine) engine.Engine, error)
	Collect(ctx context.Context, ref load.Ref, name string, o collect.Options) error
	Grid(ctx context.Context, ref load.Ref, data string, t learn.Training) (*learn.Trained, error)
	Solve(ctx context.Context, r solve.Request, limit time.Duration, w io.Writer) (status int, err error)
}

// Connect names a server and what it asks for.
type Connect struct {
	URL       string `name:"connect" help:"Send the work to the workers of this server, nats://HOST:PORT or tls://HOST:PORT (docs/cluster.md)." placeholder:"URL"`
	TokenFile string `help:"With --connect, file with the token that the server asks for." placeholder:"FILE"`
	Nkey      string `help:"With --connect, file with the seed of the nkey that the server knows." placeholder:"FILE"`
	CA        string `name:"ca" help:"With --connect, file with the certificates that sign the server's; default: the system's." placeholder:"FILE"`

	ClientCert string `help:"With --connect, file with the certificate of this client, if the server asks for one." placeholder:"FILE"`
	ClientKey  string `help:"With --connect, file with the key of the client's certificate." placeholder:"FILE"`

	// Patience is the time after which a server that does not answer is given up; 0 for GiveUp.
	Patience time.Duration `name:"-"`
}

// GiveUp is long enough for a server to be restarted, and too short for a queue of jobs to wait for one
// that will not come back.
const GiveUp = 10 * time.Minute

// coordinator connects to the server as one that wants results. The returned
// function ends that.
func (c *Connect) coordinator(ctx context.Context, a *environment, what string, memory int64) (Coordinator, func(), error) {
	return a.parts.Cluster.Coordinate(ctx, a.host(), c, what, memory)
}

// server is what the flags name; "" for none.
func (c *Connect) server() string { return c.URL }

// Broker are the flags of the command broker.
type Broker struct {
	Store     string    `arg:"" help:"Folder of the queue, the results and the files that units read."`
	Listen    string    `help:"Address to listen on. Any but that of this machine itself needs --cert and --key, and --token-file or --nkeys." default:"127.0.0.1:4222" placeholder:"HOST:PORT"`
	Cert      string    `help:"File with the certificate for TLS." placeholder:"FILE"`
	Key       string    `help:"File with the key of the certificate." placeholder:"FILE"`
	ClientCA  string    `name:"client-ca" help:"File with the certificates that sign those of clients, which must then have one." placeholder:"FILE"`
	TokenFile string    `help:"File with the token that clients must know." placeholder:"FILE"`
	Nkeys     string    `help:"File with the public nkeys of clients, one per line." placeholder:"FILE"`
	MaxStore  bind.Size `help:"Bound on the folder; default: three quarters of what is free." placeholder:"SIZE"`
	Sync      bool      `help:"Write every message to the disk before it is confirmed; otherwise every 10 seconds, and a crash of the machine costs work that is repeated."`
}

// Run serves until a signal.
func (c *Broker) Run(ctx context.Context, a *environment) error {
	a.guard.patient.Store(true)
	return limited(ctx, a.parts.Cluster.Broker(ctx, a.host(), c))
}

// Worker are the flags of the command worker.
type Worker struct {
	Connect
	Slots  int           `help:"Units to run at a time; 0 for one per core." default:"0" placeholder:"N"`
	Memory bind.Size     `help:"Bound on the memory of each unit with all its processes; default: what the machine or the control group has, by the number of slots." placeholder:"SIZE"`
	Cache  bind.Size     `help:"Inputs to keep on the disk for further units." default:"10GiB" placeholder:"SIZE"`
	Dir    string        `help:"Folder for inputs and units in progress; default: a temporary one." placeholder:"DIR"`
	Lease  bind.Duration `help:"Time after which a unit whose worker is silent is given to another." default:"15s" placeholder:"TIME"`
	Drain  bind.Duration `help:"After SIGTERM, time for units in progress; the others are handed back at once." default:"30s" placeholder:"TIME"`
	Allow  []string      `help:"Outside solvers that units may use, by name such as clasp; default: none. Repeatable." placeholder:"NAME" sep:"none"`
	Quiet  bool          `help:"Do not report units that are handed back." short:"q"`
}

// Run takes units until a signal.
func (c *Worker) Run(ctx context.Context, a *environment) error {
	c.Slots = app.Threads(c.Slots)
	if time.Duration(c.Lease) < time.Second {
		return fmt.Errorf("--lease %v; expected at least 1s", time.Duration(c.Lease))
	}
	a.guard.patient.Store(true)
	return limited(ctx, a.parts.Cluster.Worker(ctx, a.host(), c))
}

// Unit are the flags of the child process of a worker.
type Unit struct {
	Memory bind.Size `help:"Bound on the memory of this process." placeholder:"SIZE"`
	Allow  []string  `help:"Outside solvers that units may use." placeholder:"NAME" sep:"none"`
}

// Run does units until standard input ends.
func (c *Unit) Run(_ context.Context, a *environment) error {
	// The worker kills this process where it takes too much memory.
	bound := app.Bounds{Memory: c.Memory}
	ctx, cancel := a.context(bound, nil)
	defer cancel()
	return a.parts.Cluster.Unit(ctx, a.host(), c)
}

// Status are the flags of the command cluster.
type Status struct {
	Connect
	JSON    bool          `name:"json" help:"Print one JSON object."`
	Metrics bool          `help:"Print the numbers as Prometheus reads them."`
	Watch   bool          `help:"Rewrite the table every two seconds, until Ctrl-C."`
	Wait    bind.Duration `help:"Time for workers to answer." default:"300ms" placeholder:"TIME"`
}

// Run prints the state of the cluster.
func (c *Status) Run(ctx context.Context, a *environment) error {
	if c.URL == "" {
		c.URL = "nats://127.0.0.1:4222"
	}
	if c.JSON && (c.Metrics || c.Watch) || c.Metrics && c.Watch {
		return fmt.Errorf("--json, --metrics and --watch print different things; expected one of them")
	}
	// An operator who asks wants an answer now.
	c.Patience = 5 * time.Second
	return limited(ctx, a.parts.Cluster.Status(ctx, a.host(), c))
}
