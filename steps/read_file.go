package steps

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
)

// ReadFile reads lines of a text file.
var ReadFile = Define(Kind{
	Name:    "read_file",
	Summary: "Read lines of a text file.",
	Toolset: Files,
	Reads:   true,
	Risk:    ReadsPrivate,
}, ReadFileArgs{Offset: 1, Limit: 100}, readFile)

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

// contentLimit is how many bytes read_file gives at most.
const contentLimit = 200 << 10

// Validate wants lines that can be.
func (a *ReadFileArgs) Validate() error {
	if a.Offset < 1 || a.Limit < 1 {
		return errors.New("offset and limit begin at 1")
	}
	return nil
}

func readFile(ctx context.Context, env *Env, a ReadFileArgs) (ReadFileResult, error) {
	s, err := env.spot(a.Path, a.WorkingDirectory)
	if err != nil {
		return ReadFileResult{}, err
	}
	defer s.close()
	f, _, err := s.open()
	if err != nil {
		return ReadFileResult{}, err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 64<<10)
	if head, _ := in.Peek(8 << 10); binary(head) {
		return ReadFileResult{}, Errorf(Invalid, "%s is not a text file", s.path)
	}
	r := ReadFileResult{Path: s.path, FirstLine: int(a.Offset)}
	content := &strings.Builder{}
	err = lines(ctx, in, func(n int, line string) {
		r.TotalLines = n
		switch {
		case n < int(a.Offset):
		case r.Truncated || r.Lines == int(a.Limit):
			r.Truncated = true
		case content.Len()+len(line) > contentLimit:
			content.WriteString(line[:contentLimit-content.Len()])
			r.Lines++
			r.Truncated = true
		default:
			content.WriteString(line)
			r.Lines++
		}
	})
	if err != nil {
		return r, s.fileError(err)
	}
	if r.Lines == 0 && r.TotalLines > 0 {
		return r, Errorf(NotFound, "%s has %d lines, none at %d", s.path, r.TotalLines, a.Offset)
	}
	r.Content = strings.ToValidUTF8(content.String(), "�")
	return r, nil
}

// lines calls f for each line of a text, with its number and its end. Of a
// line that is longer than anything that is shown, it gives the beginning.
func lines(ctx context.Context, in *bufio.Reader, f func(n int, line string)) error {
	var long []byte
	for n := 1; ; {
		part, err := in.ReadSlice('\n')
		if room := contentLimit + 1 - len(long); room > 0 {
			long = append(long, part[:min(room, len(part))]...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if len(long) > 0 {
			f(n, string(long))
		}
		if err != nil {
			return nil
		}
		if n++; n%1000 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		long = long[:0]
	}
}
