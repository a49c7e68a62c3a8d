package picture

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fdplan/fdplan/internal/extsolver"
)

// probe is a script that operates the player as a person does. After each action it records
// which frames are shown and where things are in them, by the pixels of the rendered page. It
// is added to a copy of the page.
const probe = `<script>
(function () {
  var seen = [], errors = [];
  addEventListener("error", function (e) { errors.push(String(e.message)); });
  addEventListener("securitypolicyviolation", function (e) { errors.push("fetches " + e.blockedURI); });
  function centre(e) { var r = e.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2]; }
  function look(what) {
    var on = Array.from(document.querySelectorAll("#stage .frame")).filter(function (f) { return getComputedStyle(f).display !== "none"; });
    var svg = document.getElementById("stage"), box = svg.getBoundingClientRect(), view = svg.viewBox.baseVal, things = {};
    on.forEach(function (f) { f.querySelectorAll("[data-thing=agent],[data-thing=enemy],[data-thing=key]").forEach(function (g) {
      var c = centre(g);
      things[g.dataset.thing] = [(c[0] - box.left) * view.width / box.width, (c[1] - box.top) * view.height / box.height];
    }); });
    seen.push({ what: what, frames: on.map(function (f) { return Number(f.dataset.step); }), things: things, label: document.getElementById("label").textContent,
      aria: svg.getAttribute("aria-label"), hash: location.hash, current: document.querySelectorAll("[aria-current]").length, seek: Number(document.getElementById("seek").value),
      play: document.getElementById("play").textContent, wide: document.documentElement.scrollWidth > innerWidth });
  }
  function press(id) { document.getElementById(id).click(); look(id); }
  function key(k) { document.body.dispatchEvent(new KeyboardEvent("keydown", { key: k, bubbles: true, cancelable: true })); look(k); }
  look("hash");
  press("first"); press("next"); press("next"); press("back"); press("last"); press("next"); press("first"); press("back");
  key("ArrowRight"); key("End"); key("ArrowLeft"); key("Home");
  document.querySelectorAll("#steps a")[2].click(); look("link");
  var seek = document.getElementById("seek"); seek.value = 1; seek.oninput(); look("seek");
  document.getElementById("speed").value = "300"; key("Home"); press("play"); press("play"); press("play");
  setTimeout(function () {
    look("played");
    var out = document.createElement("pre"); out.id = "probe";
    out.textContent = JSON.stringify({ seen: seen, errors: errors });
    document.body.append(out);
  }, 2500);
})();
</script>`

type look struct {
	What    string
	Frames  []int
	Things  map[string][2]float64
	Label   string
	Aria    string
	Hash    string
	Current int
	Seek    int
	Play    string
	Wide    bool
}

// TestPlayer operates the page's player in a browser and compares what it shows with the
// trace.
func TestPlayer(t *testing.T) {
	extsolver.Require(t, "chromium")
	p := samples[1].plan()
	p.States[2][0].X = 2 // a jump that violates all rules must still be shown
	pic := pictureOf(t, p, samples[1].facts)
	d := pic.view.(*dungeon)
	page := strings.Replace(written(t, pic.HTML), "</body>", probe+"</body>", 1)
	page = allow(regexp.MustCompile("script-src[^;]*;").ReplaceAllString(page, "script-src 'none';")) // with the probe's hash
	file := filepath.Join(t.TempDir(), "plan.html")
	if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--user-data-dir="+t.TempDir(),
		"--window-size=390,800", "--virtual-time-budget=6000", "--dump-dom", "file://"+file+"#step=3")
	cmd.WaitDelay = time.Second
	var log strings.Builder
	cmd.Stderr = &log
	timer := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	dom, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	if regexp.MustCompile(`:CONSOLE[:(]`).MatchString(log.String()) {
		t.Errorf("the console has messages:\n%s", log.String())
	}
	m := regexp.MustCompile(`(?s)<pre id="probe">(.*?)</pre>`).FindSubmatch(dom)
	if m == nil {
		t.Fatalf("the page ended without an answer:\n%s", log.String())
	}
	var got struct {
		Seen   []look
		Errors []string
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(string(m[1]))), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Errors) > 0 {
		t.Errorf("errors on the page: %v", got.Errors)
	}
	want := []struct {
		what string
		step int
	}{{"hash", 3}, {"first", 0}, {"next", 1}, {"next", 2}, {"back", 1}, {"last", 3}, {"next", 3}, {"first", 0}, {"back", 0},
		{"ArrowRight", 1}, {"End", 3}, {"ArrowLeft", 2}, {"Home", 0}, {"link", 2}, {"seek", 1}, {"Home", 0}, {"play", 0}, {"play", 0}, {"play", 0}, {"played", 3}}
	if len(got.Seen) != len(want) {
		t.Fatalf("%d moves, expected %d", len(got.Seen), len(want))
	}
	for i, w := range want {
		l := got.Seen[i]
		if l.What != w.what || fmt.Sprint(l.Frames) != fmt.Sprint([]int{w.step}) || l.Seek != w.step || l.Current != 1 || l.Hash != fmt.Sprintf("#step=%d", w.step) {
			t.Errorf("move %d, %s: frames %v, slider %d, %d current steps, address %s; expected %s with frame %d", i, l.What, l.Frames, l.Seek, l.Current, l.Hash, w.what, w.step)
			continue
		}
		if text := pic.view.describe(w.step); !strings.HasSuffix(l.Label, text) || !strings.HasSuffix(l.Aria, text) {
			t.Errorf("move %d: labels %q and %q, the trace says %q", i, l.Label, l.Aria, text)
		}
		if l.Wide {
			t.Errorf("move %d: the page is wider than a phone", i)
		}
		for thing, at := range map[string]spot{"agent": d.agent[w.step], "enemy": d.enemies[0][w.step]} {
			q, ok := l.Things[thing]
			if c := d.centre(at); !ok || abs(q[0]-c.x) > cell/2 || abs(q[1]-c.y) > cell/2 {
				t.Errorf("move %d: the %s stands at %v, the trace has it in cell %v around %v", i, thing, q, at, c)
			}
		}
		if _, lies := l.Things["key"]; lies == d.hasKey[w.step] {
			t.Errorf("move %d: the key lies on the floor: %v, the trace has it taken: %v", i, lies, d.hasKey[w.step])
		}
	}
	for i, name := range map[int]string{16: "Pause", 17: "Play", 18: "Pause", 19: "Play"} {
		if got.Seen[i].Play != name {
			t.Errorf("move %d: the button says %s, expected %s", i, got.Seen[i].Play, name)
		}
	}
}

func abs(x float64) float64 { return max(x, -x) }
