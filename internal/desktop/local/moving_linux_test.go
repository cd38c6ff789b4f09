package local_test

import (
	"flag"
	"fmt"
	"testing"

	"understudy/steps"
	"understudy/steps/kinds"
)

var manyMoves = flag.Int("moves", 2, "how many clicks are tried on each thing that moves in a page")

// movingPage moves a button in one way after the other, at each key m, and
// stops it where it is at each key r.
const movingPage = `<!doctype html><title>Moving</title><meta charset="utf-8">
<style>#around { position: relative } #it { position: absolute; top: 90px; left: 10px; width: 120px; height: 40px }</style>
<style id="way"></style><body><div id="above"></div><div id="around"><button id="it">It</button></div><div id="below"></div><script>
const by = id => document.getElementById(id), tell = what => navigator.sendBeacon("/", what), go = frames => "@keyframes go { " + frames + " }"
const ways = [
	["its place, by CSS", "#it { animation: go 2s linear infinite alternate } " + go("from { left: 10px } to { left: 700px }")],
	["by a transform", "#it { animation: go 2s linear infinite alternate } " + go("to { transform: translateX(700px) }")],
	["down, and fast", "#it { animation: go 1s linear infinite alternate } " + go("to { transform: translateY(500px) }")],
	["with what it is in", "#around { animation: go 2s linear infinite alternate } " + go("to { transform: translateX(700px) }")],
	["once, with what it is in", "#around { animation: go 500ms forwards } " + go("from { transform: translateX(700px) }")],
	["down with what it is in", "#around { animation: go 2s linear infinite alternate } " + go("to { transform: translateY(500px) }")],
	["in a circle", "#it { left: 200px; top: 200px; animation: go 3s linear infinite } " + go("from { transform: rotate(0) translateX(150px) rotate(0) } to { transform: rotate(360deg) translateX(150px) rotate(-360deg) }")],
	["by a script", "", t => by("it").style.left = 10 + t / 3 % 700 + "px"],
	["as what is above it grows", "", t => by("above").style.height = t / 3 % 400 + "px"],
	["by being scrolled", "#below { height: 9000px }", t => scrollTo(0, t / 4 % 80)],
]
let at = 0, moves = false
addEventListener("keydown", e => {
	if (e.key == "r") {
		moves = false
		document.getAnimations().forEach(a => { a.commitStyles(); a.cancel() })
		tell("rests " + at)
	}
	if (e.key == "m") {
		const [name, style, step] = ways[at++]
		by("it").style = by("around").style = by("above").style = ""
		by("way").textContent = style
		moves = true
		const frame = t => { if (moves && step) { step(t); requestAnimationFrame(frame) } }
		requestAnimationFrame(frame)
		tell("moves " + at)
	}
})
addEventListener("click", e => tell(e.target == by("it") ? "hit" : "missed"))
const listens = () => document.hasFocus() ? tell("ways " + ways.length) : requestAnimationFrame(listens) // to keys
listens()
</script>`

// A browser tells half a second late where what moves in a page is, and not at
// all of some motions. A click on it hits, or is said not to have been done; and
// what has come to rest is hit.
func TestAtLengthWhatMovesInAPageIsHitOrSaidNotToBe(t *testing.T) {
	const ways = 10
	p := showPage(t, movingPage)
	p.expect(fmt.Sprint("ways ", ways), 1)
	p.seen("role:button && name:It")
	done := 0
	click := func(timeout float64) steps.Outcome {
		o := p.tries(kinds.ClickElement, map[string]any{"selector": "role:button && name:It", "process": "chromium", "timeout_ms": timeout})
		if o.Err == nil {
			done++
		}
		p.eventually("the page tells of each click", func() bool { return p.count("hit")+p.count("missed") == done })
		if n := p.count("missed"); n > 0 {
			t.Fatalf("%d of the %d clicks that were said to be done missed", n, done)
		}
		return o
	}
	for way := 1; way <= ways; way++ {
		p.does(kinds.PressKeyGlobal, map[string]any{"key": "m"})
		p.expect(fmt.Sprint("moves ", way), 1)
		for range *manyMoves {
			if o := click(1_000); o.Err != nil && o.Acted != steps.ActedNo {
				t.Errorf("way %d: the click failed with %v and acted %s, want that nothing was done", way, o.Err, o.Acted)
			}
		}
		p.does(kinds.PressKeyGlobal, map[string]any{"key": "r"})
		p.expect(fmt.Sprint("rests ", way), 1)
		if o := click(60_000); o.Err != nil {
			t.Errorf("way %d: at rest it was not clicked: %v", way, o.Err)
		}
	}
	t.Logf("%d clicks were done", done)
}
