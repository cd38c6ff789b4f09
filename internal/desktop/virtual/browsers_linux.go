package virtual

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"understudy/internal/desktop"
	"understudy/internal/desktop/devtools"
)

// Browsers lists the browsers on the desktop that its keeper is connected to. A keeper of an
// earlier release is connected to none.
func (a *Attachment) Browsers(context.Context) ([]desktop.BrowserProcess, error) {
	got, err := ask(a.Kept, question{Do: doBrowsers, Birth: a.Birth})
	if err != nil && got.Error == "" {
		return nil, noAnswer(a.Name, err)
	}
	return got.Browsers, nil
}

// Browse connects to one of them.
func (a *Attachment) Browse(_ context.Context, pid int) (desktop.Browser, error) {
	conn, err := dialControl(a.Kept)
	if err != nil {
		return nil, noAnswer(a.Name, err)
	}
	r := bufio.NewReader(conn)
	if _, err := exchange(conn, r, question{Do: doBrowse, Birth: a.Birth, Browser: pid}); err != nil {
		conn.Close()
		return nil, fmt.Errorf("the browser with the process ID %d: %w (%w)", pid, desktop.ErrNotFound, err)
	}
	return devtools.NewClient(struct {
		io.Reader
		io.WriteCloser
	}{r, conn}), nil
}
