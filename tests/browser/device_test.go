package browser

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestDeviceJourney learns a lift from a log in which up and down are confused, and runs its
// plans on the lift: the run shows the planned and the real states where they differ.
func TestDeviceJourney(t *testing.T) {
	b := browser(t) // first: without one there is no lift
	address := serve(t, "--simulator", "lift="+elevator)
	out, err := exec.Command(elevator, "-log", "500").Output()
	if err != nil {
		t.Fatal(err)
	}
	confused := strings.NewReplacer(";up;", ";down;", ";down;", ";up;").Replace(string(out))
	log := filepath.Join(t.TempDir(), "confused.csv")
	if err := os.WriteFile(log, []byte(confused), 0o644); err != nil {
		t.Fatal(err)
	}
	p := open(t, b, desktop, address)
	p.view("learn")
	p.files("Open a log", log)
	p.says("confused.csv: 500 rows")
	p.set("Use of command", "action")
	p.set("Reward of a step", "floor")
	p.press("Make a problem of it")
	p.until("the problem", `!document.querySelector("#view-learn form[aria-label=Training] button").disabled`)
	p.press("Train")
	p.says("Errors on the data")
	p.view("run")
	p.set("Problem", "confused")
	p.set("Simulator or device", "lift")
	p.set("Steps", "6")
	p.set("Steps to take", "6")
	p.set("End", "steps")
	p.press("Run")
	p.says("not as planned.")
	p.until("the picture", `document.querySelector("#view-run section[aria-label='The run'] .stage svg")`)
	p.until("the difference", `[...document.querySelectorAll("#view-run .grid .cell.differs")].some((c) => c.textContent === "1 ≠ 0")`)
	p.says("What was planned")
	p.fits("the run of the lift")
	p.shot("device")
}
