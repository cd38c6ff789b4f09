package kinds

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"understudy/steps"
	"understudy/steps/confined"
)

// CopyContent copies lines of one file into another.
var CopyContent = steps.Define(steps.Kind{
	Name:    "copy_content",
	Summary: "Copy lines of one file into another, at a place that is named by a line or by text.",
	Toolset: steps.Files,
	Risk:    steps.WritesFiles,
}, CopyArgs{SourceMode: CopyAll, TargetMode: CopyAppend}, copyContent)

// CopyArgs says what to copy, and where to.
type CopyArgs struct {
	SourcePath         steps.Path  `json:"source_path" jsonschema:"the file to copy from"`
	TargetPath         steps.Path  `json:"target_path" jsonschema:"the file to copy into"`
	SourceMode         SourceMode  `json:"source_mode,omitzero" jsonschema:"what to copy: all of it, some lines, or from one text to another"`
	SourceStartLine    steps.Count `json:"source_start_line,omitzero" jsonschema:"for lines: the first, from 1"`
	SourceEndLine      steps.Count `json:"source_end_line,omitzero" jsonschema:"for lines: the last"`
	SourceStartPattern string      `json:"source_start_pattern,omitzero" jsonschema:"for pattern: text of the first line"`
	SourceEndPattern   string      `json:"source_end_pattern,omitzero" jsonschema:"for pattern: text of the last line"`
	TargetMode         TargetMode  `json:"target_mode,omitzero" jsonschema:"where it goes"`
	TargetPattern      string      `json:"target_pattern,omitzero" jsonschema:"for replace, after and before: the text there"`
	TargetLine         steps.Count `json:"target_line,omitzero" jsonschema:"for at_line: the line before which it goes, from 1"`
	ReplaceAll         bool        `json:"replace_all,omitzero" jsonschema:"do it at each match of target_pattern"`
	Folder
}

// SourceMode says what is copied.
type SourceMode string

func (SourceMode) Words() []string {
	return []string{"all", "lines", "pattern"}
}

// What can be copied.
const (
	CopyAll     SourceMode = "all"
	CopyLines   SourceMode = "lines"
	CopyPattern SourceMode = "pattern"
)

// TargetMode says where it goes.
type TargetMode string

func (TargetMode) Words() []string {
	return []string{"replace", "after", "before", "at_line", "append", "prepend"}
}

// Where it can go.
const (
	CopyReplace TargetMode = "replace"
	CopyAfter   TargetMode = "after"
	CopyBefore  TargetMode = "before"
	CopyAtLine  TargetMode = "at_line"
	CopyAppend  TargetMode = "append"
	CopyPrepend TargetMode = "prepend"
)

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

func copyContent(ctx context.Context, env *steps.Env, a CopyArgs) (CopyResult, error) {
	from, err := confined.Find(env, a.SourcePath, a.WorkingDirectory)
	if err != nil {
		return CopyResult{}, err
	}
	defer from.Close()
	source, err := from.Text()
	if err != nil {
		return CopyResult{}, err
	}
	source, marked := strings.CutPrefix(source, byteOrderMark)
	part, err := a.selected(env, from, source)
	if err != nil {
		return CopyResult{}, err
	}
	to, err := confined.FindTarget(env, a.TargetPath, a.WorkingDirectory)
	if err != nil {
		return CopyResult{}, err
	}
	defer to.Close()
	created, err := to.IsNew()
	if err != nil {
		return CopyResult{}, err
	}
	target := ""
	if !created {
		if target, err = to.Text(); err != nil {
			return CopyResult{}, err
		}
	}
	if target != "" { // an empty file gets the mark of the source
		target, marked = strings.CutPrefix(target, byteOrderMark)
	}
	places, with, err := a.placed(env, to, target, part)
	if err != nil {
		return CopyResult{}, err
	}
	end := lineEnd(target)
	if !strings.Contains(target, "\n") {
		end = lineEnd(source)
	}
	text := replaceAt(target, places, with, end)
	if marked {
		text = byteOrderMark + text
	}
	r := CopyResult{from.Path, to.Path, 1 + strings.Count(part, "\n"), len(places)}
	return r, confined.Rewrite(ctx, env, to, text)
}

