package service

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestTheLogIsBounded(t *testing.T) {
	l := &Log{Dir: t.TempDir(), limit: 100}
	for i := range 100 {
		if _, err := fmt.Fprintf(l, "line %02d\n", i); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.file.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{logName(l.Dir), logName(l.Dir) + ".old"} {
		if info, err := os.Stat(name); err != nil || info.Size() > 110 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	var b bytes.Buffer
	if err := CopyLog(&b, l.Dir); err != nil || !strings.HasSuffix(b.String(), "line 98\nline 99\n") {
		t.Errorf("%v, %q", err, b.String())
	}
	if left, err := os.ReadDir(l.Dir); err != nil || len(left) != 2 {
		t.Errorf("%d files, %v", len(left), err)
	}
}

func TestAFolderWithoutALogHasNone(t *testing.T) {
	var b bytes.Buffer
	if err := CopyLog(&b, t.TempDir()); err != nil || b.Len() > 0 {
		t.Errorf("%v, %q", err, b.String())
	}
}
