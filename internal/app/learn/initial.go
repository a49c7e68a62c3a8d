package learn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fdplan/fdplan/internal/app/load"
	"github.com/fdplan/fdplan/internal/learn/train"
)

// setInit reads the network that training starts from, a file or the network of a bundled
// problem, into o, and takes the widths of the hidden layers from it.
func setInit(p *load.Problem, name string, c *train.Config, o *train.Options) error {
	f, err := load.ReadNetwork(name, p.Problem)
	if err != nil {
		return err
	}
	widths := train.Hidden(f.Network)
	if len(c.Hidden) > 0 && !slices.Equal(c.Hidden, widths) {
		return fmt.Errorf("--hidden %s is not the shape of %s, %s; expected no --hidden, which --init takes from the network",
			strings.Trim(strings.ReplaceAll(fmt.Sprint(c.Hidden), " ", ","), "[]"), name, f.Network.Shape())
	}
	c.Hidden, o.Init = widths, f.Network
	return nil
}
