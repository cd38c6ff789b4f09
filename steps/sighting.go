package steps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"path/filepath"
	"slices"

	"understudy/steps/desktop"
	"understudy/steps/desktop/selector"
	"understudy/steps/desktop/vision"
)

// likeness is how like a picture a place of the screen must be.
const likeness = 0.9

// largestPicture is how many pixels a picture that is looked for may have.
const largestPicture = 32 << 20

// place is where a picture may be on the screen, and in which window.
type place struct {
	vision.Match
	window *desktop.Window
}

// pictured is what a picture's element was recognised by.
type pictured struct {
	template image.Image
	likeness float64
}

// pictureQuery looks for a picture inside the window that is meant.
func pictureQuery(w Within, file Path, least float64) (query, error) {
	within, err := w.selector()
	if err != nil {
		return query{}, err
	}
	s, err := selector.In(within, selector.Picture(string(file)))
	if err != nil {
		return query{}, &Error{Code: Invalid, Err: err}
	}
	return query{within: w, first: []*selector.Selector{s}, likeness: least}, nil
}

// lookForPicture looks for the picture that a selector ends with, on the whole
// screen or in what the rest of the selector matches. What it finds is an
// element with a box and without a handle: no application can be asked for it.
func (e *Env) lookForPicture(ctx context.Context, s *selector.Selector, file Path, m manner) (sight, error) {
	template, err := e.template(file)
	if err != nil {
		return sight{}, err
	}
	seen := sight{selector: s}
	var inside []*desktop.Element
	if within := s.Within(); within != nil {
		outer, err := e.look(ctx, []*selector.Selector{within}, manner{})
		if err != nil {
			return outer, err
		}
		if inside = outer.found; len(inside) == 0 {
			bare, err := e.bareWindows(ctx, outer.roots)
			if inside = within.Find(bare); err != nil || len(inside) == 0 {
				return outer, err
			}
		}
		if len(inside) == 1 { // a picture is only where it shows
			if err := e.front(ctx, m.windows, inside[0].Window); err != nil {
				return sight{}, err
			}
		}
	}
	if m.likeness == 0 {
		m.likeness = likeness
	}
	seen.places, seen.why, err = e.places(ctx, template, inside, m)
	if err != nil || seen.why != nil {
		return seen, err
	}
	best := seen.places
	var several *vision.AmbiguousError
	if _, err := vision.One(matches(best), vision.Options{Threshold: m.likeness}); errors.As(err, &several) {
		seen.why, best = err, best[:len(several.Matches)]
	} else {
		best = best[:1]
	}
	for _, p := range best {
		el := p.element(file)
		e.remember(el, pictured{template, m.likeness})
		seen.found = append(seen.found, el)
	}
	return seen, nil
}

// template reads a picture from a file.
func (e *Env) template(file Path) (image.Image, error) {
	s, err := e.spotIn(slices.Concat(e.Roots, e.PictureRoots), file, "")
	if err != nil {
		return nil, err
	}
	defer s.close()
	f, _, err := s.open()
	if err != nil { // looking again will not bring the file
		return nil, &Error{Code: Invalid, Err: fmt.Errorf("the picture to look for: %w", err), Next: "relative paths start in " + e.abs("")}
	}
	defer f.Close()
	size, err := png.DecodeConfig(f)
	if err == nil && size.Width*size.Height > largestPicture {
		return nil, Errorf(Invalid, "%s has %d by %d pixels, which is larger than any screen", s.path, size.Width, size.Height)
	}
	if err == nil {
		_, err = f.Seek(0, 0)
	}
	if err != nil {
		return nil, Errorf(Invalid, "%s is not a PNG picture: %w", s.path, err)
	}
	p, err := png.Decode(f)
	if err != nil {
		return nil, Errorf(Invalid, "%s is not a PNG picture: %w", s.path, err)
	}
	return p, nil
}

