package picture

import (
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"io"
	"math"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// Times of an animation's frames, in hundredths of a second.
const (
	frameTime = 80
	lastTime  = 250
)

// gifWidth is the width of an animation; smaller drawings are enlarged to it,
// larger ones keep their size up to maxGIF.
const (
	gifWidth = 480.0
	maxGIF   = 1200.0
)

// GIF writes an animation, a frame for each state, that is repeated for ever.
func (p *Picture) GIF(w io.Writer) error {
	if err := p.drawable(); err != nil {
		return err
	}
	const margin, head, foot = 14.0, 30.0, 48.0
	width, height := p.view.size()
	scale := 1.0
	switch {
	case width+2*margin < gifWidth:
		scale = min(1.5, (gifWidth-2*margin)/width)
	case width+2*margin > maxGIF:
		scale = (maxGIF - 2*margin) / width
	}
	whole := image.Rect(0, 0, int(math.Ceil(max(gifWidth, width*scale+2*margin))), int(math.Ceil(head+height*scale+foot)))
	x := (float64(whole.Dx()) - width*scale) / 2
	c := newCanvas(whole)
	title := label(margin, 21, 14, start, ink, p.Title()+": "+p.Summary())
	title.bold = true
	base := c.layer([]element{rect(0, 0, float64(whole.Dx()), float64(whole.Dy()), 0, paper), title, as("", "", x, head, p.view.base()...).scaled(scale)})
	out := &gif.GIF{Config: image.Config{Width: whole.Dx(), Height: whole.Dy(), ColorModel: gifColours}}
	fit := int((float64(whole.Dx()) - 2*margin) / 6.6)
	var before *image.Paletted
	near := map[color.RGBA]uint8{}
	for k := range p.hist.H() + 1 {
		caption := label(margin, float64(whole.Dy())-27, 13, start, ink, shorten(p.moment(k), fit))
		caption.bold = true
		over := c.layer([]element{
			as("", "", x, head, p.view.frame(k)...).scaled(scale), caption,
			label(margin, float64(whole.Dy())-9, 12, start, faint, shorten(p.view.describe(k), fit)),
		})
		frame := image.NewRGBA(whole)
		draw.Draw(frame, whole, base, image.Point{}, draw.Src)
		draw.Draw(frame, whole, over, image.Point{}, draw.Over)
		next := quantize(frame, near)
		shown := next
		if before != nil {
			shown = next.SubImage(changed(before, next)).(*image.Paletted)
		}
		delay := frameTime
		if k == p.hist.H() {
			delay = lastTime
		}
		out.Image, out.Delay, out.Disposal = append(out.Image, shown), append(out.Delay, delay), append(out.Disposal, gif.DisposalNone)
		before = next
	}
	return gif.EncodeAll(w, out)
}

// gifColours are the light theme's and steps between each of them and what it
// stands on, for smooth edges. The same for all pictures, so that one frame's
// colours do not depend on the others.
var gifColours = palette()

func palette() color.Palette {
	var out color.Palette
	seen := map[color.RGBA]bool{}
	add := func(c color.RGBA) {
		if !seen[c] && len(out) < 256 {
			seen[c] = true
			out = append(out, c)
		}
	}
	light := &themes[0]
	for r := paper; r < roles; r++ {
		add(light[r])
	}
	for r := wall; r < roles; r++ {
		for _, on := range []role{paper, floor} {
			for _, share := range []float64{0.2, 0.4, 0.6, 0.8} {
				add(blend(light[r], light[on], share))
			}
		}
	}
	for _, on := range []role{agent, enemy, trail, level, wall, age3} {
		for _, share := range []float64{0.3, 0.5, 0.7} {
			add(blend(light[on], light[eye], share))
			add(blend(light[on], light[edge], share))
		}
	}
	return out
}

func blend(a, b color.RGBA, share float64) color.RGBA {
	mix := func(x, y uint8) uint8 { return uint8(math.Round(share*float64(x) + (1-share)*float64(y))) }
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}

// quantize takes the nearest of gifColours; near remembers which that is.
func quantize(m *image.RGBA, near map[color.RGBA]uint8) *image.Paletted {
	out := image.NewPaletted(m.Rect, gifColours)
	for i := range out.Pix {
		c := color.RGBA{m.Pix[4*i], m.Pix[4*i+1], m.Pix[4*i+2], 255}
		n, ok := near[c]
		if !ok {
			n = uint8(gifColours.Index(c))
			near[c] = n
		}
		out.Pix[i] = n
	}
	return out
}

// changed is the rectangle outside of which two frames are the same, not empty.
func changed(a, b *image.Paletted) image.Rectangle {
	r := image.Rectangle{}
	for y := range b.Rect.Dy() {
		for x := range b.Rect.Dx() {
			if a.Pix[y*a.Stride+x] != b.Pix[y*b.Stride+x] {
				r = r.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	if r.Empty() {
		return image.Rect(0, 0, 1, 1)
	}
	return r
}

// canvas draws elements in the light theme as pixels.
type canvas struct {
	bounds image.Rectangle
	fonts  *font.Cache
	to     *vgimg.Canvas
}

func newCanvas(bounds image.Rectangle) *canvas {
	return &canvas{bounds: bounds, fonts: font.NewCache(liberation.Collection())}
}

// layer draws elements on nothing.
func (c *canvas) layer(es []element) image.Image {
	c.to = vgimg.NewWith(vgimg.UseWH(vg.Length(c.bounds.Dx()), vg.Length(c.bounds.Dy())), vgimg.UseDPI(72), vgimg.UseBackgroundColor(color.Transparent))
	c.draw(es, 0, 0, 1)
	return c.to.Image()
}

// draw draws elements moved by x, y and scaled.
func (c *canvas) draw(es []element, x, y, scale float64) {
	at := func(px, py float64) vg.Point {
		return vg.Point{X: vg.Length(x + px*scale), Y: vg.Length(float64(c.bounds.Dy()) - (y + py*scale))}
	}
	for i := range es {
		e := &es[i]
		var path vg.Path
		switch e.shape {
		case group:
			c.draw(e.parts, x+e.x*scale, y+e.y*scale, scale*e.scale)
			continue
		case words:
			c.words(e, at(e.x, e.y), e.size*scale)
			continue
		case rectangle:
			if e.w <= 0 || e.h <= 0 {
				continue
			}
			path = rounded(at, e, scale)
		case circle:
			path.Move(at(e.x+e.r, e.y))
			path.Arc(at(e.x, e.y), vg.Length(e.r*scale), 0, 2*math.Pi)
			path.Close()
		case line:
			for j, q := range e.points {
				if j == 0 {
					path.Move(at(q.x, q.y))
				} else {
					path.Line(at(q.x, q.y))
				}
			}
			if e.closed {
				path.Close()
			}
		}
		if e.fill != none {
			c.to.SetColor(tint(e, e.fill))
			c.to.Fill(path)
		}
		if e.stroke != none {
			c.to.SetColor(tint(e, e.stroke))
			c.to.SetLineWidth(vg.Length(e.width * scale))
			c.to.Stroke(path)
		}
	}
}

// rounded is a rectangle's outline.
func rounded(at func(x, y float64) vg.Point, e *element, scale float64) (path vg.Path) {
	r := min(e.r, e.w/2, e.h/2)
	path.Move(at(e.x+r, e.y))
	corner := func(x, y, from float64) {
		if r > 0 {
			path.Arc(at(x, y), vg.Length(r*scale), from, -math.Pi/2)
		} else {
			path.Line(at(x, y))
		}
	}
	corner(e.x+e.w-r, e.y+r, math.Pi/2)
	corner(e.x+e.w-r, e.y+e.h-r, 0)
	corner(e.x+r, e.y+e.h-r, -math.Pi/2)
	corner(e.x+r, e.y+r, math.Pi)
	path.Close()
	return path
}

func tint(e *element, r role) color.Color {
	c := themes[0][r]
	a := uint8(255)
	if e.opacity != 0 {
		a = uint8(math.Round(255 * e.opacity))
	}
	return color.NRGBA{c.R, c.G, c.B, a}
}

// words writes a text. Characters that the font has not are left out.
func (c *canvas) words(e *element, at vg.Point, size float64) {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Length(size)}
	if e.bold {
		f.Weight = 3 // WeightBold of golang.org/x/image/font
	}
	face := c.fonts.Lookup(f, f.Size)
	text := strings.Map(func(r rune) rune {
		if r < ' ' {
			return -1
		}
		return r
	}, e.text)
	switch e.anchor {
	case middle:
		at.X -= face.Width(text) / 2
	case end:
		at.X -= face.Width(text)
	}
	c.to.SetColor(tint(e, e.fill))
	c.to.FillString(face, at, text)
}
