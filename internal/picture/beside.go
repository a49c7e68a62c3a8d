package picture

import (
	"slices"
	"strings"
)

// beside draws what happened below what was planned, or the other way round. The second may
// end before the first.
type beside struct {
	names         [2]string
	views         [2]view
	first, second *history
}

const besideHead = 22.0

// newBeside returns the view of a plan and another course of its states.
func newBeside(names [2]string, first, second *history, a, b view) view {
	return &beside{names, [2]view{a, b}, first, second}
}

// other returns the number of the state of the second course to show beside state k.
func (b *beside) other(k int) int { return min(k, len(b.second.states)-1) }

func (b *beside) size() (w, h float64) {
	for _, v := range b.views {
		vw, vh := v.size()
		w, h = max(w, vw), h+vh+besideHead
	}
	return max(w, 200), h
}

// stack puts two lists of elements under their names.
func (b *beside) stack(height float64, parts ...[]element) []element {
	var out []element
	y := 0.0
	for i, p := range parts {
		title := label(0, y+14, 13, start, ink, b.names[i])
		title.bold = true
		out = append(out, title, as("", "", 0, y+besideHead, p...))
		y += height + besideHead
	}
	return out
}

func (b *beside) base() []element {
	_, h := b.views[0].size()
	return b.stack(h, b.views[0].base(), b.views[1].base())
}

func (b *beside) frame(k int) []element {
	_, h := b.views[0].size()
	return []element{
		as("", "", 0, besideHead, b.views[0].frame(k)...),
		as("", "", 0, h+2*besideHead, b.views[1].frame(b.other(k))...),
	}
}

func (b *beside) whole() *scene {
	if b.views[0].whole() == nil && b.views[1].whole() == nil {
		return nil
	}
	x, y := all(b.views[0]), all(b.views[1])
	return &scene{max(x.w, y.w, 200), x.h + y.h + 2*besideHead, b.stack(x.h, x.parts, y.parts)}
}

func (b *beside) describe(k int) string {
	text := b.names[0] + ": " + b.views[0].describe(k)
	switch o := b.other(k); {
	case o < k:
		return text + "; " + b.names[1] + ": it had ended"
	case k == 0 || slices.Equal(b.first.states[k], b.second.states[k]):
		return text
	default:
		return text + "; " + b.names[1] + ": " + b.views[1].describe(o)
	}
}

func (b *beside) legend() string { return b.views[0].legend() }

func (b *beside) source() string { return b.views[0].source() }

func (b *beside) text(w *strings.Builder, width int) {
	for i, v := range b.views {
		w.WriteString(b.names[i] + ":\n")
		v.text(w, width)
	}
}
