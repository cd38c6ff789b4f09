package shell

import (
	"cmp"
	"os"
	"os/exec"
	"strconv"
)

// endGroup ends a program and its descendants.
func endGroup(p *os.Process) error {
	if err := exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(p.Pid)).Run(); err != nil {
		return p.Kill()
	}
	return os.ErrProcessDone
}

func exitCode(s *os.ProcessState) int { return s.ExitCode() }

// Command returns the command with which a shell runs a line or a file.
func Command(shell, line, file string) (string, []string, error) {
	shell = cmp.Or(shell, "cmd")
	path, err := findProgram("install it, or name another shell", shell)
	if err != nil {
		return "", nil, err
	}
	what := cmp.Or(file, line)
	switch shell {
	case "powershell", "pwsh":
		if file != "" {
			return path, []string{"-NoProfile", "-NonInteractive", "-File", file}, nil
		}
	case "cmd":
		return path, []string{"/D", "/S", "/C", what}, nil
	default:
		if file != "" {
			return path, []string{file}, nil
		}
	}
	return path, []string{lineFlag(shell), line}, nil
}

// readAll connects the output of a program to its writers. A pipe of Windows cannot be
// read without waiting, so output after outputGrace is lost.
func (p Process) readAll(c *exec.Cmd) (started, ended func(), err error) {
	c.Stdout, c.Stderr = p.Stdout, p.Stderr
	return func() {}, func() {}, nil
}
