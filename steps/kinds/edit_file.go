package kinds

import (
	"context"
	"errors"

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
	NewString  string     `json:"new_string" jsonschema:"the new text"`
	ReplaceAll bool       `json:"replace_all,omitzero" jsonschema:"replace every occurrence"`
	Folder
}

func (a *EditFileArgs) Validate() error {
	if a.OldString == "" {
		return errors.New("old_string is empty; use write_file to write a whole file")
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
	places := findText(text, a.OldString)
	if err := checkPlaces(env, s.Path, places, a.OldString, a.ReplaceAll); err != nil {
		return EditFileResult{}, err
	}
	text = replaceAt(text, places, a.NewString, lineEnd(text))
	return EditFileResult{s.Path, len(places)}, confined.Rewrite(ctx, env, s, text)
}
