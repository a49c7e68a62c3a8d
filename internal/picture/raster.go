package picture

import (
	_ "embed"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/png"
	"io"
	"math"
	"strings"
	"sync"

	"github.com/golang/freetype/raster"
	"github.com/golang/freetype/truetype"
	"golang.org/x/image/font"
	"golang.org/x/image/math/fixed"

	"github.com/fdplan/fdplan/internal/packed"
)

// Durations of an animation's frames, in hundredths of a second.
const (
	frameTime = 80
	lastTime  = 250
)

// gifWidth is the width of an animation; smaller drawings are enlarged to it, larger ones
// keep their size up to maxGIF.
const (
	gifWidth = 480.0
	maxGIF   = 1200.0
)

// GIF writes an endlessly repeated animation with one frame per state.
func (p *Picture) GIF(w io.Writer) error {
	if err := p.drawable(); err != nil {
		return err
	}
	const margin, title, foot, lineHeight = 14.0, 30.0, 48.0, 17.0
	width, height := p.view.size()
	scale := 1.0
	switch {
	case width+2*margin < gifWidth:
		scale = min(1.5, (gifWidth-2*margin)/width)
	case width+2*margin > maxGIF:
		scale = (maxGIF - 2*margin) / width
	}
	wide := math.Ceil(max(gifWidth, width*scale+2*margin))
	heading, head := p.heading(margin, title, lineHeight, int((wide-2*margin)/6.6))
	whole := image.Rect(0, 0, int(wide), int(math.Ceil(head+height*scale+foot)))
	x := (float64(whole.Dx()) - width*scale) / 2
	c := newCanvas(whole)
	base := c.layer([]element{rect(0, 0, float64(whole.Dx()), float64(whole.Dy()), 0, paper), as("", "", 0, 0, heading...), as("", "", x, head, p.view.base()...).scaled(scale)})
	out := &gif.GIF{Config: image.Config{Width: whole.Dx(), Height: whole.Dy(), ColorModel: gifColours}}
	fit := int((float64(whole.Dx()) - 2*margin) / 6.6)
	var before *image.Paletted
	near := map[color.RGBA]uint8{}
	for k := range len(p.steps) + 1 {
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
		if k == len(p.steps) {
			delay = lastTime
		}
		out.Image, out.Delay, out.Disposal = append(out.Image, shown), append(out.Delay, delay), append(out.Disposal, gif.DisposalNone)
		before = next
	}
	return gif.EncodeAll(w, out)
}

// PNG writes the drawing of all steps, at twice its size.
func (p *Picture) PNG(w io.Writer) error {
	if err := p.drawable(); err != nil {
		return err
	}
	s := p.sheet()
	scale := min(2, mostPNG/max(s.w, s.h))
	whole := image.Rect(0, 0, int(math.Ceil(s.w*scale)), int(math.Ceil(s.h*scale)))
	drawn := newCanvas(whole).layer([]element{rect(0, 0, float64(whole.Dx()), float64(whole.Dy()), 0, paper), as("", "", 0, 0, s.parts...).scaled(scale)})
	return png.Encode(w, drawn)
}

// mostPNG bounds the sides of a PNG, in pixels.
const mostPNG = 12_000

// heading returns the title and the verdict of an animation, with lines of about n
// characters, and the height that they take.
func (p *Picture) heading(margin, height, lineHeight float64, n int) ([]element, float64) {
	title := label(margin, 21, 14, start, ink, p.Title()+": "+p.summary)
	title.bold = true
	out := []element{title}
	for i, l := range p.verdict.Lines {
		for _, part := range wrap(l, n) {
			out = append(out, label(margin, height+10, 12, start, p.tone(i), part))
			height += lineHeight
		}
	}
	return out, height + 4
}

// gifColours are the colours of the light theme, and shades between each of them and its
// background, for smooth edges. They are the same for all pictures, so that one frame's
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

// quantize returns the nearest of gifColours; near caches the result.
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

// changed returns the nonempty rectangle outside of which two frames are equal.
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
	fonts  map[float64]font.Face // by size
	raster *raster.Rasterizer
	to     *image.RGBA
	paint  *raster.RGBAPainter // onto to
}

func newCanvas(bounds image.Rectangle) *canvas {
	c := &canvas{bounds: bounds, fonts: map[float64]font.Face{}, raster: raster.NewRasterizer(bounds.Dx(), bounds.Dy())}
	c.raster.UseNonZeroWinding = true
	return c
}

// layer draws elements on a transparent background.
func (c *canvas) layer(es []element) image.Image {
	c.to = image.NewRGBA(c.bounds)
	c.paint = raster.NewRGBAPainter(c.to)
	c.draw(es, 0, 0, 1)
	return c.to
}

