package rawlog

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestSteps: a quantity has the resolution of its log, or a step small beside its moves, and a range beyond what the log has,
// but not across 0. Clusters have bins, and so has what they are asked for, but exact settings are numbers, and so are inputs and actions
// beside states that are.
func TestSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	var b strings.Builder
	b.WriteString("level,room,charge,temp,load,speed,valve,outdoor,set,boiler,sun,dose,a\n")
	level, room, charge, temp := 5.0, 20.0, 0.5, -15.0
	for i := range 3000 {
		level = min(10, max(0, level+0.1*rng.NormFloat64()))
		room = min(25, max(15, room+0.5*float64(rng.IntN(5)-2)))
		charge = min(1, max(0, charge+0.001*rng.NormFloat64()))
		temp = min(-1, max(-30, temp+rng.NormFloat64()))
		fmt.Fprintf(&b, "%.5f,%.1f,%v,%.2f,%.1f,%.3f,%.1f,%.1f,%.1f,%.1f,%.2f,%v,%d\n", level, room, charge, temp, 200*float64(i%4)+2*rng.Float64(), 3*rng.Float64(), 12.5+100*rng.Float64(), 30*rng.Float64()-10, .5*float64(i%7), math.Round(2*(50+20*math.Sin(float64(i)/20)))/2, math.Sin(float64(i%12)/12*math.Pi), []float64{0, 1.15, 40}[i/5%3], i%2)
	}
	x, err := Open(t.Context(), write(t, "log.csv", b.String()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := Spec{Actions: []string{"a", "valve", "dose"}, Inputs: []string{"outdoor", "set", "sun"}, Binned: []string{"speed"}, Steps: true}
	f, err := infer(t, x, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := Quantify(t.Context(), x, f, Reading{}, &s); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"2.000..12.000 by 0.002", "12.0..30.0 by 0.5", "0.45000..0.60000 by 0.00002", "-40.00..0.00 by 0.01", "bins", "bins", "12..113 by 1", "-20.0..30.0 by 0.1", "0.0..4.0 by 0.5", "20.0..80.0 by 0.1", "0.00..1.50 by 0.01", "0.00..40.00 by 0.05"} {
		got := "bins"
		if f[i].Fixed() {
			got = fmt.Sprintf("%s..%s by %v", f[i].Step.Text(f[i].Lo), f[i].Step.Text(f[i].Hi), f[i].Step)
		}
		if got != want {
			t.Errorf("%s: %s (%s), want %s", f[i].Column, got, f[i].How, want)
		}
	}
	for range 10_000 {
		step := roundStep(math.Exp(20 * (rng.Float64() - 0.5)))
		k := rng.Int64N(1000) - 500
		if r := resolution([]float64{step.Float() * float64(k), step.Float()}); step.Decimals <= mostDigits && r != step {
			t.Fatalf("%v and %d times it have the resolution %v", step, k, r)
		}
		if text := step.Text(-0.1 * step.Float()); strings.HasPrefix(text, "-") {
			t.Fatalf("%s", text)
		}
	}
}
