package cli

import (
	"bytes"
	"context"

	"understudy/mcpserver/viewer"
	"understudy/recorder"
	"understudy/recorder/compile"
	"understudy/recorder/watch"
)

// servePage serves the recording as a page on this machine, until the command ends.
func (r *recording) servePage(ctx context.Context, s *watch.Session) error {
	o := r.compileOptions(&r.compileFlags, r.events)
	o.Ask = nil // the page asks
	page := viewer.NewRecording(s, viewer.RecordingOptions{
		Name: o.Name, Pictures: picturesOf(r.events),
		Make: func(seen []recorder.Event) (compile.Made, error) { return compile.Recording(seen, o) },
		Write: func(w compile.Made) error {
			if _, err := r.checked(w.Text, r.File); err != nil {
				return err
			}
			return writeDocument(r.File, w.Text)
		},
		Play: r.playOnPage,
	})
	at, end, err := servePages("127.0.0.1:0", page)
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, end)
	r.tell("its steps are at %s", page.Address(at.String()))
	return nil
}

// playOnPage plays the whole recording on a virtual desktop, or its steps from one on
// where they were recorded, and returns the output.
func (r *recording) playOnPage(ctx context.Context, from string, secrets map[string]string) string {
	var said bytes.Buffer
	player := *r.app
	player.out, player.errOut = &said, &said
	args := []string{"--display", "virtual"}
	if from != "" {
		args = []string{"--display", r.Display, "--from", from}
	}
	if err := r.play(ctx, &player, secrets, args...); err != nil {
		player.end(err)
	}
	return said.String()
}
