//go:build linux

package modelbench

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
)

// peerVariable names the command of Playwright's MCP server, which can do those of the
// jobs that are in a browser.
const peerVariable = "UNDERSTUDY_MODEL_PEER"

// TestPeer plays the jobs of a browser by the tools of the peer.
func TestPeer(t *testing.T) {
	command := os.Getenv(peerVariable)
	if command == "" {
		t.Skip("make bench-model PEER=command plays the jobs of a browser by the command of @playwright/mcp")
	}
	virtualtest.Need(t, "chromium")
	form, shop := &form{}, &shop{}
	var lines []string
	for _, j := range []job{
		{
			name: "form", setup: form.serve,
			text: "Open the page whose address stands in WORK/address.txt, enter the name Ada Lovelace, tick \"As a gift\", choose the size Large, press Send, and tell me what the page answers.",
			play: func(p *player) {
				p.known += "\n" + form.address
				p.call("browser_navigate", object{"url": form.address})
				p.call("browser_snapshot", object{})
				p.call("browser_fill_form", object{"fields": []any{
					p.field("Your name", "textbox", "Ada Lovelace"), p.field("As a gift", "checkbox", "true"), p.field("Size", "combobox", "Large"),
				}})
				p.call("browser_click", object{"target": p.shown(`button "Send"`)})
				p.call("browser_snapshot", object{})
				p.told("Thank (you)")
				form.received(p, url.Values{"who": {"Ada Lovelace"}, "gift": {"yes"}, "size": {"L"}, "secret": {""}})
			},
		},
		{
			name: "page", setup: shop.serve,
			text: "Open the catalogue whose address stands in WORK/address.txt, press the link \"open 42\", and tell me what the article costs.",
			play: func(p *player) {
				p.known += "\n" + shop.address
				p.call("browser_navigate", object{"url": shop.address})
				p.call("browser_snapshot", object{})
				p.call("browser_click", object{"target": p.shown(`link "open 42"`)})
				p.call("browser_snapshot", object{})
				p.told("(84) euro")
			},
		},
	} {
		t.Run(j.name, func(t *testing.T) {
			root := scratch.Dir(t)
			p := &player{T: t, dir: root, tools: map[string]object{}, count: tokens(t)}
			chromium, err := exec.LookPath("chromium")
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), command, "--headless", "--no-sandbox", "--isolated", "--executable-path", chromium)
			cmd.Dir, cmd.Env = root, append(os.Environ(), "HOME="+filepath.Join(root, "home"))
			p.talk(cmd, j)
			j.play(p)
			p.keep("playwright_" + j.name)
			lines = append(lines, row(j.name, p.cost))
		})
	}
	fmt.Print(heading + strings.Join(lines, ""))
}

// shown is the ref of the peer behind what its last snapshot shows.
func (p *player) shown(what string) string {
	p.Helper()
	return p.told(regexp.QuoteMeta(what) + `[^\n]*?\[ref=(e\d+)\]`)
}

// field is a field of a form as the peer takes it.
func (p *player) field(name, sort, value string) object {
	p.Helper()
	return object{"name": name, "type": sort, "target": p.shown(sort + ` "` + name), "value": value}
}
