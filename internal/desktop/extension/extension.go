// Package extension connects to a browser that a person has started, by an extension that the
// person loads into it.
//
// Its main idea is that the extension answers the calls of Chromium's developer tools, so that nothing
// above it differs from a browser with a pipe: the browser starts our program as the host of the
// extension, and the host shares that connection on a socket which only its user can reach. Its
// limit: of Firefox, which has no such tools, the extension answers what navigating, scripts and
// tabs need.
package extension

import (
	"crypto/sha256"
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed chromium firefox
var files embed.FS

const (
	// hostName is what the extensions call our program.
	hostName = "org.understudy.browser"
	// firefoxID names the extension in Firefox.
	firefoxID = "{2aab9d55-2498-4565-8185-07a9281cca63}"
)

// Rights describes what the extensions permit, and to whom.
const Rights = `The extension lets programs of your user, but no page, no other user and no command in a
sandbox, do in this browser what you can do in it: open addresses, list, show and close
tabs, and read and change pages, also those where you are logged in. It learns which
files you download. A browser of the Chromium family shows a bar while a page is used;
its Cancel ends that.`

// chromiumID returns the ID that browsers of the Chromium family derive from the key of the
// extension, so that it is the same wherever the extension is loaded.
func chromiumID() string {
	text, err := files.ReadFile("chromium/manifest.json")
	var manifest struct{ Key []byte }
	if err == nil {
		err = json.Unmarshal(text, &manifest)
	}
	if err != nil {
		panic(err) // it is a part of the program
	}
	sum := sha256.Sum256(manifest.Key)
	id := fmt.Appendf(nil, "%x", sum[:16])
	for i, c := range id {
		if c <= '9' {
			id[i] = 'a' + c - '0'
		} else {
			id[i] = 'a' + 10 + c - 'a'
		}
	}
	return string(id)
}

// chromiumOrigin is how browsers of the Chromium family name the extension to its host.
func chromiumOrigin() string { return "chrome-extension://" + chromiumID() + "/" }

// Launched reports whether a browser has started this process with these arguments, as the host of
// one of our extensions.
func Launched(args []string) bool {
	return len(args) > 0 && args[0] == chromiumOrigin() || len(args) > 1 && slices.Contains(args[1:], firefoxID) && filepath.Base(args[0]) == hostName+".json"
}

// Dir returns the folder of the sockets of the hosts of this user, for browsers with variables: each
// virtual desktop has a folder of its own.
func Dir(environ []string) (string, error) {
	base := ""
	for _, v := range environ {
		if dir, ok := strings.CutPrefix(v, "XDG_RUNTIME_DIR="); ok {
			base = dir
		}
	}
	var err error
	if base == "" {
		base, err = os.UserCacheDir()
	}
	return filepath.Join(base, "understudy", "browsers"), err
}
