package aim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"path/filepath"
	"slices"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/internal/desktop/vision"
	"understudy/steps"
	"understudy/steps/confined"
)

// CheckThreshold returns an error for a threshold outside of (0, 1].
func CheckThreshold(likeness float64) error {
	if likeness <= 0 || likeness > 1 {
		return errors.New("threshold: wanted more than 0 and at most 1")
	}
	return nil
}

// Likeness is the default threshold of picture matches.
const Likeness = 0.9

// PictureMatch is a place that matches a picture, with the window it is in.
type PictureMatch struct {
	vision.Match
	window *desktop.Window
}

// picture is the template of a picture match, to find it again.
type picture struct {
	template image.Image
	likeness float64
}

// PictureQuery returns the query for a picture inside a window.
func PictureQuery(w Within, file steps.Path, least float64) (Query, error) {
	within, err := w.selector()
	if err != nil {
		return Query{}, err
	}
	s, err := inside(within, selector.Picture(string(file)))
	if err != nil {
		return Query{}, err
	}
	return Query{within: w, First: []*selector.Selector{s}, Likeness: least}, nil
}

// searchPicture looks for the picture at the end of a selector, on the whole screen or
// inside what the rest of the selector matches. A match is an element with a box and
// no handle, because no application can be asked about it.
func searchPicture(ctx context.Context, hand *Hand, s *selector.Selector, file steps.Path, m SearchOptions) (SearchResult, error) {
	template, err := readTemplate(hand.Env, file)
	if err != nil {
		return SearchResult{}, err
	}
	seen := SearchResult{Selector: s}
	var inside []*desktop.Element
	if within := s.Within(); within != nil {
		outer, err := Search(ctx, hand, []*selector.Selector{within}, SearchOptions{})
		if err != nil {
			return outer, err
		}
		if inside = outer.Found; len(inside) == 0 {
			bare, err := windowsWithoutElements(ctx, hand.Desktop, outer.Roots)
			if inside = within.Find(bare); err != nil || len(inside) == 0 {
				return outer, err
			}
		}
		if len(inside) == 1 { // a picture is only where it shows
			if err := BringToFront(ctx, hand, m.windows, inside[0].Window); err != nil {
				return SearchResult{}, err
			}
		}
	}
	m.Likeness = cmp.Or(m.Likeness, Likeness)
	seen.Places, seen.why, err = findPlaces(ctx, hand.Desktop, template, inside, m)
	if err != nil || seen.why != nil {
		return seen, err
	}
	for _, p := range seen.Places {
		if !p.Rivals(seen.Places[0].Match) {
			break
		}
		el := p.element(file)
		hand.pictures[el] = picture{template, m.Likeness}
		seen.Found = append(seen.Found, el)
	}
	if len(seen.Found) > 1 {
		seen.why = vision.AmbiguousError(len(seen.Found))
	}
	return seen, nil
}

// readTemplate reads the picture to look for. If it cannot be read, the error is Invalid,
// which is not retried.
func readTemplate(env *steps.Env, file steps.Path) (image.Image, error) {
	s, err := confined.FindPicture(env, file)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	f, err := s.Open()
	if err != nil { // a retry would not help
		return nil, &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("the picture to look for: %w", err), Next: "relative paths start in " + env.Abs("")}
	}
	defer f.Close()
	p, err := desktop.DecodePicture(f)
	if err != nil {
		return nil, steps.Errorf(steps.Invalid, "%s: %w", s.Path, err)
	}
	return p, nil
}

