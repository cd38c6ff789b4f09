//go:build linux

package atspi

import (
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/godbus/dbus/v5"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/internal/testing/scratch"
)

// LibreOffice is the largest tree, and it starts slowly.
func TestAtLengthLibreOfficeWriter(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	d := onDesk(t, "soffice")
	office := d.command("soffice", "--writer", "--norestore", "--nologo", "--nofirststartwizard",
		"-env:UserInstallation=file://"+scratch.Dir(t))
	d.launch(t, office)
	// The process on the bus is a child of the one that was started.
	scope := desktop.Scope{Title: "LibreOffice Writer"}
	look := func(want func(*desktop.Element) bool) *desktop.Element {
		tree, err := d.client.Tree(t.Context(), scope)
		if errors.Is(err, desktop.ErrUnresponsive) { // it starts, on a busy machine
			return nil
		}
		if err != nil {
			t.Fatal(err)
		}
		return find(tree, want)
	}
	eventually(t, "the document shows", func() bool { return look(roles("paragraph")) != nil }, nil)
	scope.Full = true
	golden(t, "libreoffice-writer.golden", func() string {
		tree, err := d.client.Tree(t.Context(), scope)
		if err != nil {
			t.Fatal(err)
		}
		return outline(tree, roles("menubar", "menu", "document", "paragraph", "toolbar"))
	})
	paragraph := look(roles("paragraph"))
	if !inside(paragraph, "document") || paragraph.Window == 0 || !strings.Contains(paragraph.WindowTitle, "Writer") {
		t.Errorf("the paragraph is in the window %d %q, inside a document: %v", paragraph.Window, paragraph.WindowTitle, inside(paragraph, "document"))
	}
	switch err := d.client.Do(t.Context(), desktop.SetText{Element: paragraph.Handle, Text: "Written by a test"}); {
	case errors.Is(err, desktop.ErrRefused):
		t.Log("LibreOffice leaves text to typing")
	case err != nil:
		t.Error(err)
	default:
		eventually(t, "the paragraph holds the text", func() bool {
			e, err := d.client.Refresh(t.Context(), paragraph.Handle)
			return err == nil && e.Text == "Written by a test"
		}, nil)
	}
	field := look(roles("paragraph"))
	for _, text := range []string{"ó😀日", "本", "🙂", "."} {
		if err := d.client.Do(t.Context(), desktop.InsertText{Element: field.Handle, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	if text := look(roles("paragraph")).Text; !strings.Contains(text, "ó😀日本🙂.") {
		t.Errorf("after inserting, the paragraph reads %q", text)
	}
	tree, err := d.client.Tree(t.Context(), scope)
	if err != nil {
		t.Fatal(err)
	}
	files := selector.MustParse("role:menu && name:File").Find(tree.Roots)
	if len(files) != 1 || files[0].Bounds.Empty() || !slices.Contains(files[0].Actions, "Click") {
		t.Errorf("the menus File are %v, want the one that shows", files)
	}
}

// TestAtLengthFocusInASheetIsCheap asks what has the focus while cells of a sheet are
// filled in. Each cell that was asked for stays in the items of LibreOffice.
func TestAtLengthFocusInASheetIsCheap(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	d := onDesk(t, "soffice")
	d.launch(t, d.command("soffice", "--calc", "--norestore", "--nologo", "--nofirststartwizard", "-env:UserInstallation=file://"+scratch.Dir(t)))
	var calls atomic.Int64
	c := d.another(t, func(o *Options) { o.sent = func(*dbus.Message) { calls.Add(1) } })
	sheet := desktop.Scope{Title: "LibreOffice Calc"}
	eventually(t, "the sheet shows", func() bool {
		tree, err := c.Tree(t.Context(), sheet)
		return err == nil && find(tree, named("cell", "B3")) != nil
	}, nil)
	eventually(t, "the sheet lies still, and one cell of it is read where it is", func() bool { return readsOnlyCell(t, c, sheet) }, nil)
	few, err := c.Tree(t.Context(), desktop.Scope{Title: sheet.Title, Full: true, Limit: 400})
	if err != nil {
		t.Fatal(err)
	}
	if find(few, func(e *desktop.Element) bool { return e.Role == "label" && e.Text == "100%" }) == nil {
		t.Errorf("within a limit that leaves room for all but the empty cells, the last text was not read:\n%s", outline(few, roles("table", "cell", "statusbar", "label")))
	}
	look := func(c *Client) (e *desktop.Element, sent int64) {
		t.Helper()
		before := calls.Load()
		f, err := c.SaveFocus(t.Context())
		sent = calls.Load() - before
		if err == nil && f.Element != "" {
			e, _ = c.Refresh(t.Context(), f.Element)
		}
		return e, sent
	}
	cheap := func(role desktop.Role) {
		t.Helper()
		var got *desktop.Element
		eventually(t, string(role)+" has the focus", func() bool { got, _ = look(c); return got != nil && got.Role == role }, &got)
		if e, n := look(c); e == nil || e.Role != role || n > 100 {
			t.Errorf("looking for the focus took %d calls and found %v, want %s in at most 100", n, e, role)
		}
	}
	d.keys(t, "Down")
	cheap("table")
	d.keys(t, "7")
	cheap("paragraph")
	d.keys(t, "Return")
	cheap("table")
	fresh := d.another(t, func(o *Options) { o.sent = func(*dbus.Message) { calls.Add(1) } })
	if e, n := look(fresh); e == nil || e.Role != "table" || n > 2_000 { // it has heard of no focus
		t.Errorf("looking for the focus for the first time took %d calls and found %v, want the table in at most 2,000", n, e)
	}
}

// readsOnlyCell reports whether a sheet can be read with no cells but the one at a point.
func readsOnlyCell(t *testing.T, c *Client, sheet desktop.Scope) bool {
	t.Helper()
	cells := func(s desktop.Scope) (all []*desktop.Element) {
		s.Full = true
		tree, err := c.Tree(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		tree.Walk(func(e *desktop.Element) bool {
			if e.Role == "cell" {
				all = append(all, e)
			}
			return true
		})
		return all
	}
	shown := cells(sheet)
	b3 := shown[slices.IndexFunc(shown, named("cell", "B3"))]
	isB3 := func(all []*desktop.Element) bool {
		return len(all) == 1 && all[0].Name == "B3" && all[0].Bounds == b3.Bounds && all[0].Parent.Note != ""
	}
	at := b3.Bounds.Center()
	alone, err := c.Refresh(t.Context(), b3.Handle)
	return err == nil && alone.Bounds == b3.Bounds && isB3(cells(desktop.Scope{Title: sheet.Title, CellAt: &at})) && isB3(cells(desktop.Scope{Root: b3.Parent.Handle, CellAt: &at})) &&
		len(cells(desktop.Scope{Title: sheet.Title, CellAt: &desktop.Point{}})) == 0
}
