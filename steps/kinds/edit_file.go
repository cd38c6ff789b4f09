package kinds

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"understudy/steps"
	"understudy/steps/confined"
)

// EditFile replaces text in a file.
var EditFile = steps.Define(steps.Kind{
	Name:    "edit_file",
	Summary: "Replace text in a file; the text must be there once, unless all of it is to be replaced.",
	Toolset: steps.Files,
	Risk:    steps.WritesFiles,
}, EditFileArgs{}, editFile)

// EditFileArgs says what to replace.
type EditFileArgs struct {
	Path       steps.Path `json:"path" jsonschema:"the file"`
	OldString  string     `json:"old_string" jsonschema:"the text to replace; line ends count as equal"`
	NewString  string     `json:"new_string" jsonschema:"the text to put in its place"`
	ReplaceAll bool       `json:"replace_all,omitzero" jsonschema:"replace it wherever it stands"`
	Folder
}

func (a *EditFileArgs) Validate() error {
	if a.OldString == "" {
		return errors.New("old_string is empty; use write_file to write a file anew")
	}
	if a.OldString == a.NewString {
		return errors.New("old_string and new_string are the same")
	}
	return nil
}

// EditFileResult says what was replaced.
type EditFileResult struct {
	Path         string `json:"path" jsonschema:"the file"`
	Replacements int    `json:"replacements" jsonschema:"how often the text was replaced"`
}

func editFile(ctx context.Context, env *steps.Env, a EditFileArgs) (EditFileResult, error) {
	s, err := confined.FindTarget(env, a.Path, a.WorkingDirectory)
	if err != nil {
		return EditFileResult{}, err
	}
	defer s.Close()
	text, err := s.Text()
	if err != nil {
		return EditFileResult{}, err
	}
	places := find(text, a.OldString)
	if err := usable(env, s.Path, places, a.OldString, a.ReplaceAll); err != nil {
		return EditFileResult{}, err
	}
	text = replace(text, places, a.NewString, lineEnd(text))
	return EditFileResult{s.Path, len(places)}, confined.Rewrite(ctx, env, s, text)
}

// find returns where a text is in another. All line endings count as equal.
func find(text, sought string) [][]int {
	sought = toLF(sought)
	parts := strings.Split(sought, "\n")
	for i, p := range parts {
		parts[i] = regexp.QuoteMeta(p)
	}
	places := regexp.MustCompile(strings.Join(parts, "\r?\n")).FindAllStringIndex(text, -1)
	// To an expression, a byte that is not UTF-8 equals the letter that read_file shows for it.
	return slices.DeleteFunc(places, func(p []int) bool { return toLF(text[p[0]:p[1]]) != sought })
}

// toLF returns a text with the line endings of Unix.
func toLF(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// usable returns an error if there are no places of a text in a file, or several and not
// all are meant.
func usable(env *steps.Env, path string, places [][]int, sought string, all bool) error {
	switch {
	case len(places) == 0:
		return steps.Errorf(steps.NotFound, "%s does not hold %s", path, env.Quote(sought)).
			WithNext("read the file, and give the text as it stands there")
	case len(places) > 1 && !all:
		return steps.Errorf(steps.Ambiguous, "%s holds %s %d times", path, env.Quote(sought), len(places)).
			WithNext("give more of the text around it, or set replace_all")
	}
	return nil
}

// lineEnd returns the line ending of most lines of a text.
func lineEnd(text string) string {
	if strings.Count(text, "\r\n") > strings.Count(text, "\n")/2 {
		return "\r\n"
	}
	return "\n"
}

// replace replaces parts of a text, and gives the new lines a line ending.
func replace(text string, places [][]int, with, end string) string {
	with = strings.ReplaceAll(toLF(with), "\n", end)
	b, at := &strings.Builder{}, 0
	for _, p := range places {
		b.WriteString(text[at:p[0]])
		b.WriteString(with)
		at = p[1]
	}
	return b.String() + text[at:]
}
