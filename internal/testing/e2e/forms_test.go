//go:build linux

package e2e

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"understudy/steps"
)

// toolkit is one in which the same form is made: what the programs of testdata/forms
// write into the log of the witness is all that is known of what reached it.
type toolkit struct {
	name   string
	needs  []string
	setup  func(*stage)
	inputs []string // how its controls are found, where not as in the others
	menu   string   // the role of its menu, if it has one
	rest   string   // what it sends after the customer, where not what the others do
	// lacks are the scenarios that cannot be told apart from outside, with the reason.
	lacks map[string]string
	// fails are the scenarios that end so, with the code.
	fails map[string]steps.Code
}

// runs makes the program form known: a command with the files of the form and the log.
func runs(command, form string) func(*stage) {
	return func(s *stage) {
		s.script("form", fmt.Sprintf("exec "+command, s.testdata(filepath.Join("forms", form)), filepath.Join(s.dir, "witness.log")))
	}
}

const python = "/usr/bin/python3"

// besideSize finds a combo box that is called what is chosen in it.
const besideSize = "role:combobox && rightof:(role:label && name:Size)"

func theToolkits() []toolkit {
	modules := "/usr/lib/python3/dist-packages/"
	field := func(selector string) []string { return []string{"-i", "field=" + selector} }
	size := func(selector string) []string { return []string{"-i", "size=" + selector} }
	amount := func(selector string) []string { return []string{"-i", "amount=" + selector} }
	return []toolkit{
		{name: "Qt 6", needs: []string{python, modules + "PyQt6"}, setup: runs(python+" %q %q", "qt6.py"), inputs: size(besideSize), menu: "menuitem"},
		{name: "GTK 4", needs: []string{python}, setup: runs(python+" %q %q", "gtk4.py")},
		{name: "libadwaita", needs: []string{python}, setup: runs(python+" %q %q adwaita", "gtk4.py")},
		{name: "wxWidgets", needs: []string{python, modules + "wx"}, setup: runs(python+" %q %q", "wxform.py"), inputs: size(besideSize), menu: "menu"},
		{
			name: "Swing", needs: []string{"bsh", "/usr/share/java/java-atk-wrapper.jar"}, inputs: slices.Concat(amount(""), size(besideSize)), rest: "True|Large|0",
			// Java takes no key for a character outside the first plane of Unicode.
			fails: map[string]steps.Code{"text of many scripts": steps.Unexpected},
			setup: runs("/usr/lib/jvm/java-17-openjdk-*/bin/java -Djavax.accessibility.assistive_technologies=org.GNOME.Accessibility.AtkWrapper -cp /usr/share/java/bsh.jar:/usr/share/java/java-atk-wrapper.jar bsh.Interpreter %q %q", "swing.bsh"),
		},
		{
			name: "QML", needs: []string{"/usr/lib/qt6/bin/qml"},
			setup:  runs(`bash -c 'QT_FORCE_STDERR_LOGGING=1 exec /usr/lib/qt6/bin/qml "$0" 2> >(sed -un "s/^qml: //p" >>"$1")' %q %q`, "order.qml"),
			inputs: slices.Concat(amount(""), size("")), rest: "True|Small|0", menu: "menubar",
			lacks: map[string]string{
				"a disabled button":      "Qt Quick says of a disabled button that it is enabled",
				"send without the mouse": "a button of Qt Quick 6.4 says that it was pressed, and was not",
			},
		},
		{name: "a page as an application", needs: []string{"chromium"}, setup: pageAsApplication("forms/app.html"), inputs: field("id:customer")},
	}
}

// pageAsApplication makes the program form known: a page in a window of its own, as
// applications are that bring a browser.
func pageAsApplication(page string) func(*stage) {
	return func(s *stage) {
		p := &site{page: page, log: filepath.Join(s.dir, "witness.log")}
		address := p.serve(s)
		s.script("form", `exec chromium --no-sandbox --no-first-run --password-store=basic --disable-gpu --force-renderer-accessibility ${WAYLAND_DISPLAY:+--ozone-platform=wayland} --app=`+address)
	}
}

// formScenarios play the same workflows in each toolkit.
func formScenarios() []scenario {
	var out []scenario
	for _, k := range theToolkits() {
		row := func(name, workflow string, says string, inputs ...string) {
			if k.lacks[name] != "" {
				return
			}
			c := scenario{
				name: "form: " + k.name + ": " + name, workflow: workflow, needs: k.needs, setup: k.setup,
				flags: slices.Concat(k.inputs, inputs), check: sent(says), stays: sentOrNot(says),
			}
			if code, fails := k.fails[name]; fails {
				c.may, c.must, c.check = []steps.Code{code}, true, sentOrNot("")
			}
			out = append(out, c)
		}
		rest := cmp.Or(k.rest, "True|Large|7")
		row("fill in and send", "form_fill", "sent Ada Lovelace|"+rest)
		row("text of many scripts", "form_fill", "sent "+unicode+"|"+rest, "-i", "customer="+unicode)
		row("send without the mouse", "form_invoke", "sent Grace|False|Small|0")
		if k.menu != "" {
			row("empty a field by the menu and send", "form_menu", "sent |False|Small|0", "-i", "menu=role:"+k.menu+" && name:Edit")
		}
		for _, wrong := range []struct {
			button, name string
			code         steps.Code
		}{
			{"Twin", "two buttons of one name", steps.Ambiguous},
			{"Locked", "a disabled button", steps.NotActionable},
			{"Nothing", "a button that is not there", steps.NotFound},
		} {
			if k.lacks[wrong.name] != "" {
				continue
			}
			out = append(out, scenario{
				name: "form: " + k.name + ": " + wrong.name, workflow: "form_click", needs: k.needs, setup: k.setup,
				flags: []string{"-i", "button=" + wrong.button}, may: []steps.Code{wrong.code}, must: true, check: says("shown", "no clicked", "no sent"),
			})
		}
	}
	return out
}

// sent says what a form sent, once. A form of Chromium sends an empty number as nothing.
func sent(want string) func(*stage) error {
	return func(s *stage) error {
		return eventually(s.t, func() error {
			got := s.log("sent", "clicked")
			if len(got) == 1 && strings.HasPrefix(want, got[0]) && len(want)-len(got[0]) <= 1 {
				return nil
			}
			return fmt.Errorf("the form: wanted %q, found %q", want, got)
		})
	}
}

// sentOrNot says that a form sent this, or nothing.
func sentOrNot(want string) func(*stage) error {
	return func(s *stage) error {
		if len(s.log("sent", "clicked")) == 0 {
			return nil
		}
		return sent(want)(s)
	}
}
