package mcpserver

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/internal/testing/byhand"
)

// TestGreetingsShowTheIcon holds that a client gets the icon once: the SDK repeats in
// each other result of new versions who the server is.
func TestGreetingsShowTheIcon(t *testing.T) {
	icon := func(info any) string {
		icons, _ := byhand.Dig(info, "icons").([]any)
		if len(icons) != 1 {
			return ""
		}
		text, _ := byhand.Dig(icons[0], "src").(string)
		return text
	}
	st := newStage(t)
	w := st.connect(modern, byhand.Object{})
	met := w.Ask("server/discover", byhand.Object{})
	if src := icon(byhand.Dig(met, "result", "_meta", mcp.MetaKeyServerInfo)); !strings.HasPrefix(src, "data:image/svg+xml;base64,") {
		t.Errorf("discovered %v", met)
	}
	list := w.Ask("tools/list", byhand.Object{})
	if src := icon(byhand.Dig(list, "result", "_meta", mcp.MetaKeyServerInfo)); src != "" {
		t.Error("a list repeats the icon")
	}
	for method, want := range map[string]float64{"tools/list": 60_000, "prompts/list": 60_000, "resources/templates/list": 60_000, "resources/list": 0} {
		res := w.Ask(method, byhand.Object{})
		if ttl := byhand.Dig(res, "result", "ttlMs"); ttl != want || byhand.Dig(res, "result", "cacheScope") != "private" {
			t.Errorf("%s may be kept for %v, %v", method, ttl, byhand.Dig(res, "result", "cacheScope"))
		}
	}
}
