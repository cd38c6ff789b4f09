//go:build linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"understudy/internal/desktop"
	"understudy/steps"
)

// variation is what may be otherwise on the machine that a workflow is played
// on than on the one that it was made on.
type variation struct {
	name   string
	screen desktop.Size
	needs  []string
	setup  func(*stage)
	// what the scenarios, by name, must fail with then, having done no harm
	fails map[string]steps.Code
	// what any scenario may fail with as well, where two outcomes are right
	may []steps.Code
	// what these scenarios, by name, may fail with, having done no harm, and why
	mayFail map[string]steps.Code
}

func theVariations() []variation {
	return []variation{
		{name: "a screen of 1280×720", screen: desktop.Size{W: 1280, H: 720}},
		{name: "a larger font", setup: func(s *stage) { s.setenv("GDK_DPI_SCALE=1.6", "QT_SCALE_FACTOR=1.4") }},
		{name: "a German keyboard", needs: []string{"setxkbmap"}, setup: func(s *stage) { s.tool("setxkbmap", "de") }},
		{
			name: "a Russian keyboard", needs: []string{"setxkbmap"}, setup: func(s *stage) { s.tool("setxkbmap", "ru") },
			// Motif takes shortcuts only by the keys that the layout has when it starts.
			fails: map[string]steps.Code{"nedit: add at the end": steps.Unavailable},
		},
		{name: "a slow start", setup: slow},
		// The window may move between the press and the release of a button.
		// Then nobody can say what came of the click, and the run is in doubt.
		{
			name: "the window is moved and resized", needs: []string{"xdotool"}, setup: restless, may: []steps.Code{steps.Unexpected},
			// A list that is open closes when its window moves.
			mayFail: map[string]steps.Code{
				"form: Qt 6: fill in and send": steps.NotActionable, "form: GTK 4: fill in and send": steps.NotFound, "form: libadwaita: fill in and send": steps.NotFound,
			},
		},
		{
			name: "a doubled label", setup: func(s *stage) { s.witness("doubled twins"); s.doubled.Store(true) },
			fails: map[string]steps.Code{"witness: each control once": steps.Ambiguous, "chromium: fill in a form and send it": steps.Ambiguous},
		},
		{
			name: "a dialog of another program in front", needs: []string{"/usr/bin/zenity"}, setup: intruder,
			fails: map[string]steps.Code{"zenity: the example of a form": steps.Ambiguous},
		},
	}
}

// variations are some scenarios under each variation.
func variations() []scenario {
	chosen := []string{
		"mousepad: type and save", "mousepad: the example of a dialog", "featherpad: type and save", "writer: type and save",
		"zenity: the example of a form", "witness: each control once", "witness: two buttons of one name", "galculator: multiply by clicks",
		"gtk3-widget-factory: controls", "chromium: fill in a form and send it", "xterm: a command",
		"gvim: insert and write", "l3afpad: add at the end", "nedit: add at the end",
	}
	for _, k := range theToolkits() {
		chosen = append(chosen, "form: "+k.name+": fill in and send")
	}
	var out []scenario
	for _, v := range theVariations() {
		// anew each time: some scenarios keep what came to them
		for _, c := range slices.Concat(editorScenarios(), dialogScenarios(), witnessScenarios(), otherScenarios(), appScenarios(), formScenarios(), corpusScenarios()) {
			if slices.Contains(chosen, c.name) {
				out = append(out, v.of(c))
			}
		}
	}
	return out
}

// of is a scenario under the variation.
func (v variation) of(c scenario) scenario {
	plain := c.setup
	if code, must := v.fails[c.name]; must {
		c.may, c.must, c.check = []steps.Code{code}, true, c.stays
	}
	if code, may := v.mayFail[c.name]; may {
		c.may = append(slices.Clone(c.may), code)
	}
	c.name += ", with " + v.name
	c.varied = true
	c.screen = v.screen
	c.needs = append(slices.Clone(c.needs), v.needs...)
	c.may = append(slices.Clone(c.may), v.may...)
	c.setup = func(s *stage) {
		if plain != nil {
			plain(s)
		}
		if v.setup != nil {
			v.setup(s)
		}
	}
	return c
}

// slow makes every application start late. It wraps also what a setup has put
// into the PATH.
func slow(s *stage) {
	for _, name := range []string{"mousepad", "zenity", "galculator", "witness", "featherpad", "gtk3-widget-factory", "chromium", "soffice", "xterm", "form", "gvim", "l3afpad", "nedit"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if own := filepath.Join(s.bin, name); path == own {
			path = own + "-at-once"
			if err := os.Rename(own, path); err != nil {
				s.t.Fatal(err)
			}
		}
		s.script(name, "sleep 1.5; exec "+path+` "$@"`)
	}
}

// restless moves the topmost window to and fro, and changes its size, until
// the test ends.
func restless(s *stage) {
	cmd := exec.CommandContext(s.t.Context(), "/bin/sh", "-c", `
n=0
while sleep 0.4; do
	n=$((n + 1))
	w=$(xdotool getactivewindow 2>/dev/null) || continue
	xdotool windowmove "$w" $((60 + n % 3 * 90)) $((40 + n % 4 * 30)) 2>/dev/null
	xdotool windowsize "$w" $((700 + n % 2 * 60)) $((620 + n % 3 * 40)) 2>/dev/null
done`)
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
}

// intruder shows a dialog before all else, above every window.
func intruder(s *stage) {
	cmd := exec.CommandContext(s.t.Context(), "/usr/bin/zenity", "--info", "--title=Intruder", "--text=Look here", "--width=500")
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	s.shows("Intruder")
}
