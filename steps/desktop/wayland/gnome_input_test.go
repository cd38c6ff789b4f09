//go:build linux

package wayland

import (
	"context"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/google/go-cmp/cmp"

	"understudy/steps/desktop"
	"understudy/steps/desktop/wayland/wire"
)

// deafShell is a GNOME Shell whose active application does not listen to input methods.
type deafShell struct {
	dbus.BusObject
	committed []string
}

func (s *deafShell) CallWithContext(_ context.Context, method string, _ dbus.Flags, args ...any) *dbus.Call {
	switch strings.TrimPrefix(method, gnomeExtension+".") {
	case "Commit":
		s.committed = append(s.committed, args[0].(string))
		return &dbus.Call{Body: []any{false}}
	case "Plain":
		return &dbus.Call{Body: []any{false}}
	case "Settle":
		return &dbus.Call{Body: []any{int32(0), int32(0)}}
	}
	return &dbus.Call{}
}

func (s *deafShell) Go(_ string, _ dbus.Flags, done chan *dbus.Call, _ ...any) *dbus.Call {
	c := &dbus.Call{Done: done}
	done <- c
	return c
}

// What an application does not take as from an input method is pasted, also behind a line end,
// which is a key.
func TestATextBehindALineEndIsPasted(t *testing.T) {
	shell, clips := &deafShell{}, &notedClipboard{}
	k := &gnomeKeys{keyboard: &keyboard{down: map[desktop.Key]stroke{}}, gnome: &gnome{shell: shell, remote: shell}}
	k.keyboard.keys = k
	k.keyboard.Driver = &Driver{conn: &wire.Conn{}}
	k.keyboard.clipboard.selection = clips
	if err := k.commit(t.Context(), "\nä\nö"); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"ä"}, shell.committed) + cmp.Diff([]string{"ä\nö", "before"}, clips.texts); diff != "" {
		t.Errorf("what was committed, and the texts on the clipboard (-want +got):\n%s", diff)
	}
}
