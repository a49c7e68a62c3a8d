package device

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
)

// Serve is the device behind the lines of docs/simulators.md.
func Serve(in io.Reader, out io.Writer, seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 1))
	s := Initial()
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var r struct {
			ID     int            `json:"id"`
			Call   string         `json:"call"`
			State  map[string]any `json:"state"`
			Action map[string]any `json:"action"`
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return err
		}
		answer := map[string]any{"id": r.ID}
		switch r.Call {
		case "hello":
			answer["version"], answer["name"], answer["resets"] = 1, "goods lift", "any"
		case "reset":
			s = Initial()
			if r.State != nil {
				s = from(r.State)
			}
			answer["state"] = s.values()
		case "step":
			command, _ := r.Action["command"].(string)
			s = Next(s, command, rng)
			answer["state"] = s.values()
		default:
			answer["error"] = fmt.Sprintf("unknown call %s", r.Call)
		}
		text, err := json.Marshal(answer)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "%s\n", text); err != nil {
			return err
		}
	}
	return lines.Err()
}

// values returns the state by the names of the log.
func (s State) values() map[string]any {
	door := "closed"
	if s.Open {
		door = "open"
	}
	return map[string]any{
		"floor": s.Floor, "door": door, "load_kg": s.Load, "motor_temp_c": s.Temp, "call_1": s.Call[1], "call_2": s.Call[2], "call_3": s.Call[3],
	}
}

func from(values map[string]any) State {
	number := func(name string) float64 { x, _ := values[name].(float64); return x }
	call := func(name string) bool { x, _ := values[name].(bool); return x }
	return State{
		Floor: int(number("floor")), Open: values["door"] == "open", Load: number("load_kg"), Temp: number("motor_temp_c"),
		Call: [4]bool{1: call("call_1"), 2: call("call_2"), 3: call("call_3")},
	}
}
