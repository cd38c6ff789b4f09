package local

import (
	"slices"
	"testing"
)

func TestPathsOfWindowsAreWords(t *testing.T) {
	got, err := splitCommand(`"C:\Program Files\a.exe" C:\tmp\b.txt --to='D:\'`)
	if want := []string{`C:\Program Files\a.exe`, `C:\tmp\b.txt`, `--to=D:\`}; err != nil || !slices.Equal(got, want) {
		t.Errorf("the words are %q, %v; want %q", got, err, want)
	}
}
