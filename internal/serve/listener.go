package serve

import (
	"cmp"
	"context"
	"net"
	"slices"
	"sync"
)

// maxConnections bounds the connections that are open at the same time. When there are more,
// one that has no authorised request is closed.
const maxConnections = 256

// boundedListener keeps track of the connections that it accepts. Anybody can open
// connections, so they have no claim to their place: only one that has sent a request with a
// token or session is never closed for a new one.
type boundedListener struct {
	net.Listener

	mu   sync.Mutex
	open map[*placedConn]bool
	last int // number of the newest connection
}

// Accept returns the next connection, and closes another one if there are too many.
func (l *boundedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	host, _, err := net.SplitHostPort(conn.RemoteAddr().String())
	if err != nil {
		host = conn.RemoteAddr().String()
	}
	l.mu.Lock()
	l.last++
	c := &placedConn{Conn: conn, list: l, host: host, number: l.last}
	l.open[c] = true
	victim := l.victim()
	l.mu.Unlock()
	if victim != nil {
		go victim.Close() // which may wait for the other side
	}
	return c, nil
}

// victim returns the connection to be closed, nil for none: the oldest without an authorised
// request, of the address that has most of these. The caller holds the lock.
func (l *boundedListener) victim() *placedConn {
	if len(l.open) <= maxConnections {
		return nil
	}
	idle := map[string][]*placedConn{}
	for c := range l.open {
		if c.working == 0 {
			idle[c.host] = append(idle[c.host], c)
		}
	}
	var most []*placedConn
	for host, of := range idle {
		if len(of) > len(most) || len(of) == len(most) && host < most[0].host {
			most = of
		}
	}
	if most == nil {
		return nil
	}
	return slices.MinFunc(most, func(a, b *placedConn) int { return cmp.Compare(a.number, b.number) })
}

// placedConn is a connection that its listener keeps track of.
type placedConn struct {
	net.Conn
	list    *boundedListener
	host    string // of the other side
	number  int    // in the order of their beginning
	working int    // authorised requests; guarded by list.mu
}

// Close closes the connection.
func (c *placedConn) Close() error {
	c.list.mu.Lock()
	delete(c.list.open, c)
	c.list.mu.Unlock()
	return c.Conn.Close()
}

// connKey is the key of a request's placedConn in its context.
type connKey struct{}

// withConn is the context of the requests of a connection.
func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// occupy keeps the connection of an authorised request from being closed for another one.
func occupy(ctx context.Context) (leave func()) {
	c, ok := ctx.Value(connKey{}).(*placedConn)
	if !ok {
		return func() {}
	}
	add := func(n int) {
		c.list.mu.Lock()
		c.working += n
		c.list.mu.Unlock()
	}
	add(1)
	return func() { add(-1) }
}
