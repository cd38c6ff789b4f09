package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"understudy/steps"
	"understudy/workflows"
	"understudy/workflows/dialect"
)

// canonicalEnd ends the names of the files that migrate writes.
const canonicalEnd = ".canonical"

// migrated says what becomes of one document.
type migrated struct {
	checked
	Written string `json:"written,omitempty"` // the file with the canonical spelling
	Kept    string `json:"kept,omitempty"`    // the same, if it was there already and differs
}

func migrateCommand(a *app) *cobra.Command {
	var f struct {
		jsonFlag
		DryRun bool `flag:"dry-run" usage:"write no files"`
		Force  bool `flag:"force" usage:"replace canonical files that are there and differ"`
		Names  bool `flag:"names" usage:"print what each foreign name is translated to, and exit"`
	}
	return withFlags(&cobra.Command{
		Use:   "migrate [FOLDER]",
		Short: "Take in workflows that were written for another program",
		Long: "Say of each workflow in a folder, and in those inside it, whether it loads, what means\n" +
			"something else here, and what is refused and why. Beside each that loads, write a file\n" +
			"NAME" + canonicalEnd + ".yaml with its canonical spelling. Nothing runs, and no file is changed.",
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case f.Names:
				_, err := io.WriteString(a.out, dialect.Markdown())
				return err
			case len(args) == 0:
				return steps.Errorf(steps.Invalid, "which folder is meant? Name the one that holds the workflows")
			}
			all, err := a.migrate(args[0], !f.DryRun, f.Force)
			if err != nil {
				return err
			}
			return cmp.Or(showMigrated(&a.console, all, f.JSON), keptError(all))
		},
	}, &f)
}

// migrate checks the documents of a folder, and writes those that load.
func (a *app) migrate(folder string, write, force bool) (all []migrated, err error) {
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return steps.Errorf(steps.NotFound, "a folder with workflows was wanted: %w", err)
		case d.IsDir() && path != folder && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir() || !isForeign(d.Name()):
			return nil
		}
		m, err := a.migrateOne(path, write, force)
		all = append(all, m)
		return err
	})
	if err == nil && len(all) == 0 {
		err = steps.Errorf(steps.NotFound, "there is no workflow in %s: wanted files that end in %s", folder, strings.Join(workflows.Extensions, ", "))
	}
	return all, err
}

// isForeign reports whether a file may be a workflow that migrate did not write.
func isForeign(file string) bool {
	ext := filepath.Ext(file)
	return slices.Contains(workflows.Extensions, ext) && !strings.HasSuffix(strings.TrimSuffix(file, ext), canonicalEnd)
}

func (a *app) migrateOne(path string, write, force bool) (m migrated, err error) {
	if m.checked, err = a.checkDocument(path, false); err != nil || !m.Valid || !write {
		return m, err
	}
	src, err := a.source(path)
	if err != nil {
		return m, err
	}
	text, notes, err := workflows.Canonical(src, workflows.CompileOptions{Kinds: a.kinds, Load: a.loadFile})
	if err != nil {
		return m, err
	}
	if len(notes) == 0 {
		return m, nil
	}
	ext := filepath.Ext(path)
	to := strings.TrimSuffix(path, ext) + canonicalEnd + ext
	if now, err := os.ReadFile(to); !force && !errors.Is(err, fs.ErrNotExist) && !bytes.Equal(now, text) {
		m.Kept = to
		return m, nil
	}
	m.Written = to
	return m, writeDocument(to, text)
}

// keptError says which files were not written, because somebody may have changed them.
func keptError(all []migrated) error {
	i := slices.IndexFunc(all, func(m migrated) bool { return m.Kept != "" })
	if i < 0 {
		return nil
	}
	err := fmt.Errorf("%s is there already, and differs from what would be written", all[i].Kept)
	return &steps.Error{Code: steps.Invalid, Err: err, Next: "give --force to replace it and all like it, or rename it"}
}

func showMigrated(o *console, all []migrated, asJSON bool) error {
	if asJSON {
		return o.document(all)
	}
	loads := 0
	for _, m := range all {
		what := "refused"
		if m.Valid {
			what, loads = "loads", loads+1
		}
		fmt.Fprintf(o.out, "%s: %s\n", clean(m.File), what)
		for _, p := range slices.Concat(m.Problems, m.Notes) {
			line := fmt.Sprintf("  line %d: %s", p.Line, p.Message)
			if p.Hint != "" {
				line += " (" + p.Hint + ")"
			}
			fmt.Fprintln(o.out, clean(line))
		}
		if m.Written != "" {
			fmt.Fprintf(o.out, "  written: %s\n", clean(m.Written))
		}
		if m.Kept != "" {
			fmt.Fprintf(o.out, "  kept: %s\n", clean(m.Kept))
		}
	}
	_, err := fmt.Fprintf(o.out, "%d of %s load\n", loads, count(len(all), "workflow"))
	return err
}
