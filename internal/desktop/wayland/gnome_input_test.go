//go:build linux

package wayland

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/godbus/dbus/v5"
	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
	"understudy/internal/desktop/wayland/wire"
)

// deafShell is a GNOME Shell whose active application does not listen to input methods.
type deafShell struct {
	dbus.BusObject
	stuck     bool // it does not answer
	committed []string
}

func (s *deafShell) CallWithContext(ctx context.Context, method string, _ dbus.Flags, args ...any) *dbus.Call {
	if s.stuck {
		<-ctx.Done()
		return &dbus.Call{Err: ctx.Err()}
	}
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

// keysOf returns the keys of a shell.
func keysOf(shell *deafShell) *gnomeKeys {
	k := &gnomeKeys{keyboard: &keyboard{down: map[desktop.Key]stroke{}}, gnome: &gnome{shell: shell, remote: shell}}
	k.keyboard.keys = k
	k.keyboard.Driver = &Driver{conn: &wire.Conn{}}
	return k
}

// A key for a shell that does not answer is given up.
func TestAStuckShellIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := keysOf(&deafShell{stuck: true})
		if err := k.setKey(t.Context(), "a", true); !errors.Is(err, desktop.ErrUnresponsive) {
			t.Errorf("got %v, want that it does not answer", err)
		}
	})
}

// What an application does not take as from an input method is pasted, also behind a line end,
// which is a key.
func TestATextBehindALineEndIsPasted(t *testing.T) {
	shell, clips := &deafShell{}, &notedClipboard{}
	k := keysOf(shell)
	k.keyboard.clipboard.selection = clips
	if err := k.commit(t.Context(), "\nä\nö"); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"ä"}, shell.committed) + cmp.Diff([]string{"ä\nö", "before"}, clips.texts); diff != "" {
		t.Errorf("what was committed, and the texts on the clipboard (-want +got):\n%s", diff)
	}
}
