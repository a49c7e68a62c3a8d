package draw

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/fdplan/fdplan/internal/app/inspect"
	"github.com/fdplan/fdplan/internal/counted"
	"github.com/fdplan/fdplan/internal/picture"
)

// Effects returns the picture of what is drawn in the steps of a network's problem.
func Effects(name string, d *inspect.NetworkDocument) (*picture.Picture, error) {
	if len(d.Chance) == 0 {
		return nil, fmt.Errorf("%s: nothing is drawn in the steps of this network; expected one with outcomes for a picture", name)
	}
	title, contexts := d.Meta["problem"], 0
	if title == "" {
		title = filepath.Base(name)
	}
	var groups []picture.EffectGroup
	for _, g := range d.Chance {
		out := picture.EffectGroup{Variables: g.Variables}
		for _, c := range g.Contexts {
			contexts++
			k := picture.EffectContext{When: c.When, Rows: int(c.Rows)}
			for _, o := range c.Outcomes {
				k.Outcomes = append(k.Outcomes, picture.Effect{P: o.Probability, Text: o.Effects})
			}
			out.Contexts = append(out.Contexts, k)
		}
		groups = append(groups, out)
	}
	drawn := strings.Join(d.Chance[0].Variables, ", ")
	if n := len(d.Chance); n > 1 {
		drawn = counted.Of(n, "group of variable")
	}
	return picture.NewEffects(title, drawn+" drawn in "+counted.Of(contexts, "context"), groups), nil
}
