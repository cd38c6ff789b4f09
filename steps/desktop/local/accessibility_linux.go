package local

import (
	"context"
	"errors"

	"understudy/steps/desktop"
	"understudy/steps/desktop/atspi"
)

func (s *session) connectAccessibility(ctx context.Context, d *desktop.Desktop) (accessibility, error) {
	if s.bus == "" {
		return nil, &desktop.MissingError{What: "there is no session bus, so elements cannot be read", Mend: "apt-get install dbus-daemon at-spi2-core"}
	}
	c, err := atspi.Connect(ctx, atspi.Options{
		Bus: s.bus, Windows: d.WindowLister.Windows, ScreenReader: s.virtual, Placeless: s.wayland,
		Activate: func(ctx context.Context, id desktop.WindowID) error {
			return d.Do(ctx, desktop.Manage{Window: id, Do: desktop.Activate})
		},
	})
	if err != nil {
		return nil, errors.Join(&desktop.MissingError{What: "the accessibility bus does not answer", Mend: "apt-get install at-spi2-core"}, err)
	}
	return c, nil
}
