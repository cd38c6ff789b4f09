package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"understudy/internal/words"
)

// A file is a file of a package, or a package itself.
type file struct {
	Name string // with slashes
	Mode fs.FileMode
	Body []byte
}

func (f file) at(name string) file { return file{name, f.Mode, f.Body} }

func (f file) in(dir string) file { return f.at(path.Join(dir, f.Name)) }

func (f file) write(dir string) error {
	name := filepath.Join(dir, filepath.FromSlash(f.Name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, f.Body, f.Mode)
}

// sorted returns the files by name, so that the order is always the same.
func sorted(files []file) []file {
	return slices.SortedFunc(slices.Values(files), func(a, b file) int { return cmp.Compare(a.Name, b.Name) })
}

// folders returns the folders of the files, parents first.
func folders(files []file) []string {
	found := map[string]bool{}
	for _, f := range files {
		for dir := path.Dir(f.Name); dir != "."; dir = path.Dir(dir) {
			found[dir] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// tarball returns a compressed archive of files and their folders, all owned by root.
// Each name gets the prefix.
func tarball(prefix string, at time.Time, files []file) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(z)
	header := tar.Header{ModTime: at, Format: tar.FormatGNU, Uname: "root", Gname: "root"}
	for _, dir := range folders(files) {
		h := header
		h.Typeflag, h.Name, h.Mode = tar.TypeDir, prefix+dir+"/", 0o755
		if err := w.WriteHeader(&h); err != nil {
			return nil, err
		}
	}
	for _, f := range sorted(files) {
		h := header
		h.Typeflag, h.Name, h.Mode, h.Size = tar.TypeReg, prefix+f.Name, int64(f.Mode), int64(len(f.Body))
		if err := w.WriteHeader(&h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.Body); err != nil {
			return nil, err
		}
	}
	if err := cmp.Or(w.Close(), z.Close()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func zipped(at time.Time, files []file) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range sorted(files) {
		h := &zip.FileHeader{Name: f.Name, Method: zip.Deflate, Modified: at}
		h.SetMode(f.Mode)
		to, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := to.Write(f.Body); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func document(name string, v any) (file, error) {
	text, err := words.JSON(v, "  ")
	return file{name, 0o644, []byte(text + "\n")}, err
}

// sums returns the checksums of files, as `sha256sum --check` reads them.
func sums(files []file) file {
	var b bytes.Buffer
	for _, f := range sorted(files) {
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(f.Body), f.Name)
	}
	return file{"SHA256SUMS", 0o644, b.Bytes()}
}
