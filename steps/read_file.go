package steps

// ReadFile reads lines of a text file.
var ReadFile = Define[ReadFileArgs, ReadFileResult](Kind{
	Name:    "read_file",
	Summary: "Read lines of a text file.",
	Toolset: Files,
	Reads:   true,
}, ReadFileArgs{Offset: 1, Limit: 100}, nil)

// ReadFileArgs says which file and which lines.
type ReadFileArgs struct {
	Path Path `json:"path" jsonschema:"the file"`
	Folder
	Offset Count `json:"offset,omitzero" jsonschema:"the first line, from 1"`
	Limit  Count `json:"limit,omitzero" jsonschema:"how many lines at most"`
}

// Folder is where relative paths of arguments start.
type Folder struct {
	WorkingDirectory Path `json:"working_directory,omitzero" jsonschema:"where relative paths start; without it the caller's folder"`
}

// ReadFileResult is what was read.
type ReadFileResult struct {
	Path       string `json:"path" jsonschema:"the file"`
	Content    string `json:"content" jsonschema:"the lines"`
	FirstLine  int    `json:"first_line" jsonschema:"the number of the first line that was read"`
	Lines      int    `json:"lines" jsonschema:"how many lines were read"`
	TotalLines int    `json:"total_lines" jsonschema:"how many lines the file has"`
	Truncated  bool   `json:"truncated" jsonschema:"whether the file goes on behind what was read"`
}
