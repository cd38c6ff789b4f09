package itself

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// roleVariable says what the helper test does in its child.
const roleVariable = "UNDERSTUDY_TEST_ROLE"

// TestPlayed is played by TestInChild, in a process whose child it starts.
func TestPlayed(t *testing.T) {
	role := os.Getenv(roleVariable)
	if role == "" {
		t.Skip("TestInChild plays it")
	}
	t.Run("a name, with (signs) × and spaces", func(t *testing.T) {
		if !InChild(t, []string{"UNDERSTUDY_TEST_GIVEN=yes"}) {
			return
		}
		t.Setenv("UNDERSTUDY_TEST_SET", "yes") // refused where tests are parallel
		if os.Getenv("UNDERSTUDY_TEST_GIVEN") != "yes" {
			t.Fatal("the environment was not passed on")
		}
		switch role {
		case "fails":
			t.Error("it fails in its child")
		case "skips":
			t.Skip("needs a desktop: it skips in its child")
		case "hangs":
			select {}
		case "ends":
			os.Exit(0)
		}
	})
}

func TestInChild(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		sentence, role string
		fails          bool
		says           string
	}{
		{"what passes in the child passes", "passes", false, "--- PASS: TestPlayed/a_name,_with_(signs)_×_and_spaces"},
		{"what fails in the child fails, and says why", "fails", true, "it fails in its child"},
		{"what is skipped in the child is skipped for the same reason", "skips", false, "needs a desktop: it skips in its child\n"},
		{"a child that hangs is named before the time of its parent is up", "hangs", true, "panic: test timed out"},
		{"a child that ends without its test fails", "ends", true, "did not run in its own process"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			limit := "10m"
			if row.role == "hangs" {
				limit = "8s"
			}
			cmd := exec.Command(self, "-test.v", "-test.run=^TestPlayed$", "-test.timeout="+limit)
			cmd.Env = append(os.Environ(), roleVariable+"="+row.role)
			out, err := cmd.CombinedOutput()
			if failed := err != nil; failed != row.fails {
				t.Errorf("failed: %t, want %t", failed, row.fails)
			}
			if !strings.Contains(string(out), row.says) {
				t.Errorf("wanted %q in\n%s", row.says, out)
			}
			if row.fails && !strings.Contains(string(out), "--- FAIL: TestPlayed/") {
				t.Errorf("the test itself did not fail:\n%s", out)
			}
			if row.role == "skips" && !strings.Contains(string(out), "--- SKIP: TestPlayed/") {
				t.Errorf("it was not skipped:\n%s", out)
			}
		})
	}
}
