package virtual

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"understudy/internal/desktop"
	"understudy/internal/desktop/wayland"
)

// noRoot fails if this user cannot start sway.
func noRoot() error {
	if os.Geteuid() != 0 {
		return nil
	}
	return &desktop.MissingError{What: "sway refuses to run as root", Mend: "start Understudy as another user"}
}

// startSway starts a headless session of Wayland, without XWayland. Sway is its own window
// manager.
func (d *Display) startSway(ctx context.Context, o Options) error {
	config := fmt.Sprintf("output * resolution %s\nxwayland disable\ndefault_border normal\nfocus_on_window_activation focus\n"+
		"exec sh -c 'echo \"$WAYLAND_DISPLAY\" >&3'\n", d.screen)
	if o.Layout != "" {
		config += fmt.Sprintf("input type:keyboard xkb_layout %q\n", o.Layout)
	}
	file := d.folder.path("sway")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		return err
	}
	name, err := d.announce(ctx, "sway", "-c", file)
	if err != nil {
		return err
	}
	d.name = filepath.Join(d.folder.path("run"), name)
	if err := d.ownTmp(o.Share); err != nil {
		return err
	}
	return d.startBus(ctx)
}

// swayEnv returns the variables that lead programs to a session of sway, and keep sway itself from
// using a graphics card.
func (d *Display) swayEnv() []string {
	env := []string{
		"DISPLAY=", "XAUTHORITY=", "WAYLAND_DISPLAY=" + d.name,
		"XDG_SESSION_TYPE=wayland", "XDG_CURRENT_DESKTOP=sway", "GDK_BACKEND=wayland", "QT_QPA_PLATFORM=wayland",
	}
	if d.name != "" {
		return append(env, "SWAYSOCK=") // so that the session of the user is not used
	}
	return append(env, "WLR_BACKENDS=headless", "WLR_LIBINPUT_NO_DEVICES=1", "WLR_RENDERER=pixman")
}

// closeSurfaces asks all windows of a session of Wayland to close, and returns when each is gone
// or its application has had time for that. It returns the processes among those seen whose
// windows are gone.
func (d *Display) closeSurfaces(seen map[process]bool) (owners []process) {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	session, err := wayland.Open(ctx, wayland.Options{Display: d.name})
	if err != nil {
		return nil
	}
	defer session.Close()
	windows, err := session.Windows(ctx)
	if err != nil {
		return nil
	}
	var closing sync.WaitGroup
	for _, w := range windows {
		closing.Go(func() { _ = session.Do(ctx, desktop.Manage{Window: w.ID, Do: desktop.Close}) })
	}
	closing.Wait()
	left, err := session.Windows(ctx)
	if err != nil {
		return nil
	}
	for p := range seen {
		has := func(all desktop.Windows) bool { return len(all.Of(desktop.Scope{PID: p.PID})) > 0 }
		if has(windows) && !has(left) {
			owners = append(owners, p)
		}
	}
	return owners
}
