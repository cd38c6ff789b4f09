package confined

import (
	"strings"
	"testing"
)

func TestAFolderThatMayBeUsedIsNamedOnce(t *testing.T) {
	if err := outside([]string{"/b", "/a", "/b"}, "/c"); strings.Count(err.Error(), "/b") != 1 || !strings.Contains(err.Error(), "/a") {
		t.Error(err)
	}
}
