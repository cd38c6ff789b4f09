package extension

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"understudy/internal/desktop"
	"understudy/internal/desktop/devtools"
	"understudy/internal/sandbox"
)

// Host shares the browser that has started this process, whose messages it exchanges, until the
// browser ends.
func Host(in io.Reader, out io.Writer) error {
	dir, err := Dir(os.Environ())
	if err != nil {
		return err
	}
	return host(in, out, dir, socket{PID: os.Getppid(), displays: displays(os.Getenv)})
}

func host(in io.Reader, out io.Writer, dir string, s socket) error {
	r := bufio.NewReaderSize(in, 64<<10)
	var err error
	if s.Name, err = readHello(r); err != nil {
		return err
	}
	l, err := listen(dir, s)
	if err != nil {
		return err
	}
	defer l.Close() // and removes the socket
	b := devtools.NewBroker(frameWriter{out})
	go accept(l, b)
	return b.Run(&frameReader{from: r})
}

// accept serves those that connect, unless they are confined.
func accept(l net.Listener, b *devtools.Broker) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			if sandbox.CheckPeer(conn) != nil {
				conn.Close()
				return
			}
			b.Serve(conn)
		}()
	}
}

var browserName = regexp.MustCompile(`^[a-z-]+$`)

// readHello reads the first message, which names the browser.
func readHello(r io.Reader) (name string, err error) {
	text, err := readFrame(r)
	if err != nil {
		return "", fmt.Errorf("the first message of the extension: %w", err)
	}
	var m struct{ Hello string }
	if err := json.Unmarshal(text, &m); err != nil || !browserName.MatchString(m.Hello) {
		return "", errors.New("the first message is not that of the extension of understudy")
	}
	return m.Hello, nil
}

// listen listens on the socket of a browser, in a folder that only its owner may enter.
func listen(dir string, s socket) (net.Listener, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o700); err != nil { // it is another's
		return nil, err
	}
	path := filepath.Join(dir, s.file())
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// displays returns the displays on which a process with an environment shows windows.
func displays(env func(string) string) (all []string) {
	for _, name := range []string{"DISPLAY", "WAYLAND_DISPLAY"} {
		if d := env(name); d != "" {
			all = append(all, displayName(d))
		}
	}
	return all
}

// displayName normalises the name of a display: it may be a path, or have the number of a screen.
func displayName(display string) string {
	name := display[strings.LastIndexByte(display, '/')+1:]
	if at := strings.LastIndexByte(name, ':'); at >= 0 {
		if screen := strings.IndexByte(name[at:], '.'); screen >= 0 {
			name = name[:at+screen]
		}
	}
	return strings.NewReplacer(",", "_", "+", "_").Replace(name)
}

var _ desktop.BrowserLister = Sockets{}
