package desktoptest

import (
	"image"
	"strings"

	"understudy/internal/desktop"
	"understudy/internal/desktop/vision"
)

// Likeness is the usual least likeness of a match.
const Likeness = 0.9

// FindPicture returns the one place where a template is.
func FindPicture(img, template image.Image) (vision.Match, error) {
	found, err := vision.All(img, template, Likeness)
	if err != nil {
		return vision.Match{}, err
	}
	if len(found) > 1 && found[1].Rivals(found[0]) {
		return found[0], vision.AmbiguousError(len(found))
	}
	return found[0], nil
}

// FindText finds the places of a text of one or more words on lines of words. Case is
// ignored.
func FindText(words []vision.Word, text string) []desktop.Rect {
	want := strings.Fields(strings.ToLower(text))
	if len(want) == 0 {
		return nil
	}
	var found []desktop.Rect
	for i := range words {
		if area, ok := textAt(words[i:], want); ok {
			found = append(found, area)
		}
	}
	return found
}

// textAt reports whether the first words are the wanted ones, on one line, and where.
// Punctuation at the ends of a word is ignored.
func textAt(words []vision.Word, want []string) (desktop.Rect, bool) {
	if len(words) < len(want) {
		return desktop.Rect{}, false
	}
	area := words[0].Bounds.Image()
	for i, w := range want {
		const signs = ".,:;!?\"'()[]{}…"
		got := strings.ToLower(words[i].Text)
		if got != w && strings.Trim(got, signs) != strings.Trim(w, signs) || words[i].Line != words[0].Line {
			return desktop.Rect{}, false
		}
		area = area.Union(words[i].Bounds.Image())
	}
	return desktop.RectOf(area), true
}
