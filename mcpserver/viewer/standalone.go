package viewer

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"html/template"
	"image/jpeg"
	"io"
	"net/http"
	"path"
	"slices"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/internal/desktop/vision"
)

// A standalone page contains its style, its script and its pictures, so that it can be
// sent to somebody who has no server.

const (
	// inlineSide is the longest side of the pictures, and inlineQuality their JPEG
	// quality: text stays legible, and a run of fifty steps takes some megabytes.
	inlineSide    = 1280
	inlineQuality = 60
)

// Export writes the page of a run as one file.
func Export(ctx context.Context, runs engine.Runs, id string, out io.Writer) error {
	p, err := pageOf(ctx, runs, id, true)
	if err != nil {
		return err
	}
	p.Alone, p.Moving, p.inline = true, false, map[string]inlinedPicture{}
	for _, address := range p.pictures() {
		if p.inline[address].URL != "" {
			continue
		}
		raw, err := runs.File(ctx, engine.Captures, path.Base(address))
		if err == nil {
			p.inline[address], err = inlinePicture(raw)
		}
		if err != nil {
			return fmt.Errorf("the picture %s: %w", path.Base(address), err)
		}
	}
	return pages.ExecuteTemplate(out, "run", p)
}

// pictures returns the URLs of all pictures on the page.
func (p runPage) pictures() (all []string) {
	for _, x := range p.Executions {
		all = append(all, x.Before, x.After)
	}
	for _, h := range p.Hands {
		all = append(all, h.Picture)
	}
	return slices.DeleteFunc(all, func(address string) bool { return address == "" })
}

// inlinedPicture is a data URL of a picture, and the size of the screen that it shows.
type inlinedPicture struct {
	URL    template.URL
	Screen desktop.Size
}

func inlinePicture(raw []byte) (inlinedPicture, error) {
	img, err := desktop.DecodePicture(bytes.NewReader(raw))
	if err != nil {
		return inlinedPicture{}, err
	}
	small, _ := vision.Fit(img, inlineSide, inlineSide*inlineSide)
	var b bytes.Buffer
	if err := jpeg.Encode(&b, small, &jpeg.Options{Quality: inlineQuality}); err != nil {
		return inlinedPicture{}, err
	}
	url := "data:image/jpeg;base64," + base64.StdEncoding.EncodeToString(b.Bytes())
	return inlinedPicture{template.URL(url), desktop.Size{W: img.Bounds().Dx(), H: img.Bounds().Dy()}}, nil
}

func (v *Viewer) standalone(w http.ResponseWriter, r *http.Request, runs engine.Runs) error {
	var b bytes.Buffer
	id := r.PathValue("id")
	if err := Export(r.Context(), runs, id, &b); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="run-`+id+`.html"`)
	// the policy of the pages would forbid its inline style, script and pictures
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	_, _ = b.WriteTo(w)
	return nil
}
