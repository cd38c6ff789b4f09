package local_test

import (
	"testing"

	"understudy/internal/desktop/selector"
	"understudy/steps"
	"understudy/steps/browse"
	"understudy/steps/kinds"
)

// awayPage has a thousand rows, and far below them a frame of another site.
const awayPage = `<!doctype html><meta charset="utf-8"><title>Away</title><body><script>
const tell = what => navigator.sendBeacon("/", what)
if (location.search) document.write('<p>Framed<div style="height: 120px; overflow: auto"><p><label>Card <input id="card"></label><div style="height: 300px"></div><p><button>Pay</button></div>')
else {
	const rows = [...Array(1000).keys()].map(i => '<tr><td>INV-' + i + '<td>' + i % 7 + ' EUR<td><input type="checkbox" aria-label="Paid"><td><button>Open</button>')
	document.write('<h1>Invoices</h1><p><label for="who">Who</label> <input id="who"><table>' + rows.join("") + '</table>' +
		'<p><label>Street <input id="street"></label> <button>Twin</button> <button>Twin</button> <span id="next">Next of kin</span> <input aria-labelledby="next">' +
		'<iframe src="' + location.origin.replace("127.0.0.1", "localhost") + '/?framed"></iframe>')
}
addEventListener("click", e => { if (e.target.localName == "button") tell(e.target.closest("tr") ? "opened " + e.target.closest("tr").cells[0].textContent : e.target.textContent) })
addEventListener("change", e => tell(e.target.type == "checkbox" ? "paid " + e.target.closest("tr").cells[0].textContent : e.target.id + " " + e.target.value))
</script>`

// A page scrolls to what a selector may mean where its words are in one place, and does nothing else.
func TestAtLengthAPageScrollsToWhatIsInOnePlace(t *testing.T) {
	p := showPage(t, awayPage)
	p.does(kinds.WaitForPage, map[string]any{"text": "Invoices", "timeout_ms": 120_000.0})
	env := &steps.Env{Desktop: p.Desktop}
	for _, row := range []struct {
		say, selector string
		scrolls       bool
	}{
		{"what is in view", "name:Who", false},
		{"a button of a row", "process:chromium >> role:row && text:INV-742 >> role:button && name:Open", true},
		{"a row by what it has", "role:row && has:name:INV-31", true},
		{"what many have", "role:button && name:Open", false},
		{"a name that is a part of others", "name:INV-9", true},
		{"a text that is a part of others", "text:INV-9", false},
		{"a field by its label", "name:Street", true},
		{"what is above", "id:who", true},
		{"a field that another element names", "name:Next of kin", true},
		{"one of two of a name in one place", "text:Street >> name:Twin", false},
		{"a row above", "name:INV-1", true},
		{"what is in a frame of another site", "role:entry && name:Card", true},
		{"what is scrolled away in that frame", "role:button && name:Pay", true},
		{"what is not there", "name:Nobody", false},
		{"one without words", "role:heading", false},
		{"one that counts", "name:INV-9 && nth:0", false},
		{"another program", "process:firefox >> name:INV-9", false},
	} {
		got, err := browse.Reveal(t.Context(), env, selector.MustParse(row.selector))
		if err != nil || got != row.scrolls {
			t.Errorf("%s: %s scrolls: %v, %v", row.say, row.selector, got, err)
		}
	}
}

// What is far away in a long page, and in a frame of another site there, is acted on.
func TestAtLengthWhatIsFarAwayInAPageIsActedOn(t *testing.T) {
	p := showPage(t, awayPage)
	p.does(kinds.WaitForPage, map[string]any{"text": "Invoices", "timeout_ms": 120_000.0})
	long := map[string]any{"timeout_ms": 60_000.0}
	p.acts([]pageAct{
		{"a button of a row", kinds.ClickElement, "role:row && text:INV-742 >> role:button && name:Open", long, "opened INV-742"},
		{"a checkbox of a row above", kinds.SetSelected, "role:row && text:INV-231 >> role:checkbox", map[string]any{"state": true, "timeout_ms": 60_000.0}, "paid INV-231"},
		{"a field in a frame of another site", kinds.TypeIntoElement, "role:entry && name:Card", map[string]any{"text_to_type": "4111{Tab}", "timeout_ms": 60_000.0}, "card 4111"},
		{"a button that is scrolled away there", kinds.ClickElement, "role:button && name:Pay", long, "Pay"},
	})
}
