package steps

// WriteFile writes a file whole.
var WriteFile = Define[WriteFileArgs, FileResult](Kind{
	Name:       "write_file",
	Summary:    "Write a text file, whole or not at all, and the folders above it.",
	Toolset:    Files,
	Risk:       WritesFiles,
	Idempotent: true,
}, WriteFileArgs{}, nil)

// WriteFileArgs says what to write.
type WriteFileArgs struct {
	Path    Path   `json:"path" jsonschema:"the file"`
	Content string `json:"content" jsonschema:"what it shall hold"`
	Folder
}

// FileResult says which file was written.
type FileResult struct {
	Path    string `json:"path" jsonschema:"the file"`
	Bytes   int    `json:"bytes" jsonschema:"how long it is now"`
	Created bool   `json:"created" jsonschema:"whether it was not there before"`
}
