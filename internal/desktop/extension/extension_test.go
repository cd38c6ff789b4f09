package extension

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// The key makes the ID, and each browser starts the host for no other extension.
func TestABrowserStartsTheHostForOurExtensionsOnly(t *testing.T) {
	for _, row := range []struct {
		say  string
		args []string
		want bool
	}{
		{"Chromium, for ours", []string{chromiumOrigin()}, true},
		{"Chromium on Windows, for ours", []string{chromiumOrigin(), "--parent-window=0"}, true},
		{"Firefox, for ours", []string{"/home/x/.mozilla/native-messaging-hosts/" + hostName + ".json", firefoxID}, true},
		{"Chromium, for another", []string{"chrome-extension://" + strings.Repeat("a", 32) + "/"}, false},
		{"an origin that begins like ours", []string{chromiumOrigin() + "x"}, false},
		{"Firefox, for another", []string{"/x/" + hostName + ".json", "other@example.org"}, false},
		{"Firefox, for another host", []string{"/x/other.json", firefoxID}, false},
		{"a person", []string{"run", firefoxID}, false},
		{"nothing", nil, false},
	} {
		if got := Launched(row.args); got != row.want {
			t.Errorf("%s: %t", row.say, got)
		}
	}
	if id := chromiumID(); len(id) != 32 || strings.Trim(id, "abcdefghijklmnop") != "" {
		t.Errorf("the ID is %q", id)
	}
}

// No page and no other extension can reach ours: they offer nothing, and ask for no right that
// their documentation does not tell.
func TestNoPageReachesTheExtension(t *testing.T) {
	for family, want := range map[string][]string{
		"chromium": {"nativeMessaging", "debugger", "downloads", "alarms"},
		"firefox":  {"nativeMessaging", "tabs", "webNavigation", "downloads", "alarms", "<all_urls>"},
	} {
		text, err := files.ReadFile(family + "/manifest.json")
		if err != nil {
			t.Fatal(err)
		}
		var m map[string]any
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"externally_connectable", "content_scripts", "web_accessible_resources", "host_permissions", "optional_permissions", "content_security_policy"} {
			if m[key] != nil {
				t.Errorf("%s: %s is %v", family, key, m[key])
			}
		}
		var rights []string
		for _, p := range m["permissions"].([]any) {
			rights = append(rights, p.(string))
		}
		if !slices.Equal(rights, want) {
			t.Errorf("%s may %v, want %v", family, rights, want)
		}
		script := "worker.js"
		if family == "firefox" {
			script = "background.js"
			if !strings.Contains(string(text), `"`+firefoxID+`"`) {
				t.Errorf("the ID is not %s", firefoxID)
			}
		}
		code, err := files.ReadFile(family + "/" + script)
		if err != nil {
			t.Fatal(err)
		}
		for _, listens := range []string{"onMessageExternal", "onConnectExternal", "runtime.onMessage", "runtime.onConnect", "eval("} {
			if strings.Contains(string(code), listens) {
				t.Errorf("%s listens: %s", family, listens)
			}
		}
		if !strings.Contains(string(code), `"`+hostName+`"`) {
			t.Errorf("%s has another host than %s", family, hostName)
		}
	}
}

// A browser accepts 1 MB in a message, so a longer one goes in parts that are whole characters.
func TestAMessageIsSentInParts(t *testing.T) {
	for _, want := range []string{`{"id":1}`, `{"x":"` + strings.Repeat("\"ä\n\u2028", 300_000) + `"}`} {
		var out bytes.Buffer
		if _, err := (frameWriter{&out}).Write(append([]byte(want), 0)); err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for more := true; more; {
			text, err := readFrame(&out)
			if err != nil || len(text) > 1_000_000 {
				t.Fatalf("a part of %d bytes: %v", len(text), err)
			}
			var p part
			if err := json.Unmarshal(text, &p); err != nil {
				t.Fatal(err)
			}
			got.WriteString(p.Part)
			more = p.More
		}
		if got.String() != want {
			t.Errorf("%d bytes came, want %d", got.Len(), len(want))
		}
	}
}

// What is no message of our extension ends the host.
func TestAHostRefusesStrangeMessages(t *testing.T) {
	frame := func(text string) string {
		return string(binary.LittleEndian.AppendUint32(nil, uint32(len(text)))) + text
	}
	for say, text := range map[string]string{
		"nothing": "", "no JSON": frame("x"), "a name that is a path": frame(`{"hello":"../x"}`), "no name": frame(`{}`),
		"a message that never comes": "\xff\xff\xff\xff", "half a message": frame(`{"hello":"chromium"}`)[:8],
	} {
		if name, err := readHello(bufio.NewReader(strings.NewReader(text))); err == nil {
			t.Errorf("%s: it is of %q", say, name)
		}
	}
}

func TestDisplaysAreComparedByTheirNames(t *testing.T) {
	for from, want := range map[string]string{":0": ":0", ":0.0": ":0", "wayland-0": "wayland-0", "/run/user/1/wayland-1": "wayland-1", "": "", "host.example:1.2": "host.example:1"} {
		if got := displayName(from); got != want {
			t.Errorf("%q is %q, want %q", from, got, want)
		}
	}
}
