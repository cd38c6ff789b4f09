package local_test

import (
	"fmt"
	"strings"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/steps"
	"understudy/steps/kinds"
)

// What a step says it did is so: a field that makes something else of a text, a box that
// does not turn, a list that takes the key, and a place where nothing is are told.
func TestResultsMatchTheApplication(t *testing.T) {
	b := sandboxed(t, 3)
	b.do("entry = Gtk.Entry(); entry.get_accessible().set_name('Sum'); box.pack_start(entry, False, False, 0); entry.show()")
	b.do("entry.connect('changed', lambda e: e.get_text() != e.get_text().upper() and e.set_text(e.get_text().upper()))")
	b.do("stuck = Gtk.CheckButton(label='Stuck'); box.pack_start(stuck, False, False, 0); stuck.show(); stuck.connect('toggled', lambda s: s.get_active() and s.set_active(False))")
	b.do("short = Gtk.Entry(max_length=4); short.get_accessible().set_name('Short'); box.pack_start(short, False, False, 0); short.show()")
	const sum, short = "role:text && name:Sum", "role:text && name:Short"
	fails := func(code steps.Code, says string, k steps.Kind, args ...any) {
		t.Helper()
		o := b.run(k, append(args, "timeout_ms", 30_000.0)...)
		if steps.CodeOf(o.Err) != code || !strings.Contains(o.Err.Error(), says) {
			t.Errorf("%s %v: got %v, wanted %s with %q", k.Name, args, o.Err, code, says)
		}
	}
	tells := func(what string, want any, k steps.Kind, args ...any) {
		t.Helper()
		if o := b.run(k, args...); o.Err != nil || fmt.Sprint(o.Result[what]) != fmt.Sprint(want) {
			t.Errorf("%s %v: got %s %v and %v, wanted %v", k.Name, args, what, o.Result[what], o.Err, want)
		}
	}
	fails(steps.Unexpected, `"ABC"`, kinds.TypeIntoElement, "selector", sum, "text_to_type", "abc")
	tells("value", "DEF", kinds.TypeIntoElement, "selector", sum, "text_to_type", "def", "accept_reformatted", true)
	tells("checked", "yes", kinds.TypeIntoElement, "selector", sum, "text_to_type", "GHI")
	fails(steps.Unexpected, `"1234"`, kinds.TypeIntoElement, "selector", short, "text_to_type", "123456")
	fails(steps.Unexpected, "Stuck", kinds.SetSelected, "selector", "role:checkbox && name:Stuck", "state", true)

	// a list of completions takes the key that ends the text
	b.do("names = Gtk.ListStore(str); [names.append([n]) for n in ('alpha', 'alphabet')]")
	b.do("entry = Gtk.Entry(); entry.get_accessible().set_name('File'); box.pack_start(entry, False, False, 0); entry.show()")
	b.do("c = Gtk.EntryCompletion(model=names, text_column=0, inline_selection=True); entry.set_completion(c)")
	b.well(kinds.TypeIntoElement, "selector", "role:text && name:File", "text_to_type", "alp", "timeout_ms", 30_000.0)
	listOpens := func() {
		t.Helper()
		b.eventually("the list of completions is open", func() (bool, string) {
			windows, err := b.Windows(t.Context())
			b.must(err)
			for _, w := range windows {
				if w.Popup && !w.Tooltip {
					return true, ""
				}
			}
			return false, fmt.Sprint(windows)
		})
	}
	listOpens()
	b.well(kinds.PressKey, "selector", "role:text && name:File", "key", "down")
	b.eventually("a name is chosen", func() (bool, string) {
		o := b.run(kinds.ValidateElement, "selector", "role:cell && state:selected")
		return o.Result["exists"] == true, fmt.Sprint(o.Result, o.Err)
	})
	tells("taken_by", "a list that was open over the field, which closed", kinds.TypeIntoElement,
		"selector", "role:text && name:File", "text_to_type", "{Enter}", "clear_before_typing", false)

	// a list in which nothing is chosen passes the key on, however long the field takes
	b.do("dialog = Gtk.Dialog(title='Named', transient_for=window)")
	b.do("entry.connect('activate', lambda e: GLib.timeout_add(4000, lambda: dialog.show()))")
	b.well(kinds.TypeIntoElement, "selector", "role:text && name:File", "text_to_type", "alp", "timeout_ms", 30_000.0)
	listOpens()
	tells("taken_by", nil, kinds.TypeIntoElement, "selector", "role:text && name:File", "text_to_type", "h{Enter}", "clear_before_typing", false)
	b.well(kinds.WaitForElement, "selector", "role:dialog && name:Named", "timeout_ms", 30_000.0)
	b.do("dialog.destroy()")

	// a role of the toolkit means that one only
	b.do("dialog = Gtk.Dialog(title='Choose', transient_for=window); dialog.add_button('Fine', 1); dialog.get_content_area().add(Gtk.Frame(label='Part')); dialog.show_all()")
	b.well(kinds.WaitForElement, "selector", "role:dialog && name:Choose", "timeout_ms", 30_000.0)
	tree, err := b.Tree(t.Context(), desktop.Scope{Full: true})
	b.must(err)
	for text, some := range map[string]bool{"role:dialog": true, "role:file chooser": false, "role:panel": true, "role:page": false, "role:block quote": false, "role:info bar": false, "role:push button": true, "role:Pane": true} {
		if found := selector.MustParse(text).Find(tree.Roots); len(found) > 0 != some {
			t.Errorf("%s matches %d elements", text, len(found))
		}
	}
	b.do("dialog.destroy()")

	// a bare point where no window is, and keys that no window gets
	tells("on", "desktop", kinds.ClickElement, "x", 3.0, "y", 3.0)
	fails(steps.NotActionable, "expect_window", kinds.ClickElement, "x", 3.0, "y", 3.0, "expect_window", "Sandbox")
	b.do("window.hide()")
	b.eventually("no window is there", func() (bool, string) {
		windows, err := b.Windows(t.Context())
		b.must(err)
		return windows.Active() == nil, fmt.Sprint(windows)
	})
	o := b.run(kinds.TypeText, "text", "nobody hears this")
	if o.Err == nil {
		t.Error("a text that no window gets was typed with success")
	}
}
