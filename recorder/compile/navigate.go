package compile

import (
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"understudy/recorder"
)

// inAddressBar reports whether a field is the address bar of a browser.
func inAddressBar(t *recorder.Seen) bool {
	return t != nil && !t.InPage() && (t.Class == "OmniboxViewViews" || t.ID == "urlbar-input")
}

// navigates makes a step that types an address into the address bar one that opens it: the bar
// completes what is typed, and shows it in another form when the page has come.
func (k *keyboard) navigates(s *step) {
	address, ok := addressOf(s.input.value)
	if !ok || s.kind != typeIntoElement || s.input.secret || s.input.parts != nil || !inAddressBar(s.target) {
		return
	}
	newTab := false
	if n := len(k.steps); n > 1 && k.steps[n-2].kind == pressKeyGlobal {
		key := k.steps[n-2].arg("key")
		if newTab = key == "ctrl+t"; newTab || key == "ctrl+l" {
			k.steps = slices.Delete(k.steps, n-2, n-1)
		}
	}
	s.kind, s.subject, s.summary = navigateBrowser, hostOf(address), "open "+address
	s.args = nil
	s.clearDoubts()
	s.set("url", "")
	if s.process != "" {
		s.set("process", s.process)
	}
	if !newTab {
		s.set("new_tab", false)
	}
	s.input.arg, s.input.value, s.input.after, s.input.names = "url", address, "", "address"
}

// host matches what a browser takes for a host, and not for words to search.
var host = regexp.MustCompile(`^[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)*\.[a-zA-Z]{2,}$`)

// addressOf returns the address that a browser opens for what is typed into its address bar. What it
// may take for words to search is none.
func addressOf(typed string) (address string, ok bool) {
	typed = strings.TrimSpace(typed)
	if typed == "" || strings.ContainsAny(typed, " \t\n") {
		return "", false
	}
	if u, err := url.Parse(typed); err == nil && slices.Contains([]string{"http", "https", "file"}, u.Scheme) {
		return typed, true
	}
	name := hostOf("http://" + typed)
	_, notIP := netip.ParseAddr(name)
	switch {
	case name == "localhost", notIP == nil && strings.Contains(name, "."):
		return "http://" + typed, true
	case host.MatchString(name):
		return "https://" + typed, true
	}
	return "", false
}

func hostOf(address string) string {
	if u, err := url.Parse(address); err == nil && u.Hostname() != "" {
		return u.Hostname()
	}
	return "page"
}
