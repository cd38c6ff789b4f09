package kinds

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
	"understudy/steps"
)

// happening does a call of its own, and returns what it says happened.
func happening(t *testing.T, f *fake.Desktop, k steps.Kind, pairs ...any) string {
	t.Helper()
	env := seeing(f)
	env.Effects = true
	o := k.Run(t.Context(), env, args(pairs...))
	if o.Err != nil {
		t.Fatal(o.Err)
	}
	text, _ := o.Result["happened"].(string)
	return text
}

// A script asks its next question by a program that has to start first.
func TestTheWindowAfterTheLastOneIsAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ok := fake.Button("OK")
		code := fake.Dialog("Code", "asks", ok)
		f := fake.New(code)
		defer f.Close()
		ok.OnClick(func() {
			f.Remove(code)
			f.After(time.Second, func() { f.Open(fake.Dialog("Refused", "tells", fake.Label("Only digits"))) })
		})
		got := happening(t, f, ClickElement, "selector", "name:OK")
		for _, want := range []string{`opened: window "Refused" of tells`, `label "Only digits"`, `closed: window "Code" of asks`} {
			if !strings.Contains(got, want) {
				t.Errorf("%q is missing in\n%s", want, got)
			}
		}
	})
}

func TestAPopupThatTookThePressIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		save := fake.Button("Save")
		f := fake.New(fake.Window("Save As", "editor", save).At(0, 0, 400, 300))
		defer f.Close()
		list := fake.Window("Names", "editor").At(500, 500, 100, 100).Popup(true)
		f.Open(list)
		save.OnClick(func() { f.Remove(list) })
		got := happening(t, f, ClickElement, "selector", "name:Save")
		if want := `closed: popup "Names" of editor, which may have taken the click: nothing else changed`; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// A browser shows its window before its page has come.
func TestAPageIsAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fake.New(fake.Window("Desk", "shell"))
		defer f.Close()
		f.Install("browser", func() *fake.Node {
			page := fake.El("document", "")
			time.AfterFunc(time.Second, func() { f.Add(page, fake.El("link", "open 1")) })
			return fake.Window("Shop", "browser", page)
		})
		env := seeing(f)
		env.Effects = true
		o := OpenApplication.Run(t.Context(), env, args("app_name", "browser"))
		if tree, _ := o.Result["ui_tree"].(string); !strings.Contains(tree, `link "open 1"`) {
			t.Errorf("the page is not shown:\n%s\n%v", tree, o.Err)
		}
	})
}

// onceGone does something before the first focus that is asked for, and finds no element.
type onceGone struct {
	desktop.Actor
	first func()
}

func (o *onceGone) Do(ctx context.Context, a desktop.Action) error {
	if _, focus := a.(desktop.GrabFocus); focus && o.first != nil {
		o.first()
		o.first = nil
		return desktop.ErrNotFound
	}
	return o.Actor.Do(ctx, a)
}

// A page that loads replaces the field that was found.
func TestReplacedElementIsSearchedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		old := fake.El("entry", "Name")
		page := fake.Window("Form", "browser", old)
		f := fake.New(page)
		defer f.Close()
		env := seeing(f)
		env.Desktop.Actor = &onceGone{env.Desktop.Actor, func() {
			f.Remove(old)
			f.After(100*time.Millisecond, func() { f.Add(page, fake.El("entry", "Name")) })
		}}
		o := TypeIntoElement.Run(t.Context(), env, args("selector", "role:entry && name:Name", "text_to_type", "Ada"))
		if o.Err != nil || text(f, "name:Name") != "Ada" {
			t.Errorf("the field holds %q: %v", text(f, "name:Name"), o.Err)
		}
	})
}
