package browse

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed read.js
var readScript string

// Words is a page as text: a line for each block, row, or thing that can be acted on.
type Words struct {
	Title string   `json:"title"`
	URL   string   `json:"url"`
	Lines []string `json:"lines"`
}

// Read returns the page, or a frame of it, as text.
func (p *Page) Read(ctx context.Context, frame string) (w Words, err error) {
	got, err := p.Run(ctx, Script{Code: "(() => {" + readScript + "})()", Frame: frame})
	if err != nil {
		return w, err
	}
	text, err := json.Marshal(got.Value)
	if err == nil {
		err = json.Unmarshal(text, &w)
	}
	if err != nil {
		return w, fmt.Errorf("reading the page: %w", err)
	}
	return w, nil
}
