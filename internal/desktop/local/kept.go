package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/virtual"
)

// openKept attaches to a lasting desktop. If it does not exist it is started, unless
// its Birth is given.
func openKept(ctx context.Context, o desktop.Options) (*session, error) {
	k, err := findOrKeep(ctx, o)
	if err != nil {
		return nil, err
	}
	a, err := virtual.Attach(k)
	if err != nil {
		return nil, err
	}
	isWayland := k.Server == virtual.Sway
	r, err := openDriver(ctx, address{display: k.Display, authority: k.Authority(), wayland: isWayland, dir: k.Dir, env: k.Env})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the display %s of desktop %s: %w", k.Display, k.Name, err), a.Close())
	}
	return &session{
		Session: r.Desktop().Session, driver: r, virtual: true, wayland: isWayland, bus: k.Bus, layout: k.Layout, apps: startThere(a), browsers: a, kept: k,
		closers: []func() error{r.Close, a.Close},
	}, nil
}

// othersStart bounds how long another process may take to start the desktop that we
// want too, or to clear away one of its name.
const othersStart = 20 * time.Second

func findOrKeep(ctx context.Context, o desktop.Options) (virtual.Kept, error) {
	for deadline := time.Now().Add(othersStart); ; {
		k, err := virtual.Find(o.Dir, o.Name)
		switch _, newer := errors.AsType[*desktop.MissingError](err); {
		case newer || errors.Is(err, desktop.ErrUnresponsive):
			return k, err
		case o.Birth != "" && (err != nil || k.Birth != o.Birth):
			return k, gone(o)
		case err == nil:
			return k, nil
		}
		k, err = virtual.Keep(ctx, virtual.Options{
			Dir: o.Dir, Screen: o.Screen, Layout: o.Layout, Name: o.Name, Run: o.Run, Owner: o.Owner, Worker: o.Worker, Linger: o.Linger, OwnHome: o.OwnHome, Share: o.Share,
		})
		if !errors.Is(err, fs.ErrExist) || time.Now().After(deadline) {
			return k, err
		}
		if err := desktop.Sleep(ctx, 50*time.Millisecond); err != nil {
			return k, err
		}
	}
}

// startThere starts programs as children of the keeper.
func startThere(a *virtual.Attachment) starter {
	return func(in desktop.Setting, args []string) (*program, error) {
		if in.Dir == "" {
			in.Dir, _ = os.Getwd() // none: the keeper's own
		}
		file, err := lookPath(args[0], in)
		if err != nil {
			return nil, err
		}
		p := newProgram(args)
		pid, ended, err := a.Start(virtual.Program{Args: append([]string{file}, args[1:]...), Env: in.Variables(), Dir: in.Dir}, p.stderr)
		if err != nil {
			return nil, err
		}
		p.pid = pid
		go p.wait(func() error { return <-ended })
		return p, nil
	}
}

// gone returns the error of a lasting desktop that has ended.
func gone(o desktop.Options) error {
	if c, known := virtual.FindClosing(o.Dir, o.Birth); known {
		return &desktop.GoneError{Name: o.Name, Why: "was closed at " + c.At.Local().Format(time.DateTime) + ": " + c.Why}
	}
	return &desktop.GoneError{Name: o.Name, Why: "has ended for an unknown reason"}
}
