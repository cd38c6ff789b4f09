package virtual

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"testing"
)

// Programs write into the folder until it is gone. One time in many, a file
// comes just when the folder was thought empty.
func TestAFolderIsRemovedWhileProgramsStillWrite(t *testing.T) {
	home := t.TempDir()
	for range 200 {
		f, err := newFolder(home)
		if err != nil {
			t.Fatal(err)
		}
		var writing sync.WaitGroup
		for i := range 2 {
			path := f.path(fmt.Sprintf("run/%d", i))
			writing.Go(func() {
				for os.WriteFile(path, nil, 0o600) == nil {
					_ = os.Remove(path)
				}
			})
		}
		if err := f.remove(); err != nil {
			t.Fatal(err)
		}
		writing.Wait()
		if _, err := os.Stat(f.dir); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("the folder is still there: %v", err)
		}
	}
}
