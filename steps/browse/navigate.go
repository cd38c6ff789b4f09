package browse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"understudy/steps"
)

// download is what a browser reports of a download.
type download struct {
	GUID     string
	Name     string `json:"suggestedFilename"`
	State    string // inProgress, completed, canceled
	FilePath string
}

// Went is where a navigation led.
type Went struct {
	State
	// Download is the file that the address was, instead of a page; Finished reports
	// whether it has been received in time.
	Download string
	Finished bool
}

// Go opens an address in the tab, and waits until its page has settled.
func (p *Page) Go(ctx context.Context, address string, limit time.Duration) (w Went, err error) {
	// The browser saves files as it always does, and reports that.
	if err := p.Link.soon(ctx, "Browser.setDownloadBehavior", map[string]any{"behavior": "default", "eventsEnabled": true}, nil); err != nil {
		return w, err
	}
	var got struct {
		ErrorText  string
		IsDownload bool
	}
	answered, cancel := context.WithTimeoutCause(ctx, limit, steps.Errorf(steps.Timeout, "%s has not answered within %s", address, limit))
	defer cancel()
	err = p.call(answered, "Page.navigate", map[string]any{"url": address}, &got)
	if refused, ok := errors.AsType[refusal](err); ok {
		return w, steps.Errorf(steps.Unexpected, "%s could not be opened: %s", address, refused.Refused())
	}
	if err != nil {
		return w, advised(err)
	}
	switch {
	case got.IsDownload:
		return p.receive(ctx, limit)
	case got.ErrorText != "":
		return w, steps.Errorf(steps.Unexpected, "%s could not be opened: %s", address, explain(got.ErrorText))
	}
	w.State, err = p.Settle(ctx, limit)
	return w, err
}

// receive waits for a download.
func (p *Page) receive(ctx context.Context, limit time.Duration) (w Went, err error) {
	over := time.NewTimer(limit)
	defer over.Stop()
	var guid string
	for {
		select {
		case d := <-p.download:
			if d.Name != "" {
				guid, w.Download = d.GUID, d.Name
			}
			switch {
			case d.GUID != guid:
			case d.State == "completed":
				w.Download, w.Finished = cmp.Or(d.FilePath, w.Download), true
				return w, nil
			case d.State == "canceled":
				return w, steps.Errorf(steps.Unexpected, "the download of %s was cancelled", w.Download)
			}
		case <-over.C:
			return w, nil
		case <-ctx.Done():
			return w, context.Cause(ctx)
		}
	}
}

// explanations are the commonest reasons of a browser, in words.
var explanations = map[string]string{
	"net::ERR_NAME_NOT_RESOLVED":      "there is no such host",
	"net::ERR_CONNECTION_REFUSED":     "nothing answers at its port",
	"net::ERR_CONNECTION_TIMED_OUT":   "the host does not answer",
	"net::ERR_INTERNET_DISCONNECTED":  "there is no network",
	"net::ERR_CERT_AUTHORITY_INVALID": "its certificate is not trusted",
	"net::ERR_FILE_NOT_FOUND":         "there is no such file",
	"net::ERR_ABORTED":                "the browser or the page stopped it",
	// Firefox tells numbers.
	"Error code 2152398850": "the browser or the page stopped it",
	"Error code 2152398861": "nothing answers at its port",
	"Error code 2152398862": "the host does not answer",
	"Error code 2152398878": "there is no such host",
}

func explain(reason string) string {
	if words := explanations[reason]; words != "" {
		return fmt.Sprintf("%s (%s)", words, reason)
	}
	return strings.TrimPrefix(reason, "net::")
}
