package virtual

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"testing"
	"time"
)

// A program writes into the folder for a while after its display has gone.
func TestAFolderIsRemovedWhileAProgramStillWrites(t *testing.T) {
	f, err := newFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	began, stop := make(chan struct{}), make(chan struct{})
	var writing sync.WaitGroup
	for w := range 4 {
		writing.Go(func() {
			for i := 0; ; i++ {
				_ = os.WriteFile(f.path(fmt.Sprintf("run/%d-%d", w, i)), nil, 0o600)
				select {
				case began <- struct{}{}:
				case <-stop:
					return
				default:
				}
			}
		})
	}
	<-began
	time.AfterFunc(200*time.Millisecond, func() { close(stop) })
	if err := f.remove(); err != nil {
		t.Error(err)
	}
	writing.Wait()
	if _, err := os.Stat(f.dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
}
