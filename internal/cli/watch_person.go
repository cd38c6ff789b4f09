package cli

import (
	"context"

	"understudy/engine"
	"understudy/recorder"
	"understudy/recorder/watch"
	"understudy/steps/desktop"
)

// opens opens a desktop that lasts once more, beside whoever uses it.
func (a *app) opens(dir string) func(context.Context, desktop.Info) (*desktop.Desktop, error) {
	return func(ctx context.Context, on desktop.Info) (*desktop.Desktop, error) {
		return a.machine.Open(ctx, desktop.Options{Display: "virtual", Name: on.Name, Birth: on.Birth, Dir: dir})
	}
}

// watchPerson records what a person does on a desktop that he took over. What comes
// through a live view is his: it is sent over another connection than the one on which
// he is watched, which leaves out only what it sends itself.
func watchPerson(open func(context.Context, desktop.Info) (*desktop.Desktop, error)) func(context.Context, desktop.Info) (engine.EndWatch, error) {
	return func(ctx context.Context, on desktop.Info) (engine.EndWatch, error) {
		d, err := open(ctx, on)
		if err != nil {
			return nil, err
		}
		if err = heard(ctx, d); err != nil {
			_ = d.Close()
			return nil, err
		}
		s, err := watch.Start(ctx, d, watch.Options{})
		if err != nil {
			_ = d.Close()
			return nil, err
		}
		return func(secret []string) ([]byte, error) {
			defer d.Close()
			events, _ := s.Stop() // what was seen before it ended early counts too
			for _, value := range secret {
				events = recorder.ForgetValue(events, value)
			}
			return recorder.Text(events)
		}, nil
	}
}
