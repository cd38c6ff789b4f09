package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/mcpserver/viewer"
	"understudy/steps"
)

func runsExport(a *app) *cobra.Command {
	var f struct {
		Page bool `flag:"html" usage:"write its page, with the pictures, as one HTML file"`
	}
	return withFlags(a.ofRun(&cobra.Command{
		Use: "export RUN FOLDER", Short: "Write the events, the document and the pictures of a run into a folder",
	}, func(ctx context.Context, runs engine.Runs, id string, args []string) error {
		x := exporter{runs: runs, id: id, dir: args[0]}
		export := x.export
		if f.Page {
			export = x.page
		}
		if err := export(ctx); err != nil {
			return err
		}
		fmt.Fprintln(a.out, x.dir)
		return nil
	}), &f)
}

// exporter writes a run into a folder, or its page into a file.
type exporter struct {
	runs engine.Runs
	id   string
	dir  string
}

func (x *exporter) page(ctx context.Context) error {
	f, err := os.OpenFile(x.dir, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return &steps.Error{Code: steps.Invalid, Err: err, Next: "name a new file in a folder that is there"}
	}
	err = errors.Join(viewer.Export(ctx, x.runs, x.id, f), f.Close())
	if err != nil {
		_ = os.Remove(x.dir)
	}
	return err
}

func (x *exporter) export(ctx context.Context) error {
	h, err := x.runs.Get(ctx, x.id)
	if err != nil {
		return err
	}
	report, err := x.runs.Report(ctx, x.id, engine.Page{All: true})
	if err != nil {
		return err
	}
	raw, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return err
	}
	if err := os.Mkdir(x.dir, 0o700); err != nil {
		return &steps.Error{Code: steps.Invalid, Err: err, Next: "name a new folder in one that is there"}
	}
	return errors.Join(x.write("run.json", append(raw, '\n')), x.events(ctx), x.documents(ctx, h), x.pictures(ctx, report))
}

func (x *exporter) write(name string, content []byte) error {
	path := filepath.Join(x.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o600)
}

func (x *exporter) events(ctx context.Context) error {
	f, err := os.OpenFile(filepath.Join(x.dir, "events.jsonl"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	e := json.NewEncoder(f)
	e.SetEscapeHTML(false)
	for ev, err := range engine.History(ctx, x.runs, x.id) {
		if err != nil {
			return err
		}
		if err := e.Encode(ev); err != nil {
			return err
		}
	}
	return f.Close()
}

func (x *exporter) documents(ctx context.Context, h engine.Header) error {
	if h.Document == "" {
		return nil
	}
	b, err := engine.BundleOf(ctx, x.runs, h)
	if err != nil {
		return err
	}
	errs := []error{x.write("workflow"+ending(b.Main.Text), b.Main.Text)}
	for i, c := range b.Calls {
		base := filepath.Base(c.Source.Name)
		name := fmt.Sprintf("called-%d-%s", i+1, plainName(strings.TrimSuffix(base, filepath.Ext(base))))
		errs = append(errs, x.write(name+ending(c.Source.Text), c.Source.Text))
	}
	return errors.Join(errs...)
}

func ending(text []byte) string {
	if json.Valid(text) {
		return ".json"
	}
	return ".yaml"
}

func (x *exporter) pictures(ctx context.Context, r engine.Report) error {
	for i, s := range r.Steps {
		names, step := map[string]string{}, fmt.Sprintf("%04d-%s", i+1, plainName(cmp.Or(s.ID, s.Path)))
		for n, hash := range picturesIn(s.Result) {
			names[hash] = fmt.Sprintf("%s-result%d.png", step, n+1)
		}
		for _, c := range s.Captures {
			names[c.Hash] = fmt.Sprintf("%s-try%d-%s.png", step, c.Try, c.When)
			if err := x.picture(ctx, s, c.Hash, names[c.Hash]); err != nil {
				return err
			}
			delete(names, c.Hash)
		}
		for hash, name := range names {
			if err := x.picture(ctx, s, hash, name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (x *exporter) picture(ctx context.Context, s engine.StepReport, hash, name string) error {
	raw, err := x.runs.File(ctx, engine.Captures, hash)
	if err != nil {
		return fmt.Errorf("picture of step %s: %w", s.Path, err)
	}
	return x.write(filepath.Join("captures", name), raw)
}

var pictureAddress = regexp.MustCompile(`"` + engine.CaptureURI(`([0-9a-f]{64})`) + `"`)

func picturesIn(result any) (hashes []string) {
	raw, err := json.Marshal(result)
	if err != nil {
		return nil // cannot happen: a result came from JSON
	}
	for _, m := range pictureAddress.FindAllSubmatch(raw, -1) {
		if hash := string(m[1]); !slices.Contains(hashes, hash) {
			hashes = append(hashes, hash)
		}
	}
	return hashes
}

const longestName = 100

// plainName replaces the characters of a name that some system does not allow in
// file names, or that would lead to another folder.
func plainName(name string) string {
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r) {
			return r
		}
		return '_'
	}, name)
	return name[:min(len(name), longestName)]
}
