package cli

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/mcpserver"
	"understudy/recorder"
	"understudy/recorder/watch"
	"understudy/store"
)

// record records the user for the tool record_workflow. Events are stored in the
// data folder as they come, so nothing is lost if the program ends.
func (o *lazyRuns) record(ctx context.Context, keys recorder.Keys, pictures string) (mcpserver.Recording, string, error) {
	d, err := o.watched(ctx)
	if err != nil {
		return nil, "", notReady(err)
	}
	log, file, err := o.recordingLog()
	if err != nil {
		return nil, "", err
	}
	release, err := store.HoldPictures(pictures)
	if err != nil {
		_ = log.Close()
		return nil, "", notReady(err)
	}
	end := func(seen int) {
		_ = log.Close()
		release()
		if seen == 0 {
			_ = os.Remove(file) // it is empty
		}
	}
	s, err := watch.Start(ctx, d, watch.Options{Log: log, Keys: keys, Pictures: pictures})
	if err != nil {
		end(0)
		return nil, "", notReady(err)
	}
	o.recording.Go(func() {
		seen, _ := s.Wait() // the caller who stops it gets the error
		end(len(seen))
	})
	return s, file, nil
}

// watched opens the desktop that a recording watches.
func (o *lazyRuns) watched(ctx context.Context) (*desktop.Desktop, error) {
	if _, err := o.server.Runs(ctx); err != nil {
		return nil, err
	}
	d, err := o.own.Load().Desk.Open(ctx)
	if err == nil {
		err = checkInputDisplay(ctx, d)
	}
	return d, err
}

func (o *lazyRuns) recordingLog() (*recorder.Log, string, error) {
	home, err := o.a.folder()
	if err != nil {
		return nil, "", err
	}
	dir := writtenRecordings(home)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, "", notReady(err)
	}
	file := filepath.Join(dir, recorder.NameAt(time.Now())+recorder.Ending)
	log, err := recorder.CreateLog(file)
	if err != nil {
		return nil, "", notReady(err)
	}
	return log, file, nil
}

// opens returns a function that opens a lasting desktop again, beside its other users.
func (a *app) opens(dir string) func(context.Context, desktop.Info) (*desktop.Desktop, error) {
	return func(ctx context.Context, on desktop.Info) (*desktop.Desktop, error) {
		return a.machine.Open(ctx, desktop.Options{Display: "virtual", Name: on.Name, Birth: on.Birth, Dir: dir})
	}
}

// watchPerson records what a person does on a desktop that they took over. Input from a
// live view counts as the person's: it is sent over another connection than the one
// that records, which ignores only its own input.
func watchPerson(open func(context.Context, desktop.Info) (*desktop.Desktop, error)) func(context.Context, desktop.Info) (engine.EndWatch, error) {
	return func(ctx context.Context, on desktop.Info) (engine.EndWatch, error) {
		d, err := open(ctx, on)
		if err != nil {
			return nil, err
		}
		var s *watch.Session
		if err = checkInputDisplay(ctx, d); err == nil {
			s, err = watch.Start(ctx, d, watch.Options{})
		}
		if err != nil {
			_ = d.Close()
			return nil, err
		}
		return func(secret []string) ([]byte, error) {
			defer d.Close()
			events, _ := s.Stop() // the events before an early end count too
			for _, value := range secret {
				events = recorder.ForgetValue(events, value)
			}
			return recorder.Text(events)
		}, nil
	}
}
