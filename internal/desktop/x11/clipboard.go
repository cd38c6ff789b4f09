//go:build linux

package x11

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xfixes"
	"github.com/jezek/xgb/xproto"

	"understudy/internal/desktop"
)

// clipboard reads and writes the clipboard through xclip.
type clipboard struct{ *Driver }

// ReadClipboard returns the text of the clipboard, "" if it is empty. It fails with
// desktop.ErrRefused if the clipboard holds something other than text. The owner of the
// clipboard, another program, may be stuck; the wait for it is bounded.
func (c clipboard) ReadClipboard(ctx context.Context) (string, error) {
	if err := c.Ping(ctx); err != nil {
		return "", err
	}
	for {
		before, err := query(ctx, c.Driver, (*xConn).clipboardOwner)
		if err != nil {
			return "", err
		}
		out, complaint, err := c.xclip(ctx, nil, "-o", "-target", "UTF8_STRING")
		switch {
		case err == nil && !utf8.ValidString(out): // of an old program
			return latin1([]byte(out)), nil
		case err == nil:
			return out, nil
		case !strings.Contains(complaint, "not available"):
			return "", fmt.Errorf("reading the clipboard: %w", err)
		}
		now, err := query(ctx, c.Driver, (*xConn).clipboardOwner)
		switch {
		case err != nil || now == 0:
			return "", err
		case now == before:
			return "", fmt.Errorf("%w: the clipboard holds something that is no text", desktop.ErrRefused)
		}
		// Another program took it meanwhile, which may not have been asked.
	}
}

// write puts text on the clipboard. It stays there when we end, until another program takes
// the clipboard or the display ends.
func (c clipboard) write(ctx context.Context, text string) error {
	l, err := c.live(ctx)
	if err != nil {
		return err
	}
	before, err := ask(ctx, l, l.clipboardOwner)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("xclip did not take the clipboard: %w", desktop.ErrUnresponsive))
	defer cancel()
	if _, _, err := c.xclip(ctx, strings.NewReader(text), "-i"); err != nil {
		return fmt.Errorf("writing the clipboard: %w", err)
	}
	// xclip returns a moment before the process that it leaves behind owns the clipboard.
	for {
		now, err := ask(ctx, l, l.clipboardOwner)
		if err != nil || now != before && now != 0 {
			return err
		}
		if err := desktop.Sleep(ctx, time.Millisecond); err != nil {
			return err
		}
	}
}

// clipboardOwner returns the window that owns the clipboard, or 0.
func (l *xConn) clipboardOwner() (xproto.Window, error) {
	r, err := xproto.GetSelectionOwner(l.x, l.atom("CLIPBOARD")).Reply()
	if err != nil {
		return 0, err
	}
	return r.Owner, nil
}

// watchClipboard calls f whenever a program takes the clipboard, if the server tells that.
func (l *xConn) watchClipboard(f func()) {
	if !l.has["XFIXES"] {
		return
	}
	l.taken.Store(&f)
	_, _ = xfixes.QueryVersion(l.x, 2, 0).Reply() // a client that does not ask for one is refused
	xfixes.SelectSelectionInput(l.x, l.root, l.atom("CLIPBOARD"), xfixes.SelectionEventMaskSetSelectionOwner)
}

// clipboardTaken handles an event of XFIXES.
func (l *xConn) clipboardTaken(ev otherEvent) {
	if owner := xgb.Get32(ev[8:]); owner != 0 {
		(*l.taken.Load())()
	}
}

// xclip runs xclip in a process group of its own and kills the group if it takes too long. When
// writing, xclip leaves a process behind that holds the text, so it must not share a pipe with
// us that we would wait for.
func (c clipboard) xclip(ctx context.Context, in *strings.Reader, args ...string) (out, complaint string, err error) {
	path, err := exec.LookPath("xclip")
	if err != nil {
		return "", "", &desktop.MissingError{What: "the program xclip is missing", Mend: "apt-get install xclip"}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("the program that owns the clipboard did not answer: %w", desktop.ErrUnresponsive))
	defer cancel()
	cmd := exec.CommandContext(ctx, path, append([]string{"-selection", "clipboard"}, args...)...)
	cmd.Env = append(os.Environ(), "DISPLAY="+c.options.Display)
	if c.options.Authority != "" {
		cmd.Env = append(cmd.Env, "XAUTHORITY="+c.options.Authority)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = grace
	var stdout, stderr bytes.Buffer
	if in != nil {
		cmd.Stdin = in
	} else {
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
	}
	err = cmd.Run()
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return stdout.String(), stderr.String(), err
}
