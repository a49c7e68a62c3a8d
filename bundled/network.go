package bundled

import (
	"strings"

	"github.com/fdplan/fdplan/bnn"
)

// Network is the network of a bundled problem, over the bits of its task; ok is
// false where there is none yet.
func Network(name string) (net *bnn.Network, ok bool) {
	domain, instance, _ := strings.Cut(name, "/")
	m, ok := mazes[instance]
	if domain != "navigation" || !ok {
		return nil, false
	}
	return m.network(), true
}
