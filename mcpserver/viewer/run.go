package viewer

import (
	"bytes"
	"context"
	"fmt"
	"html/template"
	"image/png"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/internal/desktop/vision"
	"understudy/steps"
)

type runPage struct {
	frame
	engine.Report
	Client, Desktop  string
	Labels           []string
	Lasting, TakenBy string // the name of its desktop, and who has taken it over
	QuestionID       string
	Asked            []field // of the question
	Executions       []*execution
	Moving           bool       // the run has not ended
	Hands            []takeover // takeovers of its desktop
	Inputs           map[string]any
	// inline are the pictures of a standalone page, by address.
	inline map[string]inlinedPicture
}

// Culprit returns the step for which the run failed; nil: none that is shown.
func (p runPage) Culprit() *execution {
	if p.Error == nil {
		return nil
	}
	for _, x := range slices.Backward(p.Executions) {
		if x.Error != nil && x.Error.Message == p.Error.Message {
			return x
		}
	}
	return nil
}

// pageOf returns the page of a run.
func pageOf(ctx context.Context, runs engine.Runs, id string, all bool) (runPage, error) {
	h, err := runs.Get(ctx, id)
	if err != nil {
		return runPage{}, err
	}
	var events []engine.Event
	report, err := engine.ReportOf(h, collect(engine.History(ctx, runs, id), &events), engine.Page{All: all})
	if err != nil {
		return runPage{}, err
	}
	p := runPage{
		frame: frame{Title: name(h) + " " + string(h.Status), Page: "runs"}, Report: report, Client: h.Client, Labels: h.Labels, Moving: !h.Status.Ended(),
		QuestionID: h.QuestionID(), Executions: executionsOf(report, events),
	}
	p.Hands, p.Inputs = takeoversIn(events), inputsIn(events)
	if p.TakenBy = h.TakenBy; h.Desktop != nil {
		p.Lasting = h.Desktop.Name
		p.Desktop = strings.TrimSpace(h.Desktop.System + " " + h.Desktop.Display)
	}
	return p, nil
}

// run shows a run with its forms.
func (*Viewer) run(w http.ResponseWriter, r *http.Request, runs engine.Runs, failed error) error {
	id := r.PathValue("id")
	p, err := pageOf(r.Context(), runs, id, r.FormValue("all") != "")
	if err != nil {
		return err
	}
	p.frame, p.Asked = p.withForms(r, id, failed), entered(r, fieldsOf(p.Question))
	return show(w, statusAfter(failed), "run", p)
}

type documentPage struct {
	frame
	RunID string
	Lines []string
}

func (v *Viewer) document(w http.ResponseWriter, r *http.Request, runs engine.Runs) error {
	h, err := runs.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	if h.Document == "" {
		return steps.Errorf(steps.NotFound, "run %s has no document: it is a single call of %s", h.ID, h.Call)
	}
	b, err := engine.BundleOf(r.Context(), runs, h)
	if err != nil {
		return err
	}
	return show(w, http.StatusOK, "document", documentPage{frame{Title: "Document of " + h.ID, Page: "runs"}, h.ID, linesOf(b.Main.Text)})
}

// stepInLine matches the id of a step in a line of a document.
var stepInLine = regexp.MustCompile(`\bid["']?: *["']?([\w.-]+)`)

// stepIn returns the id of a step in a line of a document, or "".
func stepIn(line string) string {
	if m := stepInLine.FindStringSubmatch(line); m != nil {
		return m[1]
	}
	return ""
}

func linesOf(document []byte) []string {
	return strings.Split(strings.TrimSuffix(string(document), "\n"), "\n")
}

// thumbnailWidth is twice the displayed width, for high-density screens.
const thumbnailWidth = 192

// picture serves a stored picture, scaled down with ?width=N.
func (v *Viewer) picture(w http.ResponseWriter, r *http.Request, runs engine.Runs) error {
	raw, err := runs.File(r.Context(), engine.Captures, r.PathValue("hash"))
	if err != nil {
		http.Error(w, "There is no such picture.", http.StatusNotFound)
		return nil
	}
	if width, err := strconv.Atoi(r.FormValue("width")); err == nil && width == thumbnailWidth {
		if raw, err = scaleToWidth(raw, width); err != nil {
			return err
		}
	}
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	_, _ = w.Write(raw)
	return nil
}

// scaleToWidth scales a picture down to a width.
func scaleToWidth(raw []byte, width int) ([]byte, error) {
	img, err := desktop.DecodePicture(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("decoding a picture: %w", err)
	}
	size := img.Bounds()
	if size.Dx() <= width {
		return raw, nil
	}
	var b bytes.Buffer
	small := vision.Scale(img, desktop.Size{W: width, H: max(1, size.Dy()*width/size.Dx())})
	err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, small)
	return b.Bytes(), err
}

// picture returns the address at which a capture is shown.
func picture(uri string) string {
	return "/captures/" + strings.TrimPrefix(uri, engine.CaptureURI(""))
}

// source returns the URL of a picture on the page.
func (p runPage) source(picture string, width int) template.URL {
	if p.Alone {
		return p.inline[picture].URL
	}
	if width > 0 {
		picture += "?width=" + strconv.Itoa(width)
	}
	return template.URL(picture)
}
