package local_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
	"understudy/steps"
	"understudy/steps/kinds"
	"understudy/steps/observe"
)

var manyClicks = flag.Int("clicks", 12, "how many clicks are done and counted on a busy machine")

// A page counts what is done in it. Not one click may be missing of those that
// are said to be done, nor may there be one too many, however busy the machine
// is and wherever the pointer goes afterwards.
func TestAtLengthNoClickIsLostInAPage(t *testing.T) {
	p := showPage(t, countingPage)
	click := func(name string, more map[string]any) map[string]any {
		args := map[string]any{"selector": "role:button && name:" + name, "process": "chromium", "timeout_ms": 120_000.0}
		maps.Copy(args, more)
		return args
	}
	p.does(kinds.ClickElement, click("OK", nil)) // so that it is there
	p.expect("click OK", 1)
	busy(t)
	want := map[string]int{"click OK": 1}
	for i := range *manyClicks {
		name := []string{"OK", "Apply"}[i%2]
		p.does(kinds.ClickElement, click(name, map[string]any{"restore_cursor": i%3 > 0}))
		want["click "+name]++
	}
	for range *manyClicks / 4 {
		p.does(kinds.ClickElement, click("Twice", map[string]any{"click_type": "double"}))
		want["click Twice"] += 2
	}
	pad := p.seen("role:button && name:Pad").Element.Bounds
	for i := range *manyClicks / 4 {
		from, to := desktop.Point{X: pad.X + 5 + i, Y: pad.Y + 6}, desktop.Point{X: pad.X + pad.W - 7, Y: pad.Y + pad.H - 8 - i}
		p.does(kinds.MouseDrag, map[string]any{"start_x": float64(from.X), "start_y": float64(from.Y), "end_x": float64(to.X), "end_y": float64(to.Y)})
		p.does(kinds.MouseMove, map[string]any{"x": 1.0, "y": 1.0})
		want[fmt.Sprintf("drag by %d,%d", to.X-from.X, to.Y-from.Y)]++
	}
	for what, n := range want {
		p.expect(what, n)
	}
}

const countingPage = `<!doctype html><title>Counter</title><body><p>
<button>OK</button> <button>Apply</button> <button>Twice</button></p>
<button id="pad" style="width: 400px; height: 200px">Pad</button><script>
let from
const tell = what => navigator.sendBeacon("/", what)
addEventListener("click", e => { if (e.target.id != "pad") tell("click " + e.target.textContent) })
addEventListener("mousedown", e => { from = e })
addEventListener("mouseup", e => { if (from.target.id == "pad") tell("drag by " + (e.screenX - from.screenX) + "," + (e.screenY - from.screenY)) })
</script>`

// The same in GTK: a box that is ticked by one click is not by the next.
func TestAtLengthNoClickIsLostInGTK(t *testing.T) {
	virtualtest.Need(t, "gtk3-widget-factory")
	s := &testDesktop{T: t, Desktop: open(t, desktop.Options{Display: "virtual", Dir: scratch.Dir(t)})}
	s.launch("gtk3-widget-factory")
	const box = "process:gtk3-widget-factory >> role:checkbox && nth:5"
	click := map[string]any{"selector": box, "timeout_ms": 120_000.0}
	ticked := s.seen(box).Checked
	busy(t)
	for range *manyClicks {
		s.does(kinds.ClickElement, click)
		ticked = !ticked
		s.eventually("the box turns", func() bool { return s.seen(box).Checked == ticked })
	}
}

// testDesktop is a desktop that a test sits at.
type testDesktop struct {
	*testing.T
	*desktop.Desktop
	stirred steps.LastAct
}

// launch starts a program, which ends with the test.
func (s *testDesktop) launch(command string) {
	s.Helper()
	var app desktop.App
	err := s.Do(s.Context(), desktop.Launch{App: command, Started: &app})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = syscall.Kill(-app.PID, syscall.SIGKILL) })
}

// does does one step.
func (s *testDesktop) does(k steps.Kind, args map[string]any) steps.Outcome {
	s.Helper()
	o := s.tries(k, args)
	if o.Err != nil {
		s.Fatalf("%s %v: %v", k.Name, args, o.Err)
	}
	return o
}

