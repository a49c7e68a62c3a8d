package command

import (
	"fmt"

	"github.com/fdplan/fdplan/internal/app/bind"
	"github.com/fdplan/fdplan/internal/app/learn"
)

// settle chooses the recipe: the one that is named, else the one that the other options are of.
func (c *trainCmd) settle(given []*bind.Option) error {
	asks := ""
	for _, o := range given {
		if o.Tag.Get("recipe") == string(learn.RecipeDense) {
			asks = o.Flag
		}
	}
	switch {
	case asks != "" && c.Recipe == string(learn.RecipeStructure):
		return fmt.Errorf("--%s is of the dense recipe; expected --recipe %s, or none of its flags", asks, learn.RecipeDense)
	case c.Recipe != "":
	case asks != "":
		c.Recipe = string(learn.RecipeDense)
	default:
		c.Recipe = string(learn.RecipeStructure)
	}
	return nil
}