// places are where a picture is, the best first, inside some elements or
// anywhere; why says that it is nowhere. A place in an element counts only
// where the element's own window is on top.
func (e *Env) places(ctx context.Context, template image.Image, inside []*desktop.Element, m manner) (found []place, why, err error) {
	screen, err := e.screen(ctx)
	if err != nil {
		return nil, nil, err
	}
	if m.region != nil {
		screen = m.region.Intersect(screen)
	}
	windows, err := e.Desktop.Windows.Windows(ctx)
	if err != nil && !errors.Is(err, desktop.ErrUnavailable) {
		return nil, nil, fmt.Errorf("listing the windows: %w", err)
	}
	if inside == nil {
		inside = []*desktop.Element{{Bounds: screen}}
	}
	why = &vision.AbsentError{Wanted: m.likeness}
	for _, el := range inside {
		all, absent, err := e.matchesIn(ctx, template, el.Bounds.Intersect(screen), m.likeness)
		if err != nil {
			return nil, nil, err
		}
		if absent != nil {
			why = absent
		}
		for _, match := range all {
			top := windowAt(windows, match.Bounds.Center())
			if el.Window != 0 && top != nil && top.ID != el.Window && !ownPopup(windows, el, top) {
				why = fmt.Errorf("the picture is at %s, but in the window %q, which covers the one that is meant", match.Bounds, top.Title)
				continue
			}
			if !slices.ContainsFunc(found, func(p place) bool { return p.Bounds == match.Bounds }) {
				found = append(found, place{match, top})
			}
		}
	}
	if len(found) > 0 {
		why = nil
	}
	slices.SortStableFunc(found, func(a, b place) int { return cmp.Compare(b.Likeness, a.Likeness) })
	return found, why, nil
}

// matchesIn looks for a picture in an area of the screen.
func (e *Env) matchesIn(ctx context.Context, template image.Image, area desktop.Rect, least float64) (all []vision.Match, absent, err error) {
	if area.Empty() {
		return nil, nil, nil
	}
	p, err := e.Desktop.Capture(ctx, area)
	if err != nil {
		return nil, nil, fmt.Errorf("taking a picture: %w", err)
	}
	all, err = vision.All(p, template, vision.Options{Threshold: least})
	if near, ok := errors.AsType[*vision.AbsentError](err); ok && !near.Nearest.Bounds.Empty() {
		near.Nearest.Bounds.X += area.X
		near.Nearest.Bounds.Y += area.Y
	}
	for i := range all {
		all[i].Bounds.X += area.X
		all[i].Bounds.Y += area.Y
	}
	return all, err, nil
}

func matches(places []place) []vision.Match {
	all := make([]vision.Match, len(places))
	for i, p := range places {
		all[i] = p.Match
	}
	return all
}

// screen is the area of all monitors together.
func (e *Env) screen(ctx context.Context) (desktop.Rect, error) {
	monitors, err := e.Desktop.Monitors(ctx)
	if err != nil {
		return desktop.Rect{}, fmt.Errorf("asking for the size of the screen: %w", err)
	}
	return bounds(monitors), nil
}

// element is a place as an element.
func (p place) element(file Path) *desktop.Element {
	el := &desktop.Element{
		Role: "image", Name: filepath.Base(string(file)), Bounds: p.Bounds,
		States: desktop.Enabled | desktop.Showing | desktop.Visible,
	}
	if w := p.window; w != nil {
		el.Window, el.WindowTitle, el.Process, el.PID = w.ID, w.Title, w.Process, w.PID
	}
	return el
}

// remember keeps by what an element was recognised, to recognise it again.
func (e *Env) remember(el *desktop.Element, p pictured) {
	if e.seen == nil {
		e.seen = map[*desktop.Element]pictured{}
	}
	e.seen[el] = p
}

// again is an element as it is now. A picture must still be where it was.
func (e *Env) again(ctx context.Context, el *desktop.Element) (*desktop.Element, error) {
	p, ok := e.seen[el]
	if !ok {
		return e.Desktop.Refresh(ctx, el.Handle)
	}
	all, absent, err := e.matchesIn(ctx, p.template, el.Bounds, p.likeness)
	switch {
	case err != nil:
		return nil, err
	case absent != nil:
		return nil, absent
	case len(all) == 0:
		return nil, desktop.ErrNotFound
	}
	return el, nil
}

// pictureError says why a picture is not in exactly one place.
func (s sight) pictureError() error {
	err := &Error{Code: NotFound, Err: fmt.Errorf("%s: %w", s.selector, s.why), Candidates: s.tried, Next: "look at the screen with capture_screenshot; take the picture anew, or lower the threshold"}
	if len(s.found) > 1 {
		err.Code = Ambiguous
		err.Next = "use a picture of a larger part, or say in which window to look"
	}
	for _, el := range s.found {
		err.Candidates = append(err.Candidates, Candidate{Selector: "pos:" + el.Bounds.Center().String(), Matches: 1, Element: fmt.Sprintf("the picture at %s", el.Bounds)})
	}
	return err
}
