package extension

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/devtools"
)

// A socket is that of the host of one browser. Its file tells all of it.
type socket struct {
	PID      int // of the browser
	displays []string
	Name     string // of the browser
	since    time.Time
}

func (s socket) file() string {
	return fmt.Sprintf("%d,%s,%s", s.PID, strings.Join(s.displays, "+"), s.Name)
}

func parseSocket(file string) (s socket, ok bool) {
	parts := strings.Split(file, ",")
	if len(parts) != 3 {
		return s, false
	}
	pid, err := strconv.Atoi(parts[0])
	return socket{PID: pid, displays: strings.Split(parts[1], "+"), Name: parts[2]}, err == nil
}

// Sockets reaches the browsers of this user that show on a display, by the sockets of their hosts
// in a folder.
type Sockets struct{ Dir, Display string }

// Browsers lists the browsers that run, the latest first.
func (o Sockets) Browsers(ctx context.Context) (all []desktop.BrowserProcess, err error) {
	found, err := o.find(ctx)
	for _, s := range found {
		all = append(all, desktop.BrowserProcess{PID: s.PID, Name: s.Name})
	}
	return all, err
}

// find lists the sockets on which a host listens, and removes those of hosts that were killed.
func (o Sockets) find(ctx context.Context) (all []socket, err error) {
	entries, err := os.ReadDir(o.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		s, ok := parseSocket(e.Name())
		if !ok || !slices.Contains(s.displays, displayName(o.Display)) {
			continue
		}
		conn, err := o.dial(ctx, s)
		if errors.Is(err, syscall.ECONNREFUSED) {
			_ = os.Remove(filepath.Join(o.Dir, e.Name()))
		}
		if err != nil {
			continue
		}
		conn.Close()
		if info, err := e.Info(); err == nil {
			s.since = info.ModTime()
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b socket) int { return b.since.Compare(a.since) })
	return all, err
}

func (o Sockets) dial(ctx context.Context, s socket) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(o.Dir, s.file()))
}

// Browse connects to a browser.
func (o Sockets) Browse(ctx context.Context, pid int) (desktop.Browser, error) {
	all, err := o.find(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(s socket) bool { return s.PID == pid })
	if i < 0 {
		return nil, desktop.ErrNotFound
	}
	conn, err := o.dial(ctx, all[i])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", desktop.ErrNotFound, err)
	}
	return devtools.NewClient(conn), nil
}
