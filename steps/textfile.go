package steps

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// fileLimit is how long a file may be that a kind reads whole.
const fileLimit = 16 << 20

// open opens a text file for reading. It refuses what is not a plain file, as
// a pipe could be waited for without end.
func (s spot) open() (*os.File, fs.FileInfo, error) {
	info, err := s.root.Stat(s.rel)
	if err != nil {
		return nil, nil, s.fileError(err)
	}
	if !info.Mode().IsRegular() {
		return nil, nil, Errorf(Invalid, "%s is not a plain file", s.path)
	}
	f, err := s.root.Open(s.rel)
	if err != nil {
		return nil, nil, s.fileError(err)
	}
	return f, info, nil
}

// text reads a text file whole.
func (s spot) text() (string, fs.FileInfo, error) {
	f, info, err := s.open()
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	if info.Size() > fileLimit {
		return "", nil, Errorf(Invalid, "%s is %d bytes long; at most %d are read", s.path, info.Size(), fileLimit)
	}
	b, err := io.ReadAll(io.LimitReader(f, fileLimit+1))
	if err != nil {
		return "", nil, s.fileError(err)
	}
	if binary(b) {
		return "", nil, Errorf(Invalid, "%s is not a text file", s.path)
	}
	return string(b), info, nil
}

// binary says whether the beginning of a file is not text.
func binary(b []byte) bool { return bytes.IndexByte(b[:min(len(b), 8<<10)], 0) >= 0 }

// rewrite puts text into a file, whole or not at all: it writes a file beside
// it and puts that in its place.
func (e *Env) rewrite(ctx context.Context, s spot, text string, mode fs.FileMode) error {
	temp, err := s.stage(text, mode)
	if err == nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		err = e.Act(func() error {
			if err := s.root.Rename(temp, s.rel); err != nil {
				return s.fileError(err)
			}
			return nil
		})
	}
	if err != nil {
		_ = s.root.Remove(temp) // what failed is told; the rest of it is not
	}
	return err
}

// stage writes text into a new file beside the one that it is for.
func (s spot) stage(text string, mode fs.FileMode) (string, error) {
	dir, name := filepath.Split(s.rel)
	temp := filepath.Join(dir, "."+name+"."+strings.ToLower(rand.Text()[:8]))
	f, err := s.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return temp, s.fileError(err)
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return temp, s.fileError(err)
	}
	return temp, nil
}

// resolved follows the links at the end of a path, so that writing changes the
// file that a link leads to and leaves the link.
func (e *Env) resolved(path, within Path) (spot, error) {
	s, err := e.spot(path, within)
	if err != nil {
		return s, err
	}
	info, err := s.root.Lstat(s.rel)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return s, nil
	}
	target := real(filepath.Join(s.root.Name(), s.rel))
	s.close()
	return e.spot(Path(target), "")
}