// findPlaces returns the places that match a template, the best first, inside some
// elements or anywhere. A place counts only where the element's window is topmost. If
// there is none, why describes the nearest match.
func findPlaces(ctx context.Context, d *desktop.Desktop, template image.Image, inside []*desktop.Element, m SearchOptions) (found []PictureMatch, why, err error) {
	screen, err := Screen(ctx, d)
	if err != nil {
		return nil, nil, err
	}
	if m.Region != nil {
		screen = m.Region.Intersect(screen)
	}
	windows, err := d.Windows(ctx)
	if err != nil && !errors.Is(err, desktop.ErrUnavailable) {
		return nil, nil, err
	}
	if inside == nil {
		inside = []*desktop.Element{{Bounds: screen}}
	}
	why = &vision.AbsentError{Wanted: m.Likeness}
	for _, el := range inside {
		all, absent, err := matchesIn(ctx, d, template, el.Bounds.Intersect(screen), m.Likeness, 0)
		if err != nil {
			return nil, nil, err
		}
		why = cmp.Or(absent, why)
		for _, match := range all {
			top := windows.At(match.Bounds.Center())
			if el.Window != 0 && top != nil && top.ID != el.Window && !ownPopup(windows, el, top) {
				why = fmt.Errorf("the picture is at %s, but in the window %q, which covers the target window", match.Bounds, top.Title)
				continue
			}
			if !slices.ContainsFunc(found, func(p PictureMatch) bool { return p.Bounds == match.Bounds }) {
				found = append(found, PictureMatch{match, top})
			}
		}
	}
	if len(found) > 0 {
		why = nil
	}
	slices.SortStableFunc(found, func(a, b PictureMatch) int { return cmp.Compare(b.Likeness, a.Likeness) })
	return found, why, nil
}