// draw draws elements moved by x, y and scaled.
func (c *canvas) draw(es []element, x, y, scale float64) {
	at := func(px, py float64) fixed.Point26_6 {
		return fixed.Point26_6{X: fixed26(x + px*scale), Y: fixed26(y + py*scale)}
	}
	for i := range es {
		e := &es[i]
		var path raster.Path
		closed := true
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
			path = rounded(at, e)
		case circle:
			path.Start(at(e.x+e.r, e.y))
			arc(&path, at, e.x, e.y, e.r, 0, 2*math.Pi)
		case line:
			for j, q := range e.points {
				if j == 0 {
					path.Start(at(q.x, q.y))
				} else {
					path.Add1(at(q.x, q.y))
				}
			}
			closed = e.closed
		}
		if len(path) == 0 {
			continue
		}
		begin := fixed.Point26_6{X: path[1], Y: path[2]}
		if e.fill != none {
			area := append(raster.Path(nil), path...)
			area.Add1(begin)
			c.fill(e, e.fill, func() { c.raster.AddPath(area) })
		}
		if e.stroke != none {
			if closed {
				path.Add1(begin)
			}
			c.fill(e, e.stroke, func() {
				c.raster.AddStroke(distinct(path), fixed26(e.width*scale), raster.ButtCapper, raster.RoundJoiner)
			})
		}
	}
}

// fill paints the area that add gives to the rasterizer.
func (c *canvas) fill(e *element, r role, add func()) {
	c.raster.Clear()
	add()
	c.paint.SetColor(tint(e, r))
	c.raster.Rasterize(c.paint)
}

func fixed26(x float64) fixed.Int26_6 { return fixed.Int26_6(math.Round(x * 64)) }

// distinct is a path of lines without the points that are equal to the one before:
// a stroke has no direction there.
func distinct(path raster.Path) raster.Path {
	var out raster.Path
	var last fixed.Point26_6
	for i := 0; i+3 < len(path); i += 4 { // an operation, a point, the operation again
		p := fixed.Point26_6{X: path[i+1], Y: path[i+2]}
		switch {
		case path[i] == 0:
			out.Start(p)
		case p != last:
			out.Add1(p)
		}
		last = p
	}
	return out
}

// arc adds a part of a circle as short lines; angles are clockwise from the right.
func arc(path *raster.Path, at func(x, y float64) fixed.Point26_6, x, y, r, from, angle float64) {
	steps := max(4, int(math.Ceil(math.Abs(angle)*(3+math.Sqrt(r)))))
	for k := 1; k <= steps; k++ {
		sin, cos := math.Sincos(from + angle*float64(k)/float64(steps))
		path.Add1(at(x+r*cos, y+r*sin))
	}
}

// rounded is a rectangle's outline.
func rounded(at func(x, y float64) fixed.Point26_6, e *element) (path raster.Path) {
	r := min(e.r, e.w/2, e.h/2)
	path.Start(at(e.x+r, e.y))
	corner := func(x, y, from float64) {
		sin, cos := math.Sincos(from)
		path.Add1(at(x+r*cos, y+r*sin))
		if r > 0 {
			arc(&path, at, x, y, r, from, math.Pi/2)
		}
	}
	corner(e.x+e.w-r, e.y+r, -math.Pi/2)
	corner(e.x+e.w-r, e.y+e.h-r, 0)
	corner(e.x+r, e.y+e.h-r, math.Pi/2)
	corner(e.x+r, e.y+r, math.Pi)
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

// The font is Liberation Sans 2 without what is not used here: hinting instructions, positioning tables, glyph names, and letters
// of phonetics, Hebrew, ancient Greek and old Cyrillic. The licence beside it asks that a changed font has another name.
//
//go:embed fonts/sans.ttf.gz
var regular []byte

// parsed is the font. A test holds that it can be read; nil where it cannot, and texts are left out then.
var parsed = sync.OnceValue(func() *truetype.Font {
	f, err := truetype.Parse(packed.File(regular))
	if err != nil {
		return nil
	}
	return f
})

// font returns the face of a size, nil if there is none.
func (c *canvas) font(size float64) font.Face {
	if c.fonts[size] == nil {
		ttf := parsed()
		if ttf == nil || size <= 0 {
			return nil
		}
		c.fonts[size] = truetype.NewFace(ttf, &truetype.Options{Size: size, DPI: 72, SubPixelsX: 4})
	}
	return c.fonts[size]
}

// words writes a text, one in bold twice, side by side. Characters that are missing from the font are left out.
func (c *canvas) words(e *element, at fixed.Point26_6, size float64) {
	f := c.font(size)
	if f == nil {
		return
	}
	ttf := parsed()
	text := strings.Map(func(r rune) rune {
		if r < ' ' || ttf.Index(r) == 0 {
			return -1
		}
		return r
	}, e.text)
	d := font.Drawer{Dst: c.to, Src: image.NewUniform(tint(e, e.fill)), Face: f, Dot: at}
	switch e.anchor {
	case middle:
		d.Dot.X -= d.MeasureString(text) / 2
	case end:
		d.Dot.X -= d.MeasureString(text)
	}
	dot := d.Dot
	if d.DrawString(text); e.bold {
		d.Dot = dot.Add(fixed.Point26_6{X: fixed.Int26_6(64 * size / boldness)})
		d.DrawString(text)
	}
}

// boldness is how many times as large as the stroke's further width a letter in bold is.
const boldness = 22
