package picture

import "image/color"

// role is the purpose of a colour; the colour depends on the theme. The zero value is not a
// colour.
type role uint8

const (
	none role = iota
	paper
	floor
	wall
	edge
	ink
	faint
	agent
	enemy
	gold
	goal
	trail
	alarm
	eye
	level
	demand
	order
	age0
	age1
	age2
	age3
	onAge2 // text on age2, which is of middle lightness in both themes
	now
	roles // their number
)

// names are the names of the roles in style sheets.
var names = [roles]string{"none", "paper", "floor", "wall", "edge", "ink", "faint", "agent", "enemy", "gold", "goal", "trail", "alarm", "eye",
	"level", "demand", "order", "age0", "age1", "age2", "age3", "on-age2", "now"}

// themes are the colours on light and on dark paper. The strong ones are those of Okabe and
// Ito, which are distinguishable with any colour vision, lightened on dark paper. The ages
// are one blue from pale to deep (reversed on dark paper), so that old ages stand out.
var themes = [2][roles]color.RGBA{
	{paper: rgb(0xffffff), floor: rgb(0xf3f1ec), wall: rgb(0x5b5f66), edge: rgb(0xd5d2ca), ink: rgb(0x1f2328), faint: rgb(0x59626b),
		agent: rgb(0x0072b2), enemy: rgb(0xd55e00), gold: rgb(0xb87f00), goal: rgb(0x007a59), trail: rgb(0x3a97d0), alarm: rgb(0xc01f1f), eye: rgb(0xffffff),
		level: rgb(0x56b4e9), demand: rgb(0xd55e00), order: rgb(0x007a59),
		age0: rgb(0xe3eef8), age1: rgb(0xa9cdea), age2: rgb(0x5b9fd3), age3: rgb(0x1b5f9c), onAge2: rgb(0x10151a), now: rgb(0xe69f00)},
	{paper: rgb(0x15181c), floor: rgb(0x23282e), wall: rgb(0x7d848d), edge: rgb(0x3a4149), ink: rgb(0xe8eaed), faint: rgb(0xa3abb4),
		agent: rgb(0x56b4e9), enemy: rgb(0xff8a3d), gold: rgb(0xf0c419), goal: rgb(0x2fc79a), trail: rgb(0x3f86b8), alarm: rgb(0xff6b6b), eye: rgb(0x15181c),
		level: rgb(0x3f86b8), demand: rgb(0xff8a3d), order: rgb(0x2fc79a),
		age0: rgb(0x1d2c3a), age1: rgb(0x29557d), age2: rgb(0x4f94cc), age3: rgb(0xb5dcff), onAge2: rgb(0x10151a), now: rgb(0xe69f00)},
}

func rgb(x uint32) color.RGBA { return color.RGBA{uint8(x >> 16), uint8(x >> 8), uint8(x), 255} }
