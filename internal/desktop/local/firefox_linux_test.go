package local_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/desktop/extension"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
	"understudy/steps"
	"understudy/steps/kinds"
)

// firefoxCommand starts Firefox with a home and a profile of its own; with the extension, it is
// connected.
func firefoxCommand(t *testing.T, connected bool) string {
	t.Helper()
	virtualtest.Need(t, "firefox-esr")
	home := scratch.Dir(t)
	for name, folder := range map[string]string{"HOME": ".", "XDG_CONFIG_HOME": "config", "XDG_DATA_HOME": "share", "XDG_RUNTIME_DIR": "run"} {
		t.Setenv(name, filepath.Join(home, folder))
	}
	profile := filepath.Join(home, "profile")
	installed := filepath.Join(profile, "extensions")
	if err := errors.Join(os.MkdirAll(installed, 0o700), os.WriteFile(filepath.Join(profile, "user.js"), []byte(firefoxPreferences), 0o600)); err != nil {
		t.Fatal(err)
	}
	if connected {
		var manifest struct {
			Settings struct{ Gecko struct{ ID string } } `json:"browser_specific_settings"`
		}
		_, _, err := extension.SetUp()
		made := filepath.Join(home, "share/understudy-extensions/firefox")
		text, failed := os.ReadFile(filepath.Join(made, "manifest.json"))
		if err = cmp.Or(err, failed, json.Unmarshal(text, &manifest)); err == nil {
			err = os.Rename(made+".xpi", filepath.Join(installed, manifest.Settings.Gecko.ID+".xpi"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return "firefox-esr --no-remote --profile " + profile
}

// firefoxPreferences keep Firefox from showing pages of its own, and let it keep an extension that
// Mozilla has not signed.
const firefoxPreferences = `user_pref("browser.aboutwelcome.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("toolkit.telemetry.reportingpolicy.firstRun", false);
user_pref("browser.startup.homepage_override.mstone", "ignore");
user_pref("termsofuse.bypassNotification", true);
user_pref("xpinstall.signatures.required", false);
user_pref("extensions.autoDisableScopes", 0);
`

// dialogPage opens a dialog of its own, and tells what is clicked in it.
const dialogPage = `<!doctype html><title>Dialogs</title><meta charset="utf-8">
<p><a href="#there" onclick="tell('linked')">Linked</a> <button onclick="setTimeout(() => { alert('Sure?'); tell('answered') })">Ask</button></p>
<script>tell = what => navigator.sendBeacon("/", what)</script>`

// While a dialog of a page is open, nothing of the page is clicked, and that is said.
func TestAtLengthADialogOfAPageCoversIt(t *testing.T) {
	for _, b := range []struct {
		name, process string
		command       func(*testing.T) string
	}{
		{"Chromium", "chromium", chromiumCommand},
		{"Chromium, not connected", "chromium", unconnectedChromium},
		{"Firefox, not connected", "firefox", func(t *testing.T) string { return firefoxCommand(t, false) }},
		{"Firefox", "firefox", func(t *testing.T) string { return firefoxCommand(t, true) }},
	} {
		t.Run(b.name, func(t *testing.T) {
			command := b.command(t)
			p, address := servePage(t, dialogPage)
			p.launch(command + " " + address)
			click := func(selector string, limit float64) steps.Outcome {
				return p.act(pageAct{kind: kinds.ClickElement, selector: selector, more: map[string]any{"timeout_ms": limit}}, b.process)
			}
			if o := click("role:button && name:Ask", 120_000); o.Err != nil {
				t.Fatal(o.Err)
			}
			p.does(kinds.WaitForElement, map[string]any{"process": b.process, "selector": "role:button && name:OK", "timeout_ms": 60_000.0})
			o := click("role:link && name:Linked", 3_000)
			if o.Err == nil || o.Acted != steps.ActedNo {
				t.Errorf("a link behind the dialog: acted %s, %v", o.Acted, o.Err)
			}
			t.Logf("behind the dialog: %v", o.Err)
			if o := click("role:button && name:OK", 60_000); o.Err != nil {
				t.Fatal(o.Err)
			}
			p.expect("answered", 1)
			if o := click("role:link && name:Linked", 60_000); o.Err != nil {
				t.Fatal(o.Err)
			}
			p.expect("linked", 1)
		})
	}
}

// A Firefox that a person started is used by its extension, as far as that goes.
func TestAtLengthAFirefoxOfAPersonIsConnected(t *testing.T) {
	command, at := firefoxCommand(t, true), site(t)
	s := &testDesktop{T: t, Desktop: open(t, desktop.Options{Display: "virtual", Dir: scratch.Dir(t)})}
	s.launch(command + " " + at + "/first")
	s.eventually("it is connected", func() bool {
		all, err := s.Browsers(t.Context())
		return err == nil && len(all) == 1 && all[0].Name == "firefox"
	})
	s.does(kinds.WaitForPage, map[string]any{"title": "First", "timeout_ms": 120_000.0})
	run := func(script, frame string) any {
		t.Helper()
		o := s.tries(kinds.ExecuteBrowserScript, map[string]any{"script": script, "frame": frame})
		if o.Err != nil {
			t.Errorf("%s in the frame %q: %v", script, frame, o.Err)
		}
		return o.Result["result"]
	}
	if got := run("return document.title + await 1", ""); got != "First1" {
		t.Errorf("a script returned %v", got)
	}
	if got := run("document.title", "inner"); got != "Frame" {
		t.Errorf("in a frame it returned %v", got)
	}
	o := s.does(kinds.NavigateBrowser, map[string]any{"url": at + "/strict", "timeout_ms": 60_000.0})
	if o.Result["title"] != "Strict" || o.Result["status"] != 200.0 || o.Result["tabs"] != 2.0 || o.Result["window"] == nil {
		t.Errorf("navigating: %v", o.Result)
	}
	if got := run("document.title", ""); got != "Strict" {
		t.Errorf("under a strict policy a script returned %v", got)
	}
	if o := s.does(kinds.ReadPage, map[string]any{}); !strings.Contains(fmt.Sprint(o.Result["text"]), "Nothing runs here") {
		t.Errorf("the page reads %v", o.Result["text"])
	}
	s.does(kinds.NavigateBrowser, map[string]any{"url": at + "/cross", "timeout_ms": 60_000.0})
	if got := run("document.title + ' ' + location.hostname", "deep"); got != "Frame localhost" {
		t.Errorf("in a frame of another site it returned %v", got)
	}
	s.does(kinds.ActivateTab, map[string]any{"tab": "First"})
	if got := run("window.eval(`"+hostile+"`)", ""); got != "undefinedundefined" {
		t.Errorf("a page has the rights of an extension: %v", got)
	}
	if got := run("document.title", ""); got != "First" {
		t.Errorf("a page that lies changed a result: %v", got)
	}
	s.does(kinds.CloseTab, map[string]any{"tab": "Strict"})
	if o := s.does(kinds.ListTabs, map[string]any{}); len(o.Result["tabs"].([]any)) != 2 {
		t.Errorf("the tabs: %v", o.Result)
	}
	s.refused(kinds.NavigateBrowser, map[string]any{"url": "http://host.invalid/", "timeout_ms": 60_000.0}, steps.Unexpected, "there is no such host")
	s.refused(kinds.ExecuteBrowserScript, map[string]any{"script": "\nabsent()", "tab": "First"}, steps.Unexpected, "absent is not defined")
	o = s.does(kinds.NavigateBrowser, map[string]any{"url": at + "/file", "timeout_ms": 60_000.0})
	saved, err := os.ReadFile(fmt.Sprint(o.Result["download"]))
	if string(saved) != "a;b\n" {
		t.Errorf("a download: %q, %v (%v)", saved, err, o.Result)
	}
}
