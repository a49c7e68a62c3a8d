package picture

import (
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"strings"
	"testing"
)

// frames decodes an animation into complete pictures.
func frames(t *testing.T, p *Picture) ([]*image.RGBA, *gif.GIF) {
	t.Helper()
	g, err := gif.DecodeAll(strings.NewReader(written(t, p.GIF)))
	if err != nil {
		t.Fatal(err)
	}
	canvas := image.NewRGBA(image.Rect(0, 0, g.Config.Width, g.Config.Height))
	var out []*image.RGBA
	for _, m := range g.Image {
		draw.Draw(canvas, m.Bounds(), m, m.Bounds().Min, draw.Over)
		whole := image.NewRGBA(canvas.Rect)
		copy(whole.Pix, canvas.Pix)
		out = append(out, whole)
	}
	return out, g
}

// TestGIF finds agent and enemy by their colours in the cells where the trace has them, and
// nowhere else.
func TestGIF(t *testing.T) {
	p := samples[1].plan() // with a trace that violates all rules
	p.States[1][0].X, p.States[1][1].X = 3, 2
	p.States[2][4].X, p.States[2][5].X = 2, 3
	pic := pictureOf(t, p, samples[1].facts)
	d := pic.view.(*dungeon)
	all, g := frames(t, pic)
	if len(all) != len(d.agent) || g.LoopCount != 0 || g.Delay[0] != frameTime || g.Delay[len(all)-1] != lastTime {
		t.Fatalf("%d frames, %d loops, delays %v", len(all), g.LoopCount, g.Delay)
	}
	w, _ := d.size()
	scale := (gifWidth - 28) / w
	for k, m := range all {
		if m.Rect != all[0].Rect {
			t.Fatal("frames differ in size")
		}
		for x := range d.columns {
			for y := range d.rows {
				s := spot{int64(x), int64(y)}
				q := d.centre(s)
				count := func(r role) (n int) {
					want := themes[0][r]
					for dx := -30; dx < 30; dx++ {
						for dy := -30; dy < 30; dy++ {
							c := m.At(int(14+(q.x+float64(dx))*scale), int(30+(q.y+float64(dy))*scale))
							if c.(color.RGBA) == want {
								n++
							}
						}
					}
					return n
				}
				if has := count(agent) > 200; has != (d.agent[k] == s) {
					t.Errorf("frame %d, cell %v: the agent is drawn: %v, the trace has it at %v", k, s, has, d.agent[k])
				}
				if has := count(enemy) > 200; has != (d.enemies[0][k] == s) {
					t.Errorf("frame %d, cell %v: the enemy is drawn: %v, the trace has it at %v", k, s, has, d.enemies[0][k])
				}
			}
		}
	}
}

// TestFont reads the font.
func TestFont(t *testing.T) {
	if f := parsed(); f == nil || f.Index('é') == 0 {
		t.Error("the font lacks a letter, or cannot be read")
	}
}
