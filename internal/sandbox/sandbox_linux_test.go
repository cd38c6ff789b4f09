package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"understudy/internal/testing/attack"
)

func TestMain(m *testing.M) {
	if Launched(os.Args) {
		os.Exit(Launch(os.Args))
	}
	if dialled() {
		return
	}
	os.Exit(m.Run())
}

// TestAttackWritingOutsideTheSandbox tries many ways to write where a command may not, and
// tests that inside a command can do what it needs.
func TestAttackWritingOutsideTheSandbox(t *testing.T) {
	if _, mend := Report(); mend != "" {
		t.Skip("needs a kernel with Landlock: " + mend)
	}
	inside, outside := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "kept"), []byte("kept"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(outside, 0o777); err != nil {
		t.Fatal(err)
	}
	type row struct {
		say, line string
		want      bool
	}
	rows := []row{
		{"a new file inside", "echo x > new && mkdir -p a/b && echo y > a/b/c && ln -s c a/b/d && cat a/b/d", true},
		{"a move between its folders", "mkdir -p m n && echo x > m/f && mv m/f n/f && rm n/f", true},
		{"reading outside", "cat $OUTSIDE/kept", true},
		{"what keeps nothing", "echo x > /dev/null && head -c 1 /dev/urandom > /dev/null", true},
		{"a pipe and a program in the background", "echo x | cat | (sleep 0 & wait; cat)", true},
	}
	for _, line := range attack.Escapes {
		rows = append(rows, row{line, line, false})
	}
	for _, c := range rows {
		t.Run(c.say, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "sh", "-c", c.line)
			cmd.Dir, cmd.Env = inside, append(os.Environ(), "OUTSIDE="+outside)
			if err := Confine(cmd, []string{inside}); err != nil {
				t.Fatal(err)
			}
			out, err := cmd.CombinedOutput()
			if (err == nil) != c.want {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	left, err := os.ReadDir(outside)
	if text, _ := os.ReadFile(filepath.Join(outside, "kept")); err != nil || len(left) != 1 || string(text) != "kept" {
		t.Errorf("outside there is %v, %q, %v", left, text, err)
	}
}

func TestAConfinedProgramIsTheSame(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `echo "$0|$1|$V"; cat; exit 7`, "its name", "an argument")
	cmd.Env, cmd.Stdin = append(os.Environ(), "V=a variable"), strings.NewReader("its input")
	if err := Confine(cmd, []string{t.TempDir(), "/no/such/folder"}); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.Output()
	if string(out) != "its name|an argument|a variable\nits input" || cmd.ProcessState.ExitCode() != 7 {
		t.Errorf("%q, %v", out, err)
	}
	none := exec.CommandContext(t.Context(), "/no/such/program")
	if err := Confine(none, nil); err != nil {
		t.Fatal(err)
	}
	if out, err := none.CombinedOutput(); err == nil || !strings.Contains(string(out), "cannot be confined") {
		t.Errorf("%q, %v", out, err)
	}
}

// Every user of the machine can read the arguments of a process, also while it is the launcher.
func TestAttackTheFoldersOfAConfinedProgram(t *testing.T) {
	private := filepath.Join(t.TempDir(), "private")
	cmd := exec.CommandContext(t.Context(), "env")
	cmd.Env = []string{"V=a variable"}
	if err := Confine(cmd, []string{private}); err != nil {
		t.Fatal(err)
	}
	if line := strings.Join(cmd.Args, " "); strings.Contains(line, private) {
		t.Errorf("the arguments tell a folder: %s", line)
	}
	if out, err := cmd.Output(); string(out) != "V=a variable\n" {
		t.Errorf("the environment of the program: %q, %v", out, err)
	}
}

func TestAConfinedProgramHasLimits(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), "sh", "-c", "ulimit -d; ulimit -u 2>/dev/null || ulimit -p")
	if err := Confine(cmd, nil); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.Output()
	if fields := strings.Fields(string(out)); err != nil || len(fields) != 2 || fields[0] == "unlimited" || fields[1] == "unlimited" {
		t.Errorf("%q, %v", out, err)
	}
}
