package cli

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
)

// forBash is what every script of completions for bash builds on.
const forBash = "/usr/share/bash-completion/bash_completion"

// asked says how a shell is asked what it would make of a line when its user
// presses the tabulator: a program and its arguments, the last of them a script
// that finds the line in $typed, and writes what could stand at its end.
var asked = map[string][]string{
	"bash": {"bash", "--noprofile", "--norc", "-c", `
source ` + forBash + `
source <(understudy completion bash)
COMP_LINE=$typed COMP_POINT=${#typed} COMP_TYPE=9 COMP_KEY=9
read -ra COMP_WORDS <<<"$typed"
[[ $typed == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
__start_understudy
printf '%s\n' "${COMPREPLY[@]}"`},

	"fish": {"fish", "--no-config", "-c", `
understudy completion fish | source
complete --do-complete "$typed"`},

	// The line is typed at a terminal, for that is where zsh completes.
	"zsh": {"zsh", "-f", "-c", `
zmodload zsh/zpty
zpty shell zsh -f -i
ask() { zpty -w shell "$1"; zpty -r shell said "*$2*"; }
ask 'PS1= PROMPT_EOL_MARK= ; unsetopt beep; print -r -- RE''ADY' READY
ask 'autoload -U compinit && compinit -u -D && source <(understudy completion zsh) && print -r -- LOA''DED' LOADED
ask 'completed() { zle complete-word; print -r -- GO"T:$BUFFER:EN"D; BUFFER=; }; zle -N completed; bindkey "^X" completed; print -r -- BO''UND' BOUND
zpty -w -n shell "$typed"$'\x18'
zpty -r shell said '*:END*'
zpty -d shell
said=${said##*GOT:} said=${said%%:END*}
print -r -- "${said##* }"
print -r -- "${${said% }##* }"`},
}

// TestAtLengthShellsComplete lets each shell use the script that we write for it.
func TestAtLengthShellsComplete(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs the shells of Linux")
	}
	virtualtest.Need(t, "bash", "fish", "zsh")
	if _, err := os.Stat(forBash); err != nil && os.Getenv(virtualtest.RequireVar) == "" {
		t.Skip("needs a desktop: the package bash-completion is missing")
	}
	s := newShellHome(t)
	s.run("understudy", "run", "done.yaml")
	id := strings.TrimSpace(s.run("bash", "-c", `understudy runs ls --json | sed -n 's/.*"run_id": "\(.*\)".*/\1/p'`))
	if len(id) != 26 {
		t.Fatalf("the run is called %q", id)
	}
	for shell, command := range asked {
		for typed, want := range map[string]string{
			"understudy valid":                 "validate",
			"understudy resume 01":             id,
			"understudy runs show 01":          id,
			"understudy run sav":               "saved-one",
			"understudy call click_el":         "click_element",
			"understudy resume last --from tw": "two",
			"understudy serve --toolsets vis":  "vision",
		} {
			t.Run(shell+" "+typed, func(t *testing.T) {
				out := s.with("typed="+typed).run(command[0], command[1:]...)
				for line := range strings.Lines(out) {
					if offered, _, _ := strings.Cut(strings.TrimSpace(line), "\t"); offered == want {
						return
					}
				}
				t.Errorf("%s offers %q, want %s", shell, out, want)
			})
		}
	}
}

// shellHome is a person's home, with a run and a saved workflow in it.
type shellHome struct {
	t       *testing.T
	dir     string
	environ []string
}

func newShellHome(t *testing.T) *shellHome {
	t.Helper()
	dir := scratch.Dir(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const workflow = "name: done\nsteps:\n  - {id: one, tool_name: log, arguments: {message: one}}\n  - {id: two, tool_name: log, arguments: {message: two}}\n"
	bin := filepath.Join(dir, "bin")
	for name, text := range map[string]string{"done.yaml": workflow, "data/workflows/saved-one.yaml": workflow} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(bin, "understudy")); err != nil {
		t.Fatal(err)
	}
	return &shellHome{t: t, dir: dir, environ: []string{
		"HOME=" + dir, "PATH=" + bin + ":" + os.Getenv("PATH"), "UNDERSTUDY_HOME=" + filepath.Join(dir, "data"),
		"LC_ALL=C.UTF-8", "TERM=dumb", "GORACE=" + os.Getenv("GORACE"),
	}}
}

func (s *shellHome) with(pair string) *shellHome {
	return &shellHome{s.t, s.dir, append([]string{pair}, s.environ...)}
}

// run gives the standard output of a command that must succeed.
func (s *shellHome) run(name string, args ...string) string {
	s.t.Helper()
	ctx, cancel := context.WithDeadline(s.t.Context(), scratch.Deadline(s.t))
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	if name == "understudy" {
		cmd = exec.CommandContext(ctx, filepath.Join(s.dir, "bin", name), args...)
	}
	var said strings.Builder
	cmd.Dir, cmd.Env, cmd.Stderr, cmd.WaitDelay = s.dir, s.environ, &said, 5*time.Second
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("%s %s: %v\n%s%s", name, strconv.Quote(strings.Join(args, " ")), err, out, said.String())
	}
	return string(out)
}
