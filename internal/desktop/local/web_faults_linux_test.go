package local_test

import (
	"strings"
	"testing"

	"understudy/steps"
	"understudy/steps/kinds"
)

// hoverPage has icons that swap their picture when the pointer comes: one has no width for a
// moment, one gives way to another for good.
const hoverPage = `<!doctype html><title>Hover</title><meta charset="utf-8">
<div class="media" style="width: 300px"><span class="more" role="button" aria-label="More" style="display: inline-block; width: 20px; height: 20px; background: navy"></span> text</div>
<div class="media" style="width: 300px; margin-top: 80px"><span class="gone" role="button" aria-label="Gone" style="display: inline-block; width: 20px; height: 20px; background: navy"></span> text</div>
<script>
	const more = document.querySelector(".more"), gone = document.querySelector(".gone")
	more.onmouseenter = () => { more.onmouseenter = null; more.style.width = 0; setTimeout(() => more.style.width = "20px", 150) }
	gone.onmouseenter = () => { gone.style.width = 0 }
	addEventListener("mousedown", e => navigator.sendBeacon("/", "pressed " + e.target.className))
	addEventListener("click", e => navigator.sendBeacon("/", "clicked " + e.target.className))
</script>`

// What changes under the pointer as it arrives is looked at again before the button goes down.
func TestWhatAPageChangesOnArrivalIsLookedAtAgain(t *testing.T) {
	p := showPage(t, hoverPage)
	p.does(kinds.ClickElement, map[string]any{"process": "chromium", "selector": "name:More", "timeout_ms": 60_000.0})
	p.expect("clicked more", 1)
	o := p.tries(kinds.ClickElement, map[string]any{"process": "chromium", "selector": "name:Gone", "timeout_ms": 2_000.0})
	if steps.CodeOf(o.Err) != steps.NotActionable && steps.CodeOf(o.Err) != steps.NotFound || o.Acted != steps.ActedNo {
		t.Errorf("what gives way to the pointer: acted %s, %v; want that nothing is pressed", o.Acted, o.Err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for what := range p.told {
		if strings.HasSuffix(what, "media") {
			t.Errorf("the page was %s", what)
		}
	}
}
