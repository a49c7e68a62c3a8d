package device

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"time"
)

// episode is the number of rows between two restarts in another state.
const episode = 40

// Log writes rows of a random operation as CSV, one a second. One measurement in a hundred is
// missing. The first state is the initial one.
func Log(w io.Writer, rows int, seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 0))
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "timestamp;floor;door;load_kg;motor_temp_c;call_1;call_2;call_3;command;display;firmware;operator")
	at := time.Date(2026, 3, 2, 6, 0, 0, 0, time.UTC)
	s := Initial()
	for i := range rows {
		if i > 0 && i%episode == 0 {
			s = random(rng)
			at = at.Add(10 * time.Minute)
		}
		command := Commands[rng.IntN(len(Commands))]
		cell := func(text string) string {
			if i > 0 && rng.IntN(100) == 0 {
				return ""
			}
			return text
		}
		door := "closed"
		if s.Open {
			door = "open"
		}
		fmt.Fprintf(b, "%s;%s;%s;%s;%s;%s;%s;%s;%s;%d;2.1;op-%04d\n", at.Format("2006-01-02 15:04:05"),
			cell(strconv.Itoa(s.Floor)), cell(door), cell(measured(rng, s.Load, 2)), cell(measured(rng, s.Temp, 3)),
			cell(strconv.FormatBool(s.Call[1])), cell(strconv.FormatBool(s.Call[2])), cell(strconv.FormatBool(s.Call[3])), cell(command),
			s.Floor, rng.IntN(2000))
		s = Next(s, command, rng)
		at = at.Add(time.Second)
	}
	return b.Flush()
}

// measured adds the noise of a sensor.
func measured(rng *rand.Rand, x, noise float64) string {
	return strconv.FormatFloat(max(0, x+noise*(2*rng.Float64()-1)), 'f', 1, 64)
}

// random returns a state with at most three pallets, on the lift or waiting.
func random(rng *rand.Rand) State {
	s := State{Floor: rng.IntN(4), Open: rng.IntN(2) == 0, Temp: 25 + 15*float64(rng.IntN(5))}
	pallets := 0
	for f := 1; f <= 3; f++ {
		if s.Call[f] = rng.IntN(2) == 0; s.Call[f] {
			pallets++
		}
	}
	for range rng.IntN(4 - pallets) {
		s.Load += 240 + 20*rng.Float64()
	}
	return s
}
