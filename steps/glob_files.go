package steps

// GlobFiles finds files by their names.
var GlobFiles = Define[GlobArgs, GlobResult](Kind{
	Name:    "glob_files",
	Summary: "Find files by a pattern of their names, the newest first.",
	Toolset: Files,
	Reads:   true,
}, GlobArgs{MaxResults: 1000}, nil)

// GlobArgs says which names.
type GlobArgs struct {
	Pattern    string `json:"pattern" jsonschema:"a pattern such as **/*.yaml, src/*.go or {a,b}.txt"`
	MaxResults Count  `json:"max_results,omitzero" jsonschema:"how many files at most"`
	Folder
}

// GlobResult is what was found.
type GlobResult struct {
	Files     []FoundFile `json:"files" jsonschema:"the files, the newest first"`
	Count     int         `json:"count" jsonschema:"how many there are"`
	Truncated bool        `json:"truncated" jsonschema:"whether more were found than are listed"`
}

// FoundFile is one file.
type FoundFile struct {
	Path     string `json:"path" jsonschema:"where it is, from the folder that was searched"`
	Bytes    int64  `json:"bytes" jsonschema:"how long it is"`
	Modified string `json:"modified" jsonschema:"when it was changed"`
}
