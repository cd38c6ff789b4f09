package local_test

import (
	"flag"
	"testing"

	"understudy/steps"
)

var manyMoves = flag.Int("moves", 8, "how many clicks are tried on each thing that moves in a page")

// A browser tells half a second late where what moves in a page is, and not at
// all of some motions. A click on it hits, or is said not to have been done.
func TestWhatMovesInAPageIsHitOrSaidNotToBe(t *testing.T) {
	for _, row := range []struct{ moves, style, script string }{
		{"its place, by CSS", "#it { animation: go 2s linear infinite alternate } @keyframes go { from { left: 10px } to { left: 700px } }", ""},
		{"by a transform", "#it { animation: go 2s linear infinite alternate } @keyframes go { to { transform: translateX(700px) } }", ""},
		{"down, and fast", "#it { animation: go 1s linear infinite alternate } @keyframes go { to { transform: translateY(600px) } }", ""},
		{"with what it is in", "#around { animation: go 2s linear infinite alternate } @keyframes go { to { transform: translateX(700px) } }", ""},
		{"by a script, in each frame", "", "const go = t => { it.style.left = 10 + t / 3 % 700 + 'px'; requestAnimationFrame(go) }; requestAnimationFrame(go)"},
		{"down with what it is in", "#around { animation: go 2s linear infinite alternate } @keyframes go { to { transform: translateY(600px) } }", ""},
		{"in circles", "#it { animation: go 3s linear infinite } @keyframes go { to { transform: rotate(360deg) translateX(100px) rotate(-360deg) } } #it { left: 200px; top: 200px }", ""},
		{"as what is above it grows", "", "let n = 0; const it2 = document.querySelector('#above'); setInterval(() => { it2.style.height = ++n * 7 % 500 + 'px' }, 20)"},
		{"by being scrolled", "", "document.querySelector('#below').style.height = '9000px'; let n = 0; setInterval(() => scrollTo(0, ++n * 5 % 90), 20)"},
	} {
		t.Run(row.moves, func(t *testing.T) {
			p := showPage(t, `<!doctype html><title>Moving</title><style>#around { position: relative } #it { position: absolute; top: 90px; left: 10px; width: 120px; height: 40px } `+row.style+
				`</style><body><div id="above"></div><div id="around"><button id="it">It</button></div><div id="below"></div><script>
const it = document.querySelector("#it")
addEventListener("click", e => navigator.sendBeacon("/", e.target == it ? "hit" : "missed"))
`+row.script+`</script>`)
			p.seen("role:button && name:It")
			done := 0
			for range *manyMoves {
				o := p.tries(steps.ClickElement, map[string]any{"selector": "role:button && name:It", "process": "chromium", "timeout_ms": 2_000.0})
				switch {
				case o.Err == nil:
					done++
				case steps.CodeOf(o.Err) != steps.NotActionable || o.Acted != steps.ActedNo:
					t.Errorf("the click failed with %v and acted %s, want that it is not ready and nothing done", o.Err, o.Acted)
				default:
					t.Log(o.Err)
				}
				p.eventually("the page tells of each click", func() bool { return p.count("hit")+p.count("missed") == done })
				if n := p.count("missed"); n > 0 {
					t.Fatalf("%d clicks of %d that were said to be done missed", n, done)
				}
			}
			t.Logf("%d of %d clicks were done", done, *manyMoves)
		})
	}
}
