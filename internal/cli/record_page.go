package cli

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"understudy/mcpserver/viewer"
	"understudy/recorder"
	"understudy/recorder/compile"
	"understudy/recorder/watch"
)

// servePage shows a recording on a page of this machine, until the command ends.
func (a *app) servePage(ctx context.Context, s *watch.Session, f *recordFlags, events string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return notReady(fmt.Errorf("the page of the recording: %w", err))
	}
	o := a.compileOptions(&f.make, f.file, events)
	o.Ask = nil // the page asks
	page := viewer.NewRecording(s, viewer.RecordingOptions{
		Name: o.Name, Pictures: picturesOf(events),
		Make: func(seen []recorder.Event) (compile.Made, error) { return compile.Recording(seen, o) },
		Write: func(w compile.Made) error {
			if _, err := a.checked(w.Text, f.file); err != nil {
				return err
			}
			return writeWorkflow(w.Text, f.file)
		},
		Play: func(ctx context.Context, from string, secrets map[string]string) string {
			return a.playOnPage(ctx, f, from, secrets)
		},
	})
	server := &http.Server{Handler: page, ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	go func() { _ = server.Serve(listener) }()
	a.tell("its steps are at %s", page.Address(listener.Addr().String()))
	return nil
}

// playOnPage plays what was recorded: all of it on a virtual desktop, or from a step
// on the one where it was recorded.
func (a *app) playOnPage(ctx context.Context, f *recordFlags, from string, secrets map[string]string) string {
	var said bytes.Buffer
	player := *a
	player.out, player.errOut = &said, &said
	args := []string{"--display", "virtual"}
	if from != "" {
		args = []string{"--display", f.display.display, "--from", from}
	}
	if err := player.try(ctx, f.file, secrets, args...); err != nil {
		player.end(err)
	}
	return said.String()
}
