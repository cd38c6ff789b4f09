package steps

import "errors"

// EditFile replaces text in a file.
var EditFile = Define[EditFileArgs, EditFileResult](Kind{
	Name:    "edit_file",
	Summary: "Replace text in a file; the text must be there once, unless all of it is to be replaced.",
	Toolset: Files,
	Risk:    WritesFiles,
}, EditFileArgs{}, nil)

// EditFileArgs says what to replace.
type EditFileArgs struct {
	Path       Path   `json:"path" jsonschema:"the file"`
	OldString  string `json:"old_string" jsonschema:"the text to replace; line ends count as equal"`
	NewString  string `json:"new_string" jsonschema:"the text to put in its place"`
	ReplaceAll bool   `json:"replace_all,omitzero" jsonschema:"replace it wherever it stands"`
	Folder
}

// Validate wants a change.
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