// matchesIn matches a template in an area of the screen; its centre may need a higher
// threshold. absent is the reason if nothing matches.
func matchesIn(ctx context.Context, d *desktop.Desktop, template image.Image, area desktop.Rect, least, middle float64) (all []vision.Match, absent, err error) {
	if area.Empty() {
		return nil, nil, nil
	}
	p, err := d.Capture(ctx, area)
	if err != nil {
		return nil, nil, fmt.Errorf("taking a picture: %w", err)
	}
	all, err = vision.All(p, template, least)
	if middle > 0 {
		all = slices.DeleteFunc(all, func(m vision.Match) bool { return m.MiddleLikeness(p, template) < middle })
	}
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

// element returns the match as an element without a handle.
func (p PictureMatch) element(file steps.Path) *desktop.Element {
	el := &desktop.Element{
		Role: "image", Name: filepath.Base(string(file)), Bounds: p.Bounds,
		States: desktop.Enabled | desktop.Showing | desktop.Visible,
	}
	if w := p.window; w != nil {
		el.Window, el.WindowTitle, el.Process, el.PID = w.ID, w.Title, w.Process, w.PID
	}
	return el
}

// refresh reads an element again. A picture match must still be where it was.
func refresh(ctx context.Context, hand *Hand, el *desktop.Element) (*desktop.Element, error) {
	p, ok := hand.pictures[el]
	if !ok {
		return hand.Desktop.Refresh(ctx, el.Handle)
	}
	all, absent, err := matchesIn(ctx, hand.Desktop, p.template, el.Bounds, p.likeness, 0)
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

// Drawn is what an element or a window that draws itself drew when a place in it was known.
// Once it is resized or scrolled, or while it loads, that place shows something else.
type Drawn struct {
	Width   int        `json:"width" jsonschema:"of the element or the window, in pixels"`
	Height  int        `json:"height" jsonschema:"of the element or the window, in pixels"`
	Picture steps.Path `json:"picture,omitzero" jsonschema:"a picture (PNG file) with the place in its middle; without it the place is known in that size only"`
	Popup   bool       `json:"popup,omitzero" jsonschema:"the window is a menu or another popup, which must be open"`
}

// Check validates the argument. It counts only with a place, and inside is whether that
// lies in the box.
func (d *Drawn) Check(inside bool) error {
	if d != nil && (d.Width < 1 || d.Height < 1 || !inside) {
		return errors.New("drawn: wanted the width and the height of the element or the window, and a place in it")
	}
	return nil
}

// Second returns where a second place is in a box, given where the first was found.
func (d *Drawn) Second(first, second *PlaceInElement, box desktop.Rect, found desktop.Point) desktop.Point {
	if d == nil || found == first.In(box) {
		return second.In(box)
	}
	was := desktop.Rect{W: d.Width, H: d.Height} // what was drawn there is elsewhere now
	begin, end := first.In(was), second.In(was)
	return desktop.Point{X: found.X + end.X - begin.X, Y: found.Y + end.Y - begin.Y}
}

// find returns where a place is in an element as it is now, given where its percentages are.
func (d *Drawn) find(ctx context.Context, hand *Hand, el *desktop.Element, at desktop.Point) (desktop.Point, error) {
	resized := el.Bounds.W != d.Width || el.Bounds.H != d.Height
	if d.Picture == "" && !resized {
		return at, nil
	}
	if d.Picture != "" {
		template, err := readTemplate(hand.Env, d.Picture)
		if err != nil {
			return at, err
		}
		found, err := findPlace(ctx, hand.Desktop, template, el.Bounds, at, desktop.Size{W: d.Width, H: d.Height})
		if found != nil || err != nil {
			return *cmp.Or(found, &at), err
		}
		if !resized { // what it draws under the pointer may be on the picture
			if err := hand.point(ctx, at); err != nil {
				return at, fmt.Errorf("moving the pointer to the place: %w", err)
			}
		}
	}
	why, next := "does not show exactly once what was at the place to use", "make it show that, for example by scrolling or by selecting what it showed"
	if resized {
		why += fmt.Sprintf(": it is %d by %d now, and was %d by %d", el.Bounds.W, el.Bounds.H, d.Width, d.Height)
		next = "make it show that, or give the window the size it had with move_window"
	}
	return at, NotActionable(el, why, next+"; if the place is right whatever it shows, omit drawn")
}

// findPlace returns the middle of the one place in a box that looks like a template. Of
// several the one at a point is meant if the box has the size that it had. An element that
// scales what it draws shows the template at the point, larger or smaller. Nil: neither.
func findPlace(ctx context.Context, d *desktop.Desktop, template image.Image, box desktop.Rect, at desktop.Point, was desktop.Size) (*desktop.Point, error) {
	const slip = 2 // of a place in percent, in pixels
	isAt := func(m vision.Match) bool {
		c := m.Bounds.Center()
		return max(c.X-at.X, at.X-c.X, c.Y-at.Y, at.Y-c.Y) <= slip
	}
	find := func(template image.Image) ([]vision.Match, error) {
		screen, err := Screen(ctx, d)
		if err != nil {
			return nil, err
		}
		all, _, err := matchesIn(ctx, d, template, box.Intersect(screen), Likeness, Likeness)
		return slices.DeleteFunc(all, func(m vision.Match) bool { return !m.Rivals(all[0]) }), err
	}
	all, err := find(template)
	resized := box.W != was.W || box.H != was.H
	switch {
	case err != nil:
		return nil, err
	case !resized && slices.ContainsFunc(all, isAt):
		return &at, nil
	case len(all) == 1:
		c := all[0].Bounds.Center()
		return &c, nil
	case len(all) > 1 || !resized:
		return nil, nil
	}
	b := template.Bounds()
	if all, err = find(vision.Scale(template, desktop.Size{W: b.Dx() * box.W / was.W, H: b.Dy() * box.H / was.H})); err == nil && len(all) == 1 && isAt(all[0]) {
		return &at, nil
	}
	return nil, err
}

// pictureError returns the error of a picture that is not at exactly one place.
func (s SearchResult) pictureError() error {
	err := &steps.Error{Code: steps.NotFound, Err: fmt.Errorf("%s: %w", s.Selector, s.why), Candidates: s.tried, Next: "look at the screen with capture_screenshot; take a new picture, or lower the threshold"}
	if len(s.Found) > 1 {
		err.Code = steps.Ambiguous
		err.Next = "use a picture of a larger part, or say in which window to look"
	}
	for _, el := range s.Found {
		err.Candidates = append(err.Candidates, steps.Candidate{Selector: "pos:" + el.Bounds.Center().String(), Matches: 1, Element: fmt.Sprintf("the picture at %s", el.Bounds)})
	}
	return err
}
