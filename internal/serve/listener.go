package serve

import (
	"net"
	"sync"
)

// maxConnections bounds the connections that are open at the same time; others wait.
const maxConnections = 256

// boundedListener accepts a connection when there is a place for it.
type boundedListener struct {
	net.Listener
	places chan struct{}
}

// Accept waits for a place and then for a connection.
func (l *boundedListener) Accept() (net.Conn, error) {
	l.places <- struct{}{}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	return &placedConn{Conn: c, leave: sync.OnceFunc(func() { <-l.places })}, nil
}

// placedConn is a connection that gives its place back.
type placedConn struct {
	net.Conn
	leave func()
}

// Close closes the connection.
func (c *placedConn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
