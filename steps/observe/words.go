package observe

import (
	"context"
	"slices"

	"understudy/internal/desktop"
	"understudy/internal/desktop/vision"
	"understudy/steps"
)

// addWords reads the words that windows show, and adds them to a tree below an element of
// their own. Where another window covers one, nothing is read.
func addWords(ctx context.Context, env *steps.Env, t *desktop.Tree, windows desktop.Windows) error {
	if len(windows) == 0 {
		return nil
	}
	all, err := env.Desktop.Windows(ctx)
	if err != nil {
		return err
	}
	of := &desktop.Element{Role: "panel", Name: "words that were read off the screen", States: shown}
	for _, w := range windows {
		if !w.Shows() {
			continue
		}
		words, err := wordsOf(ctx, env, w, all)
		if err != nil {
			return err
		}
		of.Children = append(of.Children, words...)
	}
	for i, word := range of.Children {
		word.Parent, word.Index = of, i
	}
	t.Roots = append(t.Roots, of)
	return nil
}

const shown = desktop.Enabled | desktop.Showing | desktop.Visible

// wordsOf returns the words of a window as elements without a handle.
func wordsOf(ctx context.Context, env *steps.Env, w desktop.Window, all desktop.Windows) (found []*desktop.Element, err error) {
	picture, area, err := Capture(ctx, env, w.Bounds)
	if err != nil {
		return nil, err
	}
	words, err := vision.Words(ctx, picture, "")
	if err != nil {
		return nil, err
	}
	for _, word := range words {
		at := word.Bounds
		at.X, at.Y = at.X+area.X, at.Y+area.Y
		if top := all.At(at.Center()); top != nil && top.ID != w.ID {
			continue
		}
		found = append(found, &desktop.Element{
			Role: "label", Name: hidden(env, word.Text), Bounds: at, States: shown, Window: w.ID, WindowTitle: w.Title, Process: w.Process, PID: w.PID,
			Read: picture.SubImage(word.Bounds.Image().Add(picture.Bounds().Min)),
		})
	}
	return slices.Clip(found), nil
}
