package workflows

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Extensions are the file extensions of documents, by precedence.
var Extensions = []string{".yaml", ".yml", ".json"}

// FileName returns the name of a document's file without its folder and extension. It
// returns "" for a file that is no document.
func FileName(path string) string {
	ext := filepath.Ext(path)
	if !slices.Contains(Extensions, ext) {
		return ""
	}
	return strings.TrimSuffix(filepath.Base(path), ext)
}

// FileIn returns the file of the document with a name in a folder, or the file for a
// new one.
func FileIn(folder, name string) (path string, exists bool) {
	for _, ext := range Extensions {
		path := filepath.Join(folder, name+ext)
		if _, err := os.Stat(path); err == nil {
			return path, true
		}
	}
	return filepath.Join(folder, name+Extensions[0]), false
}

// DocumentsIn returns the names of the documents in a folder, sorted. Hidden files are none.
func DocumentsIn(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	var names []string
	for _, e := range entries {
		if name := FileName(e.Name()); name != "" && name[0] != '.' && !e.IsDir() {
			names = append(names, name)
		}
	}
	slices.Sort(names) // the order of the files is another where one name begins with another
	return slices.Compact(names), err
}
