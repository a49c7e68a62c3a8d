package train

import "math"

// adam is the step rule of Kingma and Ba (2015).
type adam struct {
	Steps int
	rate  float32 // of this step, with the corrections of both moments
	eps   float32
}

const (
	beta1 = 0.9
	beta2 = 0.999
)

func (a *adam) next(rate float64) {
	a.Steps++
	c := math.Sqrt(1 - math.Pow(beta2, float64(a.Steps)))
	a.rate = float32(rate * c / (1 - math.Pow(beta1, float64(a.Steps))))
	a.eps = float32(1e-8 * c)
}

// move returns the change of a parameter with gradient g. The conversions keep the compiler
// from fusing products with sums, which would change the rounding.
func (a *adam) move(g float32, m, v *float32) float32 {
	*m += float32((1 - beta1) * (g - *m))
	*v += float32((1 - beta2) * (float32(g*g) - *v))
	return float32(a.rate**m) / (float32(math.Sqrt(float64(*v))) + a.eps)
}
