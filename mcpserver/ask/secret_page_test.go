package ask

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// TestSecretPageEnds holds that a page takes no answer that nobody would get, and says so.
func TestSecretPageEnds(t *testing.T) {
	for _, c := range []struct {
		say string
		end func(p *secretPages, token string)
	}{
		{"its time is up", func(p *secretPages, token string) { p.pages[token].until = time.Now().Add(-time.Second) }},
		{"the answer was taken", func(p *secretPages, token string) {
			p.pages[token].given <- map[string]string{"pin": "1"}
			if p.wait(t.Context(), token) == nil {
				t.Error("no answer")
			}
		}},
		{"its call has ended", (*secretPages).end},
	} {
		t.Run(c.say, func(t *testing.T) {
			p, token, address := newPage(t)
			if status, text := enter(t, address, nil); status != http.StatusOK || !strings.Contains(text, `name="pin"`) {
				t.Fatalf("the page: %d %s", status, text)
			}
			c.end(p, token)
			for _, form := range []url.Values{nil, {"pin": {"s3cret"}}} {
				if status, text := enter(t, address, form); status != http.StatusGone || !strings.Contains(text, "The request has ended") {
					t.Errorf("with %v: %d %s", form, status, text)
				}
			}
			if len(p.pages[token].given) > 0 {
				t.Error("the answer was taken nevertheless")
			}
		})
	}
}

// TestSecretPageIsAskedForAgain holds that a person who needs longer than a client waits
// goes on with the same page.
func TestSecretPageIsAskedForAgain(t *testing.T) {
	p, first, address := newPage(t)
	second, same, err := p.open("run", []string{"pin"}, true)
	if err != nil || second != first || same != address {
		t.Errorf("asked again: %s %s %v, want %s", second, same, err, address)
	}
	if status, _ := enter(t, address, url.Values{"pin": {"s3cret"}}); status != http.StatusOK {
		t.Errorf("the answer: %d", status)
	}
	if got := p.wait(t.Context(), second); got["pin"] != "s3cret" {
		t.Errorf("it got %v", got)
	}
	if other, _, _ := p.open("another", []string{"pin"}, true); other == second {
		t.Error("two runs have one page")
	}
	one, _, _ := p.open("run", []string{"pin"}, false)
	if other, _, _ := p.open("run", []string{"pin"}, false); other == one {
		t.Error("two calls under way have one page, which ends with either")
	}
}

func newPage(t *testing.T) (p *secretPages, token, address string) {
	t.Helper()
	p = &secretPages{}
	token, address, err := p.open("run", []string{"pin"}, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.close() })
	return p, token, address
}

// enter opens a page, or sends its form.
func enter(t *testing.T, address string, form url.Values) (int, string) {
	t.Helper()
	res, err := http.Get(address)
	if form != nil {
		res, err = http.PostForm(address, form)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(text)
}
