package steps

import (
	"errors"
	"fmt"
)

// CopyContent copies lines of one file into another.
var CopyContent = Define[CopyArgs, CopyResult](Kind{
	Name:    "copy_content",
	Summary: "Copy lines of one file into another, at a place that is named by a line or by text.",
	Toolset: Files,
	Risk:    WritesFiles,
}, CopyArgs{SourceMode: CopyAll, TargetMode: CopyAppend}, nil)

// CopyArgs says what to copy, and where to.
type CopyArgs struct {
	SourcePath         Path       `json:"source_path" jsonschema:"the file to copy from"`
	TargetPath         Path       `json:"target_path" jsonschema:"the file to copy into"`
	SourceMode         SourceMode `json:"source_mode,omitzero" jsonschema:"what to copy: all of it, some lines, or from one text to another"`
	SourceStartLine    Count      `json:"source_start_line,omitzero" jsonschema:"for lines: the first, from 1"`
	SourceEndLine      Count      `json:"source_end_line,omitzero" jsonschema:"for lines: the last"`
	SourceStartPattern string     `json:"source_start_pattern,omitzero" jsonschema:"for pattern: text of the first line"`
	SourceEndPattern   string     `json:"source_end_pattern,omitzero" jsonschema:"for pattern: text of the last line"`
	TargetMode         TargetMode `json:"target_mode,omitzero" jsonschema:"where it goes"`
	TargetPattern      string     `json:"target_pattern,omitzero" jsonschema:"for replace, after and before: the text there"`
	TargetLine         Count      `json:"target_line,omitzero" jsonschema:"for at_line: the line before which it goes, from 1"`
	ReplaceAll         bool       `json:"replace_all,omitzero" jsonschema:"do it wherever target_pattern stands"`
	Folder
}

// SourceMode says what is copied.
type SourceMode string

// What can be copied.
const (
	CopyAll     SourceMode = "all"
	CopyLines   SourceMode = "lines"
	CopyPattern SourceMode = "pattern"
)

// TargetMode says where it goes.
type TargetMode string

// Where it can go.
const (
	CopyReplace TargetMode = "replace"
	CopyAfter   TargetMode = "after"
	CopyBefore  TargetMode = "before"
	CopyAtLine  TargetMode = "at_line"
	CopyAppend  TargetMode = "append"
	CopyPrepend TargetMode = "prepend"
)

// Validate wants what each mode needs.
func (a *CopyArgs) Validate() error {
	switch a.SourceMode {
	case CopyLines:
		if a.SourceStartLine < 1 || a.SourceEndLine < a.SourceStartLine {
			return errors.New("source_mode lines wants source_start_line and source_end_line, from 1 and in this order")
		}
	case CopyPattern:
		if a.SourceStartPattern == "" || a.SourceEndPattern == "" {
			return errors.New("source_mode pattern wants source_start_pattern and source_end_pattern")
		}
	}
	switch a.TargetMode {
	case CopyReplace, CopyAfter, CopyBefore:
		if a.TargetPattern == "" {
			return fmt.Errorf("target_mode %s wants target_pattern", a.TargetMode)
		}
	case CopyAtLine:
		if a.TargetLine < 1 {
			return errors.New("target_mode at_line wants target_line, from 1")
		}
	}
	return nil
}

// CopyResult says what was copied.
type CopyResult struct {
	SourcePath string `json:"source_path" jsonschema:"the file that was copied from"`
	TargetPath string `json:"target_path" jsonschema:"the file that was copied into"`
	Lines      int    `json:"lines" jsonschema:"how many lines were copied"`
	Places     int    `json:"places" jsonschema:"to how many places"`
}
