package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"understudy/internal/desktop/extension"
	"understudy/steps"
)

// setupBrowser connects the browsers that a person starts.
func setupBrowser(a *app) *cobra.Command {
	f := struct {
		Remove bool `flag:"remove" usage:"forbid the browsers to start this program, and remove the extensions"`
	}{}
	return withFlags(&cobra.Command{
		Use:   "browser",
		Short: "Connect the browsers that you start yourself",
		Long: "Allow an extension to start this program in each installed browser of your user, and say how\n" +
			"to load it: Chromium, Chrome, Edge, Brave and Firefox. Browsers that Understudy starts are\n" +
			"connected without it.\n" + extension.Rights + "\n\n" +
			"With --remove, forbid the browsers to start this program, and remove the extensions.",
		Example: "  understudy setup browser\n  understudy setup browser --remove",
		RunE: func(*cobra.Command, []string) error {
			if f.Remove {
				return a.removeExtensions()
			}
			paths, next, err := extension.SetUp()
			fmt.Fprint(a.out, lines("installed ", paths))
			if err != nil {
				return err
			}
			fmt.Fprintf(a.errOut, "%s\n%sthen: understudy doctor\n", extension.Rights, lines("next: in ", next))
			return nil
		},
	}, &f)
}

func (a *app) removeExtensions() error {
	paths, err := extension.Remove()
	fmt.Fprint(a.out, lines("removed ", paths))
	if errors.Is(err, fs.ErrNotExist) {
		return steps.Errorf(steps.Invalid, "there is nothing to remove: %w", err)
	}
	if err == nil {
		fmt.Fprintln(a.errOut, "next: remove the extension in each browser; one that runs stays connected until then")
	}
	return err
}

// lines writes each text in a line, after a word.
func lines(word string, texts []string) string {
	var all strings.Builder
	for _, text := range texts {
		fmt.Fprintf(&all, "%s%s\n", word, text)
	}
	return all.String()
}

// hostExtension is what this program does when a browser has started it.
func hostExtension(in io.Reader, out, errOut io.Writer) int {
	if err := extension.Host(in, out); err != nil {
		fmt.Fprintf(errOut, "understudy: the extension of a browser: %v\n", err)
		return 1
	}
	return 0
}
