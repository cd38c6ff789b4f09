package confined

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"understudy/steps"
)

// ContentLimit bounds the content that read_file returns, in bytes.
const ContentLimit = 200 << 10

// Lines calls f for each line of a text file, with its number and its line break. A line
// that is longer than ContentLimit is cut.
func (s File) Lines(ctx context.Context, f func(n int, line string)) error {
	file, err := s.Open()
	if err != nil {
		return err
	}
	defer file.Close()
	in := bufio.NewReaderSize(file, 64<<10)
	if head, _ := in.Peek(binaryWithin); isBinary(head) {
		return s.notText()
	}
	if err = readLines(ctx, in, f); err != nil && ctx.Err() == nil {
		err = s.Error(err)
	}
	return err
}

func (s File) notText() error { return steps.Errorf(steps.Invalid, "%s is not a text file", s.Path) }

func readLines(ctx context.Context, in *bufio.Reader, f func(n int, line string)) error {
	var long []byte
	for n, read := 1, 0; ; {
		part, err := in.ReadSlice('\n')
		read += len(part)
		if room := ContentLimit + 1 - len(long); room > 0 {
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
		if n++; n%1000 == 0 || read > ContentLimit {
			if read = 0; ctx.Err() != nil {
				return context.Cause(ctx)
			}
		}
		long = long[:0]
	}
}

// fileLimit bounds a file that a kind reads whole, in bytes.
const fileLimit = 16 << 20

// Open opens a plain file for reading.
func (s File) Open() (*os.File, error) {
	if err := s.isPlain(); err != nil {
		return nil, err
	}
	f, err := s.Root.Open(s.Rel)
	if err != nil {
		return nil, s.Error(err)
	}
	return f, nil
}

// isPlain returns an error if there is no such file, or if it is not a plain one: a pipe
// could block for ever.
func (s File) isPlain() error {
	info, err := s.Root.Stat(s.Rel)
	switch {
	case err != nil:
		return s.Error(err)
	case !info.Mode().IsRegular():
		return steps.Errorf(steps.Invalid, "%s is not a plain file", s.Path)
	}
	return nil
}

// Text returns the content of a text file.
func (s File) Text() (string, error) {
	f, err := s.Open()
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, fileLimit+1))
	switch {
	case err != nil:
		return "", s.Error(err)
	case len(b) > fileLimit:
		return "", steps.Errorf(steps.Invalid, "%s is longer than %d bytes, the most that is read", s.Path, fileLimit)
	case isBinary(b):
		return "", s.notText()
	}
	return string(b), nil
}

// binaryWithin is how much of a file is looked at to tell whether it is text.
const binaryWithin = 8 << 10

func isBinary(b []byte) bool { return bytes.IndexByte(b[:min(len(b), binaryWithin)], 0) >= 0 }

// Rewrite replaces a file atomically: it writes a file beside it and renames that.
func Rewrite(ctx context.Context, env *steps.Env, s File, text string) error {
	temp, err := s.stage(text)
	if err == nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		err = env.Act(func() error {
			if err := s.Root.Rename(temp, s.Rel); err != nil {
				return s.Error(err)
			}
			return nil
		})
	}
	if err != nil {
		_ = s.Root.Remove(temp) // err is the error that matters
	}
	return err
}

// stage writes text into a new file beside the one that it is for, with its permissions
// if it exists.
func (s File) stage(text string) (string, error) {
	temp := filepath.Join(filepath.Dir(s.Rel), ".writing-"+strings.ToLower(rand.Text()))
	mode, old := fs.FileMode(0o666), false
	if info, err := s.Root.Stat(s.Rel); err == nil {
		mode, old = info.Mode().Perm(), true
	}
	f, err := s.Root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return temp, s.Error(err)
	}
	_, err = f.WriteString(text)
	if old { // the umask does not concern it
		err = errors.Join(err, f.Chmod(mode))
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return temp, s.Error(err)
	}
	return temp, nil
}

// FindTarget is Find that resolves a link at the end of the path, so that writing changes
// the target of the link and keeps the link.
func FindTarget(env *steps.Env, path, within steps.Path) (File, error) {
	s, err := Find(env, path, within)
	if err != nil {
		return s, err
	}
	info, err := s.Root.Lstat(s.Rel)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return s, nil
	}
	target := realPath(filepath.Join(s.Root.Name(), s.Rel))
	s.Close()
	return Find(env, steps.Path(target), "")
}

// IsNew reports whether the file does not exist. The error is for one that is no plain
// file.
func (s File) IsNew() (bool, error) {
	err := s.isPlain()
	if steps.CodeOf(err) == steps.NotFound {
		return true, nil
	}
	return false, err
}