// byteOrderMark begins some files in UTF-8. It belongs to no line.
const byteOrderMark = "\ufeff"

// selected returns the part of the source to copy, without a line break at its end.
func (a *CopyArgs) selected(env *steps.Env, from confined.File, source string) (string, error) {
	all := slices.Collect(strings.Lines(source))
	first, last := 0, len(all)-1
	switch a.SourceMode {
	case CopyLines:
		first, last = int(a.SourceStartLine)-1, int(a.SourceEndLine)-1
	case CopyPattern:
		if first = lineWith(all, a.SourceStartPattern, 0); first < 0 {
			return "", steps.Errorf(steps.NotFound, "%s has no line with %s", from.Path, env.Quote(a.SourceStartPattern))
		}
		if last = lineWith(all, a.SourceEndPattern, first); last < 0 {
			return "", steps.Errorf(steps.NotFound, "%s has no line with %s from line %d on", from.Path, env.Quote(a.SourceEndPattern), first+1)
		}
	}
	if last >= len(all) || len(all) == 0 {
		return "", steps.Errorf(steps.NotFound, "%s has %d lines, fewer than are to be copied", from.Path, len(all))
	}
	return strings.TrimSuffix(strings.TrimSuffix(strings.Join(all[first:last+1], ""), "\n"), "\r"), nil
}

// lineWith returns the index of the first line from an index on that holds a text, or -1.
func lineWith(lines []string, text string, from int) int {
	i := slices.IndexFunc(lines[from:], func(line string) bool { return strings.Contains(line, text) })
	if i < 0 {
		return -1
	}
	return from + i
}

// placed returns the places of the target that are replaced, and by what.
func (a *CopyArgs) placed(env *steps.Env, to confined.File, target, part string) ([][]int, string, error) {
	mode, line, at := a.TargetMode, part+"\n", 0
	if mode == CopyAtLine {
		all := slices.Collect(strings.Lines(target))
		switch before := int(a.TargetLine) - 1; {
		case before > len(all):
			return nil, "", steps.Errorf(steps.NotFound, "%s has %d lines, so nothing goes before line %d", to.Path, len(all), a.TargetLine)
		case before == len(all):
			mode = CopyAppend
		default:
			at = len(strings.Join(all[:before], ""))
		}
	}
	switch mode {
	case CopyAppend:
		if at = len(target); at > 0 && !strings.HasSuffix(target, "\n") {
			line = "\n" + line
		}
		return [][]int{{at, at}}, line, nil
	case CopyPrepend, CopyAtLine:
		return [][]int{{at, at}}, line, nil
	}
	places := findText(target, a.TargetPattern)
	if err := checkPlaces(env, to.Path, places, a.TargetPattern, a.ReplaceAll); err != nil {
		return nil, "", err
	}
	switch mode {
	case CopyAfter:
		return lineEnds(target, places), "\n" + part, nil
	case CopyBefore:
		return lineStarts(target, places), line, nil
	}
	return places, part, nil
}

// lineEnds returns the ends of the lines that hold places, and lineStarts their starts,
// each once: lines are inserted between lines.
func lineEnds(text string, places [][]int) [][]int {
	return points(places, func(p []int) int {
		end := strings.IndexByte(text[p[1]:], '\n')
		if end < 0 {
			return len(text)
		}
		return p[1] + len(strings.TrimSuffix(text[p[1]:p[1]+end], "\r"))
	})
}

func lineStarts(text string, places [][]int) [][]int {
	return points(places, func(p []int) int { return strings.LastIndexByte(text[:p[0]], '\n') + 1 })
}

func points(places [][]int, at func([]int) int) [][]int {
	var all [][]int
	for _, p := range places {
		if i := at(p); len(all) == 0 || all[len(all)-1][0] != i {
			all = append(all, []int{i, i})
		}
	}
	return all
}
