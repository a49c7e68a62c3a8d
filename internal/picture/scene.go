package picture

// element is a part of a drawing: one shape, or a group of others that is moved and scaled as
// a unit. Lengths are in pixels, y increases downwards.
type element struct {
	shape  shape
	x, y   float64 // corner of a rectangle, centre of a circle, position of a text or group
	w, h   float64 // of a rectangle
	r      float64 // radius of a circle or of a rectangle's corners
	points []point // of a line or area
	closed bool    // an area
	text   string
	size   float64 // of text
	anchor anchor
	bold   bool

	fill, stroke role
	width        float64 // of the stroke
	opacity      float64 // of the whole element; 0 means 1
	dashed       bool

	thing string // what a group represents: agent, enemy, robot …
	title string // of a group: tooltip, and text for screen readers
	scale float64
	parts []element
}

type point struct{ x, y float64 }

type shape uint8

const (
	group shape = iota
	rectangle
	circle
	line
	words
)

type anchor uint8

const (
	start anchor = iota
	middle
	end
)

func rect(x, y, w, h, r float64, fill role) element {
	return element{shape: rectangle, x: x, y: y, w: w, h: h, r: r, fill: fill}
}

func disc(x, y, r float64, fill role) element {
	return element{shape: circle, x: x, y: y, r: r, fill: fill}
}

func area(fill role, pts ...point) element {
	return element{shape: line, points: pts, closed: true, fill: fill}
}

func stroke(s role, width float64, pts ...point) element {
	return element{shape: line, points: pts, stroke: s, width: width}
}

func label(x, y, size float64, a anchor, fill role, text string) element {
	return element{shape: words, x: x, y: y, size: size, anchor: a, fill: fill, text: text}
}

// as returns a group that represents a thing.
func as(thing, title string, x, y float64, parts ...element) element {
	return element{shape: group, thing: thing, title: title, x: x, y: y, scale: 1, parts: parts}
}

// outlined returns a shape with a stroke.
func (e element) outlined(s role, width float64) element {
	e.stroke, e.width = s, width
	return e
}

// scaled returns a group with a scale.
func (e element) scaled(s float64) element {
	e.scale = s
	return e
}

// faded returns a shape with an opacity.
func (e element) faded(o float64) element {
	e.opacity = o
	return e
}

// scene is a complete drawing.
type scene struct {
	w, h  float64
	parts []element
}