// tries does one step that may fail.
func (s *testDesktop) tries(k steps.Kind, args map[string]any) steps.Outcome {
	defer s.stirred.Mark()
	return k.Run(s.Context(), &steps.Env{Desktop: s.Desktop, Trees: &observe.ShownTrees{}, LastAct: &s.stirred}, args)
}

// seen is what validate_element says of an element.
func (s *testDesktop) seen(selector string) (v kinds.ValidateResult) {
	s.Helper()
	o := s.does(kinds.ValidateElement, map[string]any{"selector": selector, "timeout_ms": 120_000.0})
	text, err := json.Marshal(o.Result)
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err != nil {
		s.Fatal(err)
	}
	return v
}

// eventually waits until something is so.
func (s *testDesktop) eventually(what string, is func() bool) {
	s.Helper()
	scratch.Until(s, what, is)
}

// page is a page in a browser that tells what is done in it.
type page struct {
	*testDesktop
	mu   *sync.Mutex
	told map[string]int
}

// showPage shows a page in a browser on a display of its own. What the page
// sends is counted.
func showPage(t *testing.T, html string) *page {
	t.Helper()
	virtualtest.Need(t, "chromium")
	p, address := servePage(t, html)
	p.launch(chromiumCommand(t) + " " + address)
	return p
}

// chromiumCommand starts Chromium with a profile of its own.
func chromiumCommand(t *testing.T) string {
	return "chromium --no-sandbox --no-first-run --password-store=basic --disable-gpu --force-renderer-accessibility --user-data-dir=" + scratch.Dir(t)
}

// servePage serves a page, and opens a display of its own for it.
func servePage(t *testing.T, html string) (p *page, address string) {
	t.Helper()
	p = &page{testDesktop: &testDesktop{T: t, Desktop: open(t, desktop.Options{Display: "virtual", Dir: scratch.Dir(t)})}, mu: &sync.Mutex{}, told: map[string]int{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, html)
			return
		}
		what, _ := io.ReadAll(r.Body)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.told[string(what)]++
	}))
	t.Cleanup(server.Close)
	return p, server.URL
}

// count is how often the page told of something.
func (p *page) count(what string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.told[what]
}

// expect waits until the page told of something a number of times.
func (p *page) expect(what string, n int) {
	p.Helper()
	for end := scratch.Deadline(p.T); p.count(what) != n; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.Fatalf("the page was to tell %d times of %q; it told of %v", n, what, p.told)
		}
	}
}

// A pageAct is something to do in a page, and what the page tells of it.
type pageAct struct {
	say      string
	kind     steps.Kind
	selector string
	more     map[string]any
	tells    string // empty: nothing
}

// acts does one act after the other. Each is told once more than before.
func (p *page) acts(all []pageAct) {
	p.Helper()
	said := map[string]int{}
	for _, a := range all {
		if o := p.act(a, "chromium"); o.Err != nil {
			p.Errorf("%s: %v %v", a.say, o.Result, o.Err)
			continue
		}
		if a.tells != "" {
			said[a.tells]++
			p.expect(a.tells, said[a.tells])
		}
	}
}

// act does an act in a browser.
func (p *page) act(a pageAct, process string) steps.Outcome {
	args := map[string]any{"process": process, "selector": a.selector, "timeout_ms": 60_000.0}
	maps.Copy(args, a.more)
	o := p.tries(a.kind, args)
	if o.Err == nil && o.Result["exists"] == false {
		o.Err = steps.Errorf(steps.NotFound, "it is not there")
	}
	return o
}

// busy keeps the machine busy until the test ends: with what it does already, two
// processes want each processor.
func busy(t *testing.T) {
	t.Helper()
	missing := 2*runtime.NumCPU() - load(t)
	t.Logf("%d busy processes", max(missing, 0))
	for range missing {
		cmd := exec.Command("sh", "-c", "while :; do :; done")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
	}
}

// load returns how many processes wanted a processor in the last minute, on average.
func load(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		t.Fatal(err)
	}
	var load float64
	if _, err := fmt.Sscan(string(text), &load); err != nil {
		t.Fatalf("reading /proc/loadavg %q: %v", text, err)
	}
	return int(load)
}
