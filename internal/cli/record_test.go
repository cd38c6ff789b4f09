package cli

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"understudy/internal/testing/fake"
)

// TestStopKeyOfARecording records with and without a key that stops.
func TestStopKeyOfARecording(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("UNDERSTUDY_HOME", filepath.Join(dir, "data"))
	for key, want := range map[string]string{"ctrl+f12": "stop with ctrl+f12 or Ctrl-C\n", "": "stop with Ctrl-C\n"} {
		var errOut bytes.Buffer
		args := []string{"record", "-o", filepath.Join(dir, "flow.yaml"), "--force", "--duration", "1ns", "--stop-key", key}
		status := Main(t.Context(), &fake.Machine{Fake: fake.New()}, args, nil, io.Discard, &errOut)
		if status != statusOK || !strings.Contains(errOut.String(), want) {
			t.Errorf("the key %q: wanted %q, got status %d and %q", key, want, status, errOut.String())
		}
	}
}
