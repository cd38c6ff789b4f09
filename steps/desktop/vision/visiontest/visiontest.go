// Package visiontest finds pictures and texts for the tests of other packages.
package visiontest

import (
	"image"
	"strings"

	"understudy/steps/desktop"
	"understudy/steps/desktop/vision"
)

// Find is the one place where a template is.
func Find(img, template image.Image, o vision.Options) (vision.Match, error) {
	found, err := vision.All(img, template, o)
	if err != nil {
		return vision.Match{}, err
	}
	return vision.One(found, o)
}

// FindText finds the places of a text of one or more words, whatever its
// case, on lines of words.
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

// textAt says whether the first words are the wanted ones, on one line, and
// where. Signs at a word's ends do not matter.
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
