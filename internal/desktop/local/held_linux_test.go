package local_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"understudy/steps"
	"understudy/steps/kinds"
)

// strictPage has fields that make something else of what is typed.
const strictPage = `<!doctype html><title>Strict</title><meta charset="utf-8">
<label>Plain <input></label> <label>Short <input maxlength="4"></label> <label>Card <input id="card"></label>
<label>Code <input id="code"></label> <label>Later <input id="later"></label> <label>Owned <input id="owned" value="mine"></label>
<label>Notes <textarea></textarea></label> <label>Secret <input type="password" maxlength="3"></label>
<script>
	card.oninput = () => card.value = card.value.replace(/ /g, "").replace(/(.{4})(?=.)/g, "$1 ")
	code.oninput = () => code.value = code.value.replace(/[^0-9]/g, "")
	later.oninput = () => requestAnimationFrame(() => later.value = later.value.toUpperCase())
	owned.oninput = () => owned.value = "mine"
</script>`

// connectedPage opens a page in a connected browser.
func connectedPage(t *testing.T, html string) *testDesktop {
	t.Helper()
	s := startedBrowser(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, html) }))
	t.Cleanup(server.Close)
	s.does(kinds.NavigateBrowser, map[string]any{"url": server.URL, "process": "chromium", "timeout_ms": 60_000.0})
	return s
}

// What a field of a connected page makes of a text is told; only what it holds counts as typed.
func TestAtLengthWhatAFieldMakesOfATextIsTold(t *testing.T) {
	s := connectedPage(t, strictPage)
	for _, row := range []struct{ name, text, says string }{
		{"Plain", "Ada Lovelace", ""},
		{"Short", "Ada Lovelace", `"Ada "`},
		{"Card", "12345678", `"1234 5678"`},
		{"Code", "a1b2", `"12"`},
		{"Later", "Ada", `"ADA"`},
		{"Owned", "yours", `"mine"`},
		{"Notes", "one\ntwo", ""},
		{"Secret", "hush!", "cannot be read"},
	} {
		for _, kind := range []steps.Kind{kinds.TypeIntoElement, kinds.SetValue} {
			field := map[string]string{kinds.SetValue.Name: "value", kinds.TypeIntoElement.Name: "text_to_type"}[kind.Name]
			o := s.tries(kind, map[string]any{"process": "chromium", "selector": "name:" + row.name, field: row.text, "timeout_ms": 60_000.0})
			held := s.does(kinds.ExecuteBrowserScript, map[string]any{"script": fmt.Sprintf(`[...document.querySelectorAll("label")].find(l => l.textContent.startsWith(%q)).control.value`, row.name)}).Result["result"]
			switch {
			case o.Err == nil && held != row.text:
				t.Errorf("%s: %q in %s is a success, and the page holds %q", kind.Name, row.text, row.name, held)
			case row.says == "" && (o.Err != nil || o.Result["checked"] != "yes"):
				t.Errorf("%s: %q in %s: checked %v, %v", kind.Name, row.text, row.name, o.Result["checked"], o.Err)
			case row.says != "" && kind.Name == kinds.TypeIntoElement.Name && (steps.CodeOf(o.Err) != steps.Unexpected || !strings.Contains(fmt.Sprint(o.Err), row.says)):
				t.Errorf("%s: %q in %s: %v, want %q", kind.Name, row.text, row.name, o.Err, row.says)
			}
		}
	}
}
