package scratch_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"understudy/internal/testing/scratch"
)

// A browser that was killed wrote into its profile while the profile was
// removed, and a test failed that had passed.
func TestAFolderGoesWhileAProgramWritesItsLast(t *testing.T) {
	var dir string
	began, done := make(chan struct{}), make(chan struct{})
	t.Run("writes", func(t *testing.T) {
		dir = scratch.Dir(t)
		within := filepath.Join(dir, "profile")
		if err := os.Mkdir(within, 0o700); err != nil {
			t.Fatal(err)
		}
		go func() {
			defer close(done)
			for i := range 2000 {
				// It fails once the folder is gone, as it would for a program.
				_ = os.WriteFile(filepath.Join(within, strconv.Itoa(i)), nil, 0o600)
				if i == 0 {
					close(began)
				}
			}
		}()
		<-began
	})
	<-done
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
}
