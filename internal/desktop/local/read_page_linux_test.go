package local_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"understudy/steps/kinds"
)

// longPage has a table of 200 rows, 300 links, and what a form has.
const longPage = `<!doctype html><title>Long</title><meta charset="utf-8"><h1>Sales of <b>May</b></h1><p>Some <a href="#x">linked</a> words.</p>
<form><label>Customer <input value="Ann"></label> <label>Secret <input type="password" value="hunter2"></label>
<label><input type="checkbox" checked> Urgent</label> <label>Size <select><option>S<option selected>M</select></label> <button disabled>Send it</button></form>
<div style="display: none">Hidden words</div><div id="host"></div>
<table><caption>Sales</caption><thead><tr><th>Who<th>Where<th>Much<tbody id="rows"></table><ul id="links"></ul>
<iframe srcdoc="<button>Framed</button>"></iframe><canvas aria-label="Chart"></canvas>
<script>
	document.getElementById("host").attachShadow({mode: "open"}).innerHTML = "<p>In the shadow</p>"
	rows.innerHTML = Array.from({length: 200}, (_, i) => "<tr><td>Bo" + i + "<td>Bonn<td>" + i * 7).join("")
	links.innerHTML = Array.from({length: 300}, (_, i) => "<li><a href='#" + i + "'>Link " + i + "</a>").join("")
</script>`

// listsPage has tables and lists that are called in the ways in which pages call them.
const listsPage = `<!doctype html><title>Lists</title><meta charset="utf-8"><body style="padding-bottom: 3000px"><p style="height: 2000px">Scroll down.</p>
<table aria-labelledby="by"><tr><td>1</table><p id="by">Stock</p>
<h2>Prices</h2><table><tr><td>1<tr><td>2</table>
<figure><figcaption>Rates</figcaption><table><tr><td>1</table></figure>
<ul aria-label="Orders"><li><a href="#1">One</a><li>Two<ul><li>Two and a half</ul></ul>
<h3>Notes</h3><ol><li>First<li>Second<li>Third</ol><ul><li><a href="#2">Link</a></ul><p>The end.`

// What is out of view is told by its name, or by the heading that it is under.
func TestWhatIsOutOfViewIsNamed(t *testing.T) {
	s := startedBrowser(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, listsPage) }))
	t.Cleanup(server.Close)
	s.does(kinds.NavigateBrowser, map[string]any{"url": server.URL, "process": "chromium", "timeout_ms": 60_000.0})
	text := fmt.Sprint(s.does(kinds.GetWindowTree, map[string]any{"process": "chromium"}).Result["ui_tree"])
	want := `[below the view: table "Stock" (1 row), 2 paragraphs, heading "Prices", table under "Prices" (2 rows), table "Rates" (1 row), list "Orders" (3 items), 3 more]`
	if !strings.Contains(text, want) {
		t.Errorf("the tree does not tell %s:\n%s", want, text)
	}
	if n := strings.Count(text, "below the view"); n != 1 {
		t.Errorf("what is below the view is told %d times:\n%s", n, text)
	}
	if strings.Contains(text, "- frame [") {
		t.Errorf("the tree shows windows of pages that nobody sees:\n%s", text)
	}
}

// A long page is read in a few short parts, with all that a person would see by scrolling.
func TestALongPageIsReadAsText(t *testing.T) {
	s := startedBrowser(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, longPage) }))
	t.Cleanup(server.Close)
	s.does(kinds.NavigateBrowser, map[string]any{"url": server.URL, "process": "chromium", "timeout_ms": 60_000.0})
	if text := fmt.Sprint(s.does(kinds.GetWindowTree, map[string]any{"process": "chromium"}).Result["ui_tree"]); !strings.Contains(text, `below the view: table "Sales" (201 rows), 300 links`) || !strings.Contains(text, `"Bo1 | Bonn | 7"`) {
		t.Errorf("the tree does not tell the rows, and what is below the view:\n%s", text)
	}
	var all strings.Builder
	calls := 0
	for next := any(0.0); next != nil; calls++ {
		o := s.does(kinds.ReadPage, map[string]any{"offset": next})
		fmt.Fprintln(&all, o.Result["text"])
		next = o.Result["next_offset"]
	}
	for _, want := range []string{
		"# Sales of May\n", "Some [linked] words.\n", `entry "Customer": "Ann"` + "\n", `password "Secret": filled` + "\n", `checkbox "Urgent": checked` + "\n",
		`combobox "Size": M, of S | M` + "\n", `button "Send it": disabled` + "\n", `table "Sales" (201 rows)` + "\n", "Who | Where | Much\n", "Bo137 | Bonn | 959\n", "- [Link 299]\n",
		"In the shadow\n", `button "Framed"` + "\n", `canvas "Chart"`,
	} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("%q is missing in:\n%.1500s", want, all.String())
		}
	}
	for _, never := range []string{"Hidden words", "hunter2"} {
		if strings.Contains(all.String(), never) {
			t.Errorf("%q is told", never)
		}
	}
	if calls > 4 || all.Len() > 14_000 {
		t.Errorf("it took %d calls and %d bytes; want 4 and 14000", calls, all.Len())
	}
	o := s.does(kinds.ReadPage, map[string]any{"contains": "bo137 "})
	if text := fmt.Sprint(o.Result["text"]); !strings.HasSuffix(text, "Bo137 | Bonn | 959") || strings.Contains(text, "\n") {
		t.Errorf("the line of Bo137: %q", text)
	}
}
