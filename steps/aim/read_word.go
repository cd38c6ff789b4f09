package aim

import (
	"context"

	"understudy/internal/desktop"
	"understudy/steps"
)

// wordByRef returns a word that was read off the screen, if it still stands where it
// stood. No application can be asked about it, so it is used like a picture.
func wordByRef(ctx context.Context, env *steps.Env, word *desktop.Element) (*desktop.Element, error) {
	all, _, err := matchesIn(ctx, env.Desktop, word.Read, word.Bounds, Likeness, 0)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, steps.Errorf(steps.NotFound, "the ref %s is %w: the word %q does not stand at %s any more", word.Ref, errStale, word.Name, word.Bounds).
			WithNext("read the words again with get_window_tree and include_ocr")
	}
	return Plain(word), nil
}
