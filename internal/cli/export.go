package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/internal/movie"
	"understudy/mcpserver/viewer"
	"understudy/steps"
)

func runsExport(a *app) *cobra.Command {
	f := struct {
		Page  bool    `flag:"html" usage:"write its page, with the pictures, as one HTML file"`
		Video bool    `flag:"video" usage:"write its steps as a film: FILE.png is an animated picture; for .webp, .gif, .mp4 and .webm, ffmpeg must be installed"`
		Speed float64 `flag:"speed" usage:"with --video: how much faster than usual"`
		Where string  `flag:"where" usage:"export all runs for which an expression holds, each into a new folder or file in FOLDER"`
	}{Speed: 1}
	cmd := &cobra.Command{
		Use: "export [RUN] FOLDER", Short: "Write the events, the document and the pictures of runs into a folder",
		Long: "Write the events, the document and the pictures of a run into a new folder, or its\n" +
			"page or a film into a new file. With --where, what FOLDER has already is not written\n" +
			"again, so that the same command continues an export that was cut short.",
	}
	return withFlags(a.ofRuns(cmd, func(ctx context.Context, runs engine.Runs, args []string) error {
		x := &exporter{runs: runs, dir: args[len(args)-1], speed: f.Speed}
		export, ending := x.export, ""
		switch {
		case f.Page && f.Video, f.Speed < 0.1, f.Speed > 100:
			return usage(cmd, "wanted --html or --video, and a --speed of 0.1 to 100")
		case (f.Where == "") != (len(args) == 2):
			return usage(cmd, "wanted RUN and FOLDER, or --where and FOLDER")
		case f.Page:
			export, ending = x.page, ".html"
		case f.Video:
			export, ending = x.movie, ".png"
		}
		if f.Where != "" {
			return a.exportMany(ctx, x, f.Where, export, ending)
		}
		var err error
		if x.id, err = findRun(ctx, runs, args[0]); err != nil {
			return err
		}
		if err := export(ctx); err != nil {
			return err
		}
		fmt.Fprintln(a.out, x.dir)
		return nil
	}), &f)
}

// exportMany exports the runs for which an expression holds.
func (a *app) exportMany(ctx context.Context, x *exporter, where string, export func(context.Context) error, ending string) error {
	list, err := x.runs.List(ctx, engine.Query{Where: where})
	if err != nil {
		return err
	}
	folder := x.dir
	if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return &steps.Error{Code: steps.Invalid, Err: err, Next: "name a folder in one that is there"}
	}
	for _, h := range list {
		whole := filepath.Join(folder, h.ID+ending)
		if _, err := os.Lstat(whole); err == nil {
			continue
		}
		x.id, x.dir = h.ID, filepath.Join(folder, "part-"+h.ID+ending)
		if err := errors.Join(os.RemoveAll(x.dir), export(ctx)); err != nil {
			return fmt.Errorf("run %s: %w", h.ID, err)
		}
		if err := os.Rename(x.dir, whole); err != nil {
			return err
		}
		fmt.Fprintln(a.out, whole)
	}
	return nil
}

// exporter writes a run into a folder, or its page into a file.
type exporter struct {
	runs  engine.Runs
	id    string
	dir   string
	speed float64
}

func (x *exporter) page(ctx context.Context) error {
	return x.file(func(f io.Writer) error { return viewer.Export(ctx, x.runs, x.id, f) })
}

// movie writes a film in the format that the name of its file says.
func (x *exporter) movie(ctx context.Context) error {
	scenes := viewer.Movie(ctx, x.runs, x.id, x.speed)
	switch strings.ToLower(filepath.Ext(x.dir)) {
	case ".png", ".apng":
		return x.file(func(f io.Writer) error { return movie.Write(f, scenes) })
	case ".webp", ".gif", ".mp4", ".webm":
		return movie.WriteVideo(ctx, x.dir, scenes)
	}
	return steps.Errorf(steps.Invalid, "%q: wanted a name ending in .png, .webp, .gif, .mp4 or .webm", x.dir)
}

// file writes a new file, whole or not at all.
func (x *exporter) file(write func(io.Writer) error) error {
	f, err := os.OpenFile(x.dir, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return &steps.Error{Code: steps.Invalid, Err: err, Next: "name a new file in a folder that is there"}
	}
	err = errors.Join(write(f), f.Close())
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
