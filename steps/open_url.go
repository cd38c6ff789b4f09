package steps

import (
	"context"
	"errors"
	"net/url"
)

// OpenURL opens an address with the user's preferred program.
var OpenURL = Define(Kind{
	Name:    "open_url",
	Summary: "Open an address in the user's browser, or the program that the address belongs to.",
	Toolset: Desktop,
	Touches: Act,
	Focus:   Take,
}, OpenURLArgs{}, openURL)

// OpenURLArgs says which address.
type OpenURLArgs struct {
	URL string `json:"url" jsonschema:"the address, such as https://example.org or mailto:me@example.org"`
}

// OpenURLResult repeats the address that was opened.
type OpenURLResult struct {
	URL string `json:"url" jsonschema:"the address that was opened"`
}

// Validate wants an address with a scheme: anything else would be guessed at.
func (a *OpenURLArgs) Validate() error {
	if u, err := url.Parse(a.URL); err != nil || u.Scheme == "" {
		return errors.New("url: wanted an address such as https://example.org")
	}
	return nil
}

func openURL(ctx context.Context, env *Env, a OpenURLArgs) (OpenURLResult, error) {
	return OpenURLResult(a), env.Desktop.OpenURL(ctx, a.URL)
}
