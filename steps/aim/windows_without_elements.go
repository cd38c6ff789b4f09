package aim

import (
	"context"
	"errors"
	"slices"

	"understudy/steps/desktop"
)

// windowsWithoutElements returns a frame for each window whose program exposes no
// elements, so that such a window can be waited for and searched for pictures. roots
// are the elements that are known.
func windowsWithoutElements(ctx context.Context, d *desktop.Desktop, roots []*desktop.Element) (frames []*desktop.Element, err error) {
	windows, err := d.Windows(ctx)
	if errors.Is(err, desktop.ErrUnavailable) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, w := range windows {
		known := slices.ContainsFunc(roots, func(e *desktop.Element) bool { return e.Window == w.ID || e.PID == w.PID && w.PID != 0 })
		if !known && !w.Popup && w.Shows() {
			frames = append(frames, &desktop.Element{
				Role: "frame", Name: w.Title, Process: w.Process, Aliases: w.Aliases, PID: w.PID, Window: w.ID, WindowTitle: w.Title, Bounds: w.Bounds,
				States: desktop.Enabled | desktop.Showing | desktop.Visible,
			})
		}
	}
	return frames, nil
}
