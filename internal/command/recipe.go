package command

import (
	"fmt"
	"slices"

	"github.com/alecthomas/kong"

	"github.com/fdplan/fdplan/internal/app/learn"
)

// denseFlags are those that only the dense recipe knows: each asks for it.
var denseFlags = []string{
	"hidden", "init", "weights", "epochs", "rate", "threshold", "split", "prune", "multiplicity", "repeated", "sparsity", "bound-decay", "polish",
	"grid", "widths", "depths", "smallest", "target-error", "patience",
}

// AfterApply chooses the recipe: the one that is named, else the one that the
// other flags are of.
func (c *trainCmd) AfterApply(ctx *kong.Context) error {
	given := ""
	for _, p := range ctx.Path {
		if p.Flag != nil && slices.Contains(denseFlags, p.Flag.Name) {
			given = p.Flag.Name
		}
	}
	switch {
	case given != "" && c.Recipe == string(learn.RecipeStructure):
		return fmt.Errorf("--%s is of the dense recipe; expected --recipe %s, or none of its flags", given, learn.RecipeDense)
	case c.Recipe != "":
	case given != "":
		c.Recipe = string(learn.RecipeDense)
	default:
		c.Recipe = string(learn.RecipeStructure)
	}
	return nil
}
